"""Pieces that slide to an empty neighbouring cell or jump over one piece into an empty cell (Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from searchbench.errors import BadState
from searchbench.families.backwards import backwards
from searchbench.families.paths import hamiltonian_paths
from searchbench.game import Board, Game
from searchbench.index import Index, Multiset, OneEmpty, Sequences, exchange, multinomial
from searchbench.rules import UNDECIDED, State

EMPTY, BLACK, WHITE = range(3)
MARKS = "-xo"
"""Marks of an empty cell, a black and a white piece; any other character in a drawing is off the board."""


class Cells(NamedTuple):
    """A board: each cell's position (column, row), its content at the start, and the ways into it.

    A way into a cell is (from, over): a piece slides from its neighbour `from`, with `over` -1, or jumps over the piece
    on `over`. If one cell is empty and there is a Hamiltonian path, the cells are numbered along such a path; else row
    by row.
    """

    places: tuple[tuple[int, int], ...]
    start: tuple[int, ...]
    ways: tuple[tuple[tuple[int, int], ...], ...]


@lru_cache(maxsize=64)
def read_drawing(drawing: str) -> Cells:
    """Parse the drawing of a board, one line per row."""
    pieces = {
        (column, row): MARKS.index(mark)
        for row, line in enumerate(drawing.splitlines())
        for column, mark in enumerate(line)
        if mark in MARKS
    }
    places = tuple(pieces)
    start = tuple(pieces.values())
    ways = _ways(places)
    order = _cheapest_path(ways) if start.count(EMPTY) == 1 else range(len(places))
    places = tuple(places[cell] for cell in order)
    return Cells(places, tuple(start[cell] for cell in order), _ways(places))


def _ways(places: tuple[tuple[int, int], ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the ways into each cell."""
    number = {place: cell for cell, place in enumerate(places)}

    def ways(column: int, row: int) -> tuple[tuple[int, int], ...]:
        around = [(column + x, row + y, column + 2 * x, row + 2 * y) for x, y in ((0, -1), (-1, 0), (1, 0), (0, 1))]
        slides = [(number[near, at], -1) for near, at, _, _ in around if (near, at) in number]
        jumps = [
            (number[far, beyond], number[near, at])
            for near, at, far, beyond in around
            if (near, at) in number and (far, beyond) in number
        ]
        return tuple(jumps + slides)

    return tuple(ways(*place) for place in places)


def _cheapest_path(ways: tuple[tuple[tuple[int, int], ...], ...]) -> Sequence[int]:
    """Return the Hamiltonian path whose moves from the first half reach least far into the second; row order if none is found.

    Breadth-first search moves sequences within a half at no cost, and in longer runs the less of the second half
    changes.
    """
    middle = len(ways) // 2

    def reach(path: tuple[int, ...]) -> int:
        place = {cell: at for at, cell in enumerate(path)}
        return sum(place[to] - middle for to in path[middle + 1 :] for cell, _ in ways[to] if place[cell] < middle)

    slides = [[cell for cell, over in into if over < 0] for into in ways]
    return min(hamiltonian_paths(slides), key=reach, default=range(len(ways)))


class Jumps(Game):
    """Exchange the black and the white pieces of a drawing, which move in all four directions.

    Derive a frozen dataclass that supplies `drawing`. The goal is the start with the colours exchanged; a piece may
    jump over a piece of either colour, and nothing is captured.
    """

    version: ClassVar[int] = 2
    consistent: ClassVar[bool] = True

    @property
    def drawing(self) -> str:
        """Return a drawing of the start: "x" black, "o" white, "-" empty."""
        raise NotImplementedError

    @property
    def cells(self) -> Cells:
        """Return the board."""
        return read_drawing(self.drawing)

    @property
    def width(self) -> int:
        """Return the number of cells: 0 is empty, 1 black, 2 white."""
        return len(self.cells.start)

    @property
    def max_moves(self) -> int:
        """Return the number of ways into the best connected cells, as many cells as are empty."""
        degrees = sorted(map(len, self.cells.ways))
        return max(1, sum(degrees[len(degrees) - self.cells.start.count(EMPTY) :]))

    @property
    def locality(self) -> int:
        """Return 1: a move undoes every move."""
        return 1

    def index(self) -> Index | None:
        """Return an index of the arrangements of the pieces, if there are fewer than 2^63."""
        counts = tuple(self.cells.start.count(piece) for piece in (EMPTY, BLACK, WHITE))
        if multinomial(counts) >= 1 << 63:
            return None
        return OneEmpty(counts[1:]) if counts[EMPTY] == 1 else Multiset(counts)

    def sequences(self) -> Sequences | None:
        """Return the moves as rearrangements of the pieces, if there is one empty cell, which is then the place."""
        index = self.index()
        if not isinstance(index, OneEmpty):
            return None
        moves = [exchange(to, source, self.width) for to, ways in enumerate(self.cells.ways) for source, _ in ways]
        return Sequences(self.width - 1, self.width, tuple(moves), pieces=index.pieces)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from * cells + to``."""
        board = self.cells
        cells = len(board.start)
        most = max(map(len, board.ways))
        sources = np.full((cells, most), -1, np.int64)
        over = np.full((cells, most), -1, np.int64)
        for cell, ways in enumerate(board.ways):
            for place, (source, between) in enumerate(ways):
                sources[cell, place], over[cell, place] = source, between
        degrees = np.array([len(ways) for ways in board.ways], np.int64)
        columns = np.array([column for column, _ in board.places], np.int64)
        rows = np.array([row for _, row in board.places], np.int64)
        first = np.array(board.start, np.int64)
        goal = np.array([(EMPTY, WHITE, BLACK)[piece] for piece in board.start], np.int64)

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = first[cell]

        def terminal(state: State) -> int:
            for cell in range(cells):
                if state[cell] != goal[cell]:
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for to in range(cells):
                if state[to] != EMPTY:
                    continue
                for place in range(degrees[to]):
                    between = over[to, place]
                    if state[sources[to, place]] != EMPTY and (between < 0 or state[between] != EMPTY):
                        out[count] = sources[to, place] * cells + to
                        count += 1
            return count

        def play(state: State, move: int) -> None:
            state[move % cells] = state[move // cells]
            state[move // cells] = EMPTY

        def inverse(move: int) -> int:
            return move % cells * cells + move // cells

        def reversal(state: State) -> None:
            for cell in range(cells):
                if state[cell] != EMPTY:
                    state[cell] = BLACK + WHITE - state[cell]

        def h(state: State, tables: Any) -> int:
            # A move brings at most one piece home, and reduces the total distance of one colour's pieces to their goals
            # by at most two columns or two rows.
            astray = 0
            distance = 0
            for colour in range(BLACK, WHITE + 1):
                right = 0
                down = 0
                for cell in range(cells):
                    if state[cell] == colour:
                        right += columns[cell]
                        down += rows[cell]
                        if goal[cell] != colour:
                            astray += 1
                    if goal[cell] == colour:
                        right -= columns[cell]
                        down -= rows[cell]
                distance += (abs(right) + abs(down) + 1) // 2
            return max(astray, distance)

        return {
            **backwards(moves, play, inverse), "start": start, "terminal": terminal, "moves": moves, "play": play,
            "inverse": inverse, "reversal": reversal, "h": h,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the cells row by row: "x" black, "o" white, "-" empty, with "/" between the rows."""
        marks = [mark for mark in text.strip().lower() if mark not in "/ "]
        pieces = [MARKS.index(mark) for mark in marks if mark in MARKS]
        if len(pieces) < len(marks) or sorted(pieces) != sorted(self.cells.start):
            example = self.format(self.cells.start)
            raise BadState(f"{self}: {text!r}: expected the pieces of {example!r} in some order")
        state = [EMPTY] * self.width
        for cell, piece in zip(self._row_by_row(), pieces, strict=True):
            state[cell] = piece
        return state

    def format(self, state: Sequence[int]) -> str:
        """Return the cells row by row: "x" black, "o" white, "-" empty, with "/" between the rows."""
        rows: dict[int, str] = {}
        for cell in self._row_by_row():
            _, row = self.cells.places[cell]
            rows[row] = rows.get(row, "") + MARKS[state[cell]]
        return "/".join(rows.values())

    def _row_by_row(self) -> list[int]:
        """Return the cells in reading order."""
        return sorted(range(self.width), key=lambda cell: self.cells.places[cell][::-1])

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cells a piece moves from and to, such as "c3-c5": columns a, b, ... and rows from below."""
        names = self._names()
        return f"{names[move // self.width]}-{names[move % self.width]}"

    def _names(self) -> tuple[str, ...]:
        bottom = max(row for _, row in self.cells.places)
        return tuple(f"{chr(ord('a') + column)}{bottom - row + 1}" for column, row in self.cells.places)

    def board(self) -> Board:
        """Return the cells as in the drawing."""
        places = tuple((float(column), float(row)) for column, row in self.cells.places)
        return Board(places, sides=(MARKS[BLACK], MARKS[WHITE]), names=self._names())

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the pieces, "x" or "o"."""
        return [MARKS[piece] if piece else "" for piece in state]
