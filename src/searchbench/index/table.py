"""Indexes with their parameters in a table: one pair of functions per family, so that many indexes compile as one."""

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
"""Largest array, in bytes, that compiled code can contain as a constant and that the kernel cache can store."""


class Family(NamedTuple):
    """Functions that read an index's parameters from a table at `place`, and its state from cell `at` on."""

    rank: Callable[[State, int, Table, int], Rank]
    unrank: Callable[[int, State, int, Table, int], None]


class TableIndex:
    """Number states by the functions of a family and a table of parameters.

    Derive a class and supply `size`, `width`, `family` and `table`. All members of a family share their code: a Sum of
    many concatenates their tables and compiles it once.
    """

    def family(self, at: int) -> Family:
        """Return the functions that read the table, for the cells from `at` on (a composite index may depend on `at`)."""
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
    """Return the family of an index used from cell `at` on, or a family of its own that wraps its functions."""
    return index.family(at) if isinstance(index, TableIndex) else _alone(index, at)


def table_of(index: Index | TableIndex) -> Table:
    """Return the table of an index, empty if it needs none. Raises BadRequest if compiled code cannot contain it."""
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
    """Return a size. Raises BadRequest if the numbers do not fit a signed 64-bit word."""
    if size >= 1 << 63:
        raise BadRequest(f"{what} has {size} states: the index takes fewer than 2^63 = {1 << 63}")
    return size
