"""The cells of many positions of a database, read in blocks by compiled rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from searchbench import jit
from searchbench.index.contract import unrank
from searchbench.rules import new_state
from searchbench.store.codes import Array

if TYPE_CHECKING:
    from searchbench.store.database import Database

FEW: Final = 1 << 8
"""Positions that are read one by one; those of more are read in blocks."""
BLOCK: Final = 1 << 13
"""Positions whose cells are read together, by compiled rules in all but the smallest games."""
State = tuple[int, ...]


class Cells:
    """Read the cells of positions: of the first few one by one, so that who wants few waits for no compiler."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read = 0

    def of(self, numbers: Array) -> Iterator[tuple[int, State]]:
        """Yield each of an array of numbers with the cells of its position."""
        few = self.few(numbers)
        for number in numbers[:few].tolist():
            yield number, self.one(number)
        for first in range(few, len(numbers), BLOCK):
            block = numbers[first : first + BLOCK]
            yield from zip(block.tolist(), map(tuple, self.block(block).tolist()), strict=True)

    def few(self, numbers: Array) -> int:
        """Return how many of these numbers are to be read one by one."""
        return min(len(numbers), max(0, FEW - self._read))

    def one(self, number: int) -> State:
        """Return the cells of one position."""
        self._read += 1
        return self._database.position(number).state

    def block(self, numbers: Array) -> Array:
        """Return the cells of positions, [numbers, width]."""
        game = self._database.game
        states = np.zeros((len(numbers), game.width), game.dtype)
        names = game.names(self._database.rule, game.quickest_target)
        jit.bind(write_states, names)(numbers, 0, len(numbers), states)
        return states


def write_states(numbers: Any, first: int, stop: int, states: Any) -> None:
    """Write the states with these numbers."""
    state = new_state()
    for place in range(first, stop):
        unrank(numbers[place], state)
        for cell in range(len(state)):
            states[place, cell] = state[cell]
