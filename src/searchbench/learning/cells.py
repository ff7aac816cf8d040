"""The cells of many positions of a database, read in blocks by compiled rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.learning.tables import write_states
from searchbench.store import Database

FEW: Final = 1 << 8
"""Positions that are read one by one; those of more are read in blocks."""
BLOCK: Final = 1 << 10
"""Positions whose cells are read together, by compiled rules in all but the smallest games."""
State = tuple[int, ...]


class Cells:
    """Read the cells of positions: of the first few one by one, so that who wants few waits for no compiler."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read = 0

    def of(self, numbers: Any) -> Iterator[tuple[int, State]]:
        """Yield each of an array of numbers with the cells of its position."""
        few = max(0, FEW - self._read)
        for number in numbers[:few].tolist():
            self._read += 1
            yield number, self._database.position(number).state
        for first in range(few, len(numbers), BLOCK):
            block = numbers[first : first + BLOCK]
            yield from zip(block.tolist(), map(tuple, self._block(block).tolist()), strict=True)

    def _block(self, numbers: Any) -> Any:
        game = self._database.game
        states = np.zeros((len(numbers), game.width), game.dtype)
        names = game.names(self._database.rule, game.quickest_target)
        jit.bind(write_states, names)(numbers, 0, len(numbers), states)
        return states
