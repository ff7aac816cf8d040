"""Arrangements of equal pieces, by multinomial coefficients (Edelkamp 2017; Gasser 1995, section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb, prod

import numpy as np

from searchbench.errors import BadRequest
from searchbench.index.table import LARGEST_TABLE, Family, Table, TableIndex, limited
from searchbench.rules import NOWHERE, State

NEVER = (1 << 63) - 1
"""Table entry for a kind with no piece left."""


@dataclass(frozen=True)
class Multiset(TableIndex):
    """Number the ways to fill cells with ``counts[k]`` pieces of each kind k, in lexicographic order of the cells.

    With two kinds it is a binomial coefficient. ``size`` is the multinomial coefficient, `width` the sum of the counts.
    Contents with other counts have the rank NOWHERE.
    """

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.counts or min(self.counts) < 0 or sum(self.counts) < 1:
            raise BadRequest(
                f"pieces {self.counts}: expected a number of at least 0 for each kind, and one piece or more"
            )
        limited(self.size, f"Multiset({self.counts})")

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return sum(self.counts)

    @property
    def size(self) -> int:
        """Return the multinomial coefficient."""
        return multinomial(self.counts)

    def family(self, at: int) -> Family:
        """Return the functions: one look-up per cell if the table of all remaining counts is small, else divisions."""
        return Family(rank_by_table, unrank_by_table) if self.small else Family(rank_by_division, unrank_by_division)

    def table(self) -> Table:
        """Return the weights for all remaining counts, or only the counts."""
        return weights(self.counts) if self.small else _packed_counts(self.counts)

    @property
    def small(self) -> bool:
        """Tell whether a table of all remaining counts is small."""
        return 8 * prod(count + 1 for count in self.counts) * len(self.counts) <= LARGEST_TABLE // 2


@lru_cache(maxsize=256)
def weights(counts: tuple[int, ...]) -> Table:
    """Return cells, kinds, the row of all counts, the step to the row with one piece less of each kind, and the rows.

    A row belongs to the counts of the remaining pieces. For each kind it has the number of their arrangements that
    begin with a smaller kind, or NEVER if no piece of the kind remains.
    """
    kinds = len(counts)
    steps = [prod(count + 1 for count in counts[kind + 1 :]) for kind in range(kinds)]
    ways: list[int] = []
    entries: list[int] = []
    for left in product(*(range(count + 1) for count in counts)):
        row = len(ways)
        total = 0
        for kind in range(kinds):
            entries.append(total if left[kind] else NEVER)
            total += ways[row - steps[kind]] if left[kind] else 0
        ways.append(total if row else 1)
    return np.array(
        [sum(counts), kinds, (len(ways) - 1) * kinds, *(kinds * step for step in steps), *entries], np.int64
    )


@dataclass(frozen=True)
class OneEmpty(TableIndex):
    """Number the boards with one empty cell and ``pieces[k]`` equal pieces of each kind k, as `Sequences` does.

    A cell contains 0 if it is empty and 1 + k for a piece of kind k. The number is the `Multiset` rank of the sequence
    of pieces, times the number of cells, plus the empty cell. Contents with other counts have the rank NOWHERE.
    """

    pieces: tuple[int, ...]

    def __post_init__(self) -> None:
        if not Multiset(self.pieces).small:
            raise BadRequest(f"pieces {self.pieces}: too many kinds for a table of all remaining counts")
        limited(self.size, f"OneEmpty({self.pieces})")

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return sum(self.pieces) + 1

    @property
    def size(self) -> int:
        """Return the multinomial coefficient times the number of cells."""
        return multinomial(self.pieces) * self.width

    def family(self, at: int) -> Family:
        """Return the functions: one look-up per cell."""
        return Family(rank_with_empty, unrank_with_empty)

    def table(self) -> Table:
        """Return the weights for all remaining counts."""
        return weights(self.pieces)


def _packed_counts(counts: tuple[int, ...]) -> Table:
    """Return cells, kinds, size, all counts packed in one word, and each kind's shift and mask in it."""
    bits = [count.bit_length() for count in counts]
    shifts = [sum(bits[:kind]) for kind in range(len(bits))]
    packed = sum(count << shift for count, shift in zip(counts, shifts, strict=True))
    masks = [(1 << width) - 1 for width in bits]
    return np.array([sum(counts), len(bits), multinomial(counts), packed, *shifts, *masks], np.int64)


def multinomial(counts: tuple[int, ...]) -> int:
    """Return the number of arrangements of pieces of several kinds."""
    total = 0
    ways = 1
    for count in counts:
        total += count
        ways *= comb(total, count)
    return ways


def rank_by_table(state: State, at: int, table: Table, place: int) -> int:
    """Sum the weights of the cells' kinds."""
    cells, kinds, row = int(table[place]), int(table[place + 1]), int(table[place + 2])
    steps = place + 3
    rows = steps + kinds
    number = 0
    for cell in range(at, at + cells):
        kind = int(state[cell])
        if kind < 0 or kind >= kinds:
            return NOWHERE
        weight = int(table[rows + row + kind])
        if weight == NEVER:
            return NOWHERE
        number += weight
        row -= int(table[steps + kind])
    return number


def unrank_by_table(number: int, state: State, at: int, table: Table, place: int) -> None:
    """Choose in each cell the largest kind whose weight does not exceed the number."""
    cells, kinds, row = int(table[place]), int(table[place + 1]), int(table[place + 2])
    steps = place + 3
    rows = steps + kinds
    for cell in range(at, at + cells):
        kind = kinds - 1
        while table[rows + row + kind] > number:
            kind -= 1
        number -= int(table[rows + row + kind])
        row -= int(table[steps + kind])
        state[cell] = kind


def rank_with_empty(state: State, at: int, table: Table, place: int) -> int:
    """Sum the weights of the pieces; record the empty cell."""
    cells, kinds, row = int(table[place]) + 1, int(table[place + 1]), int(table[place + 2])
    steps = place + 3
    rows = steps + kinds
    number = 0
    empty = -1
    for cell in range(cells):
        kind = int(state[at + cell]) - 1
        if kind == -1 and empty < 0:
            empty = cell
            continue
        if kind < 0 or kind >= kinds:
            return NOWHERE
        weight = int(table[rows + row + kind])
        if weight == NEVER:
            return NOWHERE
        number += weight
        row -= int(table[steps + kind])
    return number * cells + empty


def unrank_with_empty(number: int, state: State, at: int, table: Table, place: int) -> None:
    """Choose in each nonempty cell the largest kind whose weight does not exceed the number."""
    cells, kinds, row = int(table[place]) + 1, int(table[place + 1]), int(table[place + 2])
    steps = place + 3
    rows = steps + kinds
    empty = number % cells
    number //= cells
    for cell in range(cells):
        if cell == empty:
            state[at + cell] = 0
            continue
        kind = kinds - 1
        while table[rows + row + kind] > number:
            kind -= 1
        number -= int(table[rows + row + kind])
        row -= int(table[steps + kind])
        state[at + cell] = 1 + kind


def rank_by_division(state: State, at: int, table: Table, place: int) -> int:
    """Split the arrangements of the remaining cells among the kinds, in proportion to their counts."""
    cells, kinds, ways, counts = int(table[place]), int(table[place + 1]), int(table[place + 2]), int(table[place + 3])
    shifts, masks = place + 4, place + 4 + kinds
    number = 0
    for left in range(cells, 0, -1):
        kind = int(state[at + cells - left])
        if kind < 0 or kind >= kinds:
            return NOWHERE
        smaller = 0
        for other in range(kind):
            smaller += (counts >> int(table[shifts + other])) & int(table[masks + other])
        own = (counts >> int(table[shifts + kind])) & int(table[masks + kind])
        if own == 0:
            return NOWHERE
        number += share(ways, smaller, left)
        ways = share(ways, own, left)
        counts -= 1 << int(table[shifts + kind])
    return number


def unrank_by_division(number: int, state: State, at: int, table: Table, place: int) -> None:
    """In each cell, skip kinds until the kind's share covers the number."""
    cells, kinds, ways, counts = int(table[place]), int(table[place + 1]), int(table[place + 2]), int(table[place + 3])
    shifts, masks = place + 4, place + 4 + kinds
    for left in range(cells, 0, -1):
        kind = 0
        own = share(ways, counts & int(table[masks]), left)
        while number >= own:
            number -= own
            kind += 1
            own = share(ways, (counts >> int(table[shifts + kind])) & int(table[masks + kind]), left)
        ways = own
        counts -= 1 << int(table[shifts + kind])
        state[at + cells - left] = kind


def share(ways: int, part: int, whole: int) -> int:
    """Return ``ways * part / whole``, which is an integer, without a product above `ways`."""
    return ways // whole * part + ways % whole * part // whole
