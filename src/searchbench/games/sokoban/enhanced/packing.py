"""Goal areas at work: which stones rest there, and whether all others can still come in.

While an area can be filled to the end as it stands, its stones rest and others come in through its entrances alone, each
to a goal that is free. Each stone outside is taken alone on the floor up to an entrance, and past the filled goals from there.
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.areas import MOST_ENTRANCES, filled, is_safe, slot_of
from searchbench.games.sokoban.enhanced.assignment import MOST_GOALS, WISHES, can_be_assigned
from searchbench.games.sokoban.enhanced.board import AT, SQUARE, STONES
from searchbench.games.sokoban.enhanced.controls import GOAL_MACROS, PACKING_EFFORT, RESTING


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


def is_settled(work: Any, square: int) -> bool:
    """Tell whether a square lies in an area where stones come by macros only, and rest."""
    area = work.areas.area[square]
    return bool(area >= 0 and work.areas.settled[area] != 0)


def shuts_out(work: Any, row: int) -> bool:
    """Tell whether stones that rest keep others from all goals of their own.

    Where they do at the start, no stone rests until another goal is filled or empty.
    """
    if not see_areas(work) or can_come_in(work, work.kept[row, work.kept.shape[1] - 1]):
        return False
    if row > 0:
        return True
    for area in range(len(work.areas.counts)):
        work.areas.restless[area] = work.areas.walls[area]
    return False


def can_come_in(work: Any, man: int) -> bool:
    """Tell whether the stones that do not rest can have goals of their own.

    `see_areas` has noted which areas are settled, and `areas.walls` are their filled goals.
    """
    areas, board, count = work.areas, work.board, 0
    if work.costs.shape[1] > MOST_GOALS:
        return True
    for stone in range(work.facts[STONES]):
        square = board[SQUARE, stone]
        if board[AT, square] != 0 and not is_settled(work, square):
            areas.wishes[WISHES, count] = goals_of(work, 4 * square + work.side[square, man])
            count += 1
    return can_be_assigned(areas.wishes, count)


def goals_of(work: Any, place: int) -> int:
    """Return the goals to which a stone that does not rest comes from its square and the man's side, as bits."""
    areas = work.areas
    found, ways = areas.plain[place], areas.ways[place]
    for area in range(len(areas.counts)):
        if areas.settled[area] == 0:
            continue
        first, slot, inside = areas.first[area], slot_of(work, area, areas.walls[area]), 0
        for entrance in range(areas.counts[area, 1] if slot >= 0 else 0):
            if ways >> MOST_ENTRANCES * area + entrance & 1:
                inside |= areas.memo[area, slot, 1 + entrance]
        if slot >= 0:
            found = found & ~((1 << areas.counts[area, 0]) - 1 << first) | inside << first
    return int(found)
