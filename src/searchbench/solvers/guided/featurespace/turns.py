"""The strategies of a search take turns, on several threads at once from the second round on.

Each thread has strategies, arrays and perimeters of its own; perimeters are exchanged after each round. When strategies that
begin anew are the only ones left, every thread has trials of each. Of solutions that several threads find in a round, that of
the fewest nodes of its own thread counts. So the line depends on the number of threads, and not on which of them is faster.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, permutations
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import LimitReached
from searchbench.solvers.guided.featurespace.kernel import POSITION_BYTES, Perimeter, enter_all, new_perimeter
from searchbench.solvers.guided.featurespace.strategy import FeatureSpaceGame, Searching, Strategy
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, PAUSED, Task

PERIMETER: Final = 1 << 21
"""The positions of either direction that searches of the other can meet."""
FIRST_SHARE: Final = 24_000
"""The nodes of a strategy in its first turn, times its share; each further turn is twice as long."""
LIMITED: Final = -1
"""How the round of a thread ended that reached a limit."""


class Ended(NamedTuple):
    """How a round ended, and the search that found a solution, or that there is none."""

    status: int
    search: Searching | None = None


class Race:
    """Tell the threads of a round that one of them has ended the search, or failed."""

    def __init__(self) -> None:
        self.ended: dict[int, int] = {}
        """The nodes of this round after which a thread has ended the search."""
        self.failed = False
        self.lock = threading.Lock()
        """Held by the thread that tells how far the search is."""

    def is_over(self, nodes: int) -> bool:
        """Tell whether a thread with so many nodes in this round comes too late."""
        return self.failed or any(nodes >= least for least in list(self.ended.values()))

    @property
    def winner(self) -> int:
        """Return the thread that ended the search after the fewest nodes."""
        return min(self.ended, key=lambda thread: (self.ended[thread], thread))


def perimeter_size(memory: int, threads: int) -> int:
    """Return how many positions a perimeter has room for: those of all threads take an eighth of the memory at most."""
    room = memory // 8 // (2 * threads * POSITION_BYTES)
    return min(PERIMETER, 1 << max(0, room.bit_length() - 1))


class Turns:
    """Hold the strategies that take turns on one thread."""

    def __init__(self, task: Task, rules: FeatureSpaceGame, numbers: Sequence[int], entries: int, first: int) -> None:
        self.task, self.rules, self.numbers, self.entries, self.first = task, rules, numbers, entries, first
        both = any(strategy.backward for strategy in rules.strategies.values())
        size = perimeter_size(task.run.memory, task.run.threads) if both else 1
        self.perimeters = [new_perimeter(size) for _ in range(2)]
        self.searches: dict[int, Searching] = {}

    @property
    def nodes(self) -> int:
        """Return the macro moves generated on this thread; another thread may ask."""
        return sum(one.nodes for one in list(self.searches.values()))

    @property
    def enters(self) -> bool:
        """Tell whether strategies go on here whose positions others may meet."""
        return not all(self.rules.strategies[number].renewed for number in self.numbers)

    def planned(self, round_: int) -> dict[int, int]:
        """Return the strategies whose turn it is in a round, from 0 on, with the nodes of each turn."""
        found = {number: self.rules.strategies[number] for number in self.numbers}
        return {
            number: int((FIRST_SHARE << round_) * one.share) for number, one in found.items() if round_ or not one.late
        }

    def search(self, round_: int, elsewhere: int, race: Race, thread: int, told: Callable[[], int]) -> Ended:
        """Search for a round; `elsewhere` are the nodes of other threads, with all that they may search in this round.

        The nodes that are `told` to those who watch are those of all threads up to now.
        """
        before = self.nodes

        def watch(others: int, one: Searching) -> bool:
            with race.lock:
                self.task.report("positions", told(), 0, one.kept, others + one.nodes)
            return self.task.run.stopped or race.is_over(self.nodes - before)

        try:
            for number, nodes in self.planned(round_).items():
                one = self._begun(number)
                others = elsewhere + self.nodes - one.nodes
                status = one.search(others, nodes, partial(watch, others))
                if status in (FOUND, EXHAUSTED):
                    race.ended[thread] = self.nodes - before
                    return Ended(status, one)
                if self.task.run.stopped or race.is_over(self.nodes - before):
                    break
        except LimitReached:
            return Ended(LIMITED)
        except BaseException:
            race.failed = True
            raise
        return Ended(PAUSED)

    def _begun(self, number: int) -> Searching:
        if number not in self.searches:
            aims = [self.searches[aim] for aim in self.rules.strategies[number].aims]
            self.searches[number] = Searching(
                self.task, self.rules, self.perimeters, number, self.entries, aims, self.first
            )
        return self.searches[number]

    def shared_out(self, threads: int) -> list[Turns]:
        """Return the strategies, with all that they have searched, for several threads; these ones keep the first part."""
        parts = even_parts(self.rules.strategies, threads)
        self.numbers = parts[0]
        return [self, *map(self.apart, parts[1:])]

    def apart(self, numbers: Sequence[int]) -> Turns:
        """Return some of the strategies for another thread, with what these have searched."""
        made = Turns(self.task, self.rules, numbers, self.entries, self.first)
        made.searches = {number: self.searches.pop(number) for number in numbers if number in self.searches}
        made.perimeters = [Perimeter(*(array.copy() for array in one)) for one in self.perimeters]
        made.rules, works = self.rules.apart([one.work for one in made.searches.values()])
        for one, work in zip(made.searches.values(), works, strict=True):
            one.work = work
            one.place(made.rules, made.perimeters)
        return made


def share_trials(threads: Sequence[Turns], count: int, entries: int) -> list[Turns]:
    """Return `count` threads, each with trials of its own of every strategy that begins anew; `entries` moves are kept of each.

    All other strategies have ended, so that the positions at which trials aim can be read by any thread.
    """
    made = [*threads, *(threads[0].apart([]) for _ in range(len(threads), count))]
    begun = [(home, one) for home, turns in enumerate(threads) for one in turns.searches.values()]
    renewed = {one.number: (home, one) for home, one in begun if one.strategy.renewed}
    for place, turns in enumerate(made):
        turns.numbers = [number for number in turns.rules.strategies if number in renewed]
        for number in turns.numbers:
            home, one = renewed[number]
            if place != home:
                away = (place - home) % len(made)
                turns.searches[number] = one.apart(turns.rules, turns.perimeters, away)
            turns.searches[number].entries = entries
    return made


def even_parts(strategies: Mapping[int, Strategy], count: int) -> list[list[int]]:
    """Share strategies out among so many threads or fewer; one that aims at positions of others stays with them."""
    families: list[list[int]] = []
    for number, strategy in strategies.items():
        own = [one for one in families if set(one) & set(strategy.aims)]
        families = [one for one in families if one not in own] + [[*chain(*own), number]]
    shares = [sum(strategies[number].share for number in one) for one in families]
    parts: list[list[int]] = [[] for _ in range(min(count, len(families)))]
    sums = [0.0] * len(parts)
    for place in np.argsort([-share for share in shares], kind="stable").tolist():
        least = sums.index(min(sums))
        parts[least] += families[place]
        sums[least] += shares[place]
    return [[number for number in strategies if number in part] for part in parts]


def exchange(threads: Sequence[Turns], names: jit.Names) -> None:
    """Enter the positions in the perimeters of each thread into those of all others."""
    found: list[list[tuple[Any, Any]]] = []
    for turns in threads:
        taken = [np.flatnonzero(one.keys if turns.enters else one.keys[:0]) for one in turns.perimeters]
        found.append([(one.keys[where], one.owners[where]) for one, where in zip(turns.perimeters, taken, strict=True)])
    kernel = jit.bind(enter_all, names)
    for into, of in permutations(range(len(threads)), 2):
        for perimeter, (keys, owners) in zip(threads[into].perimeters, found[of], strict=True):
            kernel(perimeter, keys, owners)
