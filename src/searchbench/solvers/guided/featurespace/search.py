"""Feature-space search for games that supply features and advisors (Shoham and Schaeffer 2020)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest, Exhausted
from searchbench.game import Game
from searchbench.line import Line
from searchbench.solvers.guided.configuration import Guided, seed_option
from searchbench.solvers.guided.enhancements import Functions
from searchbench.solvers.guided.featurespace.kernel import (
    ADVISORS,
    BEST,
    FRESH,
    MET,
    MOVES,
    NODES,
    NONE,
    NOTES,
    OWN,
    OWNER_BITS,
    POSITIONS,
    SHIFT,
    STATUS,
    Perimeter,
    explore,
    moves_before,
    moves_to,
    new_perimeter,
    new_tree,
)
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED, Task

ENTRIES: Final = 1 << 24
"""The moves that are kept, where nothing else is asked for and half of the memory holds them."""
BYTES: Final = 40
"""About the bytes of a move that is kept, with its share of the positions."""
PERIMETER: Final = 1 << 21
"""The positions of either direction that searches of the other can meet."""
FIRST_SHARE: Final = 24_000
"""The nodes of a strategy in its first turn, times its share; each further turn is twice as long."""
FIRST_TRIAL: Final = 12_000
"""The nodes of the shortest trials of a strategy that begins anew."""
TRIALS: Final = 1 << 20
"""The trials of one seed; the numbers of the next one's follow."""
MOST_HALVINGS: Final = 7
"""The positions that a trial may aim at are halved up to so many times."""


def luby(number: int) -> int:
    """Return a number, from the first on, of the sequence 1, 1, 2, 1, 1, 2, 4, ... (Luby, Sinclair and Zuckerman 1993).

    Trials as long as these take little more than the best fixed length would, whatever that is.
    """
    bits = number.bit_length()
    while number + 1 != 1 << bits:
        number -= (1 << bits - 1) - 1
        bits = number.bit_length()
    return 1 << bits - 1


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """Say how one of the searches that take turns goes, each with arrays of its own."""

    heard: int
    """How many of the advisors it hears, the first ones."""
    fresh: bool = False
    """Whether advisors choose among moves to new positions alone."""
    backward: bool = False
    """Whether it begins with solved positions and takes moves back."""
    late: bool = False
    """Whether it begins with the second turn of the others."""
    share: float = 1
    """How long its turns are, those of the first one being 1."""
    renewed: bool = False
    """Whether it begins anew again and again, each *trial* with arrays of its own."""
    aims: tuple[int, ...] = ()
    """The strategies whose positions its trials are to meet, by turns."""
    tries: int = 1
    """So many trials in a row have the same aim."""


class FeatureSpaceGame(Protocol):
    """What a game supplies for the search: the functions of the contract, arrays, and what its moves stand for."""

    advisors: int
    shift: int
    """The bits of a score below those that tell a cell."""
    most: int
    """The most macro moves of a position."""
    strategies: Mapping[int, Strategy]
    """The searches that take turns, in their order, each with its number."""

    def names(self, strategy: int) -> Mapping[str, Any]:
        """Return the functions of the contract."""
        ...

    def work(
        self,
        start: Sequence[int],
        names: jit.Names,
        strategy: int,
        trial: int = 0,
        aim: Sequence[int] = (),
        pause: Callable[[], None] = ...,
    ) -> Any:
        """Return the named tuple of arrays for a trial of a strategy: from a state, to the position that it aims at.

        `pause` is called every second or so: it raises LimitReached.
        """
        ...

    def roots(self, start: Sequence[int], strategy: int) -> list[list[int]]:
        """Return the positions that a strategy begins with."""
        ...

    def steps(self, start: Sequence[int], moves: Sequence[int], back: Sequence[tuple[int, list[int]]]) -> list[int]:
        """Return the moves of the game that macro moves stand for.

        After those from the start come moves that were found backwards, each with the position that it is to lead to.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class FeatureSpace(Guided):
    """Find a line by feature-space search, most often not a cheapest one; `entries` are macro moves."""

    method = "featurespace"
    orders = ()

    seed: int = seed_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed < 0:
            raise BadRequest(f"seed {self.seed}: expected 0 or more")

    def switches(self, game: Game) -> Functions:
        """Replace none of the game's functions."""
        return {}

    def search(self, task: Task) -> Line:
        """Return a line. Raises Unsolvable and LimitReached."""
        if self.h is not None or self.order or self.use or self.without:
            raise BadRequest("featurespace: heuristic, order, use and without have no meaning: features guide it")
        rules: FeatureSpaceGame | None = task.game.feature_space()
        if rules is None:
            raise BadRequest(
                f"method featurespace: {task.game} supplies no features for it; idastar searches every puzzle"
            )
        both = any(strategy.backward for strategy in rules.strategies.values())
        perimeters = [new_perimeter(PERIMETER if both else 1) for _ in range(2)]
        wanted = self.entries or min(ENTRIES, task.run.memory // 2 // BYTES)
        entries = max(wanted // len(rules.strategies), 2 * rules.most)
        strategies: dict[int, _Strategy] = {}
        running = strategies.values()
        share = FIRST_SHARE
        while True:
            for number, strategy in rules.strategies.items():
                if strategy.late and share == FIRST_SHARE:
                    continue
                if number not in strategies:
                    aims = [strategies[aim] for aim in strategy.aims]
                    strategies[number] = _Strategy(task, rules, perimeters, number, entries, aims, self.seed * TRIALS)
                one = strategies[number]
                others = sum(other.nodes for other in running if other is not one)
                ended = one.search(others, int(share * strategy.share))
                nodes, kept = sum(other.nodes for other in running), sum(other.kept for other in running)
                if ended == FOUND:
                    moves = rules.steps(task.start, *_halves(strategies, one))
                    return task.line(moves, _cost(task, moves), nodes, False, kept)
                if ended == EXHAUSTED:
                    raise task.unsolvable(nodes, kept)
            if all(one.strategy.renewed or one.note[STATUS] == FULL for one in running):
                if (task.nodes or task.seconds) and any(one.strategy.renewed for one in running):
                    task.report("positions", nodes, 0, kept)  # trials go on up to the limit
                else:
                    full = sum(int(one.note[MOVES]) for one in running)
                    raise Exhausted(
                        f"{task.game}: no solution in {full:,} macro moves: more memory or `entries` keep more of them",
                        nodes,
                        kept,
                    )
            share *= 2


class _Strategy:
    """Hold the search of a strategy between its turns."""

    def __init__(
        self,
        task: Task,
        rules: FeatureSpaceGame,
        perimeters: Sequence[Perimeter],
        number: int,
        entries: int,
        aims: Sequence[_Strategy],
        first: int,
    ) -> None:
        names = jit.Names(dict(rules.names(number)), task.names.target, None)
        self.task, self.rules, self.number, self.names, self.entries = task, rules, number, names, entries
        self.strategy, self.aims, self.first = rules.strategies[number], aims, first
        # Positions of a trial that is over are gone, so that no search may meet them.
        entered = new_perimeter(1) if self.strategy.renewed else perimeters[self.strategy.backward]
        self.perimeters = entered, perimeters[not self.strategy.backward]
        self.roots = np.array(rules.roots(task.start, number), np.int64)
        self.kernel = jit.bind(explore, names)
        self.note = np.zeros(NOTES, np.int64)
        self.trials = self.before = self.over = 0

    def _begin(self, entries: int, others: int) -> None:
        """Begin a trial, for which so many moves are kept."""
        rules, number = self.rules, self.number
        self.before += int(self.note[NODES])
        self.tree = new_tree(self.roots.shape[1], rules.advisors, entries, rules.most)
        pause = partial(self._report, others)
        work = rules.work(self.task.start, self.names, number, self.first + self.trials, self._aim(), pause)
        self.searched = work, self.tree, *self.perimeters, self.roots
        self.note = np.zeros(NOTES, np.int64)
        self.note[ADVISORS], self.note[SHIFT] = self.strategy.heard, rules.shift
        self.note[FRESH], self.note[OWN] = self.strategy.fresh, number << OWNER_BITS
        self.trials += 1

    def _aim(self) -> list[int]:
        """Return the position that a trial is to meet, nothing where it aims at none."""
        if not self.aims:
            return []
        turn = (self.first + self.trials) // self.strategy.tries
        return self.aims[turn % len(self.aims)].target(turn // len(self.aims))

    def target(self, trial: int) -> list[int]:
        """Return the kept position of the best score, for all but the first trial of a part of them that chance picks."""
        scores, chance = self.tree.scores[: self.kept], np.random.default_rng(trial)
        share = 1 << int(chance.integers(1, MOST_HALVINGS + 1)) if trial else 1
        picked = np.flatnonzero(chance.integers(0, share, len(scores)) == 0)
        best = picked[scores[picked].argmin()] if len(picked) else 0
        return [int(one) for one in self.tree.positions[best]]

    @property
    def nodes(self) -> int:
        """Return the macro moves generated."""
        return self.before + int(self.note[NODES])

    @property
    def kept(self) -> int:
        """Return the positions kept."""
        return int(self.note[POSITIONS])

    def search(self, others: int, share: int) -> int:
        """Search on for a share of nodes, the others having searched some already; return how that ended."""
        end = self.nodes + share
        if not self.trials and not self.strategy.renewed:
            self._begin(self.entries, others)
        while self.nodes < end:
            if self.strategy.renewed and (self.nodes >= self.over or self.note[STATUS] in (FULL, EXHAUSTED)):
                length = FIRST_TRIAL * luby(self.trials + 1)
                self._begin(min(length + 2 * self.rules.most, self.entries), others)
                self.over = self.nodes + length
            self._go_on(others, min(self.over, end) if self.strategy.renewed else end)
            if not self.strategy.renewed or self.note[STATUS] in (FOUND, EXHAUSTED):
                break
        if self.aims and self.note[STATUS] == EXHAUSTED:  # that position is lost, the start need not be
            self.trials += -self.trials % self.strategy.tries
            return PAUSED
        return int(self.note[STATUS])

    def _go_on(self, others: int, end: int) -> None:
        task, note = self.task, self.note
        while note[STATUS] == PAUSED and self.nodes < end:
            task.advance(self._call, (end, others), note, NODES)
            if note[STATUS] == PAUSED:
                self._report(others)

    def _report(self, others: int) -> None:
        self.task.report("positions", others + self.nodes, 0, self.kept)

    def _call(self, end: int, others: int, note: Any, stop: int) -> None:
        left = self.task.nodes - others if self.task.nodes else end
        self.kernel(*self.searched, note, min(stop, min(end, left) - self.before))

    def path(self, moves: Sequence[tuple[int, int]]) -> list[tuple[int, list[int]]]:
        """Return moves, each with the position before it."""
        return [(move, self.tree.positions[place].tolist()) for move, place in moves]


def _halves(strategies: Mapping[int, _Strategy], one: _Strategy) -> tuple[list[int], list[tuple[int, list[int]]]]:
    """Return the moves from the start, and those of the search that it has met, in the order in which they are made."""
    forth, back = one.path(moves_to(one.tree, int(one.note[BEST]))), list[tuple[int, list[int]]]()
    met = int(one.note[MET])
    if met != NONE:
        other = strategies[met >> OWNER_BITS]
        back = other.path(moves_before(other.tree, met & ((1 << OWNER_BITS) - 1)))
    if one.strategy.backward:
        forth, back = back, forth
    return [move for move, _ in forth], back[::-1]


def _cost(task: Task, moves: Sequence[int]) -> int:
    state, cost = list(task.start), 0
    for move in moves:
        cost += int(task.game.call("cost", state, move))
        state = list(task.game.play(state, move))
    return cost
