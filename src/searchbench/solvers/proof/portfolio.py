"""Prove by two searches that take turns: alpha-beta and depth-first proof-number search. Whichever ends first has the outcome.

Which of them is quicker depends on the game, and by factors of hundreds: alpha-beta where values are draws or many lines come to
the same positions, proof numbers where one player forces the other. Turns are equal, and to go on costs nothing, so that the
two together take some two to three times as long as the better one alone. Short turns are counted in nodes, as all are where
nodes are limited: so these searches are the same each time. Long ones are counted in seconds, since nodes of the two are not
alike; with two threads both go on side by side instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import LimitReached, OutOfMemory
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.bounding import Solved, first_size
from searchbench.solvers.proof.budget import Budget, Steps
from searchbench.solvers.proof.configuration import AlphaBeta, DepthFirstProofNumber, Portfolio
from searchbench.solvers.proof.dfpn import DepthFirstProofNumberSearch
from searchbench.solvers.proof.drops import DropSearch, fits
from searchbench.solvers.shared.transposition import new_transpositions

LONG_TURN: Final = 1 << 20
"""Nodes of the first turn that is no short one any more,"""
LONG_SECONDS: Final = 1.0
"""and the seconds of a long turn."""
MOST_EMPTY_FOR_EVIDENCE: Final = 24
"""Up to how many empty cells alpha-beta takes the general search, which can gather evidence, where stones fall."""
FOR_EVIDENCE: Final = 1 << 26
"""Nodes that the other search may take for a strategy where the first one keeps none, if no limit is set."""


@dataclass
class Contestant:
    """One of the searches: its method, its counts and limits, its steps, and what it has found, or why it has found nothing."""

    method: str
    budget: Budget
    steps: Steps[Solved]
    found: Solved | None = None
    error: LimitReached | OutOfMemory | None = None

    @property
    def goes_on(self) -> bool:
        """Return whether it has neither found anything nor failed."""
        return self.found is None and self.error is None

    def step(self) -> None:
        """Take one step."""
        try:
            next(self.steps)
        except StopIteration as end:
            self.found = end.value
        except (LimitReached, OutOfMemory) as error:
            self.error = error


class Contest:
    """Let alpha-beta and depth-first proof-number search prove one outcome; each has half of the memory."""

    def __init__(self, game: Game, root: Any, budget: Budget, chosen: Portfolio, target: jit.Target = "cpu") -> None:
        self.game, self.budget, self.run = game, budget, budget.run
        half = self.run.memory // 2
        self.runs = self.run.part(half, 1), self.run.part(half, max(1, self.run.threads - 1))
        first, second = (Budget(game, run, budget.limit, budget.seconds) for run in self.runs)
        if self.run.reports:
            progress = _Progress(self.run, (first, second), budget.limit)
            for place, run in enumerate(self.runs):
                run.report = partial(progress.tell, place)
        first.advised = True  # the other one does so
        self.contestants = [
            Contestant(AlphaBeta.method, first, alpha_beta_steps(game, root, first, chosen.evidence, target)),
            Contestant(DepthFirstProofNumber.method, second, proof_number_steps(game, root, second, target)),
        ]
        self.first_turn = self.turn = chosen.turn

    def solve(self) -> Solved:
        """Return the outcome, from the search that ends first. Raises LimitReached and OutOfMemory."""
        return self._until(lambda: any(one.found for one in self.contestants))

    def with_strategy(self) -> Solved | None:
        """Go on until a search has the outcome that keeps a strategy; return None where that takes too many nodes."""
        other = self.contestants[1]
        if self.budget.unlimited:
            other.budget.limit = FOR_EVIDENCE
        try:
            return self._until(lambda: other.found is not None)
        except (LimitReached, OutOfMemory):
            return None

    def _until(self, ends: Callable[[], bool]) -> Solved:
        with ExitStack() as stack:
            for run in self.runs:
                stack.enter_context(run)
            while not ends() and self._rest > 0 and any(one.goes_on for one in self.contestants):
                running = [one for one in self.contestants if one.goes_on]
                if self.turn < LONG_TURN or self.budget.limit:
                    self._count_nodes(running, ends)
                elif self.run.threads > 1:
                    self.run.map(lambda one: self._search(one, ends), running)
                else:
                    self._count_seconds(running, ends)
        self.budget.nodes = sum(one.budget.nodes for one in self.contestants)
        self.budget.repetitions = sum(one.budget.repetitions for one in self.contestants)
        if not ends():
            self._refuse()
        winner = next(one for one in reversed(self.contestants) if one.found)
        assert winner.found is not None
        facts = winner.found.facts | {"nodes": self.budget.nodes, "method": winner.method}
        return winner.found._replace(facts=facts)

    def _count_nodes(self, running: Sequence[Contestant], ends: Callable[[], bool]) -> None:
        """Let each search take as many nodes as a turn has, and the limit leaves."""
        for one in running:
            rest = self._rest
            if rest > 0:
                one.budget.turn = self.turn
                one.budget.limit = one.budget.nodes + int(rest) if self.budget.limit else one.budget.limit
                self._search(one, ends)
                one.budget.turn = 0
        self.turn += self.first_turn

    def _count_seconds(self, running: Sequence[Contestant], ends: Callable[[], bool]) -> None:
        """Let each search go on for as many seconds as a turn has."""
        for one in running:
            self._search(one, ends, self.run.seconds + LONG_SECONDS)

    def _search(self, one: Contestant, ends: Callable[[], bool], until: float = math.inf) -> None:
        """Let a search go on to the end of its turn, or of the whole: at least one step, however short the turn is."""
        while one.goes_on and not one.budget.turn_ends and not ends() and not self.run.stopped:
            one.step()
            if self.run.seconds >= until:
                return

    @property
    def _rest(self) -> float:
        """Return how many nodes the limit leaves."""
        return self.budget.limit - sum(one.budget.nodes for one in self.contestants) if self.budget.limit else math.inf

    def _refuse(self) -> None:
        """Raise the limit that the searches have met: for nodes that of both, else the other one's, which tells more."""
        if self.budget.limit:
            self.budget.check()
        error = self.contestants[1].error
        assert error is not None
        raise error


class _Progress:
    """Report the nodes of both searches; once there are proof numbers, they tell how far it is."""

    def __init__(self, run: Run, budgets: Sequence[Budget], limit: int) -> None:
        self.run, self.budgets, self.limit = run, budgets, limit
        self.stages = ["", ""]

    def tell(self, place: int, stage: str, _done: int, _total: int) -> None:
        """Report, where one of the searches does."""
        self.stages[place] = stage
        self.run.progress(self.stages[1] or self.stages[0], sum(one.nodes for one in self.budgets), self.limit)


def alpha_beta_steps(game: Game, root: Any, budget: Budget, evidence: bool, target: jit.Target) -> Steps[Solved]:
    """Find the outcome by alpha-beta; where stones fall on bitboards, unless evidence is wanted and within reach."""
    memory = budget.run.memory
    drops = game.claimed("drops")
    empty = np.count_nonzero(root == 0)
    if drops is not None and fits(drops) and not (evidence and empty <= MOST_EMPTY_FOR_EVIDENCE):
        found = DropSearch(game, drops, budget, memory // 2, target)
        outcome = yield from outcome_steps(lambda bound: found.steps(root, bound))
        nothing = new_transpositions(2)
        without = (
            f"because the search on bitboards keeps no strategy: {empty} cells are empty, and evidence is gathered "
            f"with up to {MOST_EMPTY_FOR_EVIDENCE}; prove a later position, or do without evidence"
        )
        return Solved(outcome, outcome, (nothing, nothing), {"nodes": found.nodes}, without=without)
    table = new_transpositions(first_size(memory // 4))
    search = AlphaBetaSearch(game, budget, table, memory // 2, None, target)
    outcome = yield from search.steps(root, -1, 1)
    return Solved(outcome, outcome, (search.table, search.table), {"nodes": search.nodes})


def proof_number_steps(game: Game, root: Any, budget: Budget, target: jit.Target) -> Steps[Solved]:
    """Find the outcome by depth-first proof-number search."""
    search = depth_first_search(game, budget, DepthFirstProofNumber(), target)
    outcome = yield from outcome_steps(lambda bound: search.steps(root, bound))
    return Solved(outcome, outcome, (search.table, search.table), {"nodes": search.nodes})


def depth_first_search(
    game: Game, budget: Budget, chosen: DepthFirstProofNumber, target: jit.Target
) -> DepthFirstProofNumberSearch:
    """Return a depth-first proof-number search; half of its table is for numbers, half for results."""
    memory = min(chosen.table_memory or budget.run.memory // 2, budget.run.memory // 2) // 2
    facts, numbers = new_transpositions(first_size(memory)), new_transpositions(first_size(memory))
    return DepthFirstProofNumberSearch(game, budget, facts, numbers, memory, target, chosen.choices(), growing=True)


def outcome_steps(ask: Callable[[int], Steps[bool]]) -> Steps[int]:
    """Ask "does the player to move win?", and if not, "does she get at least a draw?"; return the outcome."""
    if (yield from ask(1)):
        return 1
    return 0 if (yield from ask(0)) else -1
