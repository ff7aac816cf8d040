"""Look-ups of tile patterns on sliding-tile boards, from every side of the board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.abstraction import Image
from searchbench.jit import inlined, popcount, unsigned
from searchbench.rules import State

Array = npt.NDArray[np.int64]


CELL: Final = 127
"""The bits of a move that encode a cell."""


class View(NamedTuple):
    """A board as seen from another side: its cells in reading order, and the tile that each tile represents.

    The goal in this view is the solved board after the empty cell has moved to another corner in `moves` moves.
    """

    cells: tuple[int, ...]
    tiles: tuple[int, ...]
    moves: int


def neighbours(rows: int, columns: int) -> list[list[int]]:
    """Return the neighbours of each cell, in order."""
    found = []
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        steps = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        found.append([r * columns + c for r, c in steps if 0 <= r < rows and 0 <= c < columns])
    return found


def views_of(rows: int, columns: int, most: int = 0, mirrors: bool = True) -> list[View]:
    """Return the views of the board, with `mirrors` also of its mirror image, those of the fewest moves first.

    Besides the plain view there are views from other corners, which the empty cell reaches in at most `most` moves.
    """
    found: dict[View, None] = {}
    for seen in symmetries(rows, columns, mirrors):
        for board, moves in _boards_to(seen[0], rows, columns, most):
            tiles = [0] * len(board)
            for place, cell in enumerate(seen):
                tiles[board[cell]] = place
            found[View(tuple(seen), tuple(tiles), moves)] = None
    return sorted(found, key=lambda view: view.moves)


def symmetries(rows: int, columns: int, mirrors: bool = True) -> list[list[int]]:
    """Return the permutation of cells by each symmetry of the board; the first is the identity.

    Without `mirrors` rows stay rows.
    """
    found: dict[tuple[int, ...], None] = {}
    for mirrored, flipped_rows, flipped_columns in product((False, True)[: 1 + mirrors], (False, True), (False, True)):
        cells = np.arange(rows * columns).reshape(rows, columns)
        cells = cells[:: -1 if flipped_rows else 1, :: -1 if flipped_columns else 1]
        cells = cells.T if mirrored else cells
        if cells.shape == (rows, columns):
            found[tuple(cells.reshape(-1).tolist())] = None
    return [list(cells) for cells in found]


def moved(view: View, symmetry: Sequence[int]) -> View:
    """Compose a view with a symmetry of the board, applied to cells and tiles alike."""
    cells = [0] * len(symmetry)
    for place, cell in enumerate(view.cells):
        cells[symmetry[place]] = cell
    return View(tuple(cells), tuple(symmetry[tile] for tile in view.tiles), view.moves)


def beside_empty(rows: int, columns: int, pattern: Sequence[int]) -> frozenset[int]:
    """Return the cells that the empty cell reaches in the solved board without moving a tile of the pattern."""
    ways = neighbours(rows, columns)
    found, waiting = {0}, [0]
    while waiting:
        fresh = set(ways[waiting.pop()]) - found - set(pattern)
        found |= fresh
        waiting += fresh
    return frozenset(found)


def _boards_to(corner: int, rows: int, columns: int, most: int) -> list[tuple[list[int], int]]:
    """Return the solved boards with the empty cell moved to a corner in at most `most` moves, one per path.

    Paths never undo a move; paths back to the home corner are left out, as they add little.
    """
    ways = neighbours(rows, columns)
    solved = list(range(rows * columns))
    found = [(solved, 0)] if corner == 0 else []
    edge = [(solved, 0, -1)]
    for moves in range(1, most + 1):
        further = []
        for board, empty, before in edge:
            for to in ways[empty]:
                if to != before:
                    after = list(board)
                    after[empty], after[to] = board[to], 0
                    further.append((after, to, empty))
        edge = further
        found += [(board, moves) for board, empty, _ in edge if empty == corner != 0]
    return found


def tile_image(view: View, rows: int, columns: int, pattern: Sequence[int], weights: Sequence[int]) -> Image:
    """Return the look-up in a view of a pattern of tiles, given the weight of each."""
    cells = rows * columns
    order = {view.tiles.index(tile): place for place, tile in enumerate(pattern)}
    weight = [weights[order[tile]] if tile in order else 0 for tile in range(cells)]
    passing = np.zeros((cells, cells), np.int64)
    for tile, other in permutations(order, 2):
        passing[tile, other] = weight[tile] if order[other] < order[tile] else -weight[other]
    orders = [order.get(tile, -1) for tile in range(cells)]
    steps = _steps(view.cells, rows, columns)
    table = np.concatenate([view.cells, orders, weight, passing.reshape(-1), steps.reshape(-1)])
    return Image(table.astype(np.int64), frozenset(order), view.moves)


def _steps(seen: Sequence[int], rows: int, columns: int) -> Array:
    """Return for each move of the empty cell the tile's displacement in reading order, and the cells it passes.

    A row belongs to the origin of the empty cell and its step. It is padded with the origin: passing an empty cell
    costs nothing.
    """
    span = 2 * columns + 1
    place = np.argsort(seen)
    found = np.zeros((rows * columns * span, max(rows, columns)), np.int64)
    for cell, ways in enumerate(neighbours(rows, columns)):
        for to in ways:
            row = found[cell * span + to - cell + columns]
            row[:] = cell
            row[0] = place[cell] - place[to]
            between = seen[min(place[cell], place[to]) + 1 : max(place[cell], place[to])]
            row[1 : 1 + len(between)] = between
    return found


def number_of_image(state: State, cells: int, table: Any, at: int) -> int:
    """Return the number of the pattern's tiles in a board, as the table defines it.

    The table contains the cells in reading order, each tile's index in the pattern (-1: none) and the weight of its
    digit, for each ordered pair of tiles the decrease of the number when the first passes the second, and `_steps`.
    """
    orders, weights = at + cells, at + 2 * cells
    number = 0
    seen = 0
    for place in range(cells):
        tile = state[table[at + place]]
        order = table[orders + tile]
        if order >= 0:
            number += table[weights + tile] * (place - popcount(seen & ((1 << order) - 1)))
            seen |= 1 << order
    return int(number)


@inlined
def step_of_image(state: State, move: int, cells: int, columns: int, table: Any, at: int) -> int:
    """Return the change of the image's number by a move: digits of tiles that pass each other change."""
    weights = at + 2 * cells
    passing = weights + cells
    origin, to = move >> 7, move & CELL
    tile = state[unsigned(to)]
    length = max(columns, cells // columns)
    step = passing + cells * cells + (origin * (2 * columns + 1) + to - origin + columns) * length
    distance = table[unsigned(step)]
    row = passing + tile * cells
    passed = 0
    for place in range(1, length):
        passed += table[unsigned(row + state[unsigned(table[unsigned(step + place)])])]
    return int(table[unsigned(weights + tile)] * distance + (passed if distance < 0 else -passed))
