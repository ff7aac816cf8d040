"""Sokoban for feature-space search: a plan of packing, features of positions, and advisors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.enhanced.controls import RECORDS
from searchbench.games.sokoban.featurespace import position
from searchbench.games.sokoban.featurespace.packing import find_plan
from searchbench.games.sokoban.featurespace.position import ADVISORS, CELL_SHIFT, Space
from searchbench.games.sokoban.rules import BITS
from searchbench.games.sokoban.tables import LevelTables
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls

DETECTORS: Final = ("deadlocks", "freeze")
"""The enhancements of enhanced IDA* that are used here: they tell of dead positions."""


@dataclass(frozen=True)
class SokobanFeatureSpace:
    """What a level supplies for feature-space search."""

    tables: LevelTables

    advisors: int = ADVISORS
    shift: int = CELL_SHIFT

    @property
    def most(self) -> int:
        """Return the most macro moves of a position: a stone, its square, and the side of the man."""
        level = self.tables.level
        return min(1 << 16, 4 * len(level.stones) * len(level.cells))

    def names(self) -> Mapping[str, Any]:
        """Return the functions of the contract."""
        own = ("restore", "follow", "score_position", "write_macros", "is_lost")
        return {name: getattr(position, name) for name in own}

    def position(self, start: Sequence[int]) -> list[int]:
        """Return a state as the numbers of a position: the same ones."""
        return list(start)

    def work(self, start: Sequence[int], names: jit.Names) -> Space:
        """Return the arrays for a search from a state: those of the enhanced search, and the plan."""
        level = self.tables.level
        squares = len(level.cells)
        base = EnhancedSokoban(self.tables)
        found = base.work(start, chosen_controls((*FRAME, *RECORDS), DETECTORS, (), ""), 2)
        stones = [square for square in range(squares) if int(start[square // BITS]) >> square % BITS & 1]
        order = np.zeros(len(level.goals), np.int32)
        bases = np.zeros(squares, np.int32)
        bases[[stone for stone in stones if stone not in level.goals] or stones] = 1
        scratch = np.zeros((8, max(squares, 4 * squares)), np.int32)
        zones = np.zeros((len(stones) + 1, squares), np.uint8)
        jit.bind(find_plan, names)(found.maze, np.array(level.goals, np.int32), bases, order, zones, scratch)
        space = Space(found, order[: len(stones)].copy(), zones, np.zeros((4, 4 * squares), np.int32),
                      np.zeros((3, 4 * squares), np.int32))  # fmt: skip
        return space

    def steps(self, start: Sequence[int], moves: Sequence[int]) -> list[int]:
        """Return the single pushes that macro moves stand for, as moves of the game."""
        return EnhancedSokoban(self.tables).steps(start, moves)
