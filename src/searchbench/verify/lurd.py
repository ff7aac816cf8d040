"""Replay a solution of Sokoban on the text of its level: a judge that shares nothing with rules and solvers but the text."""

from __future__ import annotations

from typing import NamedTuple


class Replayed(NamedTuple):
    """The result of a replay: a fault, or "" for a solution; the pushes and the moves of the man up to there."""

    fault: str
    pushes: int
    moves: int


def replay(level: str, solution: str) -> Replayed:
    """Play a solution in LURD on a level in XSB, one row to a line or with | between them; return the outcome."""
    board: dict[tuple[int, int], str] = {}
    marks = level.translate(str.maketrans("obBpP", ".$*@+"))
    for y, row in enumerate(marks.replace("|", "\n").split("\n")):
        x, digits = 0, ""
        for mark in row:
            if mark in "0123456789":
                digits += mark
                continue
            for _ in range(int(digits or 1)):
                board[x, y] = " " if mark in "-_" else mark
                x += 1
            digits = ""
    here = [place for place, mark in board.items() if mark in "@+"]
    if len(here) != 1:
        return Replayed(f"{len(here)} men", 0, 0)
    walls = {place for place, mark in board.items() if mark == "#"}
    boxes = {place for place, mark in board.items() if mark in "$*"}
    targets = {place for place, mark in board.items() if mark in ".*+"}
    (x, y), pushes = here[0], 0
    for count, letter in enumerate(solution):
        step = {"u": (0, -1), "d": (0, 1), "l": (-1, 0), "r": (1, 0)}.get(letter.lower())
        if step is None:
            return Replayed(f"move {count + 1}: {letter!r} is none of u, d, l, r", pushes, count)
        ahead, beyond = (x + step[0], y + step[1]), (x + 2 * step[0], y + 2 * step[1])
        if ahead in walls or ahead not in board:
            return Replayed(f"move {count + 1}: {letter!r} leads into a wall", pushes, count)
        if (ahead in boxes) != letter.isupper():
            there = "a box stands" if ahead in boxes else "no box stands"
            return Replayed(f"move {count + 1}: {letter!r}, and {there} there", pushes, count)
        if ahead in boxes:
            if beyond in walls or beyond in boxes or beyond not in board:
                return Replayed(f"move {count + 1}: {letter!r}: the box cannot move", pushes, count)
            boxes.remove(ahead)
            boxes.add(beyond)
            pushes += 1
        x, y = ahead
    left = len(boxes - targets)
    return Replayed(f"{left} boxes are off the goals in the end" if left else "", pushes, len(solution))
