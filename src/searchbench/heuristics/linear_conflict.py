"""Bound a board of sliding tiles by linear conflicts: tiles in the wrong order in their own line (Hansson et al. 1992)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations, product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.rules import Move, State

LONGEST: Final = 6
"""The longest line with a table of its contents."""


@lru_cache(maxsize=16)
def linear_conflict(rows: int, columns: int) -> Mapping[str, Any]:
    """Return `h` and `h_step`: Manhattan distance, and two moves for each tile that must leave its line.

    A state has the tile on each cell, 0 for the empty one; a move is ``from << 7 | to`` of the empty cell. Tiles in their
    own line cannot pass each other: all but those of a longest increasing subsequence must leave it. Raises BadRequest for
    lines of more than six cells.
    """
    if max(rows, columns) > LONGEST:
        raise BadRequest(f"linear conflict on a board of {rows} x {columns}: lines have at most {LONGEST} cells")
    cells = rows * columns
    in_row, in_column = _conflicts(columns), _conflicts(rows)
    place, tile = np.divmod(np.arange(cells * cells), cells)[::-1]
    distance = np.abs(place // columns - tile // columns) + np.abs(place % columns - tile % columns)
    distance[:cells] = 0  # the empty cell

    def digit_in_row(state: State, row: int, cell: int, moved: int, without: int) -> int:
        """Return 1 + the goal column of the tile on a cell, or 0 if the tile does not belong into this row."""
        tile = moved if cell == without else state[cell]
        return 1 + tile % columns if tile != 0 and tile // columns == row else 0

    def digit_in_column(state: State, column: int, cell: int, moved: int, without: int) -> int:
        tile = moved if cell == without else state[cell]
        return 1 + tile // columns if tile != 0 and tile % columns == column else 0

    def conflicts_in_row(state: State, row: int, hole: int, filled: int, tile: int) -> int:
        """Return the extra moves of a row, as if `hole` were empty and `tile` were on the cell `filled` (-1: nowhere)."""
        code = 0
        for column in range(columns):
            cell = row * columns + column
            content = 0 if cell == hole else digit_in_row(state, row, cell, tile, filled)
            code = code * (columns + 1) + content
        return int(in_row[code])

    def conflicts_in_column(state: State, column: int, hole: int, filled: int, tile: int) -> int:
        code = 0
        for row in range(rows):
            cell = row * columns + column
            content = 0 if cell == hole else digit_in_column(state, column, cell, tile, filled)
            code = code * (rows + 1) + content
        return int(in_column[code])

    def h(state: State, tables: Any) -> int:
        total = 0
        for cell in range(cells):
            total += distance[state[cell] * cells + cell]
        for row in range(rows):
            total += conflicts_in_row(state, row, -1, -1, 0)
        for column in range(columns):
            total += conflicts_in_column(state, column, -1, -1, 0)
        return int(total)

    def h_step(state: State, move: Move, tables: Any) -> int:
        to, origin = move >> 7, move & 127  # of the tile
        tile = state[origin]
        change = distance[tile * cells + to] - distance[tile * cells + origin]
        if to // columns == origin // columns:  # within its row, a tile keeps its place in the order
            change -= conflicts_in_column(state, origin % columns, -1, -1, 0)
            change -= conflicts_in_column(state, to % columns, -1, -1, 0)
            change += conflicts_in_column(state, origin % columns, origin, -1, 0)
            change += conflicts_in_column(state, to % columns, -1, to, tile)
        else:
            change -= conflicts_in_row(state, origin // columns, -1, -1, 0)
            change -= conflicts_in_row(state, to // columns, -1, -1, 0)
            change += conflicts_in_row(state, origin // columns, origin, -1, 0)
            change += conflicts_in_row(state, to // columns, -1, to, tile)
        return int(change)

    return {"h": h, "h_step": h_step}


def _conflicts(length: int) -> npt.NDArray[np.int64]:
    """Return the extra moves for all contents of a line; a cell is 1 + the tile's goal place, or 0 for any other tile."""
    found = np.zeros((length + 1) ** length, np.int64)
    for number, line in enumerate(product(range(length + 1), repeat=length)):
        goals = [digit for digit in line if digit]
        if len(set(goals)) == len(goals):  # other contents do not occur
            found[number] = 2 * (len(goals) - _longest_increasing(goals))
    return found


def _longest_increasing(goals: list[int]) -> int:
    """Return the length of a longest increasing subsequence of a few numbers."""
    for size in range(len(goals), 1, -1):
        if any(list(some) == sorted(some) for some in combinations(goals, size)):
            return size
    return min(1, len(goals))
