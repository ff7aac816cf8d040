"""Text of levels and solutions: XSB with or without run lengths, collections of levels, and LURD.

A level is a block of rows: `#` is wall; a blank, `-` or `_` is floor; `.` a goal; `$` a stone and `*` one on a goal; `@` the man
and `+` the man on a goal. A row may hold several rows with `|` between them, and a number before a mark repeats it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from searchbench.errors import BadRequest

WALL, FLOOR, GOAL, STONE, STONE_ON_GOAL, MAN, MAN_ON_GOAL = "# .$*@+"
BLANKS: Final = frozenset(" -_")
MARKS: Final = frozenset("#.$*@+") | BLANKS
LARGEST: Final = 4096
"""A level has at most so many squares of floor, as a move has 12 bits for a square."""
LONGEST: Final = 1024
"""A row has at most so many marks, and a level so many rows."""
STEPS: Final = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""The directions up, down, left and right: the change of row and column. The opposite of d is d ^ 1."""
LETTERS: Final = "udlr"
"""The directions in LURD; a capital letter is a push."""


@dataclass(frozen=True)
class LevelText:
    """A block of rows in a text: its title, where it is from, and the number of the line of its first row."""

    title: str
    source: str
    line: int
    rows: tuple[str, ...]

    def fault(self, row: int, column: int, what: str) -> BadRequest:
        """Return the error for a fault at a place of the level, counted from 0."""
        place = f"line {self.line + row}" if self.one_to_a_line else f"line {self.line}, row {row + 1}"
        return BadRequest(f"{self.source}, {place}, column {column + 1}: {what}")

    @property
    def one_to_a_line(self) -> bool:
        """Tell whether each row stands on a line of its own."""
        return not any("|" in row for row in self.rows)


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


def levels_in(text: str, source: str) -> list[LevelText]:
    """Return the blocks of rows in a text. Raises BadRequest if there is none."""
    found: list[LevelText] = []
    title, rows, first = "", [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if _is_row(line):
            first = first or number
            rows.append(line.rstrip())
            continue
        if rows:
            found.append(LevelText(title, source, first, tuple(rows)))
            title, rows, first = "", [], 0
        if line.strip():
            title = line.strip().lstrip("; ").strip()
    if not found:
        raise BadRequest(
            f"{source} holds no level: expected rows of {''.join(sorted(MARKS - {'-', '_'}))!r} with walls (#)"
        )
    return found


def _is_row(line: str) -> bool:
    """Tell whether a line is a row: it begins with a wall, perhaps behind blanks and a number, and most of it are marks."""
    begin = line[:LONGEST].lstrip(" -_0123456789\t")
    if not begin.startswith(WALL):
        return False
    known = sum(mark in MARKS or mark in "|0123456789" for mark in line)
    return 2 * known > len(line)


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
                row.extend(FLOOR if mark in BLANKS else mark for _ in range(max(times, 1)))
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
    for cell, mark in grid.items():
        if mark in (STONE, GOAL) and cell not in floor:
            name = "stone" if mark == STONE else "goal"
            raise text.fault(
                *cell, f"a {name} outside the floor: the man cannot come to it even if there were no stones"
            )
    cells = tuple(sorted(floor))
    if len(cells) > LARGEST:
        raise text.fault(0, 0, f"the level has {len(cells):,} squares of floor, more than {LARGEST:,}")
    marks = [grid[cell] for cell in cells]
    goals = tuple(square for square, mark in enumerate(marks) if mark in (GOAL, STONE_ON_GOAL, MAN_ON_GOAL))
    stones = tuple(square for square, mark in enumerate(marks) if mark in (STONE, STONE_ON_GOAL))
    if not stones:
        raise text.fault(0, 0, f"the level has no stone ({STONE}, or {STONE_ON_GOAL} on a goal)")
    if len(stones) > len(goals):
        extra = cells[stones[len(goals)]]
        raise text.fault(
            *extra, f"the level has {len(stones)} stones and {len(goals)} goals: expected a goal for each stone"
        )
    return Level(text.title, len(rows), width, cells, goals, stones, cells.index(men[0]))


def _flood(text: LevelText, grid: dict[tuple[int, int], str], man: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the squares that walls let the man come to. Raises BadRequest where he could leave the level."""
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
    return found
