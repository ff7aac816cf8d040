"""The numbers of the placements of some men."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from searchbench.games.chess.symmetry import turns
from searchbench.rules import State


@dataclass(frozen=True)
class Placements:
    """Number who is to move and the squares of both kings, of symmetric pairs one, and of those other men that are there."""

    rows: int
    columns: int
    there: tuple[bool, ...]

    @property
    def width(self) -> int:
        """Return the cells: who is to move, the kings, the other men."""
        return 3 + len(self.there)

    @property
    def size(self) -> int:
        """Return the size of the index."""
        return int(2 * len(turns(self.rows, self.columns).pairs) * (self.rows * self.columns) ** sum(self.there))

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        squares, pairs = self.rows * self.columns, turns(self.rows, self.columns).pairs
        count, kings = len(self.there), len(pairs)
        numbers = np.full(squares * squares, -1, np.int64)
        numbers[pairs] = np.arange(kings)
        there = np.array([*self.there, False], np.bool_)

        def rank(state: State) -> int:
            number = state[at] * kings + numbers[state[at + 1] * squares + state[at + 2]]
            for man in range(count):
                if state[at + 3 + man] < squares:
                    number = number * squares + state[at + 3 + man]
            return int(number)

        def unrank(number: int, state: State) -> None:
            rest = number
            for man in range(count - 1, -1, -1):
                state[at + 3 + man] = squares
                if there[man]:
                    state[at + 3 + man] = rest % squares
                    rest //= squares
            pair = pairs[rest % kings]
            state[at] = rest // kings
            state[at + 1] = pair // squares
            state[at + 2] = pair % squares

        return rank, unrank
