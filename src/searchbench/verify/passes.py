"""Run kernels over the numbers of a table on all threads, and gather the faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.index.protocol import Part
from searchbench.run import Run
from searchbench.verify import check
from searchbench.verify.record import Noted, VerificationRecord

BLOCK: Final = 1 << 15
"""Numbers that a thread checks at a time."""

Work = Callable[[int, int, Any, Any], None]
"""Called with the first number, the one after the last, room for faults, and a note (see :mod:`searchbench.verify.check`)."""


class Passes:
    """Gather the faults of a table, and count positions, faults, and moves that cost or gain nothing.

    Keeps up to `limit` faults of each block and of each added list; all if it is None.
    """

    def __init__(self, parts: Sequence[Part], run: Run, limit: int | None) -> None:
        self.parts, self.run, self.limit = parts, run, limit
        self.states = self.count = self.free = 0
        self._found: list[npt.NDArray[np.int64]] = []

    def rows(self) -> npt.NDArray[np.int64]:
        """Return the faults kept, in order: number, kind and detail of each."""
        rows = np.concatenate([np.empty((0, 3), np.int64), *self._found])
        return rows[np.lexsort(rows.T[::-1])]

    def add(self, numbers: Any, kind: int, details: Any = 0) -> None:
        """Add a fault of some kind at each of some numbers."""
        self.count += len(numbers)
        rows = np.zeros((len(numbers), 3), np.int64)
        rows[:, 0], rows[:, 1], rows[:, 2] = numbers, kind, details
        self._found.append(rows[: self.limit])

    def check(self, stage: str, work: Work) -> None:
        """Run a kernel that writes faults over all numbers."""
        for _ in self._checked(stage, work, self.parts):
            pass

    def check_part(self, stage: str, work: Work, part: Part, record: VerificationRecord) -> None:
        """Resume checking a part; record the progress while no fault is found."""
        noted = record.noted(part)
        states, free = self.states, self.free
        self.states += noted.states
        self.free += noted.free
        for stop in self._checked(stage, work, [part._replace(start=part.start + noted.checked)]):
            if not self.count:
                record.note(part, Noted(stop - part.start, self.states - states, self.free - free))

    def _checked(self, stage: str, work: Work, parts: Sequence[Part]) -> Iterator[int]:
        """Run a kernel over the numbers of some parts, in order; yield the end of each block."""
        room = BLOCK if self.limit is None else self.limit

        def job(interval: tuple[int, int]) -> tuple[Any, Any, int]:
            faults, note = np.zeros((room, 3), np.int64), np.zeros(3, np.int64)
            work(*interval, faults, note)
            if self.limit is None and note[check.FOUND] > room:  # a number may have several
                faults, note = np.zeros((int(note[check.FOUND]), 3), np.int64), np.zeros(3, np.int64)
                work(*interval, faults, note)
            return faults[: note[check.FOUND]], note, interval[1]

        for faults, note, stop in self.over(stage, parts, job):
            self.states += int(note[check.STATES])
            self.count += int(note[check.FOUND])
            self.free += int(note[check.FREE])
            if len(faults):
                self._found.append(faults.copy())
            yield stop

    def over(
        self, stage: str, parts: Sequence[Part], job: Callable[[Any], Any], backwards: bool = False
    ) -> Iterator[Any]:
        """Call a job for each block of some parts, on all threads; yield the results."""
        jobs = [
            (first, min(first + BLOCK, part.stop)) for part in parts for first in range(part.start, part.stop, BLOCK)
        ]
        jobs = jobs[::-1] if backwards else jobs
        batch = 16 * self.run.threads
        for place in range(0, len(jobs), batch):
            yield from self.run.map(job, jobs[place : place + batch])
            self.run.progress(stage, min(place + batch, len(jobs)), len(jobs))


def numbers_where(size: int, meets: Callable[[slice], npt.NDArray[np.bool_]]) -> npt.NDArray[np.int64]:
    """Return the numbers below `size` that meet a condition, which is asked of a block at a time: it takes a byte a number."""
    found = [np.flatnonzero(meets(block)) + block.start for block in blocks(0, size)]
    return np.concatenate([np.empty(0, np.int64), *found])


def count_equal(array: npt.NDArray[Any], value: int) -> int:
    """Count how often an array holds a value, in as little memory."""
    return sum(int(np.count_nonzero(array[block] == value)) for block in blocks(0, len(array)))


def blocks(first: int, stop: int) -> Iterator[slice]:
    """Yield the blocks of the numbers first .. stop - 1, in which a condition on many numbers takes little memory."""
    return (slice(begin, min(begin + BLOCK, stop)) for begin in range(first, stop, BLOCK))
