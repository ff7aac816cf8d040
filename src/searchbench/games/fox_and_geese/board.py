"""The board of 33 points: its lines, jumps and symmetries, and the steps and jumps of the pieces."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

import numpy as np

from searchbench.families.pegs import BOARDS, images, read_pegs, symmetries
from searchbench.jit import trailing_zeros

FOX, GEESE, TURN = 0, 1, 2
"""The cells of a state: the fox's point, the word of the geese's points, and the turn (1: the fox's)."""

# --- the board: its points row by row from the top ----------------------------------------------------------------------

CROSS: Final = read_pegs(BOARDS["english"])
PLACES: Final = CROSS.places
POINTS: Final = len(PLACES)
POINT_OF: Final = {place: point for point, place in enumerate(PLACES)}
WAYS: Final = [(right, down) for down in (-1, 0, 1) for right in (-1, 0, 1) if (right, down) != (0, 0)]
"""Straight lines join all neighbours, diagonals only points whose column and row are both even or both odd."""


def _far(point: int, way: tuple[int, int], steps: int) -> int:
    """Return the point `steps` steps along a line, or -1 if there is none."""
    (column, row), (right, down) = PLACES[point], way
    if right and down and (column + row) % 2:
        return -1
    return POINT_OF.get((column + steps * right, row + steps * down), -1)


LINES: Final = [
    [(_far(point, way, 1), _far(point, way, 2)) for way in WAYS if _far(point, way, 1) >= 0] for point in range(POINTS)
]
"""For each point its neighbours, each with the point behind it or -1."""
ALL: Final = (1 << POINTS) - 1
EDGES: Final = [(point, end) for point in range(POINTS) for end, _ in LINES[point] if point < end]
ADJACENT: Final = np.array([sum(1 << end for end, _ in lines) for lines in LINES], np.int64)
JUMPS: Final = np.full((POINTS, len(WAYS), 2), -1, np.int64)
for _point, _lines in enumerate(LINES):
    for _place, _jump in enumerate((over, to) for over, to in _lines if to >= 0):
        JUMPS[_point, _place] = _jump

# --- symmetries ---------------------------------------------------------------------------------------------------------

TURNS: Final = sorted(symmetries(CROSS, 8))  # the first is the identity
IMAGES: Final = images(TURNS, POINTS)
HOMES: Final = sorted({min(turn[point] for turn in TURNS) for point in range(POINTS)})
"""The fox's points in representatives."""
HOME: Final = np.array([HOMES.index(min(turn[point] for turn in TURNS)) for point in range(POINTS)], np.int64)
HOME_POINT: Final = np.array(HOMES, np.int64)
INWARD: Final = np.array(
    [next(place for place, turn in enumerate(TURNS) if turn[point] in HOMES) for point in range(POINTS)], np.int64
)
"""For each point a symmetry that maps it to its home."""
FIXING: Final = np.array([[turn[home] == home for turn in TURNS] for home in HOMES], np.bool_)


def image(geese: int, turn: int) -> int:
    """Return the image of a set of geese under a symmetry."""
    moved = IMAGES[turn, 0, geese & 255] | IMAGES[turn, 1, (geese >> 8) & 255] | IMAGES[turn, 2, (geese >> 16) & 255]
    return int(moved | IMAGES[turn, 3, (geese >> 24) & 255] | IMAGES[turn, 4, geese >> 32])


def least_image(home: int, geese: int) -> int:
    """Return the smallest image of a set of geese under the symmetries that fix the fox's home."""
    least = geese
    for turn in range(1, len(IMAGES)):
        if FIXING[home, turn]:
            least = min(least, image(geese, turn))
    return least


def can_jump(fox: int, geese: int) -> bool:
    """Tell whether the fox can capture."""
    for place in range(JUMPS.shape[1]):
        over, to = JUMPS[fox, place]
        if over >= 0 and (geese >> over) & 1 == 1 and (geese >> to) & 1 == 0:
            return True
    return False


def add_jumps(out: MutableSequence[int], fox: int, geese: int) -> int:
    """Write the fox's captures; return their number."""
    count = 0
    for place in range(JUMPS.shape[1]):
        over, to = JUMPS[fox, place]
        if over >= 0 and (geese >> over) & 1 == 1 and (geese >> to) & 1 == 0:
            out[count] = fox | to << 6 | (over + 1) << 12
            count += 1
    return count


def add_steps(out: MutableSequence[int], count: int, piece: int, free: int, backwards: bool) -> int:
    """Append the steps of a piece to adjacent free points, or reversed steps; return the new count."""
    points = ADJACENT[piece] & free
    while points != 0:
        point = trailing_zeros(points)
        points &= points - 1
        out[count] = point | piece << 6 if backwards else piece | point << 6
        count += 1
    return count


def add_goose_steps(out: MutableSequence[int], fox: int, geese: int, backwards: bool) -> int:
    """Write the steps of all geese, or the reversed steps; return their number."""
    free = ALL & ~(geese | 1 << fox)
    count = 0
    rest = geese
    while rest != 0:
        count = add_steps(out, count, trailing_zeros(rest), free, backwards)
        rest &= rest - 1
    return count


def goose_can_step(fox: int, geese: int) -> bool:
    """Tell whether any goose can move."""
    free = ALL & ~(geese | 1 << fox)
    while free != 0:
        if ADJACENT[trailing_zeros(free)] & geese != 0:
            return True
        free &= free - 1
    return False
