"""The floor around one stone that moves: where the man can walk past it, without a search for each square to which it comes.

The stone is lifted off, and one search tells which squares part the floor then (`enhanced/cuts.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.games.sokoban.enhanced.board import AT, GENERATION, LAST_MARK, MARK, new_mark
from searchbench.games.sokoban.enhanced.cuts import (
    FOUND,
    LAST,
    LEAST,
    PART,
    ROOT,
    SIDES,
    is_apart,
    search_floor,
    write_from,
)


class Floor(NamedTuple):
    """Hold the mark of the first part of the floor, those of others follow; and how many parts there are."""

    first: int
    parts: int


def note_walk(base: Any, walked: Any) -> None:
    """Note where the man can walk, his squares being marked, before other marks are given."""
    board, mark = base.board, base.facts[GENERATION]
    for square in range(board.shape[1]):
        walked[square] = board[MARK, square] == mark


def lift(base: Any, cuts: Any, walked: Any, met: Any, origin: int) -> Floor:
    """Lift the stone of a square off: it was met there alone, on the sides where the man can walk; and mark the floor."""
    for place in range(len(met)):
        met[place] = 0
    for direction in range(4):
        beside = base.maze[origin, direction]
        if beside >= 0:
            met[4 * origin + direction] = walked[beside]
    return mark_floor(base, cuts, origin)


def mark_floor(base: Any, cuts: Any, origin: int) -> Floor:
    """Mark each part of the floor without the stone of a square."""
    board, first = base.board, base.facts[LAST_MARK] + 1
    stone, board[AT, origin] = board[AT, origin], 0
    parts = search_floor(base.maze, board[AT], cuts)
    base.facts[LAST_MARK] += parts
    for square in range(board.shape[1]):
        if board[AT, square] == 0:
            board[MARK, square] = first + cuts[PART, square]
    board[AT, origin] = stone
    return Floor(first, parts)


def walk_past(base: Any, cuts: Any, square: int, man: int) -> int:
    """Mark where the man, who is beside the stone, can walk when it has come to a square; return the lowest of these squares.

    After that `mark_again` restores the marks of the floor.
    """
    marks, root, sides = base.board[MARK], cuts[ROOT, cuts[PART, square]], cuts[SIDES, square]
    beyond = -1
    if sides > 0 or square == root:
        beyond = side_of(base.maze, cuts, square, man)
    lowest = cuts[LEAST, beyond] if beyond >= 0 else root
    if sides > 0 and beyond >= 0:
        base.facts[GENERATION] = new_mark(base)
        write_from(cuts, marks, beyond, base.facts[GENERATION])
        return int(lowest)
    base.facts[GENERATION] = marks[square]
    marks[square] = 0
    if sides > 0:
        for direction in range(4):
            beside = base.maze[square, direction]
            if is_apart(cuts, beside, square):
                write_from(cuts, marks, beside, 0)
    return int(lowest)


def side_of(maze: Any, cuts: Any, square: int, man: int) -> int:
    """Return the square from which on the man's side was found when one parts the floor, -1 if that was not found after it."""
    for direction in range(4):
        beside = maze[square, direction]
        if is_apart(cuts, beside, square) and cuts[FOUND, beside] <= cuts[FOUND, man] <= cuts[LAST, beside]:
            return int(beside)
    return -1


def walk_without(base: Any, cuts: Any, square: int) -> int:
    """Let the marks of the floor tell where the man can walk when the stone has vanished; return the lowest of these squares."""
    base.facts[GENERATION] = base.board[MARK, square]
    return int(cuts[ROOT, cuts[PART, square]])


def mark_again(base: Any, cuts: Any, floor: Floor, square: int) -> None:
    """Restore the marks of the floor where the stone had come to a square."""
    part = cuts[PART, square]
    if cuts[SIDES, square] > 0:
        write_from(cuts, base.board[MARK], cuts[ROOT, part], floor.first + part)
    base.board[MARK, square] = floor.first + part


def parts_past(cuts: Any, floor: Floor, square: int) -> int:
    """Return in how many parts the floor is with the stone on a square, but for the man's."""
    return int(floor.parts - 1 + cuts[SIDES, square])
