"""Sokoban for feature-space search: a plan of packing, features of positions, and advisors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.enhanced.controls import RECORDS
from searchbench.games.sokoban.enhanced.work import Work
from searchbench.games.sokoban.featurespace import position
from searchbench.games.sokoban.featurespace.packing import find_order, plan_of, zones_of
from searchbench.games.sokoban.featurespace.position import ADVISORS, CELL_SHIFT, KNOWN, Space
from searchbench.games.sokoban.featurespace.retrograde import FUNCTIONS, NODES_OF_PLAN, retrograde_steps
from searchbench.games.sokoban.rules import stones_of
from searchbench.games.sokoban.tables import LevelTables
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls

DETECTORS: Final = ("deadlocks", "freeze")
"""The enhancements of enhanced IDA* that are used here: they tell of dead positions."""


@dataclass(frozen=True)
class SokobanFeatureSpace:
    """What a level supplies for feature-space search."""

    tables: LevelTables

    advisors: int = ADVISORS
    strategies: int = 2
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

    def work(self, start: Sequence[int], names: jit.Names, strategy: int = 0) -> Space:
        """Return the arrays for the search of a strategy from a state: those of the enhanced search, and its plan."""
        squares = len(self.tables.level.cells)
        base = EnhancedSokoban(self.tables)
        found = base.work(start, chosen_controls((*FRAME, *RECORDS), DETECTORS, (), ""), 2)
        stones = stones_of(start)
        sets = retrograde_steps(self.tables, stones, found, _target(names), NODES_OF_PLAN) if strategy == 1 else []
        plan = plan_of(sets or self._order(stones, found, names))
        return Space(
            found, plan, zones_of(self.tables, plan), np.zeros((4, 4 * squares), np.int32),
            np.zeros((3, 4 * squares), np.int32), np.zeros((2, KNOWN), np.int64),
        )  # fmt: skip

    def _order(self, stones: Sequence[int], found: Work, names: jit.Names) -> list[list[int]]:
        """Return where stones stand after each step when goals are filled in the order of the fewest pulls."""
        level = self.tables.level
        squares = len(level.cells)
        order, bases = np.zeros(len(level.goals), np.int32), np.zeros(squares, np.int32)
        bases[[stone for stone in stones if stone not in level.goals] or list(stones)] = 1
        scratch = np.zeros((8, 4 * squares), np.int32)
        jit.bind(find_order, names)(found.maze, np.array(level.goals, np.int32), bases, order, scratch)
        return [order[:count].tolist() for count in range(len(stones) + 1)]

    def steps(self, start: Sequence[int], moves: Sequence[int]) -> list[int]:
        """Return the single pushes that macro moves stand for, as moves of the game."""
        return EnhancedSokoban(self.tables).steps(start, moves)


def _target(names: jit.Names) -> jit.Names:
    """Return the names of the search for a plan, for the target of the search."""
    return jit.Names(dict(FUNCTIONS), names.target, None)
