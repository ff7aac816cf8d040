"""The search backwards: stones are pulled from the full goals to the squares where they stand at the start.

It uses the arrays of a search from the start with the roles changed: the starting squares are its goals, and the cost of the
matching counts the pulls that bring each stone to one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import GOAL, LIVE, STONES
from searchbench.games.sokoban.featurespace.features import new_scratch
from searchbench.games.sokoban.featurespace.packing import Plan, pulls_to
from searchbench.games.sokoban.featurespace.pairs import new_pairs
from searchbench.games.sokoban.featurespace.plan_search import parts_of
from searchbench.games.sokoban.featurespace.retrograde import Backwards
from searchbench.games.sokoban.featurespace.rooms import NO_DOORS
from searchbench.games.sokoban.rules import state_of
from searchbench.games.sokoban.tables import NEVER, LevelTables


def backward_work(tables: LevelTables, stones: Sequence[int], base: Base, plan: Plan, names: jit.Names) -> Backwards:
    """Return the arrays for the search backwards by a plan, from those of a search from the start."""
    squares, count = len(tables.level.cells), len(stones)
    maze = base.maze.copy()
    maze[:, GOAL] = -1
    maze[list(stones), GOAL] = np.arange(count)
    pulls = pulls_to(tables, stones)
    maze[:, LIVE] = pulls.reshape(squares, 4, count).min(axis=(1, 2)) < NEVER
    base.facts[STONES] = count
    base = base._replace(maze=maze, costs=np.vstack([pulls, base.costs[4 * squares :]]))
    return Backwards(
        base,
        *new_scratch(squares),
        np.zeros(squares, np.uint8), maze[:, LIVE].astype(np.uint8), np.zeros(squares, np.int32),
        plan, False,
        False, 0, np.full(squares, -1, np.int32), np.zeros(squares, np.uint8), False, False,
        np.full(squares, -1, np.int32), NO_DOORS, new_pairs(base, names, pulled=True),
    )  # fmt: skip


def spreading(
    work: Backwards, tables: LevelTables, rooms: npt.NDArray[np.int32], doors: npt.NDArray[np.int32]
) -> Backwards:
    """Return the arrays for the search backwards that spreads stones."""
    nearest = np.minimum(tables.nearest, len(work.nearest)).astype(np.int32)
    return work._replace(spreading=True, nearest=nearest, rooms=rooms, doors=doors)


def last_positions(tables: LevelTables) -> list[list[int]]:
    """Return the solved positions, one for each part of the floor between full goals, the largest first."""
    goals = tables.level.goals
    return [state_of(goals, min(part), len(tables.level.cells)) for part in parts_of(tables, set(goals))]
