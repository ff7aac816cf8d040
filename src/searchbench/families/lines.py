"""Two players alternately place stones; the first to complete a line wins (Allis 1994: tic-tac-toe, Connect Four, Qubic)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from functools import lru_cache
from itertools import pairwise, permutations, product
from typing import Any, ClassVar, NamedTuple

import numpy as np

from searchbench.board import counted
from searchbench.errors import BadState
from searchbench.families.digits import digits_of_lines
from searchbench.families.stacks import Stacks
from searchbench.families.transcripts import after_moves, is_transcript
from searchbench.game import Board, Drops, Game
from searchbench.index import Part
from searchbench.index.digits import Digits
from searchbench.rules import UNDECIDED, State

MARKS = ".XO"
"""Marks of an empty cell, a stone of the first and of the second player."""


DECIDING = ("start", "terminal", "moves", "play")
"""The rules that tell what can come of a position."""


class LineBoard(NamedTuple):
    """The board of a game of lines; cells are numbered in reading order.

    `places` contains each cell's position in the drawing (x, y), `lines` the cells of each line, `order` the order in which
    moves are tried, `stacks` the cells that must be filled from the bottom up, `symmetries` the targets of the
    cells' contents.
    """

    places: tuple[tuple[int, int], ...]
    lines: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    stacks: tuple[tuple[int, ...], ...]
    symmetries: tuple[tuple[int, ...], ...]


@lru_cache(maxsize=64)
def grid(columns: int, rows: int, k: int, gravity: bool) -> LineBoard:
    """Return a board of columns x rows cells, top row first; a line is k cells in any of the four directions."""
    cells = [(x, y) for y in range(rows) for x in range(columns)]
    number = {place: cell for cell, place in enumerate(cells)}
    lines = {
        tuple(sorted(number[x + step * dx, y + step * dy] for step in range(k)))
        for x, y in cells
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1))
        if (x + (k - 1) * dx, y + (k - 1) * dy) in number
    }

    def from_centre(cell: int) -> int:
        x, y = cells[cell]
        return (2 * x - columns + 1) ** 2 + (0 if gravity else (2 * y - rows + 1) ** 2)

    turns = [(False, x, y) for x in (False, True) for y in ((False,) if gravity else (False, True))]
    if columns == rows and not gravity:
        turns += [(True, x, y) for _, x, y in turns]

    def turned(place: tuple[int, int], turn: tuple[bool, bool, bool]) -> int:
        swap, mirror_x, mirror_y = turn
        x, y = place[::-1] if swap else place
        return number[columns - 1 - x if mirror_x else x, rows - 1 - y if mirror_y else y]

    upwards = [tuple(number[x, y] for y in reversed(range(rows))) for x in range(columns)]
    return LineBoard(
        tuple(cells),
        tuple(sorted(lines)),
        tuple(sorted(range(len(cells)), key=from_centre)),
        tuple(upwards) if gravity else tuple((cell,) for cell in range(len(cells))),
        tuple(tuple(turned(place, turn) for place in cells) for turn in turns),
    )


@lru_cache(maxsize=8)
def cube(size: int) -> LineBoard:
    """Return the board of a cube of size x size x size cells, whose lines are all straight rows of `size` cells.

    Cell x + size y + size^2 z is drawn in plane z; the planes stand side by side. The symmetries are those of the cube, with
    the permutations of the planes that keep rows straight, the same in all three directions (Allis 1994, section 4.2).
    """
    last = size - 1
    cells = list(product(range(size), repeat=3))  # (z, y, x)
    number: dict[tuple[int, ...], int] = {place: cell for cell, place in enumerate(cells)}
    lines: set[tuple[int, ...]] = set()
    for start in cells:
        for step in product((0, 1, -1), repeat=3):
            row = [tuple(at + i * by for at, by in zip(start, step, strict=True)) for i in range(size)]
            if any(step) and row[-1] in number:
                lines.add(tuple(sorted(number[place] for place in row)))
    orders = [
        order for order in permutations(range(size)) if all(order[last - i] == last - order[i] for i in range(size))
    ]

    def turned(place: tuple[int, ...], axes: tuple[int, ...], flips: tuple[bool, ...], order: tuple[int, ...]) -> int:
        turns = zip(axes, flips, strict=True)
        return number[tuple(order[last - place[axis] if flip else place[axis]] for axis, flip in turns)]

    symmetries = {
        tuple(turned(place, axes, flips, order) for place in cells)
        for axes in permutations(range(3))
        for flips in product((False, True), repeat=3)
        for order in orders
    }
    degree = [sum(cell in line for line in lines) for cell in range(len(cells))]
    identity = tuple(range(len(cells)))
    return LineBoard(
        tuple((x + (size + 1) * z, y) for z, y, x in cells),
        tuple(sorted(lines)),
        tuple(sorted(identity, key=lambda cell: -degree[cell])),
        tuple((cell,) for cell in identity),
        (identity, *sorted(symmetries - {identity})),
    )


class Lines(Game):
    """Complete a line of the player's own stones; a full board without a line is a draw.

    Derive a frozen dataclass that supplies `lines`, and `symmetric` if rotated or reflected positions share a number. A
    state has one cell per board cell: 0 empty, 1 the first player's stone, 2 the second's.
    """

    values: ClassVar[Any] = "outcome"

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        raise NotImplementedError

    @property
    def symmetries(self) -> int:
        """Return the symmetries of the board, where symmetric positions share a number."""
        return len(self.lines.symmetries) if self.symmetric else 1

    @property
    def symmetric(self) -> bool:
        """Tell whether symmetric positions share a number."""
        return False

    def opening(self) -> Mapping[tuple[int, ...], int]:
        """Return moves with which a proof may begin, by representative of symmetric states; proofs do not rely on them."""
        return {}

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return len(self.lines.places)

    @property
    def max_moves(self) -> int:
        """Return the number of stacks: each has at most one playable cell and one top stone."""
        return len(self.lines.stacks)

    @property
    def locality(self) -> int:
        """Return 0: every move adds a stone, so the number of stones is the depth."""
        return 0

    def index(self) -> Stacks | None:
        """Return an index by the number of stones, if there are fewer than 2^63 positions."""
        index = Stacks(self.lines.stacks)
        return index if index.size < 1 << 63 else None

    def parts(self) -> Sequence[Part]:
        """Return one part per number of stones."""
        index = self.index()
        return index.parts() if index is not None else []

    def called_part(self, part: str) -> str:
        """Return the number of stones in words."""
        return counted(part, "stone")

    def has_line(self) -> Callable[[State, int], bool]:
        """Return a rule ``(state, player)``: whether a player (1 or 2) has won; by default, has a line of the board."""
        length = max(map(len, self.lines.lines), default=1)
        padded = [[*line, *line[-1:] * (length - len(line))] for line in self.lines.lines]
        lines = np.array(padded, np.int64).reshape(-1, length)
        count_lines = len(lines)

        def has_line(state: State, player: int) -> bool:
            for line in range(count_lines):
                place = 0
                while place < length and state[lines[line, place]] == player:
                    place += 1
                if place == length:
                    return True
            return False

        return has_line

    @property
    def lines_alone(self) -> LineBoard | None:
        """Return the board if to complete one of its lines is all that wins, None where a game has a rule of its own.

        What is told of the board, such as `drops` and `digits`, holds under the rules of this class alone.
        """
        return self.lines if self.is_decided_by(Lines) else None

    def is_decided_by(self, kind: type[Lines]) -> bool:
        """Tell whether the rules of a class tell what can come of a position, though others may have been added to them."""
        if type(self).has_line is not kind.has_line:
            return False
        if type(self).rules is kind.rules:
            return True
        functions, own = self.rules(), kind.rules(self)
        return all(getattr(functions[name], "__code__", None) is own[name].__code__ for name in DECIDING)

    @property
    def longer_rows(self) -> tuple[bool, bool] | None:
        """Return for each player whether longer rows win, too; None where a line need not win."""
        return (True, True) if self.lines_alone is not None else None

    @property
    def forbids_cells(self) -> bool:
        """Return whether the rule `forbids` keeps the first player from some empty cells."""
        return False

    def drops(self) -> Drops | None:
        """Return the board if stones fall, all columns are equally high, and its lines are all rows of some length."""
        board = self.lines_alone
        if board is None:
            return None
        rows, length = len(board.stacks[0]), len(board.lines[0]) if board.lines else 0
        if rows < 2 or any(len(stack) != rows for stack in board.stacks) or length == 0:
            return None
        whole = grid(len(board.stacks), rows, length, gravity=True)
        same = (board.places, board.lines, board.stacks) == (whole.places, whole.lines, whole.stacks)
        return Drops(len(board.stacks), rows, length, board.stacks) if same else None

    def digits(self) -> Digits | None:
        """Return the digits, if lines alone decide and symmetric positions have numbers of their own."""
        board = self.lines_alone
        return None if board is None or self.symmetric else digits_of_lines(board)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``2 * cell``, plus 1 for the second player's stone."""
        board = self.lines
        cells = len(board.places)
        order = np.array(board.order, np.int64)
        below = np.full(cells, -1, np.int64)
        above = np.full(cells, -1, np.int64)
        for stack in board.stacks:
            for low, high in pairwise(stack):
                below[high], above[low] = low, high

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = 0

        def stones(state: State) -> int:
            count = 0
            for cell in range(cells):
                if state[cell] != 0:
                    count += 1
            return count

        has_line = self.has_line()

        def terminal(state: State) -> int:
            count = stones(state)
            if has_line(state, 2 - (count & 1)):  # the player who moved last
                return -1
            return 0 if count == cells else UNDECIDED

        def moves(state: State, out: MutableSequence[int]) -> int:
            player = stones(state) & 1
            count = 0
            for place in range(cells):
                cell = order[place]
                if state[cell] == 0 and (below[cell] < 0 or state[below[cell]] != 0):
                    out[count] = 2 * cell + player
                    count += 1
            return count

        def play(state: State, move: int) -> None:
            state[move >> 1] = 1 + (move & 1)

        def unplay(state: State, move: int) -> None:
            state[move >> 1] = 0

        def could_be_last(state: State, cell: int, player: int, won: bool) -> bool:
            # Without the last stone neither player has a line: otherwise the game was already over.
            if state[cell] != player or (above[cell] >= 0 and state[above[cell]] != 0):
                return False
            if not won:
                return True
            state[cell] = 0
            decided = has_line(state, player)
            state[cell] = player
            return not decided

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            last = 2 - (stones(state) & 1)
            won = has_line(state, last)
            count = 0
            for cell in range(cells):
                if could_be_last(state, cell, last, won):
                    out[count] = 2 * cell + last - 1
                    count += 1
            return count

        def legal(state: State) -> bool:
            # Not checked: whether stones in stacks can have been placed strictly in turn.
            ones = 0
            twos = 0
            for cell in range(cells):
                if state[cell] == 1:
                    ones += 1
                elif state[cell] == 2:
                    twos += 1
                if state[cell] != 0 and below[cell] >= 0 and state[below[cell]] == 0:
                    return False
            if ones - twos != (ones + twos) & 1:
                return False
            last = 2 - ((ones + twos) & 1)
            if has_line(state, 3 - last):
                return False
            if not has_line(state, last):
                return True
            for cell in range(cells):
                if could_be_last(state, cell, last, True):
                    return True
            return False

        functions: dict[str, Callable[..., Any]] = {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": unmoves,
            "legal": legal,
        }  # fmt: skip
        if self.symmetric:
            functions |= turns_of(board.symmetries)
        return functions

    def parse(self, text: str) -> list[int]:
        """Read the rows from the top: "." empty, "X" the first player's stone, "O" the second's, "/" between rows.

        Or read the moves that lead there, such as "b2a1" or "b2 a1".
        """
        if is_transcript(text):
            return after_moves(self, text)
        marks = [mark for mark in text.strip().upper() if mark not in "/ "]
        if len(marks) != self.width or not set(marks) <= set(MARKS):
            raise BadState(f"{self}: {text!r}: expected rows such as {self.format(self.start())!r} of {MARKS!r}")
        return [MARKS.index(mark) for mark in marks]

    def impossible(self, state: Sequence[int]) -> str | None:
        """Tell of stones that the players cannot have put in turn, or that hang in the air."""
        first, second = (sum(stone == player for stone in state) for player in (1, 2))
        if first - second not in (0, 1):
            return f"{first} of {MARKS[1]} and {second} of {MARKS[2]}, but the players move in turn, {MARKS[1]} first"
        for stack in self.lines.stacks:
            for below, above in pairwise(stack):
                if state[above] and not state[below]:
                    return "a stone hangs over an empty cell"
        return None

    def format(self, state: Sequence[int]) -> str:
        """Return the rows from the top: "." empty, "X" the first player's stone, "O" the second's, "/" between rows."""
        text, row = "", 0
        for (_, y), stone in zip(self.lines.places, state, strict=True):
            text += ("/" if y > row else "//" if y < row else "") + MARKS[stone]
            row = y
        return text

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cell, such as "b2" (columns a, b, ... and rows from below); the number of a stack from 1."""
        return self._name(move >> 1)

    def _name(self, cell: int) -> str:
        x, y = self.lines.places[cell]
        if len(self.lines.stacks) < self.width:
            return str(x + 1)
        return f"{chr(ord('a') + x)}{self.lines.places[-1][1] - y + 1}"

    def mover(self, state: Sequence[int]) -> int:
        """Return the player to move: the second one where the first has more stones."""
        return int(sum(stone == 1 for stone in state) > sum(stone == 2 for stone in state))

    def board(self) -> Board:
        """Return the cells row by row."""
        shape = "disc" if len(self.lines.stacks[0]) > 1 else "mark"
        places = tuple((float(x), float(y)) for x, y in self.lines.places)
        return Board(places, shape=shape, sides=(MARKS[1], MARKS[2]), names=tuple(map(self._name, range(len(places)))))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the stones, "X" and "O"."""
        return [MARKS[stone] if stone else "" for stone in state]


def turns_of(symmetries: tuple[tuple[int, ...], ...]) -> dict[str, Callable[..., Any]]:
    """Return the rules `image_under` and `canonical`, which chooses the lexicographically smallest symmetric state."""
    count, cells = len(symmetries), len(symmetries[0])
    # source[g, c]: the cell whose contents symmetry g moves to cell c; a symmetry is applied in place by swapping
    # pairs.
    source = np.array([[symmetry.index(cell) for cell in range(cells)] for symmetry in symmetries], np.int64)
    swaps = np.zeros((count, cells, 2), np.int64)
    for turn, symmetry in enumerate(symmetries):
        waiting = list(symmetry)
        made = 0
        for cell in range(cells):
            while waiting[cell] != cell:
                other = waiting[cell]
                swaps[turn, made] = cell, other
                waiting[cell], waiting[other] = waiting[other], waiting[cell]
                made += 1

    def canonical(state: State) -> None:
        best = 0
        for turn in range(1, count):
            cell = 0
            while cell < cells - 1 and state[source[turn, cell]] == state[source[best, cell]]:
                cell += 1
            if state[source[turn, cell]] < state[source[best, cell]]:
                best = turn
        image_under(state, best)

    def image_under(state: State, symmetry: int) -> None:
        for swap in range(cells):
            one, other = swaps[symmetry, swap, 0], swaps[symmetry, swap, 1]
            state[one], state[other] = state[other], state[one]

    return {"canonical": canonical, "image_under": image_under}
