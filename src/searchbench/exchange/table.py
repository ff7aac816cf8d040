"""The table of codes of a computation: one array over the whole number line, in the narrowest type for its codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from searchbench.errors import OutOfMemory, ValueOverflow
from searchbench.exchange.shards import WHOLE, Sharing
from searchbench.exchange.space import MEMORY, Array, Space

WIDTHS = (np.uint8, np.uint16, np.uint32)
PIECE: Final = 1 << 20
Span = tuple[int, int]


class Table:
    """Store one code per number; `widen` when a code does not fit, `narrow` when the work is done.

    Memory is occupied only where something was written. `spans` are the intervals in use (by default all); others are
    not copied. `space` allocates the codes. `limit` is the largest memory for codes, in bytes: a table that would
    exceed it continues in the space that `elsewhere` makes, or raises OutOfMemory. `sharing` says which numbers are at
    work here, where ranks share the table: each has its own type of codes, and widens when it must. It may begin in `codes`
    that others see, too, and leaves them when it widens.
    """

    def __init__(
        self, size: int, spans: Sequence[Span] | None = None, space: Space = MEMORY, codes: Array | None = None
    ) -> None:
        self.spans: list[Span] = [(0, size)] if spans is None else list(spans)
        self.space = space
        self.sharing: Sharing = WHOLE
        self.limit: int | None = None
        self.elsewhere: Callable[[], Space] | None = None
        self.codes: Array = space.array(size, np.uint8) if codes is None else codes
        self.in_common = codes is not None
        """Whether others see the codes, too."""

    @property
    def illegal(self) -> int:
        """Return the code that marks numbers that are no position; other codes must stay below it."""
        return int(np.iinfo(self.codes.dtype).max)

    def copy(self) -> Table:
        """Return a copy of the table."""
        table = Table(0, self.spans, self.space)
        table.codes = table.space.array(len(self.codes), self.codes.dtype)
        for start, stop in self.spans:
            table.codes[start:stop] = self.codes[start:stop]
        return table

    def beside(self, size: int) -> Array:
        """Return so many bytes beside the codes, which those who share the memory of the table have in common."""
        memory = self.sharing.memory
        return self.space.array(size, np.uint8) if memory is None else memory.array(size, np.uint8)

    def keep(self, spans: Sequence[Span]) -> None:
        """Restrict the table to `spans`; release the room of the other intervals."""
        wanted = sorted(spans)
        end = 0
        for start, stop in [*wanted, (len(self.codes), 0)]:
            self.space.give_up(self.codes, end, start)
            end = stop
        self.spans = wanted

    def rest(self) -> None:
        """Release the memory of the codes if they are stored in a file."""
        self.space.rest(self.codes)

    def rest_after(self, _piece: Any) -> None:
        """Do so when a piece of a launch is done."""
        self.rest()

    def widen(self, run_out: int) -> None:
        """Double the bytes per code, because the code `run_out` does not fit. Raises ValueOverflow and OutOfMemory."""
        if self.codes.dtype == WIDTHS[-1]:
            raise ValueOverflow(
                f"code {run_out:,} of a value is larger than {self.illegal - 1:,}, the largest a table keeps: "
                "smaller values of `cost`, or of `gain` and `terminal` in a game for points, fit"
            )
        self.codes = self._recoded(WIDTHS[WIDTHS.index(self.codes.dtype.type) + 1])

    def narrow(self, largest: int) -> None:
        """Use the narrowest type for codes up to `largest`."""
        for dtype in WIDTHS:
            if largest < np.iinfo(dtype).max:
                if self.codes.dtype != dtype:
                    self.codes = self._recoded(dtype)
                return

    def _recoded(self, dtype: Any) -> Array:
        """Return the codes in another type, discarding the old ones."""
        before = self.space
        self._find_room(np.dtype(dtype).itemsize)
        out = self.space.array(len(self.codes), dtype)
        for start, stop in self.spans:
            for first in range(start, stop, PIECE):
                last = min(first + PIECE, stop)
                recode(self.codes[first:last], out[first:last])
                before.give_up(self.codes, first, last)
            self.space.rest(out)
        self.in_common = False
        return out

    def _find_room(self, itemsize: int) -> None:
        """Move to the other space if codes of `itemsize` bytes exceed the memory limit."""
        wanted = itemsize * sum(stop - start for start, stop in self.spans)
        if self.limit is None or wanted <= self.limit or self.space is not MEMORY:
            return
        if self.elsewhere is None:
            raise OutOfMemory(
                f"the codes need {itemsize} bytes each now, {wanted:,} bytes in all, and the memory budget leaves them "
                f"{self.limit:,}; give a larger --memory, or keep the database (--to), so that they can lie in a file"
            )
        self.space = self.elsewhere()


def recode(codes: Array, out: Array) -> None:
    """Copy codes into an array of another type, including the mark of numbers that are no position."""
    old, new = np.iinfo(codes.dtype).max, np.iinfo(out.dtype).max
    for first in range(0, len(codes), PIECE):
        block = codes[first : first + PIECE]
        target = out[first : first + PIECE]
        target[:] = block
        target[block == old] = new  # not by `where`: the new mark may not fit the old type
