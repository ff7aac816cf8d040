"""Look-ups of sliding-tile boards with groups of equal tiles, from every side of the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.abstraction import Image
from searchbench.families.tiles import View
from searchbench.jit import inlined
from searchbench.rules import State


def group_image(view: View, path: Sequence[int], group_of: Sequence[int], weights: npt.NDArray[np.int64]) -> Image:
    """Return the look-up of a board in a view; `weights` are those of `OneEmpty`, for the cells in the order of `path`.

    The table contains the offset of the weights, the cells of the puzzle in that order, the position of each cell in
    it, and the group of each tile, -1 for the empty cell.
    """
    cells = [view.cells[cell] for cell in path]
    groups = [group_of[tile] for tile in view.tiles]
    table = np.array([0, *cells, *np.argsort(cells), *groups], np.int64)
    return Image(table, None, view.moves, weights)


def number_of_groups(state: State, cells: int, table: Any, at: int) -> int:
    """Return the number of a board, with each tile replaced by its group."""
    weights = table[at]
    steps, row = weights + 3, table[weights + 2]
    rows = steps + table[weights + 1]
    groups = at + 1 + 2 * cells
    number = 0
    empty = 0
    for place in range(cells):
        group = table[groups + state[table[at + 1 + place]]]
        if group < 0:
            empty = place
        else:
            number += table[rows + row + group]
            row -= table[steps + group]
    return int(number * cells + empty)


@inlined
def step_of_groups(state: State, move: int, cells: int, table: Any, at: int) -> int:
    """Return the change of the number by a move: the tile passes the tiles between its cell and the empty one.

    The tiles before and after these stay, so only the weights of the passed tiles and of the moved one change.
    """
    places, groups = at + 1 + cells, at + 1 + 2 * cells
    origin, to = table[places + (move >> 7)], table[places + (move & 127)]
    if to - origin == 1 or origin - to == 1:
        return int(to - origin)
    weights = table[at]
    steps, row = weights + 3, table[weights + 2]
    rows = steps + table[weights + 1]
    low, high = min(origin, to), max(origin, to)
    for place in range(low):
        row -= table[steps + table[groups + state[table[at + 1 + place]]]]
    tile = table[groups + state[move & 127]]
    first = table[rows + row + tile]  # the moved tile before all others, which shift by one place
    last = 0  # the moved tile after them
    later = row - table[steps + tile]
    for place in range(low + 1, high):
        group = table[groups + state[table[at + 1 + place]]]
        first += table[rows + later + group]
        last += table[rows + row + group]
        later -= table[steps + group]
        row -= table[steps + group]
    last += table[rows + row + tile]
    return int((first - last if to > origin else last - first) * cells + to - origin)
