"""Moves of a product index as tables of rows and columns.

A number is ``row * columns + column``. A move's new row depends on the row alone; the new column is looked up in a
table of columns that also depends on the row alone. For a turning puzzle, rows are the permutations of the pieces,
columns their orientations (Korf 1997, pattern databases of the cube).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadGame
from searchbench.index.compose import Product
from searchbench.index.contract import rank, unrank
from searchbench.rules import moves, new_moves, new_state, play

Array = npt.NDArray[Any]
MOST_COLUMNS: Final = 1 << 16
"""Largest number of columns in a move's table."""
MOST_ENTRIES: Final = 1 << 25
"""Largest number of entries, rows times moves, in the table of rows."""
STRIDE: Final = 40_503
"""A prime; its multiples are the columns with which rows are tested."""


class ProductMoves(NamedTuple):
    """Move tables of a game whose states all have the same number of moves.

    `rows` is the row after a move, [row, move]; `actions` the move's table of columns, [row, move], or [1, move] if it
    is the same for all rows; `columns` the column after it, [action, column].
    """

    rows: Array
    actions: Array
    columns: Array

    @property
    def size(self) -> int:
        """Return the number of states."""
        return int(self.rows.shape[0] * self.columns.shape[1])

    @property
    def one_to_one(self) -> bool:
        """Tell whether every move is injective."""
        return all(map(_rearranges, self.rows.T)) and all(map(_rearranges, self.columns))

    def after(self, number: int) -> list[int]:
        """Return the numbers of the successors, one per move."""
        row, column = divmod(number, self.columns.shape[1])
        actions = self.actions[row if len(self.actions) > 1 else 0]
        found = self.rows[row].astype(np.int64) * self.columns.shape[1] + self.columns[actions, column]
        return [int(one) for one in found]


def _rearranges(images: Array) -> bool:
    return bool((np.bincount(images, minlength=len(images)) == 1).all())


def columns_of(index: Product) -> int:
    """Return the number of columns: the product of as many of the last factors as a table allows; 0 if none."""
    columns = 0
    for factor in index.indexes[:0:-1]:
        if max(columns, 1) * factor.size > MOST_COLUMNS:
            break
        columns = max(columns, 1) * factor.size
    return columns


def moves_of_factors(names: jit.Names, index: Product, max_moves: int, target: jit.Target) -> ProductMoves | None:
    """Return the moves of a game that claims `independent`, computed by its rules; None if they would be too many.

    Tests every row with the first column and another one, every column with the first row and another one. Raises
    BadGame if these disagree.
    """
    columns = columns_of(index)
    if columns == 0 or index.size // columns * max_moves > MOST_ENTRIES:
        return None
    rows = index.size // columns
    room = np.zeros(1 + max_moves, np.int64)
    jit.bind(list_moves, names, target)(room)
    told = room[1 : 1 + room[0]].copy()
    kernel = jit.bind(try_moves, names, target)

    def tried(numbers: Array) -> Array:
        after = np.zeros((len(numbers), len(told)), np.int64)
        failed = int(kernel(numbers, told, after))
        if failed >= 0:
            raise BadGame(_not_independent(failed))
        return after

    all_rows, all_columns = np.arange(rows), np.arange(columns)
    row_after = tried(all_rows * columns) // columns
    column_after = tried(all_columns) % columns
    for row, column in ((all_rows, all_rows * STRIDE % columns), (all_columns * STRIDE % rows, all_columns)):
        numbers = row * columns + column
        wrong = (tried(numbers) != row_after[row] * columns + column_after[column]).any(axis=1)
        if wrong.any():
            raise BadGame(_not_independent(int(numbers[wrong][0])))
    actions = np.arange(len(told)).reshape(1, -1)
    return ProductMoves(row_after.astype(np.int32), actions, column_after.T.astype(np.uint16))


def _not_independent(number: int) -> str:
    return (
        f"`independent` is claimed, but the moves of the state with the number {number} are not those of its factors: each "
        "factor of the product index must change by itself, and all states must have the same moves"
    )


def list_moves(found: Any) -> None:
    """Write the number of moves of the first state, then the moves."""
    state = new_state()
    out = new_moves()
    unrank(0, state)
    found[0] = moves(state, out)
    for index in range(found[0]):
        found[1 + index] = out[index]


def try_moves(numbers: Any, told: Any, after: Any) -> int:
    """Write the number after each move, [number, move]; return the first number whose state has other moves, or -1."""
    state = new_state()
    out = new_moves()
    for line in range(len(numbers)):
        number = numbers[line]
        unrank(number, state)
        count = moves(state, out)
        same = count == len(told)
        for index in range(min(count, len(told))):
            same = same and out[index] == told[index]
        if not same:
            return int(number)
        for index in range(len(told)):
            unrank(number, state)
            play(state, told[index])
            after[line, index] = rank(state)
            if after[line, index] < 0:
                return int(number)
    return -1
