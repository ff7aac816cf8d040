"""Othello on square boards of any even size (Allis 1994, section 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.errors import BadState
from searchbench.families.lines import LineBoard, grid, turns_of
from searchbench.families.transcripts import after_moves, is_transcript
from searchbench.game import Board, Game
from searchbench.rules import UNDECIDED, State

MARKS: Final = ".XO"
"""Marks of an empty cell, a black and a white disc."""
LARGEST: Final = 16
PASS: Final = 0
"""The move of a player who can put no disc."""
_COUNT_BITS: Final = 4
"""Bits of a move for the discs turned in one direction: up to 14."""
_CELL_BITS: Final = 9


@dataclass(frozen=True)
class Othello(Game):
    """Put a disc and turn all discs of the opponent's that lie between it and another disc of one's own; the most discs win.

    Black (X) begins. Each move turns at least one disc. A player who has no such move passes; when neither has one, the game
    is over. A state has one cell for each of the board, row by row from the top, and one for the player to move, 0 or 1.
    """

    name: ClassVar[str] = "othello"
    sides: ClassVar[tuple[str, str]] = ("Black", "White")
    values: ClassVar[Any] = "outcome"
    separator: ClassVar[str] = "x"

    rows: int = 8
    columns: int = 8

    def __post_init__(self) -> None:
        if self.rows != self.columns or self.rows % 2 or not 4 <= self.rows <= LARGEST:
            raise ValueError(
                f"a board of {self.rows} x {self.columns}: expected a square of an even number of rows, 4 to {LARGEST}"
            )

    @property
    def grid(self) -> LineBoard:
        """Return the cells and their symmetries."""
        return grid(self.columns, self.rows, 1, False)

    @property
    def width(self) -> int:
        """Return the number of cells, and one for the player to move."""
        return self.rows * self.columns + 1

    @property
    def max_moves(self) -> int:
        """Return the number of cells that are empty at the start."""
        return self.rows * self.columns - 4

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules.

        A move is 0 for a pass, else cell + 1 and, above its 9 bits, 4 bits for the discs turned in each direction.
        """
        rows, columns = self.rows, self.columns
        cells = rows * columns
        middle = (rows // 2 - 1) * columns + columns // 2 - 1
        across = np.array((1, 1, 0, -1, -1, -1, 0, 1), np.int64)
        down = np.array((0, 1, 1, 1, 0, -1, -1, -1), np.int64)
        count_mask, cell_mask = (1 << _COUNT_BITS) - 1, (1 << _CELL_BITS) - 1
        # How far it is from each cell to the edge in each direction.
        reach = np.zeros((cells, 8), np.int64)
        for cell in range(cells):
            for direction in range(8):
                y, x = divmod(cell, columns)
                while 0 <= x + across[direction] < columns and 0 <= y + down[direction] < rows:
                    x, y = x + across[direction], y + down[direction]
                    reach[cell, direction] += 1
        step = down * columns + across

        def start(state: State) -> None:
            for cell in range(cells + 1):
                state[cell] = 0
            state[middle] = state[middle + columns + 1] = 2
            state[middle + 1] = state[middle + columns] = 1

        def turned(state: State, cell: int, direction: int, own: int) -> int:
            """Return how many discs a disc on a cell turns in a direction."""
            other = 3 - own
            furthest = reach[cell, direction]
            count = 0
            place = cell + step[direction]
            while count < furthest and state[place] == other:
                count += 1
                place += step[direction]
            if count < furthest and state[place] == own:
                return count
            return 0

        def can_move(state: State, own: int) -> bool:
            for cell in range(cells):
                if state[cell] == 0:
                    for direction in range(8):
                        if turned(state, cell, direction, own) > 0:
                            return True
            return False

        def terminal(state: State) -> int:
            own = state[cells] + 1
            if can_move(state, own) or can_move(state, 3 - own):
                return UNDECIDED
            balance = 0
            for cell in range(cells):
                if state[cell] == own:
                    balance += 1
                elif state[cell] != 0:
                    balance -= 1
            return 1 if balance > 0 else -1 if balance < 0 else 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            own = state[cells] + 1
            count = 0
            for cell in range(cells):
                if state[cell] != 0:
                    continue
                counts = 0
                for direction in range(8):
                    counts |= turned(state, cell, direction, own) << (_COUNT_BITS * direction)
                if counts != 0:
                    out[count] = (counts << _CELL_BITS) | (cell + 1)
                    count += 1
            if count == 0:
                out[0] = PASS
                return 1
            return count

        def turn(state: State, move: int, owner: int) -> None:
            cell = (move & cell_mask) - 1
            counts = move >> _CELL_BITS
            for direction in range(8):
                place = cell
                for _ in range((counts >> (_COUNT_BITS * direction)) & count_mask):
                    place += step[direction]
                    state[place] = owner

        def play(state: State, move: int) -> None:
            own = state[cells] + 1
            if move != PASS:
                state[(move & cell_mask) - 1] = own
                turn(state, move, own)
            state[cells] = 2 - own

        def unplay(state: State, move: int) -> None:
            own = 2 - state[cells]
            if move != PASS:
                state[(move & cell_mask) - 1] = 0
                turn(state, move, 3 - own)
            state[cells] = own - 1

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay,
            **turns_of(self.grid.symmetries),
        }  # fmt: skip

    @property
    def symmetries(self) -> int:
        """Return the symmetries of the square."""
        return len(self.grid.symmetries)

    def parse(self, text: str) -> list[int]:
        """Read the rows from the top, "." empty, "X" black and "O" white, then the player to move.

        Or read the moves that lead there from the start, such as "f5d6c3".
        """
        if is_transcript(text):
            return after_moves(self, text)
        board, _, mover = text.strip().upper().rpartition(" ")
        marks = [mark for mark in board if mark not in "/ "]
        if len(marks) != self.width - 1 or not set(marks) <= set(MARKS) or mover not in ("X", "O"):
            raise BadState(f"{self}: {text!r}: expected a board and a player such as {self.format(self.start())!r}")
        return [*(MARKS.index(mark) for mark in marks), MARKS.index(mover) - 1]

    def format(self, state: Sequence[int]) -> str:
        """Return the rows from the top, "." empty, "X" black and "O" white, then the player to move."""
        marks = "".join(MARKS[disc] for disc in state[:-1])
        rows = [marks[first : first + self.columns] for first in range(0, len(marks), self.columns)]
        return f"{'/'.join(rows)} {MARKS[1 + state[-1]]}"

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cell, such as "d3" (columns a, b, ... and rows from the top), or "pass"."""
        if move == PASS:
            return "pass"
        return self._name((move & ((1 << _CELL_BITS) - 1)) - 1)

    def _name(self, cell: int) -> str:
        row, column = divmod(cell, self.columns)
        return f"{chr(ord('a') + column)}{row + 1}"

    def board(self) -> Board:
        """Return the cells row by row."""
        places = tuple((float(x), float(y)) for x, y in self.grid.places)
        names = tuple(map(self._name, range(len(places))))
        return Board(places, shape="disc", sides=(MARKS[1], MARKS[2]), names=names, dark_first=True)

    def mover(self, state: Sequence[int]) -> int:
        """Return the player to move, which the last cell of a state holds."""
        return int(state[-1])

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the discs, "X" and "O"."""
        return [MARKS[disc] if disc else "" for disc in state[:-1]]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the cell of the new disc; to pass, the first disc."""
        if move == PASS:
            return [next(cell for cell, disc in enumerate(state) if disc)]
        return [(move & ((1 << _CELL_BITS) - 1)) - 1]
