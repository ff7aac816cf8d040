"""The arrays of enhanced IDA* that feature-space search uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.enhanced.base import Base, base_of
from searchbench.games.sokoban.enhanced.controls import RECORDS
from searchbench.games.sokoban.tables import LevelTables
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls

DETECTORS: Final = ("deadlocks", "freeze")
"""The enhancements that are used here: they tell of dead positions."""
MOST: Final = 1 << 12
"""The macro moves of a position that are written, where the single ones of all stones are fewer; levels that people make have
some 1,500 at most, and a room full of stones a hundred thousand, for each of which stones are matched with goals."""


def most_macros(stones: int, squares: int) -> int:
    """Return the most macro moves of a position: a stone, its square, and the side of the man; the single ones at the least."""
    return max(4 * stones, min(MOST, 4 * stones * squares))


def base_work(tables: LevelTables, start: Sequence[int]) -> Base:
    """Return the arrays for searches from a state."""
    controls = chosen_controls((*FRAME, *RECORDS), DETECTORS, (), "")
    return base_of(EnhancedSokoban(tables).work(start, controls, 2))
