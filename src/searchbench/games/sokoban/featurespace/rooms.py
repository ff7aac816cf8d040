"""Rooms and the corridors between them, as features of a level: which rooms see each other on the empty floor.

Four free squares in a block belong to a room; blocks that touch are one room, and a block alone is none. The floor in no
room is corridor. Two rooms are *joined* where squares of both lie next to each other or next to the same piece of corridor.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from searchbench.games.sokoban.tables import NEVER, LevelTables

MOST_ROOMS: Final = 62
"""The rooms of a level that are told apart, the first ones."""
NO_DOORS: Final = np.full((1, 2), -1, np.int32)
Place = tuple[int, int]


def rooms_of(tables: LevelTables) -> npt.NDArray[np.int32]:
    """Return the number of each square's room, -1 for a corridor."""
    cells, numbers = tables.level.cells, tables.level.numbers
    blocks = {cell for cell in cells if all(one in numbers for one in _block(cell))}
    found = np.full(len(cells), -1, np.int32)
    taken: set[Place] = set()
    count = 0
    for first in sorted(blocks):
        if first in taken:
            continue
        waiting = [first]
        taken.add(first)
        for y, x in waiting:  # which grows
            for one in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if one in blocks and one not in taken:
                    taken.add(one)
                    waiting.append(one)
        if len(waiting) == 1 or count == MOST_ROOMS:
            continue
        for block in waiting:
            for cell in _block(block):
                number = numbers[cell]
                found[number] = count if found[number] in (-1, count) else -2  # shared by two: in neither
        count += 1
    found[found < 0] = -1
    return found


def _block(cell: Place) -> tuple[Place, ...]:
    y, x = cell
    return ((y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1))


def doors_of(tables: LevelTables, rooms: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the pairs of rooms that are joined on the empty floor: [pairs, 2]; NO_DOORS where there are none."""
    near, seen, found = tables.level.near, set[int](), set[tuple[int, int]]()
    for square in range(len(near)):
        if rooms[square] >= 0:
            beside = {int(rooms[other]) for other in near[square] if other >= 0 and rooms[other] >= 0}
            found |= {(min(rooms[square], room), max(rooms[square], room)) for room in beside if room != rooms[square]}
            continue
        if square in seen:
            continue
        waiting, joined = [square], set[int]()
        seen.add(square)
        for here in waiting:  # which grows
            for other in near[here]:
                if other >= 0 and rooms[other] >= 0:
                    joined.add(int(rooms[other]))
                elif other >= 0 and other not in seen:
                    seen.add(other)
                    waiting.append(other)
        found |= set(combinations(sorted(joined), 2))
    return np.array(sorted(found), np.int32) if found else NO_DOORS


def blockers_of(tables: LevelTables) -> npt.NDArray[np.uint8]:
    """Mark where a stone on one square keeps a lone stone on another from a goal that it could come to: [one, another]."""
    near = tables.level.near
    count = len(near)
    blocking, all_squares = [0] * count, (1 << count) - 1  # sets of squares are the bits of integers
    for goal in tables.level.goals:
        # One flood for all squares that block at once: `reached[s]` are the walls with which a stone on s comes to the goal.
        reached = [0] * count
        reached[goal] = all_squares & ~(1 << goal)
        waiting, waits = [goal], bytearray(count)
        for square in waiting:  # which grows, and may meet a square again
            waits[square] = 0
            for direction in range(4):
                before = near[square][direction]
                if before < 0 or (man := near[before][direction]) < 0:
                    continue
                after = reached[before] | reached[square] & ~(1 << before | 1 << man)
                if after != reached[before]:
                    reached[before] = after
                    if not waits[before]:
                        waits[before] = 1
                        waiting.append(before)
        reached[goal] = all_squares
        for square, walls in enumerate(reached):
            if walls:
                blocking[square] |= all_squares & ~walls
    found = np.zeros((count, count), np.uint8)
    for square, walls in enumerate(blocking):
        bits = np.frombuffer((walls & ~(1 << square)).to_bytes(count // 8 + 1, "little"), np.uint8)
        found[:, square] = np.unpackbits(bits, count=count, bitorder="little")
    return found


def pushes_to(tables: LevelTables, squares: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return the pushes of a lone stone from each square to some, the man at the best side: [squares, all squares]."""
    nowhere = np.full(len(tables.near), NEVER)
    known = {-1: nowhere}
    for square in set(squares) - {-1}:
        known[square] = np.array(tables.distances_to(square)).reshape(-1, 4).min(axis=1)
    return np.array([known[square] for square in squares], np.int32)
