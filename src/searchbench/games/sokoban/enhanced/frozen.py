"""Goals past frozen stones: whether each stone that can still move can have a goal of its own, the frozen ones being walls.

Each stone is taken alone on the floor between the frozen ones, with the man where he is. For each set of frozen stones it is
worked out once in how many sides a stone on a square parts the floor, and which goals it can come to from each of them.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

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
from searchbench.jit import trailing_zeros

MOST_SLOTS: Final = 1 << 10
"""The sets of frozen stones that are remembered, at most."""
SLOT_BYTES: Final = 1 << 24
"""About the bytes that they may take."""
MOST_GOALS: Final = 62
NO_SIDE: Final = 4
WAITING, PARTNER, CAME, GOAL_OF = range(4)
"""Rows of `scratch`: a queue, the stone of a goal, the stone that asks for a goal, and the goal of a stone."""


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
        np.zeros((slots, 4 * squares), np.int64), np.zeros((4, 4 * squares), np.int32), new_cuts(squares),
    )  # fmt: skip


def is_frozen_dead(base: Any, frozen: Frozen, square: int, man: int) -> bool:
    """Tell whether stones are frozen off the goals, or cut others off: those joined to a square, or all where that is -1."""
    found = hold(base, square)
    if found == 1 and square >= 0:
        found = hold(base, -1)  # stones elsewhere are walls, too
    return bool(found == 2 or (found == 1 and is_cut_off(base, frozen, man)))


def is_cut_off(base: Any, frozen: Frozen, man: int) -> bool:
    """Tell whether stones that are not marked frozen cannot all have goals of their own."""
    board, maze = base.board, base.maze
    scratch, goals = frozen.scratch, base.costs.shape[1]
    if goals > MOST_GOALS:
        return False
    slot = slot_of(base, frozen)
    sides, ways = frozen.sides[slot], frozen.ways[slot]
    for goal in range(goals):
        scratch[PARTNER, goal] = -1
    for first in range(base.facts[STONES]):
        scratch[GOAL_OF, first] = -1
        if board[FROZEN, board[SQUARE, first]] != 0:
            continue
        scratch[WAITING, 0] = first
        head, tail, met, free = 0, 1, 0, -1
        while head < tail and free < 0:
            stone = scratch[WAITING, head]
            head += 1
            square = board[SQUARE, stone]
            left = 1 << int(maze[square, GOAL]) if maze[square, GOAL] >= 0 else 0
            if sides[square, man] != NO_SIDE:
                left |= ways[4 * square + sides[square, man]]
            left &= ~met
            met |= left
            while left != 0 and free < 0:
                goal = trailing_zeros(left)
                left &= left - 1
                scratch[CAME, goal] = stone
                if scratch[PARTNER, goal] < 0:
                    free = goal
                else:
                    scratch[WAITING, tail] = scratch[PARTNER, goal]
                    tail += 1
        if free < 0:
            return True
        while free >= 0:
            stone = scratch[CAME, free]
            before = scratch[GOAL_OF, stone]
            scratch[PARTNER, free], scratch[GOAL_OF, stone] = stone, free
            free = before
    return False


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
