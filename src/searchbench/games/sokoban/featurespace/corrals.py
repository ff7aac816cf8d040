"""Deadlocks around areas that the man cannot enter: a small search with the stones next to such an area alone.

The *zone* is the area and its stones. A stone that leaves it is taken off, and a search that enters the area ends: so it
says "dead" only where the stones of the zone, on an otherwise empty floor, keep the man out for ever and never all stand on
goals. Any solution of the level holds a solution of that search. Verdicts are remembered.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.sokoban.enhanced.board import AT, GOAL, LIVE
from searchbench.games.sokoban.enhanced.corral import PART, number_parts
from searchbench.hashing import mix

EFFORT: Final = 200
"""The positions of one search, at most."""
STONES_OF_ZONE: Final = 20
"""An area with more stones around it is not searched."""
CACHE: Final = 1 << 18
ROOM: Final = 1 << 11
"""Room for waiting positions, and twice for those seen."""
STANDS, ZONE, SEEN, WALK = range(4)
"""Rows of `marks`: the stones of the search, the area (1) and its stones (2), where the man was, and his queue."""


class Corrals(NamedTuple):
    """Hold scratch space, waiting positions (stones, how many there are, and the man), hashes of those seen, and verdicts."""

    marks: Any
    waiting: Any
    seen: Any
    cache: Any


def new_corrals(squares: int) -> Corrals:
    """Return the arrays for a level of so many squares."""
    return Corrals(
        np.zeros((4, squares + 1), np.int32), np.zeros((ROOM, STONES_OF_ZONE + 2), np.int32),
        np.zeros(2 * ROOM, np.int64), np.zeros((2, CACHE), np.int64),
    )  # fmt: skip


def has_dead_corral(base: Any, corrals: Corrals) -> bool:
    """Tell whether the stones around one of the areas that the man cannot enter are lost; his squares are marked."""
    for part in range(1, number_parts(base) + 1):
        if is_dead_corral(base, corrals, part):
            return True
    return False


def is_dead_corral(base: Any, corrals: Corrals, part: int) -> bool:
    """Tell whether the stones around a numbered area are lost."""
    board, maze, marks = base.board, base.maze, corrals.marks
    first, zone = corrals.waiting[0], marks[ZONE]
    count, off_goals, key, man = 0, 0, 0, -1
    for square in range(len(maze)):
        zone[square] = board[PART, square] == part
        if zone[square] != 0 and key == 0:
            key = mix(square + 1)
    for square in range(len(maze)):
        if board[AT, square] == 0 or not is_beside(maze, zone, square):
            continue
        if count == STONES_OF_ZONE:
            return False
        first[count] = square
        count += 1
        off_goals += maze[square, GOAL] < 0
        key ^= base.hashes[0, square]
    if off_goals == 0:
        return False
    for stone in range(count):
        zone[first[stone]] = 2
    man = base.kept[0, base.kept.shape[1] - 1]
    first[STONES_OF_ZONE], first[STONES_OF_ZONE + 1] = count, man
    key ^= base.hashes[1, place_stones(base, corrals, 0)]
    slot = mix(key) & (CACHE - 1)
    if corrals.cache[0, slot] != key:
        corrals.cache[1, slot] = is_exhausted(base, corrals)
        corrals.cache[0, slot] = key
    return bool(corrals.cache[1, slot] != 0)


def is_beside(maze: Any, zone: Any, square: int) -> bool:
    """Tell whether a square lies next to the area."""
    for direction in range(4):
        there = maze[square, direction]
        if there >= 0 and zone[there] == 1:
            return True
    return False


def place_stones(base: Any, corrals: Corrals, row: int) -> int:
    """Put up the stones of a waiting position; return the lowest square that the man can walk to, or -1 if he enters the area."""
    maze, marks, stones = base.maze, corrals.marks, corrals.waiting[row]
    stands, zone, seen, queue = marks[STANDS], marks[ZONE], marks[SEEN], marks[WALK]
    for square in range(len(maze)):
        stands[square] = seen[square] = 0
    for stone in range(stones[STONES_OF_ZONE]):
        stands[stones[stone]] = 1
    lowest = queue[0] = stones[STONES_OF_ZONE + 1]
    seen[lowest] = 1
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        if zone[here] == 1:
            return -1
        for direction in range(4):
            there = maze[here, direction]
            if there >= 0 and seen[there] == 0 and stands[there] == 0:
                seen[there] = 1
                queue[tail] = there
                tail += 1
                lowest = min(lowest, there)
    return int(lowest)


def is_exhausted(base: Any, corrals: Corrals) -> bool:
    """Tell whether a search from the position in row 0 ends, without a solution and outside of the area."""
    waiting, seen = corrals.waiting, corrals.seen
    for place in range(len(seen)):
        seen[place] = 0
    top, looked = 1, 0
    while top > 0:
        top -= 1
        lowest = place_stones(base, corrals, top)
        if lowest < 0:
            return False
        key = base.hashes[1, lowest]
        for stone in range(waiting[top, STONES_OF_ZONE]):
            key ^= base.hashes[0, waiting[top, stone]]
        place = mix(key) & (len(seen) - 1)
        while seen[place] != 0 and seen[place] != key:
            place = (place + 1) & (len(seen) - 1)
        if seen[place] == key:
            continue
        seen[place] = key
        looked += 1
        if looked == EFFORT or top + 4 * STONES_OF_ZONE + 1 >= len(waiting):
            return False
        end = write_pushes(base, corrals, top)
        if end < 0:
            return False
        top = end
    return True


def write_pushes(base: Any, corrals: Corrals, top: int) -> int:
    """Write the positions that pushes lead to in place of the one put up; return the end, or -1 where one is solved.

    Where a stone leaves the zone, that is the only push: to be rid of a stone never hurts.
    """
    maze, marks, waiting = base.maze, corrals.marks, corrals.waiting
    stands, zone, seen = marks[STANDS], marks[ZONE], marks[SEEN]
    count, end = waiting[top, STONES_OF_ZONE], top + 1
    off_goals = 0
    for stone in range(count):
        off_goals += maze[waiting[top, stone], GOAL] < 0
    for stone in range(count):
        square = waiting[top, stone]
        for direction in range(4):
            behind, target = maze[square, direction ^ 1], maze[square, direction]
            if behind < 0 or target < 0 or seen[behind] == 0 or stands[target] != 0 or maze[target, LIVE] == 0:
                continue
            leaves = zone[target] == 0
            lacking = off_goals - (maze[square, GOAL] < 0) + (not leaves and maze[target, GOAL] < 0)
            if lacking == 0:
                return -1
            if leaves:
                end = top + 1
            for other in range(count):
                waiting[end, other] = waiting[top, other]
            waiting[end, stone] = waiting[top, count - 1] if leaves else target
            waiting[end, STONES_OF_ZONE] = count - 1 if leaves else count
            waiting[end, STONES_OF_ZONE + 1] = square
            end += 1
            if leaves:
                return shifted(waiting, top, end)
    return shifted(waiting, top, end)


def shifted(waiting: Any, top: int, end: int) -> int:
    """Move the rows behind the top one row back; return where they end."""
    for row in range(top + 1, end):
        for column in range(waiting.shape[1]):
            waiting[row - 1, column] = waiting[row, column]
    return end - 1
