"""The table of codes of a computation: one array over the whole number line, as narrow as its codes allow."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import ValueOverflow

WIDTHS = (np.uint8, np.uint16, np.uint32)
PIECE: Final = 1 << 20
_NO_RESERVE: Final = 0x4000 if sys.platform == "linux" else 0
"""Linux: memory is taken when it is written to, and not promised before."""

Array = npt.NDArray[Any]
Span = tuple[int, int]


class Table:
    """Hold one code a number; `widen` when a code does not fit, `narrow` when the work is done.

    Memory is taken only where something was written. `spans` are the intervals whose codes count (by default all of
    them); the others read 0 and are not copied.
    """

    def __init__(self, size: int, spans: Sequence[Span] | None = None) -> None:
        self.spans: list[Span] = [(0, size)] if spans is None else list(spans)
        self.codes: Array = untouched(size, np.uint8)

    @property
    def illegal(self) -> int:
        """Return the number that marks what is no position; codes must stay below it."""
        return int(np.iinfo(self.codes.dtype).max)

    def copy(self) -> Table:
        """Return a table with the same codes."""
        table = Table(0, self.spans)
        table.codes = untouched(len(self.codes), self.codes.dtype)
        for start, stop in self.spans:
            table.codes[start:stop] = self.codes[start:stop]
        return table

    def keep(self, spans: Sequence[Span]) -> None:
        """Let only some intervals count from now on, and give back the memory of the others."""
        wanted = sorted(spans)
        end = 0
        for start, stop in [*wanted, (len(self.codes), 0)]:
            release(self.codes, end, start)
            end = stop
        self.spans = wanted

    def widen(self, run_out: int) -> None:
        """Give each code twice the bytes, because the code `run_out` does not fit."""
        if self.codes.dtype == WIDTHS[-1]:
            raise ValueOverflow(
                f"code {run_out} of a value is larger than {self.illegal - 1}, the largest a table keeps"
            )
        self.codes = self._recoded(WIDTHS[WIDTHS.index(self.codes.dtype.type) + 1])

    def narrow(self, largest: int) -> None:
        """Use the narrowest type that holds the codes up to `largest`."""
        for dtype in WIDTHS:
            if largest < np.iinfo(dtype).max:
                if self.codes.dtype != dtype:
                    self.codes = self._recoded(dtype)
                return

    def _recoded(self, dtype: Any) -> Array:
        """Return the codes in another type; the old ones are given up."""
        out = untouched(len(self.codes), dtype)
        for start, stop in self.spans:
            recode(self.codes[start:stop], out[start:stop])
            release(self.codes, start, stop)
        return out


def untouched(size: int, dtype: Any) -> Array:
    """Return an array of zeros that takes memory only where it is written to."""
    wanted = max(1, size * np.dtype(dtype).itemsize)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    memory = mmap.mmap(-1, wanted, flags=flags)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype, size)


def release(array: Array, start: int, stop: int) -> None:
    """Give back the memory of the entries start .. stop - 1 of an `untouched` array, but for pages shared with others."""
    memory = getattr(array.base, "obj", None)
    page = mmap.PAGESIZE
    first = -(-start * array.itemsize // page) * page
    last = stop * array.itemsize // page * page
    if isinstance(memory, mmap.mmap) and first < last:
        memory.madvise(mmap.MADV_DONTNEED, first, last - first)


def recode(codes: Array, out: Array) -> None:
    """Copy codes into an array of another type, with its own mark of what is no position."""
    old, new = np.iinfo(codes.dtype).max, np.iinfo(out.dtype).max
    for first in range(0, len(codes), PIECE):
        block = codes[first : first + PIECE]
        target = out[first : first + PIECE]
        target[:] = block
        target[block == old] = new  # not by `where`: the new number may not fit the type of the old ones
