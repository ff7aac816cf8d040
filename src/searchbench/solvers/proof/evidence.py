"""Gather evidence: the strategies that show an outcome, complete for every reply.

Without a database at the leaves, the facts of the search are followed, and lost ones are found again
(:mod:`searchbench.solvers.proof.retracing`). With one, or where play must end and the facts lead in a circle, the claim is
searched once more by alpha-beta, guided by the moves in the transposition table: every proved state of the claimer enters a
strategy table after all that its proof rests on. The strategy is the part of that table reachable from the root. Where a draw
rests on repetition, a state may be missing, because its result was known on one path only: it is then searched as a root of
its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from searchbench import jit
from searchbench.errors import BrokenRule
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.proof import Claim, Strategy, outcome_text
from searchbench.rules import UNDECIDED, State, moves, new_moves, new_state, play, unplay
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.bounding import Solved
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.facts import outcome_of
from searchbench.solvers.proof.leaves import LeafDatabase, Leaves, outcome_of_leaf
from searchbench.solvers.proof.retracing import Retracing
from searchbench.solvers.proof.strategy_table import (
    ABSENT,
    SMALLEST,
    StrategyTable,
    bytes_per_state,
    new_strategy_table,
    row_of,
)

MOST_STATES = 1 << 24
"""Most states in a strategy table."""

# The places of a walk's `note`: the number of listed rows, and how many of them are done.
_WAITING, _DONE = range(2)


def ended(state: State, leaves: Leaves) -> bool:
    """Return whether the game is over or its outcome known."""
    return outcome_of(state) != UNDECIDED or outcome_of_leaf(state, new_state(), 0, leaves) != UNDECIDED


def need(strategy_table: StrategyTable, state: State, leaves: Leaves, wanted: Any, reached: Any, note: Any) -> bool:
    """List the row of a claimer's state to be followed; return false if the state is not in the strategy table."""
    if ended(state, leaves) or moves(state, new_moves()) == 0:
        return True
    row = row_of(strategy_table, key(state), state)
    if row == ABSENT:
        return False
    if not reached[row]:
        reached[row] = True
        wanted[note[_WAITING]] = row
        note[_WAITING] += 1
    return True


def need_replies(
    strategy_table: StrategyTable, state: State, leaves: Leaves, wanted: Any, reached: Any, note: Any
) -> bool:
    """List the states after every reply; if one is not in the strategy table, leave it in `state` and return false."""
    if ended(state, leaves):
        return True
    out = new_moves()
    for place in range(moves(state, out)):
        play(state, out[place])
        if not need(strategy_table, state, leaves, wanted, reached, note):
            return False
        unplay(state, out[place])
    return True


def follow(strategy_table: StrategyTable, leaves: Leaves, wanted: Any, reached: Any, note: Any, missing: Any) -> bool:
    """Follow the strategy from the listed rows; if a state has no move, write it to `missing` and return false."""
    state = new_state()
    while note[_DONE] < note[_WAITING]:
        row = wanted[note[_DONE]]
        for cell in range(len(state)):
            state[cell] = strategy_table.states[row, cell]
        play(state, strategy_table.moves[row])
        if not need_replies(strategy_table, state, leaves, wanted, reached, note):
            missing[:] = state
            return False
        note[_DONE] += 1
    return True


class _Walk:
    """Extract the reachable part of a strategy from a strategy table."""

    def __init__(self, search: AlphaBetaSearch, player: int, bound: int) -> None:
        self.search, self.player, self.bound = search, player, bound

    def strategy(self, root: Any) -> Strategy:
        """Return the strategy for the claimer, the player to move at the root (0) or the other (1)."""
        if self.player == 0:
            self._prove(root, self.bound - 1, self.bound, 0)
        else:
            self._prove(root, -self.bound, 1 - self.bound, 1)
        self.wanted, self.reached = np.zeros(0, np.int32), np.zeros(0, np.bool_)
        self.note = np.zeros(2, np.int64)
        self.begun = False
        while (missing := self._reach(root)) is not None:
            self._prove(missing, self.bound - 1, self.bound, 0)
            self.search.budget.check("the strategy is not complete")
        strategy_table = self.search.strategy_table
        rows = self.wanted[: self.note[_WAITING]]
        return Strategy(strategy_table.states[rows], strategy_table.moves[rows])

    def _prove(self, state: Any, alpha: int, beta: int, claimer: int) -> None:
        value = self.search.value(state, alpha, beta, claimer, assumed=-1 if claimer == 0 else 1)
        if value < beta if claimer == 0 else value > alpha:
            game = self.search.game
            raise BrokenRule(
                f"{game}: a second search finds another outcome of {game.format(state.tolist())!r}: "
                "the rules are inconsistent, or `key` gives two states the same number"
            )

    def _reach(self, root: Any) -> Any:
        """Follow the strategy from the root, resuming at the last row; return a state missing in the table, or None."""
        strategy_table, names = self.search.strategy_table, self.search.names
        leaves = self.search.known_leaves.assuming(UNDECIDED)  # the root may be a leaf that nobody knows
        new = len(strategy_table.moves) - len(self.wanted)  # rows stay where they are when the strategy table grows
        self.wanted, self.reached = np.pad(self.wanted, (0, new)), np.pad(self.reached, (0, new))
        missing = root.copy()
        if not self.begun:
            first = jit.bind(need if self.player == 0 else need_replies, names)
            self.begun = first(strategy_table, missing, leaves, self.wanted, self.reached, self.note)
            if not self.begun:
                return missing
        done = jit.bind(follow, names)(strategy_table, leaves, self.wanted, self.reached, self.note, missing)
        return None if done else missing


def gather_claims(
    game: Game,
    state: Sequence[int],
    found: Solved,
    budget: Budget,
    leaves: LeafDatabase | None = None,
    target: jit.Target = "cpu",
    table_memory: int | None = None,
) -> Iterator[Claim]:
    """Yield the claims that bound the outcome of a state: a strategy for each side that is sure of more than a loss.

    `found` has the tables of the searches that found the lower and the upper bound; those for what is searched again may grow
    to `table_memory` bytes, by default an eighth of the memory.
    Raises LimitReached when a strategy needs too many states or nodes.
    """
    root = np.array(state, game.dtype)
    room = budget.run.memory // 8 if table_memory is None else table_memory
    most_states = min(MOST_STATES, budget.run.memory // 4 // bytes_per_state(game))
    for player, bound, table in ((0, found.lower, found.tables[0]), (1, -found.upper, found.tables[1])):
        if bound < 0:
            continue
        whose = "the other player" if player else "the player to move"
        stage = f"{outcome_text(found.lower, found.upper)} is proved; the strategy of {whose}"
        strategy, symmetric = None, bool(found.choices.get("SYMMETRIC_STATES"))
        if leaves is None:
            retracing = Retracing(game, budget, table, room, most_states, stage, target, found.choices)
            strategy = retracing.strategy(root, player, bound)
            table = retracing.search.table
        if strategy is None:
            symmetric = False
            search = AlphaBetaSearch(game, budget, table, 0, leaves, target)
            if leaves is not None and not leaves.goes_on:
                search.rest_on_assumptions()
            search.stage, search.most_states = stage, most_states
            search.strategy_table = new_strategy_table(game, SMALLEST)
            strategy = _Walk(search, player, bound).strategy(root)
        yield Claim(player, bound, strategy, symmetric)
