"""Indexes whose parameters are a table: one pair of functions for a whole family, so that many of them compile as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from searchbench.errors import BadRequest
from searchbench.rules import Rank, State

Table = NDArray[np.int64]
RankInTable = Callable[[State, int, Table, int], Rank]
UnrankInTable = Callable[[int, State, int, Table, int], None]

LARGEST_TABLE = 10**6
"""Bytes of an array that compiled code can hold as a constant and still be kept between processes."""


def limited(size: int, what: str) -> int:
    """Return a size, or raise BadRequest when the numbers do not fit a signed 64-bit word."""
    if size >= 1 << 63:
        raise BadRequest(f"{what} has {size} states: the index takes fewer than 2^63 = {1 << 63}")
    return size


class TableIndex:
    """Number states by functions ``rank(state, at, table, place)`` that find their parameters in a table, from `place` on.

    A family derives a class and supplies `size`, `width`, `table` and `family`. All members of a family share their
    code: a Sum of many puts their tables one behind the other and compiles it once.
    """

    def table(self) -> Table:
        """Return the parameters: at most LARGEST_TABLE bytes."""
        raise NotImplementedError

    def family(self) -> tuple[RankInTable, UnrankInTable]:
        """Return the functions that read the table."""
        raise NotImplementedError

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        table = self.table()
        rank_in, unrank_in = self.family()

        def rank(state: State) -> int:
            return rank_in(state, at, table, 0)

        def unrank(number: int, state: State) -> None:
            unrank_in(number, state, at, table, 0)

        return rank, unrank
