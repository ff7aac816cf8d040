"""Go-moku: five in a row, in the rules free-style, standard and renju (Allis 1994, section 5.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.families.lines import MARKS, LineBoard, Lines, grid
from searchbench.game import Board
from searchbench.rules import UNDECIDED, State

LONGER_ROWS: Final = {"free": (True, True), "standard": (False, False), "renju": (False, True)}
"""By rule, whether six or more in a row win, for black and for white."""
LARGEST: Final = 19
"""Columns of the largest board."""
FIVE: Final = 5
DEPTH: Final = 3
"""How many fours ahead it is asked whether the point that makes a three a straight four is forbidden itself."""


@dataclass(frozen=True)
class Gomoku(Lines):
    """Put five stones in a row, in any of the four directions; black (X) begins, and a full board is a draw.

    `rule` is "free" (five or more win), "standard" (only exactly five win) or "renju": white wins with five or more, black
    with exactly five, and black may make neither a row of six or more, nor two fours, nor two threes at once, unless the move
    makes five. Such points are no moves for black, who loses when nothing else is left. A three is a row of three that can become
    a straight four by a stone on a point that is not forbidden, which is asked up to three stones ahead.
    """

    name: ClassVar[str] = "gomoku"

    size: int = 15
    rule: str = "free"

    def __post_init__(self) -> None:
        if not FIVE <= self.size <= LARGEST:
            raise ValueError(f"a board of {self.size} x {self.size}: expected {FIVE} to {LARGEST} columns")
        if self.rule not in LONGER_ROWS:
            raise ValueError(f"rule {self.rule!r}: there are {', '.join(LONGER_ROWS)}")

    @property
    def called(self) -> str:
        """Return the name with the board, and the rule where it is not the free one."""
        return f"Go-moku on {self.size}x{self.size}" + ("" if self.rule == "free" else f", {self.rule} rule")

    @property
    def lines(self) -> LineBoard:
        """Return the board with its lines of five."""
        return grid(self.size, self.size, FIVE, False)

    @property
    def symmetric(self) -> bool:
        """Return true: turned and reflected positions are one."""
        return True

    @property
    def longer_rows(self) -> tuple[bool, bool] | None:
        """Return whether six or more in a row win, for each player; None where a derived class has rules of its own."""
        return LONGER_ROWS[self.rule] if self.is_decided_by(Gomoku) else None

    @property
    def forbids_cells(self) -> bool:
        """Return whether black may not play on some points."""
        return self.rule == "renju"

    def has_line(self) -> Callable[[State, int], bool]:
        """Return a rule ``(state, player)``: whether a player has a row of five that counts."""
        beside = _beside(self.size)
        cells = self.size * self.size
        black_longer, white_longer = LONGER_ROWS[self.rule]

        def has_line(state: State, player: int) -> bool:
            longer = black_longer if player == 1 else white_longer
            for cell in range(cells):
                if state[cell] != player:
                    continue
                for direction in range(4):
                    before = beside[direction + 4, cell]
                    if before >= 0 and state[before] == player:
                        continue
                    length = 1
                    after = beside[direction, cell]
                    while after >= 0 and state[after] == player:
                        length += 1
                        after = beside[direction, after]
                    if length == FIVE or (longer and length > FIVE):
                        return True
            return False

        return has_line

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``2 * cell``, plus 1 for white's stone."""
        functions = dict(super().rules())
        if self.rule != "renju":
            return functions
        all_moves, all_unmoves, ended = functions["moves"], functions["unmoves"], functions["terminal"]
        order = np.array(self.lines.order, np.int64)
        cells = self.size * self.size
        is_forbidden = forbidden(self.size, DEPTH)

        def terminal(state: State) -> int:
            result = ended(state)
            if result != UNDECIDED:
                return int(result)
            stones = 0
            for cell in range(cells):
                if state[cell] != 0:
                    stones += 1
            if stones & 1 == 1:
                return UNDECIDED
            for place in range(cells - 1, -1, -1):  # far from the centre most points are allowed
                if state[order[place]] == 0 and not is_forbidden(state, order[place]):
                    return UNDECIDED
            return -1

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = all_moves(state, out)
            if count == 0 or out[0] & 1 == 1:
                return int(count)
            allowed = 0
            for place in range(count):
                if not is_forbidden(state, out[place] >> 1):
                    out[allowed] = out[place]
                    allowed += 1
            return allowed

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            count = all_unmoves(state, out)
            if count == 0 or out[0] & 1 == 1:
                return int(count)
            allowed = 0
            for place in range(count):
                cell = out[place] >> 1
                state[cell] = 0
                if not is_forbidden(state, cell):
                    out[allowed] = out[place]
                    allowed += 1
                state[cell] = 1
            return allowed

        return functions | {"terminal": terminal, "moves": moves, "unmoves": unmoves, "forbids": is_forbidden}

    def board(self) -> Board:
        """Return the points of the board and the lines between them."""
        places = self.lines.places
        number = {place: cell for cell, place in enumerate(places)}
        edges = [
            (cell, number[beyond])
            for cell, (x, y) in enumerate(places)
            for beyond in ((x + 1, y), (x, y + 1))
            if beyond in number
        ]
        points = tuple((float(x), float(y)) for x, y in places)
        names = tuple(map(self._name, range(len(places))))
        return Board(points, tuple(edges), shape="point", sides=(MARKS[1], MARKS[2]), names=names, dark_first=True)


@lru_cache(maxsize=16)
def _beside(size: int) -> Any:
    """Return the neighbour of each cell in each of eight directions, -1 beyond the edge; direction d + 4 is opposite to d."""
    steps = ((1, 0), (0, 1), (1, 1), (-1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1))
    found = np.full((8, size * size), -1, np.int64)
    for direction, (across, down) in enumerate(steps):
        for y in range(size):
            for x in range(size):
                if 0 <= x + across < size and 0 <= y + down < size:
                    found[direction, y * size + x] = (y + down) * size + x + across
    return found


def forbidden(size: int, depth: int) -> Callable[[State, int], bool]:
    """Return a rule ``(state, cell)`` of renju: whether black may not play on an empty cell.

    Whether the point that makes a three a straight four is forbidden is asked `depth` stones ahead, and no further.
    """
    beside = _beside(size)

    def run(state: State, cell: int, direction: int) -> int:
        """Return the length of black's row through a cell, which is taken to be black."""
        length = 1
        for way in range(2):
            after = beside[direction + 4 * way, cell]
            while after >= 0 and state[after] == 1:
                length += 1
                after = beside[direction + 4 * way, after]
        return length

    def near(state: State, cell: int) -> int:
        """Return how many black stones lie up to four steps from a cell in the eight directions, none behind a white one."""
        count = 0
        for direction in range(8):
            after = beside[direction, cell]
            steps = 0
            while steps < FIVE - 1 and after >= 0 and state[after] != 2:
                count += state[after]
                after = beside[direction, after]
                steps += 1
        return count

    def end(state: State, cell: int, direction: int) -> int:
        """Return the empty cell at the end of black's row in one of eight directions, -1 if there is none."""
        after = beside[direction, cell]
        while after >= 0 and state[after] == 1:
            after = beside[direction, after]
        return int(after) if after >= 0 and state[after] == 0 else -1

    def fours(state: State, cell: int, direction: int) -> int:
        """Return how many fours black's stone on a cell is part of in a direction: a straight four is one."""
        count = 0
        for way in range(2):
            point = end(state, cell, direction + 4 * way)
            if point >= 0 and run(state, point, direction) == FIVE:
                count += 1
        if count == 2 and run(state, cell, direction) == FIVE - 1:
            return 1
        return count

    def straight_four(state: State, cell: int, direction: int) -> bool:
        """Tell whether black's stone on a cell is part of a row of four that either end makes a row of five."""
        if run(state, cell, direction) != FIVE - 1:
            return False
        for way in range(2):
            point = end(state, cell, direction + 4 * way)
            if point < 0 or run(state, point, direction) != FIVE:
                return False
        return True

    def makes_five(state: State, cell: int) -> bool:
        for direction in range(4):
            if run(state, cell, direction) == FIVE:
                return True
        return False

    def never(state: State, cell: int) -> bool:
        return False

    def level(deeper: Callable[[State, int], bool]) -> Callable[[State, int], bool]:
        def three(state: State, cell: int, direction: int) -> bool:
            for way in range(2):
                point = end(state, cell, direction + 4 * way)
                if point >= 0:
                    state[point] = 1
                    straight = straight_four(state, cell, direction)
                    state[point] = 0
                    if straight and not makes_five(state, point) and not deeper(state, point):
                        return True
            return False

        def is_forbidden(state: State, cell: int) -> bool:
            if near(state, cell) < FIVE - 1:  # too few for six, two fours or two threes
                return False
            if makes_five(state, cell):
                return False
            for direction in range(4):
                if run(state, cell, direction) > FIVE:
                    return True
            state[cell] = 1
            count_fours = 0
            count_threes = 0
            for direction in range(4):
                made = fours(state, cell, direction)
                count_fours += made
                if made == 0 and three(state, cell, direction):
                    count_threes += 1
            state[cell] = 0
            return count_fours > 1 or count_threes > 1

        return is_forbidden

    rule: Callable[[State, int], bool] = never
    for _ in range(depth):
        rule = level(rule)
    return rule
