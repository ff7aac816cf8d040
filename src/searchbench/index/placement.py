"""Placements of different pieces on a board: lexicographic numbers of partial permutations."""

from __future__ import annotations

from dataclasses import dataclass
from math import perm
from typing import Any

from searchbench.errors import BadRequest
from searchbench.index.permutation import nth_one_bit
from searchbench.index.table import limited
from searchbench.jit import popcount
from searchbench.rules import NOWHERE, State


@dataclass(frozen=True)
class Placement:
    """Number the placements of `pieces` different pieces on `cells` cells; a state contains the cell of each piece.

    The digit of a piece is the number of cells before its own that no earlier piece occupies. `size` is cells! / (cells
    - pieces)!. Two pieces on one cell have the rank NOWHERE.
    """

    cells: int
    pieces: int

    def __post_init__(self) -> None:
        if not (1 <= self.pieces <= self.cells <= 31):
            raise BadRequest(f"{self.pieces} pieces on {self.cells} cells: expected 1 or more on at most 31 cells")
        limited(self.size, str(self))

    @property
    def width(self) -> int:
        """Return the number of pieces."""
        return self.pieces

    @property
    def size(self) -> int:
        """Return the number of partial permutations."""
        return perm(self.cells, self.pieces)

    @property
    def weights(self) -> tuple[int, ...]:
        """Return the weight of each piece's digit in the number."""
        return tuple(perm(self.cells - piece - 1, self.pieces - piece - 1) for piece in range(self.pieces))

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        cells, pieces, first = self.cells, self.pieces, self.weights[0]
        everything = (1 << cells) - 1

        def rank(state: State) -> int:
            number = 0
            taken = 0
            for piece in range(pieces):
                cell = int(state[at + piece])
                if taken >> cell & 1:
                    return NOWHERE
                number = number * (cells - piece) + cell - popcount(taken & ((1 << cell) - 1))
                taken |= 1 << cell
            return number

        def unrank(number: int, state: State) -> None:
            free = everything
            weight = first
            for piece in range(pieces):
                digit = number // weight
                number -= digit * weight
                cell = nth_one_bit(free, digit)
                free ^= 1 << cell
                state[at + piece] = cell
                weight //= max(cells - piece - 1, 1)

        return rank, unrank
