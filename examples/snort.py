"""Snort: colour cells of a board in turn, none beside a cell of the other player; who cannot move loses (S. Norton)."""

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from searchbench import UNDECIDED, Board, Game, State, errors
from searchbench.index.digits import NO_CODE, Action, Change, Digit, Digits

MARKS = ".XO"


@dataclass(frozen=True)
class Snort(Game):
    """Colour a cell of your own that is not beside one of the other player's; the last to move wins."""

    name: ClassVar[str] = "snort"
    values: ClassVar[str] = "outcome"

    columns: int = 4
    rows: int = 4

    @property
    def width(self) -> int:
        return self.columns * self.rows

    @property
    def max_moves(self) -> int:
        return self.width

    def beside(self, cell: int) -> list[int]:
        """Return the neighbours of a cell."""
        row, column = divmod(cell, self.columns)
        steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [r * self.columns + c for r, c in steps if 0 <= r < self.rows and 0 <= c < self.columns]

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the cell, and the number of coloured cells tells who is to move."""
        cells = self.width
        neighbours = np.full((cells, 4), -1, np.int8)
        for cell in range(cells):
            neighbours[cell, : len(self.beside(cell))] = self.beside(cell)

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = 0

        def mover(state: State) -> int:
            coloured = 0
            for cell in range(cells):
                if state[cell] != 0:
                    coloured += 1
            return 1 + coloured % 2

        def free(state: State, cell: int, player: int) -> bool:
            if state[cell] != 0:
                return False
            for place in range(4):
                other = neighbours[cell, place]
                if other >= 0 and state[other] == 3 - player:
                    return False
            return True

        def moves(state: State, out: MutableSequence[int]) -> int:
            player, count = mover(state), 0
            for cell in range(cells):
                if free(state, cell, player):
                    out[count] = cell
                    count += 1
            return count

        def terminal(state: State) -> int:
            player = mover(state)
            for cell in range(cells):
                if free(state, cell, player):
                    return UNDECIDED
            return -1

        def play(state: State, move: int) -> None:
            state[move] = mover(state)

        def unplay(state: State, move: int) -> None:
            state[move] = 0

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}

    def digits(self) -> Digits:
        """Return a digit for three cells at a time, whose code is what they hold as a number to base 3."""
        digits = []
        for first in range(0, self.width, 3):
            cells = tuple(range(first, min(first + 3, self.width)))
            contents = tuple(product(range(3), repeat=len(cells)))
            digits.append(Digit(cells, contents, tuple(sum(mark > 0 for mark in content) for content in contents)))
        actions = tuple(tuple(self.action(digits, cell, player) for cell in range(self.width)) for player in (1, 2))
        return Digits(tuple(digits), actions, lost=((),), stuck=-1)

    def action(self, digits: Sequence[Digit], cell: int, player: int) -> Action:
        """Return what colouring a cell does to its digit, and which codes it asks of the digits of its neighbours."""
        changes = []
        for number, digit in enumerate(digits):
            near = [digit.cells.index(other) for other in self.beside(cell) if other in digit.cells]
            own = digit.cells.index(cell) if cell in digit.cells else None
            if own is None and not near:
                continue
            to = [NO_CODE] * len(digit.contents)
            for code, content in enumerate(digit.contents):
                if content is None or any(content[place] == 3 - player for place in near):
                    continue
                if own is None:
                    to[code] = code
                elif content[own] == 0:
                    to[code] = digit.contents.index((*content[:own], player, *content[own + 1 :]))
            changes.append(Change(number, tuple(to)))
        return tuple(changes)

    def parse(self, text: str) -> list[int]:
        """Read the rows from the top, such as "..../.X../..../....": X and O are the first and the second player's."""
        rows = text.split("/")
        if [len(row) for row in rows] != [self.columns] * self.rows or not set(text) <= {*MARKS, "/"}:
            raise errors.BadState(f"{text!r}: expected {self.rows} rows of {self.columns} of the marks {MARKS}")
        return [MARKS.index(mark) for row in rows for mark in row]

    def format(self, state: Sequence[int]) -> str:
        marks = "".join(MARKS[cell] for cell in state)
        return "/".join(marks[first : first + self.columns] for first in range(0, self.width, self.columns))

    def format_move(self, state: Sequence[int], move: int) -> str:
        row, column = divmod(move, self.columns)
        return f"{'abcdefghij'[column]}{self.rows - row}"

    def board(self) -> Board:
        cells = tuple((cell % self.columns, cell // self.columns) for cell in range(self.width))
        names = tuple(self.format_move((), cell) for cell in range(self.width))
        return Board(cells, shape="mark", sides=("X", "O"), names=names)

    def mover(self, state: Sequence[int]) -> int:
        return sum(cell != 0 for cell in state) % 2

    def pieces(self, state: Sequence[int]) -> list[str]:
        return ["" if cell == 0 else MARKS[cell] for cell in state]
