"""Freeze deadlocks: stones that can never move again.

A stone is blocked along a line if there is a wall on either side, or a frozen stone, or if both squares beside it are dead.
Blocked along both lines it is frozen. The largest set of stones that hold each other is found by assuming that all do, and
letting go of one after the other.
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.board import AT, GOAL, LIVE, SQUARE, STONES

FROZEN, WAITING = range(8, 10)
"""Rows of the board: which stones are assumed frozen, and a queue."""


def hold(work: Any, only: int) -> int:
    """Mark the frozen stones (1), of all or only those joined to a square.

    Returns 2 if one of them is off the goals, 1 if there are any, or 0.
    """
    board, maze = work.board, work.maze
    count = 0
    for square in range(len(maze)):
        board[FROZEN, square] = 0
    if only < 0:
        for stone in range(work.facts[STONES]):
            board[WAITING, stone] = board[SQUARE, stone]
            board[FROZEN, board[SQUARE, stone]] = 1
        count = work.facts[STONES]
    else:
        board[WAITING, 0], board[FROZEN, only], count, head = only, 1, 1, 0
        while head < count:
            here = board[WAITING, head]
            head += 1
            for direction in range(4):
                there = maze[here, direction]
                if there >= 0 and board[AT, there] != 0 and board[FROZEN, there] == 0:
                    board[FROZEN, there] = 1
                    board[WAITING, count] = there
                    count += 1
    changed = True
    while changed:
        changed = False
        for place in range(count):
            square = board[WAITING, place]
            if board[FROZEN, square] != 0 and not (is_held(work, square, 0) and is_held(work, square, 2)):
                board[FROZEN, square] = 0
                changed = True
    found = 0
    for place in range(count):
        square = board[WAITING, place]
        if board[FROZEN, square] != 0:
            if maze[square, GOAL] < 0:
                return 2
            found = 1
    return found


def is_held(work: Any, square: int, direction: int) -> bool:
    """Tell whether a stone is blocked along the line of a direction, by those assumed frozen among others."""
    maze, board = work.maze, work.board
    one, other = maze[square, direction], maze[square, direction ^ 1]
    if one < 0 or other < 0 or board[FROZEN, one] != 0 or board[FROZEN, other] != 0:
        return True
    return bool(maze[one, LIVE] == 0 and maze[other, LIVE] == 0)
