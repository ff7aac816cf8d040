"""Influence between squares: how much a push at one square matters to a push at another, for relevance cuts.

It is the cost of the cheapest path between the squares: small where they have much to do with each other. A step costs
more where a stone or the man could go elsewhere, nothing in a tunnel, less towards a goal, and more where no stone could make it.
"""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt

from searchbench.games.sokoban.enhanced.controls import Influence
from searchbench.games.sokoban.tables import LevelTables
from searchbench.solvers.guided.enhanced.controls import Controls

FAR = 250
"""The largest influence that is told apart."""


def influences(tables: LevelTables, controls: Controls) -> npt.NDArray[np.int16]:
    """Return the influences, [squares, squares + 1]; in the last column of row 0 stands how far a local move may be."""
    squares = len(tables.level.cells)
    if "relevance" not in controls.used:
        return np.zeros((1, 1), np.int16)
    settings = controls.used.get("influence")
    record = settings if isinstance(settings, Influence) else Influence()
    steps = _steps(tables)
    found = np.zeros((squares, squares + 1), np.int16)
    for square in range(squares):
        found[square, :squares] = _from(steps, square)
    mean = float(found[:, :squares].mean())
    found[0, squares] = min(max(round(mean * record.percent / 100), record.least), record.most)
    return found


def _steps(tables: LevelTables) -> list[list[tuple[int, int]]]:
    """Return the cost of a step into each neighbour of each square."""
    near, live, nearest = tables.level.near, tables.live, tables.nearest
    tunnel = [
        len(sides) > 1 and sum(one >= 0 for one in near[square]) == 2 for square, sides in enumerate(tables.sides)
    ]
    found: list[list[tuple[int, int]]] = []
    for square, around in enumerate(near):
        row = []
        for direction, target in enumerate(around):
            if target < 0:
                continue
            cost = 0
            if not tunnel[target]:
                cost = 2
                for aside in (direction ^ 2, direction ^ 3):
                    one, other = near[target][aside], near[target][aside ^ 1]
                    if one >= 0:
                        cost += 1 if other < 0 or not live[one] else 2
            if not (live[square] and live[target] and near[square][direction ^ 1] >= 0):
                cost += 2
            elif nearest[target] < nearest[square]:
                cost = max(cost - 1, 1) if cost else 0
            row.append((target, cost))
        found.append(row)
    return found


def _from(steps: list[list[tuple[int, int]]], square: int) -> list[int]:
    """Return the cost of the cheapest path from a square to each."""
    found = [FAR] * len(steps)
    found[square] = 0
    queue = [(0, square)]
    while queue:
        cost, here = heapq.heappop(queue)
        if cost > found[here]:
            continue
        for there, more in steps[here]:
            if cost + more < found[there]:
                found[there] = cost + more
                heapq.heappush(queue, (cost + more, there))
    return found
