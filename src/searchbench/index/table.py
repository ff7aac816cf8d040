"""Indexes whose parameters are a table: one pair of functions for a whole family, so that many of them compile as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchbench.errors import BadRequest
from searchbench.index.own import functions_of
from searchbench.index.protocol import Index
from searchbench.rules import Rank, State

Table = NDArray[np.int64]

LARGEST_TABLE = 10**6
"""Bytes of an array that compiled code can hold as a constant and still be kept between processes."""


class Family(NamedTuple):
    """Hold functions that find an index's parameters in a table, from `place` on, and its state from cell `at` on."""

    rank: Callable[[State, int, Table, int], Rank]
    unrank: Callable[[int, State, int, Table, int], None]


class TableIndex:
    """Number states by the functions of a family and a table of parameters.

    Derive a class and supply `size`, `width`, `family` and `table`. All members of a family share their code: a Sum of many
    puts their tables one behind the other and compiles it once.
    """

    def family(self, at: int) -> Family:
        """Return the functions that read the table, for the cells from `at` on (an index made of others may depend on it)."""
        raise NotImplementedError

    def table(self) -> Table:
        """Return the parameters."""
        raise NotImplementedError

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        table = table_of(self)
        rank_in, unrank_in = self.family(at)

        def rank(state: State) -> int:
            return rank_in(state, at, table, 0)

        def unrank(number: int, state: State) -> None:
            unrank_in(number, state, at, table, 0)

        return rank, unrank


def family_of(index: Index, at: int) -> Family:
    """Return the family of an index that is used from cell `at` on: its own, or one of its own functions alone."""
    return index.family(at) if isinstance(index, TableIndex) else _alone(index, at)


def table_of(index: Index | TableIndex) -> Table:
    """Return the table of an index, empty if it needs none; raise BadRequest when it is too large for compiled code."""
    table = index.table() if isinstance(index, TableIndex) else np.zeros(0, np.int64)
    if table.nbytes > LARGEST_TABLE:
        raise BadRequest(f"{index} needs a table of {table.nbytes} bytes: the index takes at most {LARGEST_TABLE}")
    return table


@lru_cache(maxsize=256)
def _alone(index: Index, at: int) -> Family:
    inner_rank, inner_unrank = functions_of(index, at)

    def rank(state: State, _at: int, _table: Table, _place: int) -> int:
        number: int = inner_rank(state)
        return number

    def unrank(number: int, state: State, _at: int, _table: Table, _place: int) -> None:
        inner_unrank(number, state)

    return Family(rank, unrank)


def limited(size: int, what: str) -> int:
    """Return a size, or raise BadRequest when the numbers do not fit a signed 64-bit word."""
    if size >= 1 << 63:
        raise BadRequest(f"{what} has {size} states: the index takes fewer than 2^63 = {1 << 63}")
    return size
