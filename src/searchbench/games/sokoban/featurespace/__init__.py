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
from searchbench.games.sokoban.featurespace import backward, position
from searchbench.games.sokoban.featurespace.advisors import ADVISORS
from searchbench.games.sokoban.featurespace.corrals import new_corrals
from searchbench.games.sokoban.featurespace.features import CELL_SHIFT, KNOWN, Space
from searchbench.games.sokoban.featurespace.packing import find_order, plan_of, zones_of
from searchbench.games.sokoban.featurespace.retrograde import FUNCTIONS, NODES_OF_PLAN, retrograde_steps
from searchbench.games.sokoban.featurespace.rooms import blockers_of, doors_of, pushes_to, rooms_of
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
    shift: int = CELL_SHIFT

    @property
    def backward(self) -> tuple[bool, ...]:
        """Return of each strategy whether it pulls: one does where all goals are full in the end."""
        level = self.tables.level
        return (False, False, True) if len(level.stones) == len(level.goals) else (False, False)

    @property
    def strategies(self) -> int:
        """Return how many searches take turns."""
        return len(self.backward)

    @property
    def most(self) -> int:
        """Return the most macro moves of a position: a stone, its square, and the side of the man."""
        level = self.tables.level
        return min(1 << 16, 4 * len(level.stones) * len(level.cells))

    def names(self, strategy: int = 0) -> Mapping[str, Any]:
        """Return the functions of the contract."""
        if self.backward[strategy]:
            return FUNCTIONS
        own = ("restore", "follow", "score_position", "write_macros", "is_lost")
        return {name: getattr(position, name) for name in own}

    def roots(self, start: Sequence[int], strategy: int = 0) -> list[list[int]]:
        """Return the positions that a strategy begins with: the start, or all solved ones."""
        return backward.last_positions(self.tables) if self.backward[strategy] else [list(start)]

    def work(self, start: Sequence[int], names: jit.Names, strategy: int = 0) -> Any:
        """Return the arrays for the search of a strategy from a state: those of the enhanced search, and its plan."""
        squares = len(self.tables.level.cells)
        base = EnhancedSokoban(self.tables)
        found = base.work(start, chosen_controls((*FRAME, *RECORDS), DETECTORS, (), ""), 2)
        stones = stones_of(start)
        if self.backward[strategy]:
            return backward.backward_work(self.tables, stones, found)
        sets = retrograde_steps(self.tables, stones, found, _target(names), NODES_OF_PLAN) if strategy == 1 else []
        plan = plan_of(sets or self._order(stones, found, names))
        rooms = rooms_of(self.tables)
        return Space(
            found, plan, zones_of(self.tables, plan), np.zeros((4, 4 * squares), np.int32),
            np.zeros((6, 4 * squares), np.int32), np.zeros((2, KNOWN), np.int64),
            new_corrals(squares), rooms, doors_of(self.tables, rooms), blockers_of(self.tables),
            pushes_to(self.tables, plan[:, 0].tolist()),
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

    def steps(
        self, start: Sequence[int], moves: Sequence[int], back: Sequence[tuple[int, Sequence[int]]] = ()
    ) -> list[int]:
        """Return the single pushes that macro moves stand for, as moves of the game."""
        return EnhancedSokoban(self.tables).steps(start, moves, back)


def _target(names: jit.Names) -> jit.Names:
    """Return the names of the search for a plan, for the target of the search."""
    return jit.Names(dict(FUNCTIONS), names.target, None)
