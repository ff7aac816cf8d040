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


def base_work(tables: LevelTables, start: Sequence[int]) -> Base:
    """Return the arrays for searches from a state."""
    controls = chosen_controls((*FRAME, *RECORDS), DETECTORS, (), "")
    return base_of(EnhancedSokoban(tables).work(start, controls, 2))
