"""The board of Nine Men's Morris as bit sets of points: rings, mills, neighbours, symmetries.

Point 8r + p is place p of ring r. Places go clockwise from the top left corner, rings from the outermost, so a byte is
a ring, even places are corners, and odd places are where the spokes meet the rings.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.jit import trailing_zeros

Table = npt.NDArray[Any]

POINTS: Final = 24
ALL: Final = (1 << POINTS) - 1
RING: Final = 255
SPOKES: Final = 0b10101010
"""The places of a ring that lie on spokes."""
NAMES: Final = (
    "a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4",
    "b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4",
    "c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4",
)  # fmt: skip
SIDES: Final = tuple(tuple((side + step) % 8 for step in range(3)) for side in (0, 2, 4, 6))
MILLS: Final = [tuple(8 * ring + place for place in side) for ring in range(3) for side in SIDES] + [
    tuple(8 * ring + place for ring in range(3)) for place in (1, 3, 5, 7)
]
EDGES: Final = tuple(edge for a, b, c in MILLS for edge in ((a, b), (b, c)))
DEGREES: Final = sorted((sum(point in edge for edge in EDGES) for point in range(POINTS)), reverse=True)


def _masks() -> tuple[Table, Table]:
    partners = np.zeros((POINTS, 2), np.int64)
    adjacent = np.zeros(POINTS, np.int64)
    for point in range(POINTS):
        partners[point] = [sum(1 << other for other in mill if other != point) for mill in MILLS if point in mill]
        adjacent[point] = sum(1 << a + b - point for a, b in EDGES if point in (a, b))
    return partners, adjacent


def _sides() -> tuple[Table, Table]:
    milled, closing = np.zeros(256, np.uint8), np.zeros(256, np.uint8)
    for ring in range(256):
        for side in (sum(1 << place for place in places) for places in SIDES):
            missing = side & ~ring
            if missing == 0:
                milled[ring] |= side
            elif missing & (missing - 1) == 0:
                closing[ring] |= missing
    return milled, closing


PARTNERS, ADJACENT = _masks()
"""For each point, the other two points of its two mills, and its neighbours, as bits."""
MILLED, CLOSING = _sides()
"""For the men of a ring: those on full sides, and the places that would complete a side."""


def neighbours(men: int) -> int:
    """Return the points adjacent to any of `men`."""
    clockwise = (men << 1) & 0xFEFEFE | (men >> 7) & 0x010101
    back = (men >> 1) & 0x7F7F7F | (men << 7) & 0x808080
    spokes = men & 0xAAAAAA
    return clockwise | back | (spokes << 8) & ALL | spokes >> 8


def in_mills(men: int) -> int:
    """Return the men of `men` that are in a mill."""
    outer, middle, inner = men & RING, (men >> 8) & RING, men >> 16
    spokes = outer & middle & inner & SPOKES
    found: int = (MILLED[outer] | spokes) | (MILLED[middle] | spokes) << 8 | (MILLED[inner] | spokes) << 16
    return found


def closing_points(men: int) -> int:
    """Return the points where another man would complete a mill."""
    outer, middle, inner = men & RING, (men >> 8) & RING, men >> 16
    found: int = CLOSING[outer] | (middle & inner & SPOKES)
    found |= (CLOSING[middle] | (outer & inner & SPOKES)) << 8
    found |= (CLOSING[inner] | (outer & middle & SPOKES)) << 16
    return found


def closers(men: int, sources: int, target: int) -> int:
    """Return the men at `sources` that close a mill by moving to `target`."""
    first, second = PARTNERS[target, 0], PARTNERS[target, 1]
    found = 0
    if men & first == first:
        found = sources & ~first
    if men & second == second:
        found |= sources & ~second
    return found


def removable(men: int) -> int:
    """Return the men that may be removed: those in no mill, or all if every man is in one."""
    loose = men & ~in_mills(men)
    return loose if loose != 0 else men


# --- the number of times a mill must have been closed
# -------------------------------------------------------------------


def _closings() -> tuple[Table, Table]:
    """Return each ring's full sides as four bits, and for each set of 16 mills the fewest points that meet them all."""
    sides = np.array(
        [sum(1 << k for k, side in enumerate(SIDES) if all(ring >> p & 1 for p in side)) for ring in range(256)],
        np.uint16,
    )
    sets = np.arange(1 << len(MILLS))
    least = np.where(sets == 0, 0, len(MILLS)).astype(np.uint8)
    before = None
    while before != (before := least.tobytes()):
        for point in range(POINTS):
            left = sets & ~sum(1 << number for number, mill in enumerate(MILLS) if point in mill)
            np.minimum(least, least[left] + 1, out=least)
    return sides, least


FULL_SIDES, LEAST_CLOSINGS = _closings()
SPOKE_BITS: Final = np.array([sum((ring >> place & 1) << place // 2 for place in (1, 3, 5, 7)) for ring in range(256)])


def closings(men: Any) -> Any:
    """Return a lower bound on mill closings: one move closes at most all the mills through its point.

    Takes a word, or an array of words.
    """
    outer, middle, inner = men & RING, (men >> 8) & RING, men >> 16
    mills = FULL_SIDES[outer] | FULL_SIDES[middle] << 4 | FULL_SIDES[inner] << 8
    return LEAST_CLOSINGS[mills | SPOKE_BITS[outer & middle & inner] << 12]


# --- symmetries: element 8o + d rotates or reflects every ring by d and then puts ring r in place of ring ORDERS[o][r]
# ---

ORDERS: Final = np.array([(0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1)], np.int64)
TURNS: Final = np.array(
    [
        [sum(1 << (sign * place + turn) % 8 for place in range(8) if ring >> place & 1) for ring in range(256)]
        for sign in (1, -1)
        for turn in (0, 2, 4, 6)
    ],
    np.uint8,
)
BOARD_SYMMETRIES: Final = 16
RING_SYMMETRIES: Final = 48
"""Rings are interchangeable when all men jump, as long as no predecessor with more men matters."""


def image(men: int, element: int) -> int:
    """Return the image of a set of men under a symmetry."""
    turn, order = element & 7, element >> 3
    moved = TURNS[turn, men & RING] << (8 * ORDERS[order, 0])
    moved |= TURNS[turn, (men >> 8) & RING] << (8 * ORDERS[order, 1])
    moved |= TURNS[turn, men >> 16] << (8 * ORDERS[order, 2])
    return int(moved)


def fixed_by(men: int, elements: int) -> int:
    """Return how many of the symmetries in the bit set `elements` fix a set of men."""
    count = 0
    while elements != 0:
        if image(men, trailing_zeros(elements)) == men:
            count += 1
        elements &= elements - 1
    return count


def men_in_words(name: str) -> str:
    """Return the men of both players, and those still to be placed, of a part by its name."""
    men, _, left = name.partition("+")
    own, _, other = men.partition("-")
    if not (own.isdecimal() and other.isdecimal()):
        return name
    return f"{own} men to move against {other}" + f", {left} to place" * bool(left)
