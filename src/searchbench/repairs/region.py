"""Keep the region of a database that is solved again: its numbers, their predecessors, and the values that rest on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Table
from searchbench.index.protocol import Part
from searchbench.repairs.kernels import NO_POSITION, OPEN, list_leading, list_predecessors
from searchbench.run import Run
from searchbench.store import Database
from searchbench.store.codes import as_type
from searchbench.verify import check
from searchbench.verify.database import claim_names, least_weight

Numbers = npt.NDArray[np.int64]

BLOCK: Final = 1 << 12
"""Listed numbers that a thread takes at a time."""
READ: Final = 1 << 24
"""Codes read at a time."""


class Region:
    """The codes of a database in a table, with some numbers marked; parts are read on demand.

    `through_ends`: finished games have moves, as solved puzzles do. Raises OutOfMemory.
    """

    def __init__(self, database: Database, run: Run, target: jit.Target) -> None:
        self.database, self.run = database, run
        self.game, self.rule = database.game, database.rule
        self.names = self.game.names(self.rule, target)
        self.claims = claim_names(self.game, self.rule, target)
        self.through_ends = not self.game.two_players
        self.parts = sorted(
            database.parts, key=lambda part: (part.start, part.stop)
        )  # an empty part before its neighbour
        self.size = self.parts[-1].stop
        self.table = Table(self.size, [])
        while self.table.codes.dtype != database.dtype:
            self.table.widen(0)
        self.marks = np.zeros(self.size, np.int8)
        self.numbers: Numbers = np.empty(0, np.int64)
        self._before: list[tuple[Numbers, Numbers]] = []

    # --- parts -------------------------------------------------------------------------------------------------------

    def bring(self, parts: Iterable[Part]) -> None:
        """Load the codes of some parts."""
        there = set(self.table.spans)
        new = [part for part in self.parts if part in set(parts) and (part.start, part.stop) not in there]
        size = sum(stop - start for start, stop in there) + sum(part.size for part in new)
        self.run.demand(size * (self.table.codes.itemsize + 1), f"repairing {self.game} ({size:,} numbers at a time)")
        for part in new:
            for first in range(part.start, part.stop, READ):
                stop = min(first + READ, part.stop)
                self.table.codes[first:stop] = as_type(self.database.read(part, first, stop), self.table.codes.dtype)
            self.table.spans.append((part.start, part.stop))

    def parts_of(self, numbers: Numbers) -> list[Part]:
        """Return the parts in which some numbers lie; all must be in the database."""
        stops = np.array([part.stop for part in self.parts])
        return [self.parts[place] for place in np.unique(np.searchsorted(stops, numbers, "right"))]

    def _known(self, numbers: Numbers) -> Numbers:
        """Return the distinct numbers that lie in parts of the database, in order."""
        numbers = np.unique(numbers)
        ends = np.array([end for part in self.parts for end in (part.start, part.stop)])
        known: Numbers = numbers[np.searchsorted(ends, numbers, "right") % 2 == 1]
        return known

    def bring_around(self, numbers: Numbers) -> None:
        """Load the parts of some numbers, and the parts that they need."""
        names = {need for part in self.parts_of(numbers) for need in (part.name, *part.needs)}
        self.bring([part for part in self.parts if part.name in names])

    # --- numbers -----------------------------------------------------------------------------------------------------

    def add(self, numbers: Numbers) -> None:
        """Mark numbers that are not marked yet, and clear their codes."""
        if not len(numbers):
            return
        self.bring_around(numbers)
        self._before.append((numbers, self._codes(numbers)))
        self.marks[numbers] = OPEN
        self.table.codes[numbers] = 0
        self.numbers = np.union1d(self.numbers, numbers)

    def before_and_after(self) -> tuple[Numbers, Numbers]:
        """Return the old and the new codes of the region's numbers; NO_POSITION stands for illegal ones."""
        if not self._before:
            return self.numbers, self.numbers
        numbers, codes = (np.concatenate(some) for some in zip(*self._before, strict=True))
        return codes[np.argsort(numbers)], self._codes(self.numbers)

    def _codes(self, numbers: Numbers) -> Numbers:
        codes = self.table.codes[numbers].astype(np.int64)
        codes[codes == self.table.illegal] = NO_POSITION
        return codes

    def grow(self, numbers: Numbers) -> None:
        """Add numbers, and all numbers whose values no longer follow once these are cleared."""
        while len(numbers):
            self.add(numbers)
            around = self.predecessors(numbers)
            numbers = self.failing(around[self.marks[around] == 0])

    def predecessors(self, numbers: Numbers) -> Numbers:
        """Return the predecessors of some numbers: by moves backwards, or by trying all moves."""
        if "unmoves" in self.names:
            images = self.game.symmetries if self.game.gains_symmetries else 1
            return self._known(self.listed(list_predecessors, numbers, images, most=images))
        wanted = np.zeros(self.size, np.int8)
        wanted[numbers] = 1
        needed = {part.name for part in self.parts_of(numbers)}
        kernel = jit.bind(list_leading, self.names)
        found = [np.empty(0, np.int64)]

        def work(interval: tuple[int, int]) -> Numbers:
            out = np.empty(interval[1] - interval[0], np.int64)
            return out[: kernel(wanted, *interval, self.through_ends, out)]

        for part in self.parts:
            if needed & {part.name, *part.needs} and len(numbers):
                blocks = [(first, min(first + BLOCK, part.stop)) for first in range(part.start, part.stop, BLOCK)]
                found += self.run.map(work, blocks)
        return np.concatenate(found)

    def listed(self, kernel: Callable[..., int], numbers: Numbers, *options: Any, most: int = 1) -> Numbers:
        """Call a kernel that writes at most `most` times `new_moves` numbers for each of `numbers`; return the distinct ones."""
        bound, width = jit.bind(kernel, self.names), most * len(self.names["new_moves"]())

        def work(first: int) -> Numbers:
            stop = min(first + BLOCK, len(numbers))
            out = np.empty((stop - first) * width, np.int64)
            return np.unique(out[: bound(*options, numbers, first, stop, out)])

        return np.unique(np.concatenate([np.empty(0, np.int64), *self.run.map(work, range(0, len(numbers), BLOCK))]))

    def failing(self, numbers: Numbers) -> Numbers:
        """Return the numbers that verification finds wrong in the current table."""
        if len(numbers):
            self.bring_around(numbers)
        kernel, table = jit.bind(check.check_listed, self.claims), self.table
        least = least_weight(self.rule)

        def work(first: int) -> Numbers:
            stop, room = min(first + BLOCK, len(numbers)), BLOCK
            while True:
                faults, note = np.zeros((room, 3), np.int64), np.zeros(3, np.int64)
                kernel(table.codes, table.illegal, numbers, first, stop, False, False, least, faults, note)
                if note[check.FOUND] <= room:
                    return np.unique(faults[: note[check.FOUND], 0])
                room = int(note[check.FOUND])

        return np.concatenate([np.empty(0, np.int64), *self.run.map(work, range(0, len(numbers), BLOCK))])

    def store(self, numbers: Numbers, codes: npt.NDArray[Any], illegal: int) -> None:
        """Write codes, with `illegal` for numbers that are not positions; widen the table if need be."""
        found = codes[codes != illegal]
        while len(found) and int(found.max()) >= self.table.illegal:
            self.table.widen(int(found.max()))
        self.table.codes[numbers] = np.where(codes == illegal, self.table.illegal, codes)
