"""Composite indexes: mixed radix, products, and sums of parts (Gasser 1995, section 3.3: databases of parts)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.index.bisection import last_start
from searchbench.index.protocol import Index, Part, UnrankFunction
from searchbench.index.table import LARGEST_TABLE, Family, Table, TableIndex, family_of, limited, table_of
from searchbench.rules import NOWHERE, State


@dataclass(frozen=True)
class Radix(TableIndex):
    """Number cells with contents 0 .. bases[i] - 1, in lexicographic order: the last cell counts fastest."""

    bases: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.bases or not all(isinstance(base, int | np.integer) and base >= 1 for base in self.bases):
            raise BadRequest(
                f"bases {self.bases}: expected one cell or more, each with a base of at least 1, a whole number"
            )
        limited(self.size, f"Radix({self.bases})")

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return len(self.bases)

    @property
    def size(self) -> int:
        """Return the product of the bases."""
        return prod(self.bases)

    def family(self, at: int) -> Family:
        """Return the functions."""
        return Family(rank_radix, unrank_radix)

    def table(self) -> Table:
        """Return the number of cells and the bases."""
        return np.array([len(self.bases), *self.bases], np.int64)


def rank_radix(state: State, at: int, table: Table, place: int) -> int:
    """Read the cells as digits."""
    number = 0
    for cell in range(int(table[place])):
        digit = int(state[at + cell])  # an interpreted cell would keep its narrow integer type
        base = int(table[place + 1 + cell])
        if digit < 0 or digit >= base:
            return NOWHERE
        number = number * base + digit
    return number


def unrank_radix(number: int, state: State, at: int, table: Table, place: int) -> None:
    """Write the digits, the last one first."""
    for cell in range(int(table[place]) - 1, -1, -1):
        base = int(table[place + 1 + cell])
        state[at + cell] = number % base
        number //= base


@dataclass(frozen=True, init=False)
class Product(TableIndex):
    """Number states of several indexes in consecutive cells; the last index counts fastest."""

    indexes: tuple[Index, ...]

    def __init__(self, *indexes: Index) -> None:
        object.__setattr__(self, "indexes", indexes)
        if not indexes:
            raise BadRequest("a product of no indexes: expected one or more")
        limited(self.size, str(self))

    @property
    def width(self) -> int:
        """Return the number of cells of all indexes."""
        return sum(index.width for index in self.indexes)

    @property
    def size(self) -> int:
        """Return the product of the sizes."""
        return prod(index.size for index in self.indexes)

    def family(self, at: int) -> Family:
        """Return the functions of the pair of the first index and the product of the others."""
        first, *others = self.indexes
        if not others:
            return family_of(first, at)
        return _pair(family_of(first, at), Product(*others).family(at + first.width))

    def table(self) -> Table:
        """Return, for each pair, the second size, the first width, the offset of the second table, and both tables."""
        first, *others = self.indexes
        if not others:
            return table_of(first)
        second = Product(*others)
        one, two = table_of(first), second.table()
        return np.concatenate([np.array([second.size, first.width, 3 + len(one)], np.int64), one, two])


@lru_cache(maxsize=256)
def _pair(first: Family, second: Family) -> Family:
    first_rank, first_unrank = first
    second_rank, second_unrank = second

    def rank(state: State, at: int, table: Table, place: int) -> int:
        first_number = first_rank(state, at, table, place + 3)
        if first_number < 0:
            return NOWHERE
        second_number = second_rank(state, at + int(table[place + 1]), table, place + int(table[place + 2]))
        if second_number < 0:
            return NOWHERE
        return int(first_number) * int(table[place]) + int(second_number)

    def unrank(number: int, state: State, at: int, table: Table, place: int) -> None:
        size = int(table[place])
        first_unrank(number // size, state, at, table, place + 3)
        second_unrank(number % size, state, at + int(table[place + 1]), table, place + int(table[place + 2]))

    return Family(rank, unrank)


@dataclass(frozen=True)
class Sum:
    """Number the states of several named parts, one part after the other, in the same cells.

    ``which(state)`` is a plain rules function: it returns the part of a state (0 for the first), or -1 for none. It
    sees the whole state. Adjacent parts of one family (many Multisets, many Compositions) share their code; a balanced
    tree of comparisons selects among the rest.
    """

    members: tuple[tuple[str, Index], ...]
    which: Callable[[State], int]

    def __init__(
        self, members: Mapping[str, Index] | tuple[tuple[str, Index], ...], which: Callable[[State], int]
    ) -> None:
        pairs = tuple(members.items()) if isinstance(members, Mapping) else tuple(members)
        object.__setattr__(self, "members", pairs)
        object.__setattr__(self, "which", which)
        if not pairs or len({name for name, _ in pairs}) < len(pairs):
            raise BadRequest(
                f"a Sum of the parts {[name for name, _ in pairs]}: expected one or more, each with its own name"
            )
        if len({index.width for _, index in pairs}) > 1:
            widths = ", ".join(f"{name}: {index.width}" for name, index in pairs)
            raise BadRequest(f"parts with different numbers of cells ({widths}): expected the same for all")
        limited(self.size, f"a sum of {len(pairs)} parts")

    @property
    def width(self) -> int:
        """Return the number of cells, the same for all parts."""
        return self.members[0][1].width

    @property
    def size(self) -> int:
        """Return the sum of the sizes."""
        return sum(index.size for _, index in self.members)

    def parts(self, needs: Mapping[str, tuple[str, ...]] | None = None) -> list[Part]:
        """Return the parts as intervals of the number line, each with the parts it needs.

        `needs` must name every part; by default each part needs all parts, so that they are solved together.
        """
        names = tuple(name for name, _ in self.members)
        if needs is not None:
            wrong = set(needs) ^ set(names) | {need for found in needs.values() for need in found} - set(names)
            if wrong:
                raise BadRequest(f"the needs of {sorted(wrong)} do not fit the parts, which are {', '.join(names)}")
        starts = self._starts()
        return [
            Part(name, starts[place], starts[place + 1], names if needs is None else tuple(needs[name]))
            for place, name in enumerate(names)
        ]

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        which, count = self.which, len(self.members)
        rank_part, unrank = _tree(self._leaves(at))

        def rank(state: State) -> int:
            part = which(state)
            if part < 0 or part >= count:
                return NOWHERE
            return rank_part(state, part)

        return rank, unrank

    def _starts(self) -> list[int]:
        return list(accumulate((index.size for _, index in self.members), initial=0))

    def _leaves(self, at: int) -> list[_Leaf]:
        """Return the functions of all parts; adjacent parts of one family share a leaf as far as their tables allow."""
        starts = self._starts()
        leaves: list[_Leaf] = []
        first = 0
        for place, (_, index) in enumerate(self.members):
            run = [member for _, member in self.members[first : place + 1]]
            families = {family_of(member, at) for member in run}
            if len(families) > 1 or sum(table_of(member).nbytes for member in run) > LARGEST_TABLE:
                first = place
            elif first < place:
                leaves.pop()
            leaves.append(_leaf([index for _, index in self.members[first : place + 1]], at, first, starts[first:]))
        return leaves


RankPart = Callable[[State, int], int]


class _Leaf(NamedTuple):
    """The functions of adjacent parts of one family; the first part is `part`, its first number is `start`."""

    part: int
    start: int
    rank: RankPart
    unrank: UnrankFunction


def _leaf(indexes: list[Index], at: int, part: int, begin: list[int]) -> _Leaf:
    rank_in, unrank_in = family_of(indexes[0], at)
    count = len(indexes)
    tables = [table_of(index) for index in indexes]
    table = np.concatenate(tables)
    places = np.array(list(accumulate((len(table) for table in tables[:-1]), initial=0)), np.int64)
    starts = np.array(begin[:count], np.int64)

    def rank_part(state: State, ordinal: int) -> int:
        number = rank_in(state, at, table, int(places[ordinal - part]))
        return NOWHERE if number < 0 else int(starts[ordinal - part]) + number

    def unrank(number: int, state: State) -> None:
        leaf = last_start(starts, count, number)
        unrank_in(number - int(starts[leaf]), state, at, table, int(places[leaf]))

    return _Leaf(part, begin[0], rank_part, unrank)


def _tree(leaves: list[_Leaf]) -> tuple[RankPart, UnrankFunction]:
    """Return functions that find the leaf of a part or number by binary comparisons."""
    if len(leaves) == 1:
        return leaves[0].rank, leaves[0].unrank
    half = len(leaves) // 2
    part, start = leaves[half].part, leaves[half].start
    left_rank, left_unrank = _tree(leaves[:half])
    right_rank, right_unrank = _tree(leaves[half:])

    def rank_part(state: State, ordinal: int) -> int:
        return left_rank(state, ordinal) if ordinal < part else right_rank(state, ordinal)

    def unrank(number: int, state: State) -> None:
        if number < start:
            left_unrank(number, state)
        else:
            right_unrank(number, state)

    return rank_part, unrank
