"""The arrays of enhanced IDA* that feature-space search uses: a kernel is compiled the quicker the fewer each call hands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.enhanced.controls import RECORDS
from searchbench.games.sokoban.enhanced.windows import Windows
from searchbench.games.sokoban.tables import LevelTables
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls

DETECTORS: Final = ("deadlocks", "freeze")
"""The enhancements that are used here: they tell of dead positions."""


class Base(NamedTuple):
    """Hold the tables of a level and a position, as `Work` does."""

    maze: Any
    side: Any
    costs: Any
    kept: Any
    scratch: Any
    board: Any
    facts: Any
    hashes: Any
    controls: Any
    windows: Windows
    lone: Any


def base_work(tables: LevelTables, start: Sequence[int]) -> Base:
    """Return the arrays for searches from a state."""
    work = EnhancedSokoban(tables).work(start, chosen_controls((*FRAME, *RECORDS), DETECTORS, (), ""), 2)
    return Base(*(getattr(work, name) for name in Base._fields))
