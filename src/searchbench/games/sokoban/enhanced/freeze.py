"""Freeze deadlocks: stones that can never move again, and goals that no stone can come to past those.

A stone is blocked along a line if there is a wall on either side, or a frozen stone, or if both squares beside it are dead.
Blocked along both lines it is frozen. The largest set of stones that hold each other is found by assuming that all do, and
letting go of one after the other.
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.board import AT, GOAL, LIVE, SQUARE, STONES

FROZEN, WAITING, REACHED, PARTNER = range(8, 12)
"""Rows of the board: which stones are assumed frozen, a queue, goals reached, and the stone of a goal."""


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


def is_frozen_dead(work: Any, target: int, bipartite: bool) -> bool:
    """Tell whether the stones around the target of a push, which has been made on the board, are frozen off the goals.

    With `bipartite`, also tell where too few stones can come to the goals that are left, past all frozen ones.
    """
    found = hold(work, target)
    if found == 2:
        return True
    if found == 0 or not bipartite:
        return False
    return hold(work, -1) == 2 or not can_be_matched(work)


def can_be_matched(work: Any) -> bool:
    """Tell whether each stone that is not frozen can have a goal of its own, with the frozen ones as walls (augmenting paths)."""
    board, maze = work.board, work.maze
    for square in range(len(maze)):
        board[PARTNER, square] = 0
    for stone in range(work.facts[STONES]):
        if board[FROZEN, board[SQUARE, stone]] == 0 and not augment(work, stone):
            return False
    return True


def augment(work: Any, first: int) -> bool:
    """Find a goal for a stone; those that have one already may change."""
    board, maze = work.board, work.maze
    # REACHED tells of a goal which stone has come to it in this search, so that the path can be followed back.
    for square in range(len(maze)):
        board[REACHED, square] = 0
    board[WAITING, 0] = first
    head, tail = 0, 1
    while head < tail:
        stone = board[WAITING, head]
        head += 1
        goal = come_to(work, stone)
        while goal >= 0:
            board[REACHED, goal] = stone + 1
            if board[PARTNER, goal] == 0:
                while True:
                    stone = board[REACHED, goal] - 1
                    before = -1
                    for other in range(len(maze)):
                        if board[PARTNER, other] == stone + 1:
                            before = other
                    board[PARTNER, goal] = stone + 1
                    if before < 0:
                        return True
                    board[PARTNER, before] = 0
                    goal = before
            board[WAITING, tail] = board[PARTNER, goal] - 1
            tail += 1
            goal = come_to(work, stone)
    return False


def come_to(work: Any, stone: int) -> int:
    """Return a goal that a stone can come to past the frozen ones, and that was not reached in this search, or -1."""
    board, maze, lone = work.board, work.maze, work.lone
    for square in range(len(maze)):
        lone[0, square] = 0
    lone[1, 0] = board[SQUARE, stone]
    lone[0, board[SQUARE, stone]] = 1
    head, tail = 0, 1
    while head < tail:
        here = lone[1, head]
        head += 1
        if maze[here, GOAL] >= 0 and board[REACHED, here] == 0 and board[FROZEN, here] == 0:
            return int(here)
        for direction in range(4):
            target, behind = maze[here, direction], maze[here, direction ^ 1]
            if target < 0 or behind < 0 or lone[0, target] != 0:
                continue
            if board[FROZEN, target] == 0 and board[FROZEN, behind] == 0 and maze[target, LIVE] != 0:
                lone[0, target] = 1
                lone[1, tail] = target
                tail += 1
    return -1
