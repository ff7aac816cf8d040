"""Corrals: where the man cannot go, and stones around it that can only be pushed into it.

A *corral* is a union of components of the floor that the man cannot come to; its *barrier* are the stones next to it.
If every first push of a barrier stone goes into the corral, whatever stones elsewhere may do, and the man can make all
of these now, then these pushes can come first in any solution, unless nothing is to be done there (a PI-corral).
Without one, the position is lost.
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.board import AT, GENERATION, GOAL, LIVE, MARK, STONES, flood

PART, WAITING, CHOSEN = 12, 13, 14
"""Rows of the board: the number of the component of a square, a queue, and which components are in the corral (1) or
the best (2)."""


def number_parts(work: Any) -> int:
    """Give the components that the man cannot come to numbers, from 1 on; return how many there are."""
    board, maze = work.board, work.maze
    generation, count = work.facts[GENERATION], 0
    for square in range(len(maze)):
        board[PART, square] = 0
    for square in range(len(maze)):
        if board[PART, square] != 0 or board[AT, square] != 0 or board[MARK, square] == generation:
            continue
        count += 1
        flood(maze, board[AT], board[PART], board[WAITING], square, count)
    return count


def is_barrier(work: Any, square: int) -> bool:
    """Tell whether a stone stands next to the corral."""
    board, maze = work.board, work.maze
    if board[AT, square] == 0:
        return False
    for direction in range(4):
        there = maze[square, direction]
        if there >= 0 and board[PART, there] > 0 and board[CHOSEN, board[PART, there] - 1] == 1:
            return True
    return False


def grow(work: Any, spare: int) -> int:
    """Let the corral that is chosen grow until it is a PI-corral; return the number of its pushes, or -1 if it is none.

    `spare` goals stay empty in a solution: something is to be done where more are empty, or where a stone is off the goals.
    """
    board, maze = work.board, work.maze
    generation = work.facts[GENERATION]
    while True:
        pushes, grown, undone, empty = 0, False, False, 0
        for square in range(len(maze)):
            if board[PART, square] > 0 and board[CHOSEN, board[PART, square] - 1] == 1 and maze[square, GOAL] >= 0:
                empty += 1
            if not is_barrier(work, square):
                continue
            if maze[square, GOAL] < 0:
                undone = True
            for direction in range(4):
                target, behind = maze[square, direction], maze[square, direction ^ 1]
                if target < 0 or behind < 0 or maze[target, LIVE] == 0:
                    continue
                if is_barrier(work, target) or is_barrier(work, behind) or is_inside(work, behind):
                    continue
                if board[PART, behind] > 0:  # another component: the corral takes it in
                    board[CHOSEN, board[PART, behind] - 1] = 1
                    grown = True
                    break
                if is_inside(work, target):
                    if board[MARK, behind] != generation or board[AT, behind] != 0:
                        return -1
                    pushes += 1
                elif board[PART, target] > 0:
                    board[CHOSEN, board[PART, target] - 1] = 1
                    grown = True
                    break
                else:
                    return -1
            if grown:
                break
        if not grown:
            return pushes if undone or empty > spare else -1


def spare_goals(work: Any) -> int:
    """Return how many goals more than stones there are."""
    goals = 0
    for square in range(len(work.maze)):
        goals += work.maze[square, GOAL] >= 0
    return int(goals - work.facts[STONES])


def is_inside(work: Any, square: int) -> bool:
    """Tell whether a square without a stone is in the corral."""
    part = work.board[PART, square]
    return bool(part > 0 and work.board[CHOSEN, part - 1] == 1)


def find_corral(work: Any) -> bool:
    """Choose the PI-corral with the fewest pushes: its components are marked 1 in CHOSEN; tell whether there is one."""
    board = work.board
    count, spare = number_parts(work), spare_goals(work)
    best, least = 0, 1 << 30
    for seed in range(1, count + 1):
        for part in range(count):
            board[CHOSEN, part] = 0
        board[CHOSEN, seed - 1] = 1
        pushes = grow(work, spare)
        if 0 <= pushes < least:
            best, least = seed, pushes
    if best == 0:
        return False
    for part in range(count):
        board[CHOSEN, part] = 0
    board[CHOSEN, best - 1] = 1
    grow(work, spare)
    return True


def goes_in(work: Any, square: int, target: int) -> bool:
    """Tell whether a push goes from the barrier into the corral."""
    return is_inside(work, target) and is_barrier(work, square)
