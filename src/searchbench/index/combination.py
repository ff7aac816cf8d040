"""Choices and distributions, by binomial coefficients (Edelkamp 2017; Knuth 4A, section 7.2.1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from searchbench.errors import BadRequest
from searchbench.index.table import Family, Table, TableIndex, limited
from searchbench.jit import popcount, trailing_zeros
from searchbench.rules import NOWHERE, State


@dataclass(frozen=True)
class Combination(TableIndex):
    """Number the bitboards with exactly `ones` of the lowest `cells` bits set, in one 64-bit cell, by increasing value."""

    cells: int
    ones: int

    def __post_init__(self) -> None:
        if not (1 <= self.cells <= 63 and 0 <= self.ones <= self.cells):
            raise BadRequest(f"{self.ones} of {self.cells} bits: expected 1 to 63 bits and at most as many ones")

    @property
    def width(self) -> int:
        """Return 1: all bits are in one cell."""
        return 1

    @property
    def size(self) -> int:
        """Return the binomial coefficient."""
        return comb(self.cells, self.ones)

    def family(self, at: int) -> Family:
        """Return the functions."""
        return Family(rank_combination, unrank_combination)

    def table(self) -> Table:
        """Return cells, ones, and for one = 1, 2, ... and each bit the number of ways to have `one` ones below the bit."""
        ways = [comb(bit, one) for one in range(1, self.ones + 1) for bit in range(self.cells)]
        return np.array([self.cells, self.ones, *ways], np.int64)


def rank_combination(state: State, at: int, table: Table, place: int) -> int:
    """Sum binomial coefficients over the ones, from the lowest on."""
    cells, ones = int(table[place]), int(table[place + 1])
    word = int(state[at])
    if word < 0 or word >> cells != 0 or popcount(word) != ones:
        return NOWHERE
    number = 0
    row = place + 2
    while word != 0:
        number += int(table[row + trailing_zeros(word)])
        word &= word - 1
        row += cells
    return number


def unrank_combination(number: int, state: State, at: int, table: Table, place: int) -> None:
    """For each one, from the highest on, choose the largest bit whose coefficient does not exceed the number."""
    cells, ones = int(table[place]), int(table[place + 1])
    word = 0
    bit = cells - 1
    for one in range(ones - 1, -1, -1):
        row = place + 2 + one * cells
        while table[row + bit] > number:
            bit -= 1
        number -= int(table[row + bit])
        word |= 1 << bit
    state[at] = word


@dataclass(frozen=True)
class Composition(TableIndex):
    """Number the distributions of `total` equal things over `boxes` cells, in lexicographic order of the cells.

    Stars and bars: ``size`` is the binomial coefficient total + boxes - 1 choose total. Cells with another sum have the
    rank NOWHERE.
    """

    total: int
    boxes: int

    def __post_init__(self) -> None:
        if self.total < 0 or self.boxes < 1:
            raise BadRequest(f"{self.total} things in {self.boxes} boxes: expected at least 0 things and one box")
        limited(self.size, str(self))

    @property
    def width(self) -> int:
        """Return the number of boxes."""
        return self.boxes

    @property
    def size(self) -> int:
        """Return the binomial coefficient."""
        return comb(self.total + self.boxes - 1, self.total)

    def family(self, at: int) -> Family:
        """Return the functions."""
        return Family(rank_composition, unrank_composition)

    def table(self) -> Table:
        """Return total, boxes, and the number of ways to put at most `left` things in `boxes` boxes."""
        ways = [comb(left + boxes, boxes) for boxes in range(self.boxes) for left in range(self.total + 1)]
        return np.array([self.total, self.boxes, *ways], np.int64)


def rank_composition(state: State, at: int, table: Table, place: int) -> int:
    """Sum over the boxes the ways to put fewer things there: at most `left` less at most `left - content`."""
    left, boxes = int(table[place]), int(table[place + 1])
    columns = left + 1
    row = place + 2 + (boxes - 1) * columns
    number = 0
    for box in range(at, at + boxes - 1):
        content = int(state[box])
        if content < 0 or content > left:
            return NOWHERE
        number += int(table[row + left]) - int(table[row + left - content])
        left -= content
        row -= columns
    return number if state[at + boxes - 1] == left else NOWHERE


def unrank_composition(number: int, state: State, at: int, table: Table, place: int) -> None:
    """Put into each box in turn the most things whose count of ways does not exceed the number."""
    left, boxes = int(table[place]), int(table[place + 1])
    columns = left + 1
    row = place + 2 + (boxes - 1) * columns
    for box in range(at, at + boxes - 1):
        ways = int(table[row + left])
        content = 0
        while content < left and ways - int(table[row + left - content - 1]) <= number:
            content += 1
        number -= ways - int(table[row + left - content])
        state[box] = content
        left -= content
        row -= columns
    state[at + boxes - 1] = left
