"""Bitboards with a varying number of ones, ranked by table look-ups on pieces of a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.jit import popcount
from searchbench.rules import NOWHERE, State

PIECE = 11
"""Bits per look-up: three pieces for the largest board, and tables that fit a core's cache."""
LARGEST = 3 * PIECE


@dataclass(frozen=True)
class Bitboards:
    """Number the words of up to 33 bits with `least` to `most` ones: by the number of ones, then by value.

    The numbers equal those of a Sum of Combinations but are computed much faster; `advance` moves from one word to a
    nearby one, mostly by changing only the lowest bits (Edelkamp 2017, ranking of binomial coefficients).
    """

    cells: int
    least: int
    most: int

    def __post_init__(self) -> None:
        if not (1 <= self.cells <= LARGEST and 0 <= self.least <= self.most <= self.cells):
            raise BadRequest(
                f"{self.least} to {self.most} of {self.cells} bits: expected 1 to {LARGEST} bits, and at most as many ones"
            )

    @property
    def width(self) -> int:
        """Return 1: all bits are in one cell."""
        return 1

    @property
    def size(self) -> int:
        """Return the sum of the binomial coefficients."""
        return sum(comb(self.cells, ones) for ones in range(self.least, self.most + 1))

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cell `at`."""
        return self.all_functions(at)[:2]

    def all_functions(self, at: int = 0) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        """Return rank, unrank and advance for the cell `at`."""
        cells, least, most = self.cells, self.least, self.most
        begin = np.cumsum([0, *(comb(cells, ones) for ones in range(least, most + 1))])
        shares = _shares()
        lowest, low_begin = _lowest()
        ways = np.array([[comb(bit, one) for bit in range(cells)] for one in range(1, most + 1)] or [[0]], np.int64)
        mask = (1 << PIECE) - 1

        def rank(state: State) -> int:
            word = int(state[at])
            ones = popcount(word)
            if word < 0 or word >> cells != 0 or ones < least or ones > most:
                return NOWHERE
            low = popcount(word & mask)
            middle = low + popcount((word >> PIECE) & mask)
            return int(
                begin[ones - least]
                + shares[0, word & mask]
                + shares[1 + low, (word >> PIECE) & mask]
                + shares[2 + PIECE + middle, word >> 2 * PIECE]
            )

        def unrank(number: int, state: State) -> None:
            ones = least
            while ones < most and begin[ones - least + 1] <= number:
                ones += 1
            rest = number - begin[ones - least]
            word = 0
            bit = cells - 1
            for one in range(ones - 1, -1, -1):
                if bit < PIECE:
                    word |= lowest[low_begin[one + 1] + rest]
                    break
                while ways[one, bit] > rest:
                    bit -= 1
                rest -= ways[one, bit]
                word |= 1 << bit
            state[at] = word

        def advance(number: int, state: State, gap: int) -> None:
            word = int(state[at])
            low = popcount(word & mask)
            place = low_begin[low] + shares[0, word & mask] + gap
            if place < low_begin[low + 1] and cells >= PIECE:
                state[at] = (word & ~mask) | lowest[place]
            else:
                unrank(number + gap, state)

        return rank, unrank, advance


@lru_cache(maxsize=1)
def _shares() -> npt.NDArray[Any]:
    """Return each piece's contribution to the number: rows for the first piece, the second with 0 .. 11 ones below, the third."""
    rows = [(0, 0), *((1, below) for below in range(PIECE + 1)), *((2, below) for below in range(2 * PIECE + 1))]
    ones = np.array([bits.bit_count() for bits in range(1 << PIECE)])
    shares = np.zeros((len(rows), 1 << PIECE), np.int64)
    for highest in range(PIECE):
        rest, with_it = slice(0, 1 << highest), slice(1 << highest, 2 << highest)
        for row, (piece, below) in enumerate(rows):
            ways = np.array([comb(piece * PIECE + highest, below + 1 + lower) for lower in range(highest + 1)])
            shares[row, with_it] = shares[row, rest] + ways[ones[rest]]
    return shares.astype(np.int32)


@lru_cache(maxsize=1)
def _lowest() -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return all lowest pieces by the number of ones, then by value, and the start of each number of ones."""
    pieces = sorted(range(1 << PIECE), key=lambda bits: (bits.bit_count(), bits))
    begin = np.cumsum([0, *(comb(PIECE, ones) for ones in range(PIECE + 1))])
    return np.array(pieces, np.int64), begin.astype(np.int64)
