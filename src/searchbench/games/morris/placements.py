"""Sets of men of one colour, up to symmetry, and sets of the other colour's men on the remaining points."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.games.morris.board import ORDERS, POINTS, RING, TURNS, closings
from searchbench.jit import popcount

MOST: Final = 9
HALF: Final = 12
Table = npt.NDArray[Any]

# --- the rank of a set of men among all sets of the same size, in the order of the words
# --------------------------------


def _number_tables() -> tuple[Table, Table]:
    counts = np.array([word.bit_count() for word in range(1 << HALF)])
    low = np.zeros(1 << HALF, np.int32)
    for count in range(HALF + 1):
        low[counts == count] = np.arange(comb(HALF, count))
    high = np.zeros((MOST + 1, 1 << HALF), np.int32)
    for men in range(MOST + 1):
        sizes = [comb(HALF, men - count) if count <= men else 0 for count in counts]
        high[men, 1:] = np.cumsum(sizes)[:-1]
    return high, low


HIGH, LOW = _number_tables()


def set_number(word: int, men: int) -> int:
    """Return the rank of a word with `men` one bits among such words."""
    return int(HIGH[men, word >> HALF] + LOW[word & ((1 << HALF) - 1)])


@lru_cache(maxsize=1)
def _counts() -> Table:
    bytes_ = np.array([byte.bit_count() for byte in range(256)], np.uint8)
    half = (bytes_[:, None] + bytes_).ravel()
    counts: Table = (bytes_[:, None] + half).ravel()
    return counts


def words(men: int, points: int) -> Table:
    """Return the words with `men` one bits in the order of their ranks."""
    return np.flatnonzero(_counts()[: 1 << points] == men).astype(np.int32)


# --- bits at the remaining points
# ---------------------------------------------------------------------------------------


def _byte_tables() -> tuple[Table, Table]:
    gathered, spread = np.zeros((256, 256), np.uint8), np.zeros((256, 256), np.uint8)
    values = np.arange(256)
    for mask in range(256):
        places = [place for place in range(8) if mask >> place & 1]
        for rank, place in enumerate(places):
            gathered[mask] |= ((values >> place & 1) << rank).astype(np.uint8)
            spread[mask] |= ((values >> rank & 1) << place).astype(np.uint8)
    return gathered, spread


GATHERED, SPREAD = _byte_tables()


def gather_bits(men: int, points: int) -> int:
    """Return the bits of a word at the given points, compacted."""
    outer, middle, inner = points & RING, (points >> 8) & RING, points >> 16
    shift = popcount(outer)
    found = GATHERED[outer, men & RING] | GATHERED[middle, (men >> 8) & RING] << shift
    return int(found | GATHERED[inner, men >> 16] << (shift + popcount(middle)))


def spread_bits(word: int, points: int) -> int:
    """Return the word with these compacted bits at the given points."""
    outer, middle, inner = points & RING, (points >> 8) & RING, points >> 16
    shift = popcount(outer)
    found = SPREAD[outer, word & RING] | SPREAD[middle, (word >> shift) & RING] << 8
    return int(found | SPREAD[inner, (word >> (shift + popcount(middle))) & RING] << 16)


# --- orbits ---------------------------------------------------------------------------------------------------------------

ORBIT_BITS: Final = 17
ELEMENT: Final = 63
SYMMETRIC: Final = 1 << 23
"""An entry is ``orbit | element << ORBIT_BITS | SYMMETRIC``: the orbit of a set, an element that maps it to its
representative, and whether another element fixes the representative."""


class Placements(NamedTuple):
    """The sets of some men under a group, limited to those with few enough mill closings.

    `entries` contains an entry for each set by its number (-1: left out). For each orbit there is the representative,
    which is the smallest word, and the bit set of the elements that fix it.
    """

    entries: Table
    representative: Table
    stabilizer: Table


@lru_cache(maxsize=64)
def placements(men: int, symmetries: int, most_closings: int) -> Placements:
    """Return the sets of `men` men with their orbits."""
    entries, representative, stabilizer = _orbits(men, symmetries)
    kept = closings(representative) <= most_closings
    place = np.where(kept, np.cumsum(kept) - 1, -1)[entries & ((1 << ORBIT_BITS) - 1)]
    entries = np.where(place < 0, -1, entries & ~((1 << ORBIT_BITS) - 1) | place)
    return Placements(entries.astype(np.int32), representative[kept], stabilizer[kept])


@lru_cache(maxsize=16)
def _orbits(men: int, symmetries: int) -> Placements:
    boards = words(men, POINTS)
    least, element = boards.copy(), np.zeros(len(boards), np.int32)
    for one in range(1, symmetries):
        moved = _images(boards, one)
        smaller = moved < least
        least[smaller] = moved[smaller]
        element[smaller] = one
    first = least == boards
    representative = boards[first]
    orbit = (np.cumsum(first) - 1)[HIGH[men][least >> HALF] + LOW[least & ((1 << HALF) - 1)]]
    fixed = [(_images(representative, one) == representative).astype(np.int64) << one for one in range(symmetries)]
    stabilizer: Table = np.sum(fixed, axis=0)
    entries = orbit | element << ORBIT_BITS | np.where(stabilizer != 1, SYMMETRIC, 0)[orbit]
    return Placements(entries.astype(np.int32), representative, stabilizer)


def _images(boards: Table, element: int) -> Table:
    """Return the images of boards under a symmetry."""
    turn, order = TURNS[element & 7].astype(np.int32), 8 * ORDERS[element >> 3]
    images: Table = turn[boards & RING] << order[0]
    images |= turn[(boards >> 8) & RING] << order[1]
    images |= turn[boards >> 16] << order[2]
    return images


def range_size(first: int, second: int, symmetries: int, most_closings: int) -> int:
    """Return the size of an index with `first` men of one colour, by orbits, and `second` of the other."""
    return len(placements(first, symmetries, most_closings).representative) * comb(POINTS - first, second)
