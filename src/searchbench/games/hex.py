"""Hex on a rhombus of any size: join two opposite sides (Hein 1942, Nash 1948; Allis 1994, section 1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, ClassVar, Final

from searchbench.families.lines import MARKS, LineBoard, Lines
from searchbench.game import Board
from searchbench.rules import State

LARGEST: Final = 19
"""Rows of the largest board."""


@dataclass(frozen=True)
class Hex(Lines):
    """Join the top and the bottom of a rhombus of hexagons (X) before the opponent joins its left and its right (O).

    There are no draws. A cell's neighbours lie beside it, above and below it, and above to the right and below to the
    left of it. With `symmetry` positions that a half-turn exchanges share a number.
    """

    name: ClassVar[str] = "hex"
    separator: ClassVar[str] = "x"

    rows: int = 4
    columns: int = 4
    symmetry: bool = True

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= LARGEST and 1 <= self.columns <= LARGEST):
            raise ValueError(f"a board of {self.rows} x {self.columns}: expected 1 to {LARGEST} rows and columns")

    @property
    def lines(self) -> LineBoard:
        """Return the board; what wins is a path, so it has no lines."""
        return _rhombus(self.rows, self.columns)

    @property
    def symmetric(self) -> bool:
        """Tell whether positions that a half-turn exchanges share a number."""
        return self.symmetry

    def has_line(self) -> Callable[[State, int], bool]:
        """Return a rule ``(state, player)``: whether a player's stones join both of her sides.

        It walks between her stones and all other cells, from the corner of her first side: at its other end it comes to her
        second side, or else to the side opposite the one where it began.
        """
        rows, columns = self.rows, self.columns

        def has_line(state: State, player: int) -> bool:
            # `along` counts cells along the player's sides, `across` from her first side to her second one.
            length, depth = (columns, rows) if player == 1 else (rows, columns)
            along_own, across_own = 0, -1
            along_other, across_other = -1, 0
            along, across = 0, 0
            while along < length and across < depth:
                if across < 0:
                    own = True
                elif along < 0:
                    own = False
                else:
                    cell = across * columns + along if player == 1 else along * columns + across
                    own = state[cell] == player
                # The cell beyond the two between which the walk goes on.
                if own:
                    next_along = along + along_other - along_own
                    next_across = across + across_other - across_own
                    along_own, across_own = along, across
                else:
                    next_along = along + along_own - along_other
                    next_across = across + across_own - across_other
                    along_other, across_other = along, across
                along, across = next_along, next_across
            return across >= depth

        return has_line

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cell, such as "b2": columns a, b, ... from the left, rows from the top."""
        return self._name(move >> 1)

    def _name(self, cell: int) -> str:
        row, column = divmod(cell, self.columns)
        return f"{chr(ord('a') + column)}{row + 1}"

    def board(self) -> Board:
        """Return the hexagons, each row half a cell to the right of the one above it."""
        places = tuple((x + y / 2, round(y * sqrt(3) / 2, 3)) for x, y in self.lines.places)
        return Board(
            places, shape="hexagon", sides=(MARKS[1], MARKS[2]), names=tuple(map(self._name, range(self.width)))
        )

    def known(self) -> Mapping[str, Any]:
        """Return the number of plies in which the first player wins on the smallest boards."""
        plies = {1: 1, 2: 3, 3: 5}
        return {"start": f"win {plies[self.rows]}"} if self.rows == self.columns and self.rows in plies else {}


@lru_cache(maxsize=64)
def _rhombus(rows: int, columns: int) -> LineBoard:
    """Return the cells row by row from the top, with the half-turn."""
    cells = [(x, y) for y in range(rows) for x in range(columns)]

    def from_centre(cell: int) -> int:
        """Return the square of a cell's distance from the centre, as a multiple."""
        x, y = cells[cell]
        right, down = 2 * x - columns + 1, 2 * y - rows + 1
        return right * right + right * down + down * down

    count = len(cells)
    return LineBoard(
        tuple(cells),
        (),
        tuple(sorted(range(count), key=from_centre)),
        tuple((cell,) for cell in range(count)),
        (tuple(range(count)), tuple(reversed(range(count)))),
    )
