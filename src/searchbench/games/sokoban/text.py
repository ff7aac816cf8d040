"""Levels in XSB, with or without run lengths.

A level is a block of rows: `#` is wall; a blank, `-` or `_` is floor; `.` a goal; `$` a stone and `*` one on a goal; `@` the man
and `+` the man on a goal; `o`, `b`, `B`, `p` and `P` mean the last five as well. A row may hold several rows with `|` between
them, and a number before a mark repeats it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from searchbench.games.sokoban.collection import (
    BLANKS,
    FLOOR,
    GOAL,
    LONGEST,
    MAN,
    MAN_ON_GOAL,
    MARKS,
    SAME,
    STONE,
    STONE_ON_GOAL,
    WALL,
    LevelText,
)

OUTSIDE: Final = "outside the floor: the man cannot come to it even if there were no stones"
LARGEST: Final = 4096
"""A level has at most so many squares of floor, as a move has 12 bits for a square."""
STEPS: Final = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""The directions up, down, left and right: the change of row and column. The opposite of d is d ^ 1."""
LETTERS: Final = "udlr"
"""The directions in LURD; a capital letter is a push."""


@dataclass(frozen=True)
class Level:
    """A level as read: its floor squares, numbered row by row, with goals, stones and the man among them.

    `cells[s]` is the row and the column of the square `s`.
    """

    title: str
    height: int
    width: int
    cells: tuple[tuple[int, int], ...]
    goals: tuple[int, ...]
    stones: tuple[int, ...]
    man: int

    @cached_property
    def numbers(self) -> dict[tuple[int, int], int]:
        """Return the number of the square at each row and column."""
        return {cell: number for number, cell in enumerate(self.cells)}

    @cached_property
    def near(self) -> tuple[tuple[int, int, int, int], ...]:
        """Return the neighbours of each square, up, down, left and right; -1 where there is a wall."""
        found = []
        for row, column in self.cells:
            up, down, left, right = (self.numbers.get((row + dr, column + dc), -1) for dr, dc in STEPS)
            found.append((up, down, left, right))
        return tuple(found)

    def name(self, square: int) -> str:
        """Return the name of a square: its column in capitals and its row in small letters, from the top left."""
        row, column = self.cells[square]
        return letters(column, "A") + letters(row, "a")

    def drawn(self, stones: Sequence[int], man: int) -> list[str]:
        """Return the rows of the level with these stones and the man at a square."""
        goals, taken = set(self.goals), set(stones)
        rows = [[FLOOR] * self.width for _ in range(self.height)]
        for row, column in self.cells:
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if (row + dr, column + dc) not in self.numbers:
                        rows[row + dr][column + dc] = WALL
        for square, (row, column) in enumerate(self.cells):
            on_goal = square in goals
            if square in taken:
                rows[row][column] = STONE_ON_GOAL if on_goal else STONE
            elif square == man:
                rows[row][column] = MAN_ON_GOAL if on_goal else MAN
            elif on_goal:
                rows[row][column] = GOAL
        return ["".join(row).rstrip() for row in rows]


def letters(number: int, first: str) -> str:
    """Return A, B, ..., Z, AA, AB, ... from the number 0 on, or the same in small letters."""
    found = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        found = chr(ord(first) + rest) + found
    return found


def _expanded(text: LevelText) -> Iterator[list[str]]:
    """Yield the marks of each row. Raises BadRequest for a mark that there is not."""
    for number, line in enumerate(text.rows):
        row: list[str] = []
        times = 0
        for column, mark in enumerate(line):
            if mark.isdigit():
                times = min(10 * times + int(mark), LONGEST + 1)
            elif mark == "|":
                yield row
                row, times = [], 0
            elif mark in MARKS:
                row.extend([FLOOR if mark in BLANKS else SAME.get(mark, mark)] * max(times, 1))
                times = 0
            else:
                raise text.fault(
                    number, column, f"{mark!r} is no mark of a level; there are {' '.join(sorted(MARKS))!r}"
                )
            if len(row) > LONGEST:
                raise text.fault(number, column, f"a row of more than {LONGEST:,} marks")
        yield row


def read_level(text: LevelText) -> Level:
    """Return a level. Raises BadRequest, which names the line and the column of the fault."""
    if len(text.rows) > LONGEST:
        raise text.fault(0, 0, f"the level has {len(text.rows):,} rows, more than {LONGEST:,}")
    rows = list(_expanded(text))
    if len(rows) > LONGEST:
        raise text.fault(0, 0, f"the level has {len(rows):,} rows, more than {LONGEST:,}")
    width = max(map(len, rows))
    grid = {(row, column): mark for row, marks in enumerate(rows) for column, mark in enumerate(marks)}
    men = [cell for cell, mark in grid.items() if mark in (MAN, MAN_ON_GOAL)]
    if not men:
        raise text.fault(0, 0, f"the level has no man ({MAN}, or {MAN_ON_GOAL} on a goal)")
    if len(men) > 1:
        raise text.fault(*men[1], f"a second man; the first is at row {men[0][0] + 1}, column {men[0][1] + 1}")
    floor = _flood(text, grid, men[0])
    outside = {mark: cell for cell, mark in reversed(grid.items()) if cell not in floor}
    if STONE in outside:
        raise text.fault(*outside[STONE], f"a stone {OUTSIDE}")
    cells = tuple(sorted(floor))
    marks = [grid[cell] for cell in cells]
    goals = tuple(square for square, mark in enumerate(marks) if mark in (GOAL, STONE_ON_GOAL, MAN_ON_GOAL))
    stones = tuple(square for square, mark in enumerate(marks) if mark in (STONE, STONE_ON_GOAL))
    if not stones:
        raise text.fault(0, 0, f"the level has no stone ({STONE}, or {STONE_ON_GOAL} on a goal)")
    if len(stones) > len(goals):
        if GOAL in outside:
            raise text.fault(*outside[GOAL], f"a goal {OUTSIDE}")
        extra = cells[stones[len(goals)]]
        raise text.fault(
            *extra, f"the level has {len(stones)} stones and {len(goals)} goals: expected a goal for each stone"
        )
    return Level(text.title, len(rows), width, cells, goals, stones, cells.index(men[0]))


def _flood(text: LevelText, grid: dict[tuple[int, int], str], man: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the squares that walls let the man come to. Raises BadRequest where he could leave the level, or has too many."""
    found, waiting = {man}, [man]
    for row, column in waiting:  # which grows
        for dr, dc in STEPS:
            cell = row + dr, column + dc
            if cell not in grid:
                raise text.fault(
                    row, column, "the level is open: the man could leave it here, where no wall is next to him"
                )
            if grid[cell] != WALL and cell not in found:
                found.add(cell)
                waiting.append(cell)
        if len(found) > LARGEST:
            raise text.fault(0, 0, f"the level has more than {LARGEST:,} squares of floor")
    return found
