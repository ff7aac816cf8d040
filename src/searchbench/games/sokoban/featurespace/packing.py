"""Plans of packing: after which steps stones stand on which squares, found backwards from the full goals.

The plan here fills a goal in each step. Backwards the stone goes first that the
fewest pulls bring to a square where a stone stands at the start; it is filled last. `retrograde.py` searches for others.
For the search backwards a plan fills the squares where stones stand at the start: the stone goes first, and its square is
filled last, that the fewest pushes bring to a goal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.games.sokoban.tables import NEVER, LevelTables

TAKEN, SEEN, WAITING, STONE, MAN, LENGTH, VISITED = range(7)
"""Rows of the scratch space: the stones, where the man was, his queue, the queue of pulls, and places that were met."""


class Plan(NamedTuple):
    """Hold where stones stand after each step: `rows[i]`, the square that step i fills first, and then -1.

    `areas`, of the same shape, are the areas that the stones on these squares go to: the steps of each area are done by
    themselves. Area a has `counts[a]` steps, which are `steps[a, 1]` and those behind it; then comes the number of rows.
    """

    rows: Any
    areas: Any
    steps: Any
    counts: Any


def spread(maze: Any, scratch: Any, man: int, mark: int) -> int:
    """Mark where the man can walk; return how many squares."""
    scratch[SEEN, man] = mark
    scratch[WAITING, 0] = man
    head, tail = 0, 1
    while head < tail:
        here = scratch[WAITING, head]
        head += 1
        for direction in range(4):
            there = maze[here, direction]
            if there >= 0 and scratch[SEEN, there] != mark and scratch[TAKEN, there] == 0:
                scratch[SEEN, there] = mark
                scratch[WAITING, tail] = there
                tail += 1
    return tail


def bring_out(
    maze: Any, bases: Any, scratch: Any, square: int, man: int, pushes: bool, mark: int
) -> tuple[int, int, int]:
    """Return the pulls, or `pushes`, that bring a stone to a base, where the man stands then, and the next free mark.

    Where there is no way, there are -1 pulls.
    """
    if pushes and bases[square] != 0:
        return 0, man, mark
    scratch[TAKEN, square] = 0
    for place in range(4 * len(maze)):
        scratch[VISITED, place] = 0
    scratch[STONE, 0], scratch[MAN, 0], scratch[LENGTH, 0] = square, man, 0
    head, tail, found, stands = 0, 1, -1, -1
    while head < tail and found < 0:
        here, walker, length = scratch[STONE, head], scratch[MAN, head], scratch[LENGTH, head]
        head += 1
        if head > 1 and scratch[VISITED, 4 * here + direction_to(maze, here, walker)] == 1:
            continue
        scratch[TAKEN, here] = 1
        mark += 1
        spread(maze, scratch, walker, mark)
        scratch[TAKEN, here] = 0
        for direction in range(4):
            beside = maze[here, direction]
            if beside < 0 or scratch[SEEN, beside] != mark:
                continue
            scratch[VISITED, 4 * here + direction] = 1
            target = maze[here, direction ^ 1] if pushes else beside
            stands_after = here if pushes else maze[beside, direction]
            fresh = target if pushes else stands_after
            if fresh < 0 or scratch[TAKEN, fresh] != 0:
                continue
            if scratch[VISITED, 4 * target + direction] != 0 or tail >= 4 * len(maze):
                continue
            scratch[STONE, tail], scratch[MAN, tail], scratch[LENGTH, tail] = target, stands_after, length + 1
            tail += 1
            if bases[target] != 0 and scratch[TAKEN, target] == 0:
                found, stands = length + 1, stands_after
                break
    scratch[TAKEN, square] = 1
    return found, stands, mark


def direction_to(maze: Any, square: int, neighbour: int) -> int:
    """Return the direction of a neighbour, 0 if it is none."""
    for direction in range(4):
        if maze[square, direction] == neighbour:
            return direction
    return 0


def find_order(maze: Any, squares: Any, bases: Any, start: int, order: Any, scratch: Any) -> None:
    """Write the squares of stones in the reverse order in which the fewest moves bring them to bases, where they vanish.

    Moves are pushes, the man being at `start`, or pulls where that is -1 and he may begin in the largest part of the floor.
    """
    count, mark = len(squares), 1
    for number in range(count):
        scratch[TAKEN, squares[number]] = 1
    pushes, man, most = start >= 0, start, 0
    for square in range(len(maze)):
        if not pushes and scratch[TAKEN, square] == 0 and scratch[SEEN, square] == 0:
            size = spread(maze, scratch, square, mark)
            if size > most:
                man, most = square, size
    for left in range(count - 1, -1, -1):
        chosen, least, after = -1, 1 << 30, man
        for number in range(count):
            if scratch[TAKEN, squares[number]] == 0 or man < 0:
                continue
            moves, stands, mark = bring_out(maze, bases, scratch, squares[number], man, pushes, mark)
            if 0 <= moves < least:
                chosen, least, after = number, moves, stands
        if chosen < 0:  # no plan from here on: any order
            for number in range(count):
                if scratch[TAKEN, squares[number]] != 0:
                    chosen = number
        order[left] = squares[chosen]
        scratch[TAKEN, squares[chosen]] = 0
        man = after


def plan_of(sets: Sequence[Set[int]], areas: Mapping[int, int] | None = None) -> Plan:
    """Return the plan with these squares after each step, the first set being that of no step.

    `areas` has the areas of the last squares; without it all are one area. A stone that goes on belongs where it ends.
    """
    most = max(1, *map(len, sets))
    rows, found = (np.full((len(sets), most), -1, np.int32) for _ in range(2))
    owners, moved = dict(areas or {}), np.zeros(len(sets), np.int32)
    for step in range(len(sets) - 1, -1, -1):
        before = sets[step - 1] if step else frozenset()
        row = sorted(sets[step] - before) + sorted(sets[step] & before)
        rows[step, : len(row)] = row
        found[step, : len(row)] = [owners.get(square, 0) for square in row]
        moved[step] = max(found[step, 0], 0)
        owners |= dict.fromkeys(before - sets[step], int(moved[step]))
    own: list[list[int]] = [[0] for _ in range(moved.max() + 1)]
    for step in range(1, len(sets)):
        own[moved[step]].append(step)
    counts = np.array([len(steps) - 1 for steps in own], np.int32)
    steps = np.array([steps + [len(sets)] * (counts.max() + 2 - len(steps)) for steps in own], np.int32)
    return Plan(rows, found, steps, counts)


NO_PLAN: Final = plan_of([set(), set()])
"""The plan that asks for nothing: its only step is done."""


def areas_of_goals(level: Any) -> dict[int, int]:
    """Return the area of each goal: goals that touch, be it at a corner, are in the same one."""
    left, found = {level.cells[goal]: goal for goal in level.goals}, dict[int, int]()
    for goal in level.goals:
        waiting = [] if goal in found else [left.pop(level.cells[goal])]
        area = max(found.values(), default=-1) + 1
        for square in waiting:  # which grows
            found[square] = area
            row, column = level.cells[square]
            around = product((row - 1, row, row + 1), (column - 1, column, column + 1))
            waiting += [left.pop(cell) for cell in around if cell in left]
    return found


def zones_of(tables: LevelTables, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """Mark, for each of the rows of a plan, the squares from which no goal is reached that is filled later: [steps + 1, squares].

    The stones that stay from there on are walls.
    """
    near = tables.level.near
    found = np.ones((len(rows), len(near)), np.uint8)
    stays = set(tables.level.goals)
    for step in range(len(rows) - 1, -1, -1):
        stays &= set(rows[step].tolist())
        waiting = [goal for goal in tables.level.goals if goal not in stays]
        found[step, waiting] = 0
        for here in waiting:  # which grows
            for direction in range(4):
                before = near[here][direction]
                if before < 0 or before in stays or found[step, before] == 0:
                    continue
                man = near[before][direction]
                if man >= 0 and man not in stays:
                    found[step, before] = 0
                    waiting.append(before)
    return found


def pulls_to(tables: LevelTables, starts: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return the pulls of a lone stone from each place to each of some squares: [4 squares + side of the man, squares]."""
    pushed: list[list[int]] = [[] for _ in tables.pulls]
    for place, before in enumerate(tables.pulls):
        for other, _ in before:
            pushed[other].append(place)
    found = np.full((len(pushed), len(starts)), NEVER, np.int32)
    for column, square in enumerate(starts):
        waiting = [4 * square + side for side in tables.sides[square]]
        found[waiting, column] = 0
        for place in waiting:  # which grows
            for after in pushed[place]:
                if found[after, column] == NEVER:
                    found[after, column] = found[place, column] + 1
                    waiting.append(after)
    return found
