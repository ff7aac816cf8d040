"""Goal areas at work: which stones rest there, and what the others have to be pushed past them.

While an area can be filled to the end as it stands, its stones rest and others come in through its entrances alone, each to
a goal that is free. So each stone outside has a way to an entrance, and from there past the filled goals: these are longer than the
ways of a lone stone on an empty floor, of which the matching of a search is made.
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.areas import MOST_ENTRANCES, carry, filled, is_safe, is_wall
from searchbench.games.sokoban.enhanced.board import AT, GOAL, SQUARE, STONES
from searchbench.games.sokoban.enhanced.controls import GOAL_MACROS, PACKING_EFFORT, RESTING
from searchbench.hashing import mix
from searchbench.heuristics.matching import UNREACHABLE, match_pieces, matching_cost
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE


def see_areas(work: Any) -> bool:
    """Note of each area whether it can be filled to the end as it is; tell whether there is one where stones rest."""
    areas, controls = work.areas, work.controls
    if controls[GOAL_MACROS] == 0 or controls[RESTING] == 0:
        return False
    found = False
    for area in range(len(areas.counts)):
        walls = filled(work, area) if areas.counts[area, 0] > 0 else -1
        areas.walls[area] = walls
        restful = walls >= 0 and walls != areas.restless[area]
        areas.settled[area] = restful and is_safe(work, area, walls, controls[PACKING_EFFORT])
        found = found or areas.settled[area] != 0
    return found


def longer_past_walls(work: Any, row: int) -> int:
    """Return by how much the matching past stones that rest is dearer than that of the row, or INFEASIBLE.

    Where there is none at the start, no stone rests until another goal is filled or empty.
    """
    if not see_areas(work):
        return 0
    areas = work.areas
    past = bound_past_walls(work, work.kept[row, work.kept.shape[1] - 1])
    if past < INFEASIBLE:
        return max(past - matching_cost(work.costs, work.kept, row), 0)
    if row > 0:
        return INFEASIBLE
    for area in range(len(areas.counts)):
        areas.restless[area] = areas.walls[area]
    return 0


def is_settled(work: Any, square: int) -> bool:
    """Tell whether a square lies in an area where stones come by macros only, and rest."""
    area = work.areas.area[square]
    return bool(area >= 0 and work.areas.settled[area] != 0)


def bound_past_walls(work: Any, man: int) -> int:
    """Return the cost of the minimum matching of the stones that do not rest, past those that do, or INFEASIBLE.

    `see_areas` has noted which areas are settled, and `areas.walls` are their filled goals.
    """
    areas, board = work.areas, work.board
    count = 0
    for stone in range(work.facts[STONES]):
        square = board[SQUARE, stone]
        if board[AT, square] != 0 and not is_settled(work, square):
            write_costs(work, areas.costs[count], 4 * square + work.side[square, man])
            areas.matched[0, count] = count
            count += 1
    found = match_pieces(areas.costs, areas.matched, 0, count, work.scratch)
    return INFEASIBLE if found >= UNREACHABLE else found


def write_costs(work: Any, costs: Any, place: int) -> None:
    """Write what a stone outside has to be pushed to each goal, from its square and the man's side."""
    areas = work.areas
    for goal in range(work.costs.shape[1]):
        costs[goal] = work.costs[place, goal]
    for area in range(len(areas.counts)):
        if areas.settled[area] == 0:
            continue
        slot = inner_slot(work, area, areas.walls[area])
        for bit in range(areas.counts[area, 0]):
            least = UNREACHABLE
            for entrance in range(areas.counts[area, 1]):
                way = areas.outer[place, MOST_ENTRANCES * area + entrance] + areas.inner[slot, entrance, bit]
                least = min(least, way)
            costs[work.maze[areas.goals[area, bit], GOAL]] = least


def inner_slot(work: Any, area: int, walls: int) -> int:
    """Return where the pushes from the entrances of an area past filled goals stand."""
    areas = work.areas
    key = walls * len(areas.counts) + area
    slot = mix(key) & (len(areas.inner_keys) - 1)
    if areas.inner_keys[slot] != key:
        areas.inner_keys[slot] = key
        for entrance in range(areas.counts[area, 1]):
            square, direction = areas.entrances[area, 2 * entrance], areas.entrances[area, 2 * entrance + 1]
            reached = 0
            if not is_wall(work, square, walls, area):
                reached = carry(work, area, square, direction, walls, -1) & ~walls
            for bit in range(areas.counts[area, 0]):
                areas.inner[slot, entrance, bit] = areas.levels[bit] if reached >> bit & 1 else UNREACHABLE
    return int(slot)
