"""Pairs of stones that are lost together, however far apart: all of them, from one search of the floor with two stones.

Taking stones off never hurts. So a position is lost if two of its stones, with the man where he is, cannot both come to goals
when all others are away. The search takes moves back from all pairs of goals. For the search backwards, which pulls, the goals
are the squares where stones stand at the start, and the moves that are taken back are pulls.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced.board import GENERATION, GOAL, MARK, SQUARE, STONES, flood
from searchbench.games.sokoban.featurespace.base import Base

ANY_SIDE: Final = 15
"""All four sides of a square, as bits."""
MOST_SQUARES: Final = 600
"""On a larger floor, where the search would take seconds, no pair is told lost."""
TAKEN, WALKED, WALK = range(3)
"""Rows of `marks`: the two stones, where the man was, and his queue."""


class Pairs(NamedTuple):
    """Hold which pairs can come to goals: `sides[s, t]` are the sides of a stone on s, as bits, from which it and one on t can.

    A side is the direction in which the man stands next to the stone. Where a wall or the other stone is, the bit is set, too.
    """

    sides: Any


def new_pairs(base: Base, names: jit.Names, pulled: bool = False) -> Pairs:
    """Return the pairs of a level; where stones are `pulled`, the goals of `base` are the squares to pull them to."""
    squares = len(base.maze)
    if squares > MOST_SQUARES:
        return Pairs(np.full((squares, squares), ANY_SIDE, np.uint8))
    sides, asked = np.zeros((2, squares, squares), np.uint8)
    queue, marks = np.zeros(4 * squares * squares, np.int32), np.zeros((3, squares), np.int32)
    jit.bind(write_pairs, names)(base.maze, sides, asked, queue, marks, pulled)
    return Pairs(sides)


def write_pairs(maze: Any, sides: Any, asked: Any, queue: Any, marks: Any, pulled: bool) -> None:
    """Write the pairs that can come to goals; `asked` marks those in the queue, each with a side where the man is."""
    squares = len(maze)
    head = tail = generation = 0
    for first in range(squares):
        for second in range(squares):
            for side in range(4):
                beside = maze[first, side]
                if beside < 0 or beside == second:
                    sides[first, second] |= 1 << side
                elif maze[first, GOAL] >= 0 and maze[second, GOAL] >= 0 and first != second:
                    tail = ask(asked, queue, tail, first, second, side)
    while head < tail:
        side, first, second = queue[head] & 3, (queue[head] >> 2) // squares, (queue[head] >> 2) % squares
        head += 1
        if sides[first, second] >> side & 1 != 0:
            continue
        generation += 1
        marks[TAKEN, first] = marks[TAKEN, second] = 1
        flood(maze, marks[TAKEN], marks[WALKED], marks[WALK], maze[first, side], generation)
        marks[TAKEN, first] = marks[TAKEN, second] = 0
        for turn in range(2):
            one, other = (first, second) if turn == 0 else (second, first)
            for direction in range(4):
                man = maze[one, direction]
                if man < 0 or man == other or marks[WALKED, man] != generation:
                    continue
                sides[one, other] |= 1 << direction
                before = maze[one, direction ^ 1] if pulled else man
                stands = one if pulled else maze[man, direction]
                if before >= 0 and before != other and stands >= 0 and stands != other:
                    tail = ask(asked, queue, tail, before, other, direction)


def ask(asked: Any, queue: Any, tail: int, first: int, second: int, side: int) -> int:
    """Put a pair, with the man on a side of the first stone, into the queue if it was never there; return the new end."""
    if asked[first, second] >> side & 1 == 0:
        asked[first, second] |= 1 << side
        queue[tail] = (first * len(asked) + second) << 2 | side
        tail += 1
    return tail


def has_dead_pair(base: Any, pairs: Pairs, square: int) -> bool:
    """Tell whether the stone on a square is lost together with another one; the man's squares are marked."""
    sides = pairs.sides
    for stone in range(base.facts[STONES]):
        other = base.board[SQUARE, stone]
        if other == square or (sides[square, other] & sides[other, square]) == ANY_SIDE:
            continue
        if is_dead_beside(base, sides, square, other) or is_dead_beside(base, sides, other, square):
            return True
    return False


def is_dead_beside(base: Any, sides: Any, square: int, other: int) -> bool:
    """Tell whether the man stands, or can walk, next to a stone on a side from which it and the other one are lost."""
    for side in range(4):
        if (
            sides[square, other] >> side & 1 == 0
            and base.board[MARK, base.maze[square, side]] == base.facts[GENERATION]
        ):
            return True
    return False
