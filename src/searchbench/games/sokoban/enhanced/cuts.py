"""Squares that part the floor: found by one depth-first search, for all squares that are not taken (Tarjan 1972).

A square parts the floor where nothing that was found from a square next to it on lies next to a square found before it. What was
found from there on follows in the order of the search, so both sides are told apart by two numbers.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from searchbench.games.sokoban.enhanced.board import MARKS

PART, ROOT, FOUND, LAST, LOW, ABOVE, LEAST, SIDES, TRIED, PATH, ORDER = range(11)
"""Rows of `cuts`: the part of a square, -1 if it is taken, and the first square of a part, which is its lowest; when a square was
found, the last one from it on, and the earliest one that lies next to these; the square before it, and the lowest one from it on;
how many parts more there are without it; directions that were tried; the squares on the path of the search, and in its order."""
ROWS: Final = 11
TAKEN: Final = 1 << 30
"""What stands in FOUND of a square that is taken: no square is found later."""


def new_cuts(squares: int) -> Any:
    """Return the array for a level of so many squares."""
    return np.zeros((ROWS, squares), MARKS)


def search_floor(maze: Any, taken: Any, cuts: Any) -> int:
    """Search the squares that are not taken; return in how many parts they are."""
    parts = found = 0
    for square in range(len(maze)):
        cuts[PART, square] = cuts[ABOVE, square] = -1
        cuts[FOUND, square] = -1 if taken[square] == 0 else TAKEN
    for square in range(len(maze)):
        if cuts[FOUND, square] < 0:
            cuts[ROOT, parts] = square
            found = search_part(maze, cuts, parts, found)
            parts += 1
    return parts


def search_part(maze: Any, cuts: Any, part: int, found: int) -> int:
    """Search a part from its first square on, so many squares having been found; return how many are now."""
    path, root = cuts[PATH], cuts[ROOT, part]
    found = meet(cuts, root, -1, part, found)
    cuts[SIDES, root] = -1  # nothing lies before it
    path[0] = root
    depth = 1
    while depth > 0:
        here = path[depth - 1]
        above, direction, low, fresh = cuts[ABOVE, here], cuts[TRIED, here], cuts[LOW, here], -1
        while direction < 4 and fresh < 0:
            there = maze[here, direction]
            direction += 1
            if there < 0 or there == above:
                continue
            if cuts[FOUND, there] < 0:
                fresh = there
            else:
                low = min(low, cuts[FOUND, there])
        cuts[TRIED, here], cuts[LOW, here] = direction, low
        if fresh >= 0:
            found = meet(cuts, fresh, here, part, found)
            path[depth] = fresh
            depth += 1
            continue
        cuts[LAST, here] = found - 1
        depth -= 1
        if above >= 0:
            cuts[LOW, above] = min(cuts[LOW, above], low)
            cuts[LEAST, above] = min(cuts[LEAST, above], cuts[LEAST, here])
            cuts[SIDES, above] += low >= cuts[FOUND, above]
    return found


def meet(cuts: Any, square: int, above: int, part: int, found: int) -> int:
    """Note a square that the search has found; return how many are found now."""
    cuts[PART, square] = part
    cuts[FOUND, square] = cuts[LOW, square] = found
    cuts[ORDER, found] = square
    cuts[ABOVE, square], cuts[LEAST, square] = above, square
    cuts[SIDES, square] = cuts[TRIED, square] = 0
    return found + 1


def is_apart(cuts: Any, beside: int, square: int) -> bool:
    """Tell whether the squares that were found from one next to a square on hang together with others through that one alone."""
    return bool(beside >= 0 and cuts[ABOVE, beside] == square and cuts[LOW, beside] >= cuts[FOUND, square])


def write_from(cuts: Any, row: Any, square: int, value: int) -> None:
    """Write a value for a square and for those that were found from it on."""
    for place in range(cuts[FOUND, square], cuts[LAST, square] + 1):
        row[cuts[ORDER, place]] = value
