"""Boards of peg solitaire: cells of a drawing, jumps as shifts of a word, colourings and symmetries."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, groupby, pairwise, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.index.digits import NO_CODE, Action, Change, Digit, Digits, Field

PEG, HOLE, PEG_TO_STAY, HOLE_TO_STAY = "o-x+"
"""Marks of cells, start to end: "o" peg to hole, "-" hole to peg, "x" always a peg, "+" always a hole; else off the board."""

BOARDS = {
    "english": "  ooo/  ooo/ooooooo/ooo-ooo/ooooooo/  ooo/  ooo",
    "european": "  ooo/ ooooo/ooooooo/ooo-ooo/ooooooo/ ooooo/  ooo",
    "german": "   ooo/   ooo/   ooo/ooooooooo/oooo-oooo/ooooooooo/   ooo/   ooo/   ooo",
    "diamond": "    o/   ooo/  ooooo/ ooooooo/oooo-oooo/ ooooooo/  ooooo/   ooo/    o",
    "triangle": "-/oo/ooo/oooo/ooooo",
}
LONGEST = 6
"""The most cells of a row in one digit: 64 codes, one word."""
WAYS = {4: ((1, 0), (0, 1)), 6: ((1, 0), (0, 1), (1, 1)), 8: ((1, 0), (0, 1), (1, 1), (-1, 1))}
"""One of each two opposite directions, as columns and rows: to the right or down."""


class PegBoard(NamedTuple):
    """A board: each cell's position (column, row), row by row, and the words of the start and the goal."""

    places: tuple[tuple[int, int], ...]
    start: int
    goal: int


class JumpShape(NamedTuple):
    """All lines of three cells with the same offsets in a word: bits b, b + over and b + far, for each bit b of `lines`."""

    over: int
    far: int
    lines: int


@lru_cache(maxsize=64)
def read_pegs(drawing: str) -> PegBoard:
    """Parse the drawing of a board, with "/" between its rows."""
    marks = {
        (column, row): mark
        for row, line in enumerate(drawing.split("/"))
        for column, mark in enumerate(line)
        if mark in {PEG, HOLE, PEG_TO_STAY, HOLE_TO_STAY}
    }
    start, goal = (
        sum(1 << cell for cell, mark in enumerate(marks.values()) if mark in pegs)
        for pegs in ((PEG, PEG_TO_STAY), (HOLE, PEG_TO_STAY))
    )
    return PegBoard(tuple(marks), start, goal)


@lru_cache(maxsize=64)
def jump_shapes(board: PegBoard, directions: int) -> tuple[JumpShape, ...]:
    """Return the lines of three cells along which pegs jump, grouped by their offsets."""
    cell_of = {place: cell for cell, place in enumerate(board.places)}
    lines: dict[tuple[int, int], int] = {}
    for (column, row), cell in cell_of.items():
        for right, down in WAYS[directions]:
            over, far = (cell_of.get((column + steps * right, row + steps * down)) for steps in (1, 2))
            if over is not None and far is not None:
                shape = over - cell, far - cell
                lines[shape] = lines.get(shape, 0) | 1 << cell
    return tuple(JumpShape(over, far, starts) for (over, far), starts in sorted(lines.items()))


def colourings(board: PegBoard, directions: int) -> list[list[int]]:
    """Return colourings by diagonals: the cells of each of three colours; any three cells in a row have different colours."""
    return [
        [
            sum(1 << cell for cell, (column, row) in enumerate(board.places) if (column + slope * row) % 3 == colour)
            for colour in range(3)
        ]
        for slope in (1, -1)
        if all((right + slope * down) % 3 for right, down in WAYS[directions])
    ]


def digits_of_pegs(board: PegBoard, directions: int) -> Digits:
    """Return the digits: the rows of the board, or pieces of long ones, from the highest bits down; each jump is an action.

    The code of a piece is its bits, its weight the number of its holes: a jump leaves one hole more.
    """
    pieces = _pieces(board)
    digits = []
    for place, (low, count) in enumerate(pieces):
        field = Field(low, (1 << count) - 1 if place else -1)
        codes = range(1 << count)
        digits.append(
            Digit((0,), tuple((code,) for code in codes), tuple(count - code.bit_count() for code in codes), (field,))
        )
    jumps = [
        (end | 1 << first + shape.over, 1 << first | 1 << first + shape.over | 1 << first + shape.far)
        for shape in jump_shapes(board, directions)
        for first in range(len(board.places))
        if shape.lines >> first & 1
        for end in (1 << first, 1 << first + shape.far)
    ]
    return Digits(tuple(digits), (tuple(_jump(pieces, pegs, cells) for pegs, cells in jumps),), ((),))


def _pieces(board: PegBoard) -> list[tuple[int, int]]:
    """Return the first bit and the number of cells of each piece of a row, from the highest bits down."""
    rows = [len(list(row)) for _, row in groupby(board.places, key=lambda place: place[1])]
    sizes = []
    for row in rows:
        count = -(-row // LONGEST)
        ends = [row * piece // count for piece in range(count + 1)]
        sizes += [end - begin for begin, end in pairwise(ends)]
    return list(zip(accumulate(sizes, initial=0), sizes, strict=False))[::-1]


def _jump(pieces: list[tuple[int, int]], pegs: int, cells: int) -> Action:
    """Return the action that turns some pegs to holes and the holes among those cells to pegs."""
    changes = []
    for digit, (low, count) in enumerate(pieces):
        full = (1 << count) - 1
        mine, before = cells >> low & full, pegs >> low & full
        if mine:
            to = (code ^ mine if code & mine == before else NO_CODE for code in range(1 << count))
            changes.append(Change(digit, tuple(to)))
    return tuple(changes)


def symmetries(board: PegBoard, directions: int) -> list[list[int]]:
    """Return the rotations and reflections that preserve board, directions and goal: each cell's target."""
    ways = {(sign * right, sign * down) for right, down in WAYS[directions] for sign in (1, -1)}
    goal = {place for cell, place in enumerate(board.places) if board.goal >> cell & 1}
    found = []
    for a, b, c, d in product((-1, 0, 1), repeat=4):
        if {(a * x + b * y, c * x + d * y) for x, y in ways} != ways:
            continue
        turned = [(a * x + b * y, c * x + d * y) for x, y in board.places]
        right = min(x for x, _ in board.places) - min(x for x, _ in turned)
        down = min(y for _, y in board.places) - min(y for _, y in turned)
        moved = {place: (x + right, y + down) for place, (x, y) in zip(board.places, turned, strict=True)}
        if {*moved.values()} == {*board.places} and {moved[place] for place in goal} == goal:
            found.append([board.places.index(moved[place]) for place in board.places])
    return found


def images(moved: list[list[int]], cells: int) -> npt.NDArray[Any]:
    """Return the image of each byte of a word under each symmetry: [symmetry, byte, its content]."""
    table = np.zeros((len(moved), -(-cells // 8), 256), np.int64)
    contents = np.arange(256)
    for symmetry, goes in enumerate(moved):
        for cell, target in enumerate(goes):
            table[symmetry, cell // 8] |= (contents >> (cell % 8) & 1) << target
    return table
