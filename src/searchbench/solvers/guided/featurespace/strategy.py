"""Strategies of feature-space search: how each goes, what a game supplies for them, and its search between its turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, Self

import numpy as np

from searchbench import jit
from searchbench.solvers.guided.featurespace.kernel import (
    ADVISORS,
    BEST,
    BETTER,
    FRESH,
    MET,
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

FIRST_TRIAL: Final = 12_000
"""The nodes of the shortest trials of a strategy that begins anew."""
OWN_TRIALS: Final = 1 << 16
"""The trials of a strategy on one thread, where several have trials of it; the numbers of the next thread's follow."""
MOST_TIMES: Final = 4
"""A trial that goes on because it has come to a better cell takes so many times its length at most."""
MOST_HALVINGS: Final = 7
"""The positions that a trial may aim at are halved up to so many times."""
MOST_DRAWS: Final = 16
"""Where trials have aimed at a position before, so many others are drawn at most."""


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
        pause: Callable[[], object] = ...,
    ) -> Any:
        """Return the named tuple of arrays for a trial of a strategy: from a state, to the position that it aims at.

        `pause` is called every second or so: it raises LimitReached.
        """
        ...

    def effort(self, work: Any) -> float:
        """Return how many times as long as a usual trial one with these arrays is to be."""
        ...

    def roots(self, start: Sequence[int], strategy: int) -> list[list[int]]:
        """Return the positions that a strategy begins with."""
        ...

    def apart(self, works: Sequence[Any]) -> tuple[Self, list[Any]]:
        """Return the same for another thread, and the arrays of searches that go on there: no array that changes is shared."""
        ...

    def steps(self, start: Sequence[int], moves: Sequence[int], back: Sequence[tuple[int, list[int]]]) -> list[int]:
        """Return the moves of the game that macro moves stand for.

        After those from the start come moves that were found backwards, each with the position that it is to lead to.
        """
        ...


class Searching:
    """Hold the search of a strategy between its turns."""

    def __init__(
        self,
        task: Task,
        rules: FeatureSpaceGame,
        perimeters: Sequence[Perimeter],
        number: int,
        entries: int,
        aims: Sequence[Searching],
        first: int,
    ) -> None:
        self.task, self.number, self.entries = task, number, entries
        self.names = jit.Names(dict(rules.names(number)), task.names.target, None)
        self.strategy, self.aims, self.first = rules.strategies[number], aims, first
        self.roots = np.array(rules.roots(task.start, number), np.int64)
        self.kernel = jit.bind(explore, self.names)
        self.note = np.zeros(NOTES, np.int64)
        self.trials = self.before = self.over = 0
        self.aim: list[int] = []
        self.aimed: set[tuple[int, ...]] = set()
        self.work: Any = None
        self.place(rules, perimeters)

    def place(self, rules: FeatureSpaceGame, perimeters: Sequence[Perimeter]) -> None:
        """Put the search on a thread with rules and perimeters, those of forward searches first, of its own."""
        # Positions of a trial that is over are gone, so that no search may meet them.
        entered = new_perimeter(1) if self.strategy.renewed else perimeters[self.strategy.backward]
        self.rules, self.perimeters = rules, (entered, perimeters[not self.strategy.backward])

    def apart(self, rules: FeatureSpaceGame, perimeters: Sequence[Perimeter], away: int) -> Searching:
        """Return the same for the thread so many places away, with other trials: the next is as long as the next one here."""
        first = self.first + away * (OWN_TRIALS + 1)  # trials of one length have another try at their aims on each
        made = Searching(self.task, rules, perimeters, self.number, self.entries, self.aims, first)
        made.trials, made.aimed = self.trials, set(self.aimed)
        return made

    def _begin(self, pause: Callable[[], object]) -> None:
        """Begin a trial, or the only search of a strategy that does not begin anew."""
        rules, number, entries = self.rules, self.number, self.entries
        self.before += int(self.note[NODES])
        self.note = np.zeros(NOTES, np.int64)
        self.work = rules.work(self.task.start, self.names, number, self.first + self.trials, self._aim(), pause)
        self.trials += 1
        if self.strategy.renewed:
            length = int(FIRST_TRIAL * luby(self.trials) * rules.effort(self.work))
            self.over, entries = self.before + length, min(MOST_TIMES * length + 2 * rules.most, entries)
        self.tree = new_tree(self.roots.shape[1], rules.advisors, entries, rules.most)
        self.note[ADVISORS], self.note[SHIFT] = self.strategy.heard, rules.shift
        self.note[FRESH], self.note[OWN] = self.strategy.fresh, number << OWNER_BITS

    def _aim(self) -> list[int]:
        """Return the position that a trial is to meet, a new one for the first of its tries; nothing where it aims at none."""
        turn, tried = divmod(self.first + self.trials, self.strategy.tries)
        if self.aims and not (tried and self.aim):
            source, number = self.aims[turn % len(self.aims)], turn // len(self.aims)
            drawn = (source.target(number, draw) for draw in range(MOST_DRAWS))
            self.aim = next((one for one in drawn if tuple(one) not in self.aimed), source.target(number))
            self.aimed.add(tuple(self.aim))
        return self.aim

    def target(self, trial: int, draw: int = 0) -> list[int]:
        """Return the kept position of the best score, after the first draw for the first trial of a part that chance picks."""
        scores, chance = self.tree.scores[: self.kept], np.random.default_rng([trial, draw])
        share = 1 << int(chance.integers(1, MOST_HALVINGS + 1)) if trial or draw else 1
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

    def search(self, others: int, share: int, watch: Callable[[Searching], bool]) -> int:
        """Search on for a share of nodes, the others having searched some already; return how that ended.

        `watch` is called now and then; it tells whether the turn is to end early, and raises LimitReached.
        """
        end = self.nodes + share
        if not self.trials and not self.strategy.renewed:
            self._begin(partial(watch, self))
        while self.nodes < end:
            if self.strategy.renewed and self._is_over():
                self._begin(partial(watch, self))
            goes_on = self._goes_on(others, min(self.over, end) if self.strategy.renewed else end, watch)
            if not goes_on or not self.strategy.renewed or self.note[STATUS] in (FOUND, EXHAUSTED):
                break
        if self.aims and self.note[STATUS] == EXHAUSTED:  # that position is lost, the start need not be
            self.trials += -(self.first + self.trials) % self.strategy.tries
            return PAUSED
        return int(self.note[STATUS])

    def _is_over(self) -> bool:
        """Tell whether another trial is to begin; one that has come to a better cell in its second half takes twice as long."""
        spent = int(self.note[NODES])
        if self.note[STATUS] == PAUSED and self.nodes >= self.over and 2 * int(self.note[BETTER]) > spent:
            self.over = self.nodes + spent
        return bool(self.nodes >= self.over or self.note[STATUS] in (FULL, EXHAUSTED))

    def _goes_on(self, others: int, end: int, watch: Callable[[Searching], bool]) -> bool:
        """Search up to a number of nodes; tell whether the turn may go on after that."""
        note = self.note
        while note[STATUS] == PAUSED and self.nodes < end:
            self.task.advance(self._call, (end, others), note, NODES)
            if note[STATUS] == PAUSED and watch(self):
                return False
        return True

    def _call(self, end: int, others: int, note: Any, stop: int) -> None:
        left = self.task.nodes - others if self.task.nodes else end
        stop = min(stop, min(end, left) - self.before)
        self.kernel(self.work, self.tree, *self.perimeters, self.roots, note, stop)

    def path(self, moves: Sequence[tuple[int, int]]) -> list[tuple[int, list[int]]]:
        """Return moves, each with the position before it."""
        return [(move, self.tree.positions[place].tolist()) for move, place in moves]


def halves(searches: Sequence[Searching], one: Searching) -> tuple[list[int], list[tuple[int, list[int]]]]:
    """Return the moves from the start, and those of the search that it has met, in the order in which they are made."""
    forth, back = one.path(moves_to(one.tree, int(one.note[BEST]))), list[tuple[int, list[int]]]()
    met = int(one.note[MET])
    if met != NONE:
        other = next(search for search in searches if search.number == met >> OWNER_BITS)
        back = other.path(moves_before(other.tree, met & ((1 << OWNER_BITS) - 1)))
    if one.strategy.backward:
        forth, back = back, forth
    return [move for move, _ in forth], back[::-1]
