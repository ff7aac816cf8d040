"""Dots and boxes on small boards, by the number of lines drawn (Edelkamp 2017, other games; Barker and Korf 2012)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.index import Part
from searchbench.index.bitboard import LARGEST, Bitboards
from searchbench.jit import popcount, trailing_zeros
from searchbench.rules import UNDECIDED, State

LINES, AGAIN = 0, 1
"""The cells of a state: the word of drawn lines, and 1 if the player to move must pass after the other closed a box."""
ENDING: Final = " again"


@dataclass(frozen=True)
class DotsAndBoxes(Game):
    """Join two dots; closing a box wins it and obliges to move again; the score is boxes still to win less boxes still to lose.

    The board has `rows` times `columns` boxes. Players alternate as in every game of the package: after a player closes
    a box the other passes. So a state consists of the drawn lines and whether the player to move must pass.
    """

    name: ClassVar[str] = "dots-and-boxes"
    dtype: ClassVar[Any] = np.int64
    values: ClassVar[str] = "score"

    rows: int = 2
    columns: int = 2

    def __post_init__(self) -> None:
        if not (self.rows >= 1 and self.columns >= 1 and self.lines <= LARGEST):
            raise ValueError(f"{self.rows}x{self.columns} boxes: expected at least 1x1, and at most {LARGEST} lines")

    @property
    def across(self) -> int:
        """Return the number of horizontal lines; their bits come first, row by row from the top."""
        return (self.rows + 1) * self.columns

    @property
    def lines(self) -> int:
        """Return the number of lines."""
        return self.across + self.rows * (self.columns + 1)

    @property
    def boxes(self) -> list[int]:
        """Return the words of the lines around each box."""
        found = []
        for row in range(self.rows):
            for column in range(self.columns):
                top, left = row * self.columns + column, self.across + row * (self.columns + 1) + column
                found.append(1 << top | 1 << (top + self.columns) | 1 << left | 1 << (left + 1))
        return found

    @property
    def width(self) -> int:
        """Return two: the drawn lines, and whether to pass."""
        return 2

    @property
    def max_moves(self) -> int:
        """Return the number of lines."""
        return self.lines

    def parts(self) -> list[Part]:
        """Return two parts per number of lines: "7", and "7 again" where the player to move must pass."""
        found: list[Part] = []
        for drawn in range(self.lines + 1):
            start, size = found[-1].stop if found else 0, comb(self.lines, drawn)
            more = (str(drawn + 1), f"{drawn + 1}{ENDING}") if drawn < self.lines else ()
            found.append(Part(str(drawn), start, start + size, more))
            found.append(Part(f"{drawn}{ENDING}", start + size, start + 2 * size, (str(drawn),)))
        return found

    def called_part(self, part: str) -> str:
        """Return the number of drawn lines in words, and whether the player to move must pass."""
        drawn = part.removesuffix(ENDING)
        if not drawn.isdecimal():
            return part
        return f"{drawn} line{'s' * (drawn != '1')} drawn" + ", to pass" * (drawn != part)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the number of a line, or the number of lines for a pass."""
        lines = self.lines
        every = (1 << lines) - 1
        boxes = np.array(self.boxes, np.int64)
        beside = np.zeros((lines + 1, 2), np.int64)  # the boxes beside each line, 0 for none
        for line in range(lines):
            for place, box in enumerate(box for box in self.boxes if box >> line & 1):
                beside[line, place] = box
        starts = np.array([part.start for part in self.parts()], np.int64)
        begins = np.cumsum([0, *(comb(lines, drawn) for drawn in range(lines + 1))])
        rank_word, unrank_word = Bitboards(lines, 0, lines).functions(LINES)

        def start(state: State) -> None:
            state[LINES] = state[AGAIN] = 0

        def legal(state: State) -> bool:
            if state[AGAIN] == 0:
                return True
            for box in range(len(boxes)):
                if state[LINES] & boxes[box] == boxes[box]:
                    return True
            return False

        def terminal(state: State) -> int:
            return 0 if state[LINES] == every else UNDECIDED

        def gain(state: State, move: int) -> int:
            after = state[LINES] | 1 << move
            count = 0
            for place in range(2):
                if beside[move, place] != 0 and after & beside[move, place] == beside[move, place]:
                    count += 1
            return count

        def moves(state: State, out: MutableSequence[int]) -> int:
            if state[AGAIN] == 1:
                out[0] = lines
                return 1
            free = every & ~int(state[LINES])
            count = 0
            while free != 0:
                out[count] = trailing_zeros(free)
                count += 1
                free &= free - 1
            return count

        def play(state: State, move: int) -> None:
            if move == lines:
                state[AGAIN] = 0
            else:
                state[AGAIN] = 1 if gain(state, move) > 0 else 0
                state[LINES] |= 1 << move

        def unplay(state: State, move: int) -> None:
            if move == lines:
                state[AGAIN] = 1
            else:
                state[AGAIN] = 0
                state[LINES] ^= 1 << move

        def rank(state: State) -> int:
            drawn = popcount(state[LINES])
            return int(rank_word(state) - begins[drawn] + starts[2 * drawn + state[AGAIN]])

        def unrank(number: int, state: State) -> None:
            part = 0
            while part + 1 < len(starts) and starts[part + 1] <= number:
                part += 1
            unrank_word(number - starts[part] + begins[part >> 1], state)
            state[AGAIN] = part & 1

        return {
            "start": start, "legal": legal, "terminal": terminal, "gain": gain, "moves": moves, "play": play,
            "unplay": unplay, "rank": rank, "unrank": unrank,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the lines row by row from the top, "_" or "|" for a drawn line and "." for none; then "again" to pass."""
        drawing, _, ending = text.strip().partition(" ")
        rows = drawing.split("/")
        widths = [self.columns + row % 2 for row in range(2 * self.rows + 1)]
        if [len(row) for row in rows] != widths or set(drawing) - set("_|./") or ending.strip() not in {"", "again"}:
            raise BadState(f"{self}: {text!r}: expected a drawing such as {self.format(self.start())!r}")
        marks = "".join(rows[0::2]) + "".join(rows[1::2])
        word = sum(1 << line for line, mark in enumerate(marks) if mark != ".")
        return [word, int(bool(ending))]

    def format(self, state: Sequence[int]) -> str:
        """Return the lines row by row from the top, "_" or "|" for a drawn line and "." for none; then "again" to pass."""
        marks = [piece or "." for piece in self.pieces(state)]
        rows = []
        for row in range(self.rows + 1):
            rows.append("".join(marks[row * self.columns : (row + 1) * self.columns]))
            first = self.across + row * (self.columns + 1)
            rows.append("".join(marks[first : first + self.columns + 1]))
        return "/".join(rows[:-1]) + (ENDING if state[AGAIN] else "")

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the two dots that a line joins, such as "a1-b1" (columns a, b, ... and rows from below), or "pass"."""
        if move == self.lines:
            return "pass"
        if move < self.across:
            row, column = divmod(move, self.columns)
            return f"{self._dot(row, column)}-{self._dot(row, column + 1)}"
        row, column = divmod(move - self.across, self.columns + 1)
        return f"{self._dot(row + 1, column)}-{self._dot(row, column)}"

    def _dot(self, row: int, column: int) -> str:
        return f"{chr(ord('a') + column)}{self.rows - row + 1}"

    def board(self) -> Board:
        """Return the centres of the lines."""
        across = [(column + 0.5, float(row)) for row in range(self.rows + 1) for column in range(self.columns)]
        down = [(float(column), row + 0.5) for row in range(self.rows) for column in range(self.columns + 1)]
        names = tuple(self.format_move((), line) for line in range(self.lines))
        return Board(
            tuple(across + down), shape="line", names=names, words=(("_", "drawn across"), ("|", "drawn down"))
        )

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the drawn lines."""
        return [("_" if line < self.across else "|") if state[LINES] >> line & 1 else "" for line in range(self.lines)]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the line that a move draws; to pass, a drawn line."""
        return [move if move < self.lines else trailing_zeros(state[LINES])]

    def known(self) -> Mapping[str, Any]:
        """Return the score of the empty board, if known."""
        size = (min(self.rows, self.columns), max(self.rows, self.columns))
        return {"start": STARTS[size]} if size in STARTS else {}


STARTS: Final = {(1, 1): "-1", (1, 2): "0", (1, 3): "-1", (1, 4): "0", (2, 2): "2", (2, 3): "-2", (3, 3): "-3"}
"""The first player's boxes less the second's, under best play."""
