"""The table of codes of a computation: one array over the whole number line, as narrow as its codes allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.errors import ValueOverflow

WIDTHS = (np.uint8, np.uint16, np.uint32)


class Table:
    """Hold one code a number; `widen` when a code does not fit, `narrow` when the work is done."""

    def __init__(self, size: int) -> None:
        self.codes: npt.NDArray[Any] = np.zeros(size, np.uint8)

    @property
    def illegal(self) -> int:
        """Return the number that marks what is no position; codes must stay below it."""
        return int(np.iinfo(self.codes.dtype).max)

    def copy(self) -> Table:
        """Return a table with the same codes."""
        table = Table(0)
        table.codes = self.codes.copy()
        return table

    def widen(self, run_out: int) -> None:
        """Give each code twice the bytes, because the code `run_out` does not fit."""
        if self.codes.dtype == WIDTHS[-1]:
            raise ValueOverflow(
                f"code {run_out} of a value is larger than {self.illegal - 1}, the largest a table keeps"
            )
        self.codes = _recode(self.codes, WIDTHS[WIDTHS.index(self.codes.dtype.type) + 1])

    def narrow(self, largest: int) -> None:
        """Use the narrowest type that holds the codes up to `largest`."""
        for dtype in WIDTHS:
            if largest < np.iinfo(dtype).max:
                if self.codes.dtype != dtype:
                    self.codes = _recode(self.codes, dtype)
                return


def _recode(codes: npt.NDArray[Any], dtype: type) -> npt.NDArray[Any]:
    old, new = np.iinfo(codes.dtype).max, np.iinfo(dtype).max
    out: npt.NDArray[Any] = np.empty(len(codes), dtype)
    for first in range(0, len(codes), 1 << 20):
        block = codes[first : first + (1 << 20)]
        target = out[first : first + (1 << 20)]
        target[:] = block
        target[block == old] = new  # not by `where`: the new number may not fit the type of the old ones
    return out
