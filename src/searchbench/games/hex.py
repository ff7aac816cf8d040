"""Hex on a rhombus of any size: join two opposite sides (Hein 1942, Nash 1948; Allis 1994, section 1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.families.lines import MARKS, LineBoard, Lines
from searchbench.game import Board
from searchbench.rules import State

LARGEST: Final = 19
"""Rows of the largest board."""
BITS: Final = 3
"""Bits of a first number for each stone that a player needs: each stone more looks eight times as far."""
MOST_BITS: Final = 24


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
    def called(self) -> str:
        """Return the name with the board, and what is unusual."""
        return f"Hex on {self.rows}x{self.columns}" + ", symmetric positions apart" * (not self.symmetry)

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

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules, with first numbers of proofs by how many stones either player still needs."""
        cells, full, (rows, columns) = self.width, self.width + 1, (self.rows, self.columns)
        neighbours = _neighbours(rows, columns)

        def stones_needed(state: State, player: int, nearest: MutableSequence[int]) -> int:
            """Return how many stones join a player's sides if the opponent puts no more; `nearest` is room for all cells."""
            for cell in range(cells):
                nearest[cell] = full
            least, changed, turn = full, True, 0
            while changed:
                changed = False
                for place in range(cells):
                    cell = cells - 1 - place if turn else place
                    if state[cell] == 3 - player:
                        continue
                    across = cell // columns if player == 1 else cell % columns
                    before = 0 if across == 0 else full
                    for way in range(6):
                        if neighbours[cell, way] >= 0:
                            before = min(before, nearest[neighbours[cell, way]])
                    if state[cell] == 0:
                        before += 1
                    if before < nearest[cell]:
                        nearest[cell] = before
                        changed = True
                        if across == (rows if player == 1 else columns) - 1:
                            least = min(least, before)
                turn = 1 - turn
            return least

        def effort(state: State, ahead: int, scratch: MutableSequence[int]) -> int:
            stones = ahead
            for cell in range(cells):
                if state[cell] != 0:
                    stones += 1
            return 1 << min(BITS * stones_needed(state, 1 + (stones & 1), scratch), MOST_BITS)

        def first_proof(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
            return effort(state, 0, scratch)

        def first_disproof(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
            return effort(state, 1, scratch)

        return {**super().rules(), "first_proof": first_proof, "first_disproof": first_disproof}

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
def _neighbours(rows: int, columns: int) -> Any:
    """Return int64 [cell, way]: the neighbours of each cell, -1 beyond the border."""
    found = np.full((rows * columns, 6), -1, np.int64)
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        for way, (down, right) in enumerate(((0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1))):
            if 0 <= row + down < rows and 0 <= column + right < columns:
                found[cell, way] = (row + down) * columns + column + right
    return found


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
