"""Spread scores from lists of fresh states: each worker writes to any state at once, and sends no requests.

Which of several workers gives a state its score is decided by one atomic instruction, and scores do not depend on the order in
which states are looked at. So workers need not agree on rounds: each goes on with the states that it has decided itself, until
one of them has nothing left; then all deal out anew. Writes to places in no order are quick only where the group fits into a
cache. Larger groups are worked on by requests, round by round, but where few states are fresh.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.decisions import reduce_any
from searchbench.exchange.ranks import current
from searchbench.exchange.space import MEMORY
from searchbench.exchange.team_buckets import TeamBuckets
from searchbench.solvers.exhaustive.pending import STRETCH_BITS
from searchbench.solvers.exhaustive.refusals import refusal
from searchbench.solvers.exhaustive.score_work import Work

SMALL: Final = 1 << 22
"""Groups of up to so many numbers are worked on by lists alone: two bytes for each lie in a cache."""
FEW: Final = 1 << 9
"""In larger groups, fewer fresh states than this are spread by lists."""
BURSTS: Final = 8
"""In larger groups, after so many bursts there is a round of requests, which is quicker where many states become fresh."""
ALONE: Final = 1 << 8
"""Fewer fresh states than this are left to one worker, until it has four times as many."""
ROOM: Final = 1 << 20
"""How many states a list holds; further ones are marked."""
DEALT: Final = 1 << 13
"""How many states of each list are dealt out anew, at most. Neither this nor ALONE may exceed ROOM."""

Numbers = npt.NDArray[np.int64]


class _Told(NamedTuple):
    """Say what a rank has: for each worker the states to be dealt out, how many it has, and whether there are others."""

    dealt: list[Numbers]
    states: int
    marked: bool
    due: bool


def reach_all(work: Work, target: jit.Target) -> bool:
    """Tell whether all workers, on any rank, may write to the whole group at once; all ranks ask together."""
    ranks, table = current(), work.table
    workers = work.run.threads * ranks.count
    in_common = ranks.count == 1 or (
        table.in_common and isinstance(work.buckets, TeamBuckets) and work.buckets.reach_all
    )
    here = work.space is MEMORY and in_common and (workers == 1 or jit.backend(target).machine_code)
    return not reduce_any([not here])


def bytes_needed(numbers: int) -> int:
    """Return the memory of all lists for a group of so many numbers: no state is in two lists."""
    return np.dtype(np.int64).itemsize * min(numbers, ROOM)


def is_small(work: Work) -> bool:
    """Tell whether a group is worked on by lists alone."""
    return len(work.left) <= SMALL


class Lists:
    """Hold a list of fresh states for each worker of this rank; all ranks do the same together."""

    def __init__(self, work: Work) -> None:
        memory, threads = work.table.sharing.memory, work.run.threads
        self.work = work
        self._small = is_small(work)
        self._numbers = [np.empty(min(ROOM, len(work.left)), np.int64) for _ in range(threads)]
        self._counts = [0] * threads
        self._marked = False
        """Whether fresh states of this rank are in no list."""
        self._burst = 0
        self._called = np.zeros(1, np.int64) if memory is None else memory.array(1, np.int64)
        """The burst in which a worker has nothing left."""

    def suit(self, states: int) -> bool:
        """Tell whether so many fresh states on all ranks are to be spread by lists."""
        return self._small or states < FEW

    def spread(self, noted: dict[str, Any]) -> tuple[int, int | None]:
        """Spread the scores of all fresh states, in larger groups unless these become many.

        Returns whether there were any, as a number, and about how many are fresh on this rank then: marked, as before; None if
        none is anywhere.
        """
        self._collect()
        bursts, since = 0, 1
        while True:
            told = current().gather(self._tell(since > 0 and self.work.checkpoints.is_due_here))
            states, marked = sum(one.states for one in told), any(one.marked for one in told)
            many = not self._small and (states >= FEW or bursts >= BURSTS)
            if states == 0 or many or marked:
                break
            if any(one.due for one in told):
                self._mark()
                self.work.keep(noted, {}, self.work.fresh)
                self._collect()
                since = 0
            else:
                self._deal(told, states)
                self._spread_some(int(noted["score"]), states)
                bursts, since = bursts + 1, since + 1
        if states == 0 and not marked:
            return int(bursts > 0), None
        self._mark()
        return int(bursts > 0), -(-states // current().count)

    def _collect(self) -> None:
        """Take the marked states that are fresh into the first list; leave the marks where they do not fit."""
        work, numbers = self.work, self._numbers[0]
        count = 0
        for start, stop in work.own.reshape(-1, 2).tolist() if work.fresh.any() else ():
            count = work.kernels.collect(work.left, start, stop, work.origin, work.fresh, numbers, count)
        self._marked = count > len(numbers)
        self._counts[0] = 0 if self._marked else count
        if not self._marked:
            work.fresh[:] = 0

    def _tell(self, due: bool) -> _Told:
        """Tell what this rank has."""
        held = zip(self._numbers, self._counts, strict=True)
        dealt = [numbers[max(0, count - DEALT) : count].copy() for numbers, count in held]
        return _Told(dealt, sum(self._counts), self._marked or bool(self.work.fresh.any()), due)

    def _deal(self, told: list[_Told], states: int) -> None:
        """Deal out the last states of all lists, to each worker as many; few states to the first worker of all."""
        pool = np.concatenate(list(chain.from_iterable(one.dealt for one in told)))
        workers = 1 if states < ALONE else sum(len(one.dealt) for one in told)
        first = sum(len(one.dealt) for one in told[: current().rank])
        for place, numbers in enumerate(self._numbers):
            count = self._counts[place] - len(told[current().rank].dealt[place])
            some = pool[first + place :: workers] if first + place < workers else pool[:0]
            numbers[count : count + len(some)] = some
            self._counts[place] = count + len(some)

    def _spread_some(self, score: int, states: int) -> None:
        """Have the workers spread scores until one of them has nothing left, or all have done many states."""
        work = self.work
        table = work.table
        self._burst += 1
        most = ROOM + 1 if self._small else FEW
        if states < ALONE:
            most = min(most, 4 * ALONE)

        def spread(place: int) -> int:
            left: int = work.kernels.propagate(
                table.codes, table.illegal, self._numbers[place], self._counts[place], work.bounds, work.left, work.fresh,
                score, self._called, self._burst, most,
            )  # fmt: skip
            return left

        busy = [place for place, count in enumerate(self._counts) if count]
        for place, left in zip(busy, work.run.map(spread, busy), strict=True):
            if left < 0:
                raise refusal(left, f"score {score}")
            self._counts[place] = left

    def _mark(self) -> None:
        """Mark the states of all lists, on all ranks."""
        fresh = self.work.fresh
        for numbers, count in zip(self._numbers, self._counts, strict=True):
            fresh[numbers[:count] >> STRETCH_BITS] = 1
        self._counts = [0] * len(self._counts)
        for marks in current().gather(fresh.copy()) if current().count > 1 else ():
            fresh[marks != 0] = 1
