"""Goals past frozen stones: whether each stone that can still move can have a goal of its own, the frozen ones being walls.

Each stone is taken alone on the floor between the frozen ones, with the man where he is. For each set of frozen stones it is
worked out once in how many sides a stone on a square parts the floor, and which goals it can come to from each of them.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.sokoban.enhanced.assignment import MOST_GOALS, ROWS, WAITING, WISHES, can_be_assigned
from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import GOAL, SQUARE, STONES
from searchbench.games.sokoban.enhanced.cuts import (
    FOUND,
    LAST,
    ORDER,
    PART,
    ROOT,
    is_apart,
    new_cuts,
    search_floor,
    write_from,
)
from searchbench.games.sokoban.enhanced.freeze import FROZEN, hold
from searchbench.hashing import mix

MOST_SLOTS: Final = 1 << 10
"""The sets of frozen stones that are remembered, at most."""
SLOT_BYTES: Final = 1 << 24
"""About the bytes that they may take."""
NO_SIDE: Final = 4


class Frozen(NamedTuple):
    """Hold, for sets of frozen stones: their hashes, the side of each stone's square on which the man is, and goals as bits.

    `sides[k, s, m]` is the side of a stone on s where a man on m is, NO_SIDE if he comes to none; `ways[k, 4 s + side]` are the
    goals that the stone can come to.
    """

    keys: Any
    sides: Any
    ways: Any
    scratch: Any
    cuts: Any


def new_frozen(base: Base, used: bool = True) -> Frozen:
    """Return the arrays for the level of a search, where they are `used`."""
    squares = len(base.maze) if used else 1
    slots = MOST_SLOTS if used else 1
    while slots > 1 and slots * squares**2 > SLOT_BYTES:
        slots >>= 1
    return Frozen(
        np.zeros(slots, np.int64), np.zeros((slots, squares, squares), np.uint8),
        np.zeros((slots, 4 * squares), np.int64), np.zeros((ROWS, 4 * squares + MOST_GOALS), np.int64), new_cuts(squares),
    )  # fmt: skip


def is_frozen_dead(base: Any, frozen: Frozen, square: int, man: int) -> bool:
    """Tell whether stones are frozen off the goals, or cut others off: those joined to a square, or all where that is -1."""
    found = hold(base, square)
    if found == 1 and square >= 0:
        found = hold(base, -1)  # stones elsewhere are walls, too
    return bool(found == 2 or (found == 1 and is_cut_off(base, frozen, man)))


def is_cut_off(base: Any, frozen: Frozen, man: int) -> bool:
    """Tell whether stones that are not marked frozen cannot all have goals of their own."""
    board, maze, count = base.board, base.maze, 0
    if base.costs.shape[1] > MOST_GOALS:
        return False
    slot = slot_of(base, frozen)
    sides, ways = frozen.sides[slot], frozen.ways[slot]
    for stone in range(base.facts[STONES]):
        square = board[SQUARE, stone]
        if board[FROZEN, square] != 0:
            continue
        goals = 1 << int(maze[square, GOAL]) if maze[square, GOAL] >= 0 else 0
        if sides[square, man] != NO_SIDE:
            goals |= ways[4 * square + sides[square, man]]
        frozen.scratch[WISHES, count] = goals
        count += 1
    return not can_be_assigned(frozen.scratch, count)


def slot_of(base: Any, frozen: Frozen) -> int:
    """Return where the set of stones that are marked frozen stands, after working out what is not known of it."""
    key = 1
    for square in range(len(base.maze)):
        if base.board[FROZEN, square] != 0:
            key ^= base.hashes[0, square]
    slot = mix(key) & (len(frozen.keys) - 1)
    if frozen.keys[slot] != key:
        frozen.keys[slot] = key
        write_sides(base, frozen.sides[slot], frozen.cuts)
        for place in range(4 * len(base.maze)):
            frozen.ways[slot, place] = 0
        for square in range(len(base.maze)):
            if base.maze[square, GOAL] >= 0 and base.board[FROZEN, square] == 0:
                write_ways(base, frozen.sides[slot], frozen.ways[slot], square, frozen.scratch[WAITING])
    return int(slot)


def write_sides(base: Any, sides: Any, cuts: Any) -> None:
    """Write on which side of each square the man is from each other square, the frozen stones being walls."""
    maze = base.maze
    for square in range(len(maze)):
        for other in range(len(maze)):
            sides[square, other] = NO_SIDE
    search_floor(maze, base.board[FROZEN], cuts)
    for square in range(len(maze)):
        if cuts[PART, square] >= 0:
            write_sides_of(maze, sides[square], cuts, square)


def write_sides_of(maze: Any, sides: Any, cuts: Any, square: int) -> None:
    """Write on which side of a square the man is from each other one of its part of the floor."""
    root = cuts[ROOT, cuts[PART, square]]
    for side in range(4):
        beside = maze[square, side]
        if is_apart(cuts, beside, square):
            write_from(cuts, sides, beside, side)
        elif beside >= 0 and cuts[PART, beside] >= 0 and sides[beside] == NO_SIDE:
            for place in range(cuts[FOUND, root], cuts[LAST, root] + 1):
                other = cuts[ORDER, place]
                if sides[other] == NO_SIDE:
                    sides[other] = side
    sides[square] = NO_SIDE


def write_ways(base: Any, sides: Any, ways: Any, goal: int, queue: Any) -> None:
    """Note a goal at all places of a lone stone, its square and the side of the man, from which it can be pushed there."""
    maze, bit = base.maze, 1 << int(base.maze[goal, GOAL])
    head = tail = 0
    for side in range(4):
        beside = maze[goal, side]
        if beside >= 0 and sides[goal, beside] == side:
            ways[4 * goal + side] |= bit
            queue[tail] = 4 * goal + side
            tail += 1
    while head < tail:
        square, side = queue[head] >> 2, queue[head] & 3
        head += 1
        for direction in range(4):
            before = maze[square, direction]
            if before < 0 or sides[square, before] != side:
                continue
            man = maze[before, direction]
            if man < 0 or sides[before, man] == NO_SIDE:
                continue
            place = 4 * before + sides[before, man]
            if ways[place] & bit == 0:
                ways[place] |= bit
                queue[tail] = place
                tail += 1
