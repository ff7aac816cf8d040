"""Chess endings without pawns: mate, stalemate and captures on a board of any size, turned and mirrored boards as one."""

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from searchbench import UNDECIDED, Game, State, errors, index

STEPS = np.array([(-1, -1), (-1, 1), (1, -1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1)], np.int64)  # bishop's, rook's


class Board(NamedTuple):
    """What turning and mirroring does to a board without men, as arrays; the square number `squares` is beside the board."""

    images: Any
    """Of each symmetry, the identity first: the square that each square becomes."""
    least: Any
    """Of each pair of squares of the two kings: the symmetry that makes the pair the first of those it can become."""
    other: Any
    """Of each pair of squares: a symmetry that leaves the pair as it is, the identity (0) if there is no other."""
    pairs: Any
    """The pairs that are the first of those they can become, and whose kings stand apart: king by king."""


@lru_cache
def board(rows: int, columns: int) -> Board:
    """Return the symmetries of a board; only a square one can be turned by a quarter."""
    places = np.arange(rows * columns).reshape(rows, columns)
    turned = [places, places[::-1], places[:, ::-1], places[::-1, ::-1]]
    if rows == columns:
        turned += [one.T for one in turned]
    images = np.array([[*one.ravel(), places.size] for one in turned], np.int64)
    white, black = np.divmod(np.arange(places.size**2), places.size)
    becomes = images[:, white] * places.size + images[:, black]
    least = becomes.argmin(axis=0)
    fixing = becomes == becomes[0]
    fixing[0] = False
    apart = np.maximum(abs(white // columns - black // columns), abs(white % columns - black % columns)) > 1
    return Board(images, least, fixing.argmax(axis=0), np.flatnonzero((least == 0) & apart))


@dataclass(frozen=True)
class Kings:
    """Number the squares of both kings, of symmetric pairs one."""

    rows: int
    columns: int
    width: ClassVar[int] = 2

    @property
    def size(self) -> int:
        return len(board(self.rows, self.columns).pairs)

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        squares, pairs = self.rows * self.columns, board(self.rows, self.columns).pairs
        numbers = np.full(squares * squares, -1, np.int64)
        numbers[pairs] = np.arange(len(pairs))

        def rank(state: State) -> int:
            return int(numbers[state[at] * squares + state[at + 1]])

        def unrank(number: int, state: State) -> None:
            state[at] = pairs[number] // squares
            state[at + 1] = pairs[number] % squares

        return rank, unrank


@dataclass(frozen=True)
class ChessEnding(Game):
    """Mate with few pieces: capitals are White's, `K` and `k` the kings; a captured piece stands beside the board."""

    name: ClassVar[str] = "chess-ending"
    values: ClassVar[str] = "outcome"

    men: str = "KkQr"
    rows: int = 8
    columns: int = 8

    def __post_init__(self) -> None:
        if min(self.rows, self.columns) < 3:
            raise errors.BadRequest(f"a board of {self.rows}x{self.columns}: expected 3 rows and 3 columns or more")
        if self.men[:2] != "Kk" or not set(self.men[2:]) <= set("QqRrBb"):
            raise errors.BadRequest(f"men {self.men!r}: expected Kk, then some of QqRrBb")

    @property
    def width(self) -> int:
        return 1 + len(self.men)

    @property
    def max_moves(self) -> int:
        return 2 * len(self.men) * 2 * (self.rows + self.columns)

    def index(self) -> index.Product:
        others = [self.rows * self.columns + 1] * (len(self.men) - 2)
        kings = Kings(self.rows, self.columns)
        return index.Product(index.Radix((2,)), kings, *([index.Radix(tuple(others))] if others else []))

    def ways(self) -> Any:
        """Return which of the STEPS leads from a square towards another one, -1 for none: from beside the board none does."""
        squares = self.rows * self.columns
        found = np.full((squares + 1, squares), -1, np.int64)
        for square in range(squares):
            for way, (down, right) in enumerate(STEPS.tolist()):
                row, column = square // self.columns + down, square % self.columns + right
                while 0 <= row < self.rows and 0 <= column < self.columns:
                    found[square, row * self.columns + column] = way
                    row, column = row + down, column + right
        return found

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ((taken * count + piece) * squares + from) * squares + to, with taken 0 for none."""
        rows, columns, squares, count = self.rows, self.columns, self.rows * self.columns, len(self.men)
        black = np.array([man.islower() for man in self.men], np.int64)
        first = np.array([{"R": 4}.get(man.upper(), 0) for man in self.men], np.int64)
        last = np.array([{"B": 4}.get(man.upper(), 8) for man in self.men], np.int64)
        leap = STEPS[:, 0] * columns + STEPS[:, 1]
        ways = self.ways()
        images, least, other, _ = board(rows, columns)

        def at(state: State, square: int) -> int:
            for piece in range(count):
                if state[1 + piece] == square:
                    return piece
            return -1

        def attacks(state: State, piece: int, target: int) -> bool:
            square = int(state[1 + piece])
            way = ways[square, target]
            if not first[piece] <= way < last[piece]:
                return False
            step = leap[way]
            square += step
            if piece < 2:
                return bool(square == target)
            while square != target:
                if at(state, square) >= 0:
                    return False
                square += step
            return True

        def in_check(state: State, side: int) -> bool:
            for piece in range(count):
                if black[piece] != side and attacks(state, piece, state[1 + side]):
                    return True
            return False

        def legal(state: State) -> bool:
            for piece in range(count):
                for other in range(piece):
                    if state[1 + piece] == state[1 + other] and state[1 + piece] < squares:
                        return False
            return not in_check(state, 1 - state[0])

        placed = [0, 0, squares - 1]
        for piece in range(2, count):  # on the first square from which it gives no check
            beside = [squares] * (count - piece - 1)
            found = [square for square in range(squares) if legal([*placed, square, *beside])]
            if not found:
                raise errors.BadRequest(f"men {self.men!r}: the board of {rows}x{columns} has no room for them")
            placed.append(found[0])
        opening = np.array(placed, np.int64)

        def start(state: State) -> None:
            for cell in range(1 + count):
                state[cell] = opening[cell]

        def moves(state: State, out: MutableSequence[int]) -> int:
            side, found = state[0], 0
            for piece in range(count):
                begin = int(state[1 + piece])
                if black[piece] != side or begin == squares:
                    continue
                for way in range(first[piece], last[piece]):
                    row, column = begin // columns + STEPS[way, 0], begin % columns + STEPS[way, 1]
                    while 0 <= row < rows and 0 <= column < columns:
                        end = row * columns + column
                        taken = at(state, end)
                        if taken >= 0 and black[taken] == side:
                            break
                        if taken >= 0:
                            state[1 + taken] = squares
                        state[1 + piece] = end
                        safe = not in_check(state, side)
                        state[1 + piece] = begin
                        if taken >= 0:
                            state[1 + taken] = end
                        if safe:
                            out[found] = (((taken + 1) * count + piece) * squares + begin) * squares + end
                            found += 1
                        if taken >= 0 or piece < 2:
                            break
                        row, column = row + STEPS[way, 0], column + STEPS[way, 1]
            return found

        def can_move(state: State) -> bool:
            side = state[0]
            for piece in range(count):
                begin = int(state[1 + piece])
                if black[piece] != side or begin == squares:
                    continue
                for way in range(first[piece], last[piece]):
                    row, column = begin // columns + STEPS[way, 0], begin % columns + STEPS[way, 1]
                    while 0 <= row < rows and 0 <= column < columns:
                        end = row * columns + column
                        taken = at(state, end)
                        if taken >= 0 and black[taken] == side:
                            break
                        if taken >= 0:
                            state[1 + taken] = squares
                        state[1 + piece] = end
                        safe = not in_check(state, side)
                        state[1 + piece] = begin
                        if taken >= 0:
                            state[1 + taken] = end
                        if safe:
                            return True
                        if taken >= 0 or piece < 2:
                            break
                        row, column = row + STEPS[way, 0], column + STEPS[way, 1]
            return False

        def terminal(state: State) -> int:
            if can_move(state):
                return UNDECIDED
            return -1 if in_check(state, state[0]) else 0

        def play(state: State, move: int) -> None:
            what = move // (squares * squares)
            taken, piece = what // count, what % count
            if taken > 0:
                state[taken] = squares
            state[1 + piece] = move % squares
            state[0] = 1 - state[0]

        def unplay(state: State, move: int) -> None:
            what = move // (squares * squares)
            taken, piece = what // count, what % count
            state[0] = 1 - state[0]
            state[1 + piece] = move // squares % squares
            if taken > 0:
                state[taken] = move % squares

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            side, found = 1 - state[0], 0
            for piece in range(count):
                end = int(state[1 + piece])
                if black[piece] != side or end == squares:
                    continue
                for way in range(first[piece], last[piece]):
                    row, column = end // columns + STEPS[way, 0], end % columns + STEPS[way, 1]
                    while 0 <= row < rows and 0 <= column < columns:
                        begin = row * columns + column
                        if at(state, begin) >= 0:
                            break
                        for taken in range(count + 1):
                            if taken == 0 or (state[taken] == squares and black[taken - 1] != side):
                                move = ((taken * count + piece) * squares + begin) * squares + end
                                unplay(state, move)
                                possible = not in_check(state, 1 - side)
                                play(state, move)
                                if possible:
                                    out[found] = move
                                    found += 1
                        if piece < 2:
                            break
                        row, column = row + STEPS[way, 0], column + STEPS[way, 1]
            return found

        def compare(state: State, symmetry: int) -> int:
            """Return whether the image of the other men comes before them (-1), after them (1), or is the same (0)."""
            for piece in range(2, count):
                here, there = state[1 + piece], images[symmetry, state[1 + piece]]
                if here != there:
                    return -1 if there < here else 1
            return 0

        def turn(state: State, symmetry: int) -> None:
            for piece in range(count):
                state[1 + piece] = images[symmetry, state[1 + piece]]

        def canonical(state: State) -> None:
            turn(state, least[state[1] * squares + state[2]])
            symmetry = other[state[1] * squares + state[2]]
            if symmetry > 0 and compare(state, symmetry) < 0:
                turn(state, symmetry)

        def stabilizer(state: State) -> int:
            symmetry = other[state[1] * squares + state[2]]
            return 2 if symmetry > 0 and compare(state, symmetry) == 0 else 1

        return {
            "start": start, "legal": legal, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay,
            "unmoves": unmoves, "canonical": canonical, "stabilizer": stabilizer,
        }  # fmt: skip

    def square(self, text: str) -> int:
        """Read a square such as "c2"; "-" is beside the board."""
        return (
            self.rows * self.columns if text == "-" else int(text[1:]) * self.columns - self.columns + ord(text[0]) - 97
        )

    def square_name(self, square: int) -> str:
        """Write a square."""
        if square == self.rows * self.columns:
            return "-"
        return f"{chr(97 + square % self.columns)}{square // self.columns + 1}"

    def parse(self, text: str) -> list[int]:
        """Read who is to move, then where the men are: "w a1 c3 b2 -"."""
        side, *where = text.split()
        if side not in "wb" or len(where) != len(self.men):
            raise errors.BadState(f"{text!r}: expected w or b, and the squares of {', '.join(self.men)}")
        return ["wb".index(side), *map(self.square, where)]

    def format(self, state: Sequence[int]) -> str:
        return " ".join(["wb"[state[0]], *map(self.square_name, state[1:])])

    def format_move(self, state: Sequence[int], move: int) -> str:
        squares = self.rows * self.columns
        return self.square_name(move // squares % squares) + self.square_name(move % squares)
