"""The board of an enhanced search: what its tables hold of a level and a position, and how far the man can walk."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

MARKS: Final = np.int64
"""The type of marks: walks are numbered, and a search of some minutes makes more than 2 ** 31 of them."""

UP, DOWN, LEFT, RIGHT, GOAL, LIVE, ONE_WAY, CORRIDOR = range(8)
"""The columns of `maze`: the neighbours, the number of the goal (-1: none), whether a stone can come to a goal from here, whether
the square parts the floor, and two bits: walls above and below (1), walls left and right (2)."""
COLUMNS: Final = 8

AT, SQUARE, MARK, QUEUE = range(4)
"""The rows of `board`: the number of the stone on a square plus one, the square of each stone, the mark of the walk in
which a square was met, and a queue; further rows belong to other modules."""

STONES, GENERATION, KEY, OFF_GOAL, LEARNT, LONE_WALKS, ENTERED, LAST_MARK = range(8)
"""What stands in `facts`: the number of stones, the mark of the squares that the man can walk to, the hash of the stones, those
off the goals, the patterns learnt, the walks around lone stones, the positions entered, and the last mark that was given."""


def flood(maze: Any, taken: Any, marks: Any, queue: Any, start: int, mark: int) -> int:
    """Mark the squares that can be reached from one past those that are taken, and return the lowest."""
    marks[start] = mark
    queue[0] = start
    head, tail, lowest = 0, 1, start
    while head < tail:
        here = queue[head]
        head += 1
        for direction in range(4):
            there = maze[here, direction]
            if there >= 0 and marks[there] != mark and taken[there] == 0:
                marks[there] = mark
                queue[tail] = there
                tail += 1
                lowest = min(lowest, there)
    return int(lowest)


def walk(work: Any, man: int) -> int:
    """Mark the squares that the man can walk to with a new mark, and return the lowest."""
    board, mark = work.board, new_mark(work)
    work.facts[GENERATION] = mark
    return flood(work.maze, board[AT], board[MARK], board[QUEUE], man, mark)


def new_mark(work: Any) -> int:
    """Return a mark that no square has."""
    work.facts[LAST_MARK] += 1
    return int(work.facts[LAST_MARK])


def has_row_beside(maze: Any, taken: Any, first: int, second: int, third: int, direction: int) -> bool:
    """Tell whether all squares beside three in a row along a direction are free, on one of its sides: the man can walk there."""
    for turn in range(2):
        side = (direction & 2 ^ 2) + turn
        one, two, three = maze[first, side], maze[second, side], maze[third, side]
        if one >= 0 and two >= 0 and three >= 0 and taken[one] + taken[two] + taken[three] == 0:
            return True
    return False
