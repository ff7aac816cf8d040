"""Chess endings of up to four men without pawns: distances to mate, with a part for each set of men that captures leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest, BadState
from searchbench.game import Board, Game
from searchbench.index import Sum
from searchbench.index.protocol import Part
from searchbench.rules import NOWHERE, UNDECIDED, State

FIGURINES: Final = dict(zip("KQRBNkqrbn", "\u2654\u2655\u2656\u2657\u2658\u265a\u265b\u265c\u265d\u265e", strict=True))
STEPS: Final = (
    (-1, -1), (-1, 1), (1, -1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1),
    (-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1),
)  # fmt: skip
"""The ways (rows, columns) of bishops, of rooks, and of knights."""
WAYS: Final = {"K": (0, 8), "Q": (0, 8), "R": (4, 8), "B": (0, 4), "N": (8, 16)}
"""Of each man: the first of its ways, and the one after the last."""
NEAR: Final = "KN"
"""Men that go one step of their ways."""
MOST_MEN: Final = 4
PLIES: Final = {"KQK": 20, "KRK": 32, "KQKR": 70}
"""On the board of 8 x 8, with the weaker side to move: the longest defence in plies, 10, 16 and 35 moves."""
SMALL: Final = {("KQK", 4, 4): (420, 8), ("KRK", 5, 5): (2346, 20)}
"""Positions and the longest defence on small boards."""


class Turns(NamedTuple):
    """What turning and mirroring does to a board without men, as arrays; square number `squares` is beside the board."""

    images: Any
    """Of each symmetry, the identity first: the square that each square becomes."""
    least: Any
    """Of each pair of squares of the kings: the symmetry that makes the pair the first of those it can become."""
    other: Any
    """Of each pair of squares: a symmetry that leaves the pair as it is, the identity (0) if there is no other."""
    pairs: Any
    """The pairs that are the first of those they can become, and whose kings stand apart."""


@lru_cache
def turns(rows: int, columns: int) -> Turns:
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
    return Turns(images, least, fixing.argmax(axis=0), np.flatnonzero((least == 0) & apart))


@dataclass(frozen=True)
class Placements:
    """Number who is to move and the squares of both kings, of symmetric pairs one, and of those other men that are there."""

    rows: int
    columns: int
    there: tuple[bool, ...]

    @property
    def width(self) -> int:
        """Return the cells: who is to move, the kings, the other men."""
        return 3 + len(self.there)

    @property
    def size(self) -> int:
        """Return the size of the index."""
        return int(2 * len(turns(self.rows, self.columns).pairs) * (self.rows * self.columns) ** sum(self.there))

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        squares, pairs = self.rows * self.columns, turns(self.rows, self.columns).pairs
        count, kings = len(self.there), len(pairs)
        numbers = np.full(squares * squares, -1, np.int64)
        numbers[pairs] = np.arange(kings)
        there = np.array([*self.there, False], np.bool_)

        def rank(state: State) -> int:
            number = state[at] * kings + numbers[state[at + 1] * squares + state[at + 2]]
            for man in range(count):
                if state[at + 3 + man] < squares:
                    number = number * squares + state[at + 3 + man]
            return int(number)

        def unrank(number: int, state: State) -> None:
            rest = number
            for man in range(count - 1, -1, -1):
                state[at + 3 + man] = squares
                if there[man]:
                    state[at + 3 + man] = rest % squares
                    rest //= squares
            pair = pairs[rest % kings]
            state[at] = rest // kings
            state[at + 1] = pair // squares
            state[at + 2] = pair % squares

        return rank, unrank


@dataclass(frozen=True)
class Chess(Game):
    """Mate with few men: `men`, White's and then Black's, each from the king on.

    There are no pawns and no castling, and a draw is what nobody can win. A state has who is to move (0 White), the squares
    of the kings and of the other men, a1, b1, ...; of two equal men the lower square comes first. A captured man stands beside
    the board.
    """

    name: ClassVar[str] = "chess"
    values: ClassVar[Any] = "outcome"
    sides: ClassVar[tuple[str, str]] = ("White", "Black")

    men: str = "KQK"
    rows: int = 8
    columns: int = 8

    @property
    def called(self) -> str:
        """Return the men, and the board if it is not the usual one."""
        return f"Chess ending {self.men}" + f" on {self.rows}x{self.columns}" * ((self.rows, self.columns) != (8, 8))

    def __post_init__(self) -> None:
        if not all(3 <= size <= 8 for size in (self.rows, self.columns)):
            raise BadRequest(f"a board of {self.rows}x{self.columns}: expected 3 to 8 rows and columns")
        if "P" in self.men.upper():
            raise BadRequest(
                f"men {self.men!r}: pawns are left out, as their promotion turns one ending into others; "
                "expected kings, queens, rooks, bishops and knights, as in KQKR"
            )
        if not re.fullmatch("K[QRBN]*K[QRBN]*", self.men):
            raise BadRequest(
                f"men {self.men!r}: expected White's men, then Black's, each beginning with the king, then some of QRBN: "
                "KQKR is king and queen against king and rook"
            )
        if len(self.men) > MOST_MEN:
            raise BadRequest(f"men {self.men!r}: {len(self.men)} men; expected at most {MOST_MEN}, the kings included")

    @property
    def others(self) -> str:
        """Return the men but the kings, in the order of their cells: White's as capitals."""
        white, black = self.men[1:].split("K")
        return white + black.lower()

    @property
    def width(self) -> int:
        """Return the cells: who is to move, and a square for each man."""
        return 1 + len(self.men)

    @property
    def max_moves(self) -> int:
        """Return a bound: each man goes along a row, a column and two diagonals, and may take back a capture of two men."""
        return 8 + (3 if len(self.others) > 1 else 2) * len(self.men) * 2 * (self.rows + self.columns)

    @property
    def symmetries(self) -> int:
        """Return in how many ways a board can be turned and mirrored: 8 ways if it is a square, else 4."""
        return len(turns(self.rows, self.columns).images)

    def index(self) -> Sum:
        """Return an index with a part for each set of men."""
        return Sum(
            {name: Placements(self.rows, self.columns, there) for there, name in self._parts().items()}, self._which()
        )

    def parts(self) -> list[Part]:
        """Return a part for each set of men: it needs itself, and what a capture of one man leaves."""
        names = self._parts()
        needs: dict[str, list[str]] = {name: [name] for name in names.values()}
        for there, name in names.items():
            for man in range(len(there)):
                if there[man]:
                    left = self._name((*there[:man], False, *there[man + 1 :]))
                    if left not in needs[name]:
                        needs[name].append(left)
        return self.index().parts({name: tuple(found) for name, found in needs.items()})

    def _parts(self) -> dict[tuple[bool, ...], str]:
        """Return the names of the parts, the fewest men first; of two equal men the first is the one that is there."""
        found: dict[str, tuple[bool, ...]] = {}
        for there in sorted(product((True, False), repeat=len(self.others)), key=sum):
            found.setdefault(self._name(there), there)
        return {there: name for name, there in found.items()}

    def _name(self, there: Sequence[bool]) -> str:
        """Return a set of men as chess players call it."""
        left = [man for man, present in zip(self.others, there, strict=True) if present]
        white, black = ("".join(man for man in left if man.isupper() == side) for side in (True, False))
        return f"K{white}K{black.upper()}"

    def _which(self) -> Callable[[State], int]:
        """Return the function that tells the part of a state."""
        squares, count, names = self.rows * self.columns, len(self.others), list(self._parts().values())
        masks = [tuple(bool(mask >> man & 1) for man in range(count)) for mask in range(1 << count)]
        places = np.array([names.index(self._name(there)) for there in masks], np.int64)

        def which(state: State) -> int:
            mask = 0
            for man in range(count):
                if state[3 + man] < squares:
                    mask += 1 << man
            return int(places[mask])

        return which

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is (taken * squares + from) * squares + to, with taken 0 for none, else the man's place."""
        rows, columns, squares = self.rows, self.columns, self.rows * self.columns
        men = "Kk" + self.others
        count, equal = len(men), len(men) == MOST_MEN and men[2] == men[3]
        black = np.array([man.islower() for man in men], np.int64)
        first, last = (np.array([WAYS[man.upper()][end] for man in men], np.int64) for end in (0, 1))
        near = np.array([man.upper() in NEAR for man in men], np.bool_)
        steps = np.array(STEPS, np.int64)
        leap = steps[:, 0] * columns + steps[:, 1]
        ways = self._ways()
        images, least, other, _ = turns(rows, columns)

        def at(state: State, square: int) -> int:
            for man in range(count):
                if state[1 + man] == square:
                    return man
            return -1

        def attacks(state: State, man: int, target: int) -> bool:
            square = int(state[1 + man])
            way = ways[square, target]
            if not first[man] <= way < last[man]:
                return False
            square += leap[way]
            while square != target:
                if near[man] or at(state, square) >= 0:
                    return False
                square += leap[way]
            return True

        def in_check(state: State, side: int) -> bool:
            for man in range(count):
                if black[man] != side and attacks(state, man, state[1 + side]):
                    return True
            return False

        def legal(state: State) -> bool:
            for man in range(count):
                for before in range(man):
                    if state[1 + man] == state[1 + before] and state[1 + man] < squares:
                        return False
            if equal and state[3] > state[4]:
                return False
            return not in_check(state, 1 - state[0])

        def sort(state: State) -> None:
            if equal and state[3] > state[4]:
                state[3], state[4] = state[4], state[3]

        opening = self._opening(legal)

        def start(state: State) -> None:
            for cell in range(1 + count):
                state[cell] = opening[cell]

        def find_moves(state: State, out: MutableSequence[int], keep: bool) -> int:
            """Write the moves and return their number; without `keep`, return 1 at the first, and write nothing."""
            side, found = state[0], 0
            for man in range(count):
                begin = int(state[1 + man])
                if black[man] != side or begin == squares:
                    continue
                for way in range(first[man], last[man]):
                    row, column = begin // columns + steps[way, 0], begin % columns + steps[way, 1]
                    while 0 <= row < rows and 0 <= column < columns:
                        end = row * columns + column
                        taken = at(state, end)
                        if taken >= 0 and black[taken] == side:
                            break
                        if taken >= 0:
                            state[1 + taken] = squares
                        state[1 + man] = end
                        safe = not in_check(state, side)
                        state[1 + man] = begin
                        if taken >= 0:
                            state[1 + taken] = end
                        if safe and not keep:
                            return 1
                        if safe:
                            kind = 2 if equal and taken == 3 else taken  # which of two equal men makes no difference
                            out[found] = ((kind + 1) * squares + begin) * squares + end
                            found += 1
                        if taken >= 0 or near[man]:
                            break
                        row, column = row + steps[way, 0], column + steps[way, 1]
            return found

        def moves(state: State, out: MutableSequence[int]) -> int:
            return find_moves(state, out, True)

        def can_move(state: State) -> bool:
            return find_moves(state, state, False) > 0

        def terminal(state: State) -> int:
            if can_move(state):
                return UNDECIDED
            return -1 if in_check(state, state[0]) else 0

        def play(state: State, move: int) -> None:
            begin, end = move // squares % squares, move % squares
            taken = at(state, end)
            if taken >= 0:
                state[1 + taken] = squares
            state[1 + at(state, begin)] = end
            state[0] = 1 - state[0]
            sort(state)

        def unplay(state: State, move: int) -> None:
            begin, end, taken = move // squares % squares, move % squares, move // (squares * squares) - 1
            state[0] = 1 - state[0]
            state[1 + at(state, end)] = begin
            if taken >= 0:
                state[1 + beside(state, taken)] = end
            sort(state)

        def beside(state: State, kind: int) -> int:
            """Return the man of a kind that was captured, -1 if none was."""
            if state[1 + kind] == squares:
                return kind
            return 3 if equal and kind == 2 and state[4] == squares else -1

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            side, found = 1 - state[0], 0
            for man in range(count):
                end = int(state[1 + man])
                if black[man] != side or end == squares:
                    continue
                for way in range(first[man], last[man]):
                    row, column = end // columns + steps[way, 0], end % columns + steps[way, 1]
                    while 0 <= row < rows and 0 <= column < columns:
                        begin = row * columns + column
                        if at(state, begin) >= 0:
                            break
                        for taken in range(-1, count):
                            if taken >= 0 and (
                                black[taken] == side or beside(state, taken) < 0 or (equal and taken == 3)
                            ):
                                continue
                            move = ((taken + 1) * squares + begin) * squares + end
                            unplay(state, move)
                            possible = not in_check(state, 1 - side)
                            play(state, move)
                            if possible:
                                out[found] = move
                                found += 1
                        if near[man]:
                            break
                        row, column = row + steps[way, 0], column + steps[way, 1]
            return found

        def image_under(state: State, symmetry: int) -> None:
            for man in range(count):
                state[1 + man] = images[symmetry, state[1 + man]]
            sort(state)

        def compare(state: State, symmetry: int) -> int:
            """Return whether the image of the other men comes before them (-1), after them (1), or is the same (0)."""
            if count < 3:
                return 0
            one = images[symmetry, state[3]]
            two = images[symmetry, state[4]] if count > 3 else 0
            if equal and one > two:
                one, two = two, one
            if one != state[3]:
                return -1 if one < state[3] else 1
            if count > 3 and two != state[4]:
                return -1 if two < state[4] else 1
            return 0

        def canonical(state: State) -> None:
            image_under(state, least[state[1] * squares + state[2]])
            symmetry = other[state[1] * squares + state[2]]
            if symmetry > 0 and compare(state, symmetry) < 0:
                image_under(state, symmetry)

        def stabilizer(state: State) -> int:
            symmetry = other[state[1] * squares + state[2]]
            return 2 if symmetry > 0 and compare(state, symmetry) == 0 else 1

        return {
            "start": start, "legal": legal, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay,
            "unmoves": unmoves, "canonical": canonical, "stabilizer": stabilizer, "image_under": image_under,
        }  # fmt: skip

    def rank_in(self, other: Game) -> Callable[..., int] | None:
        """Return the number in an ending of no more men on the same board, perhaps with the colours exchanged (KKR is KRK)."""
        if not isinstance(other, Chess) or (other.rows, other.columns) != (self.rows, self.columns):
            return None
        if other.width > self.width:
            return None
        squares, count = self.rows * self.columns, len(self.others)
        seats = np.array([self._seats(other, mask) for mask in range(1 << count)], np.int64)
        canonical, rank = other.rules()["canonical"], other.index().functions()[0]
        width = other.width

        def rank_of_ending(state: State, scratch: State) -> int:
            mask = 0
            for man in range(count):
                if state[3 + man] < squares:
                    mask += 1 << man
            if seats[mask, 0] < 0:
                return NOWHERE
            scratch[0] = state[0] ^ seats[mask, 0]
            for cell in range(1, width):
                scratch[cell] = state[seats[mask, cell]] if seats[mask, cell] > 0 else squares
            canonical(scratch)
            return int(rank(scratch))

        return rank_of_ending

    def _seats(self, other: Chess, mask: int) -> list[int]:
        """Return 1 if colours are exchanged, else 0, then each man's cell here (0: none); -1, ... if these men are not there."""
        for swapped in (False, True):
            left = {3 + place: man for place, man in enumerate(self.others) if mask >> place & 1}
            cells = [2, 1] if swapped else [1, 2]
            for man in other.others:
                wanted = man.swapcase() if swapped else man
                cells.append(next((cell for cell, one in left.items() if one == wanted), 0))
                left.pop(cells[-1], None)
            if not left:
                return [int(swapped), *cells]
        return [-1] * other.width

    def _ways(self) -> Any:
        """Return which of the STEPS leads from a square towards another one, -1 for none: from beside the board none does."""
        squares = self.rows * self.columns
        found = np.full((squares + 1, squares), -1, np.int64)
        for square in range(squares):
            for way, (down, right) in enumerate(STEPS):
                row, column = square // self.columns + down, square % self.columns + right
                while 0 <= row < self.rows and 0 <= column < self.columns:
                    found[square, row * self.columns + column] = way
                    if way >= 8:
                        break
                    row, column = row + down, column + right
        return found

    def _opening(self, legal: Callable[[Any], bool]) -> Any:
        """Return the start: White to move, the kings in opposite corners, each other man on the first square without check."""
        squares = self.rows * self.columns
        placed = [0, 0, squares - 1]
        for _ in self.others:
            beside = [squares] * (len(self.others) + 2 - len(placed))
            found = [square for square in range(squares) if square > max(placed[3:], default=-1)]
            found = [square for square in found if legal(np.array([*placed, square, *beside], np.int64))]
            if not found:
                raise BadRequest(f"men {self.men!r}: the board of {self.rows}x{self.columns} has no room for them")
            placed.append(found[0])
        return np.array(placed, np.int64)

    # --- notation and drawing ------------------------------------------------------------------------------------------

    def parse(self, text: str) -> list[int]:
        """Read a FEN, of which the first two fields count: the ranks from the last, and "w" or "b" for the side to move."""
        words = text.split()
        ranks = (
            [re.sub(r"[1-8]", lambda found: "." * int(found[0]), rank) for rank in words[0].split("/")] if words else []
        )
        if [len(rank) for rank in ranks] != [self.columns] * self.rows or words[1:2] not in (["w"], ["b"]):
            raise BadState(
                f"{self}: {text!r}: expected {self.rows} ranks and a side such as {self.format(self.start())!r}"
            )
        squares = "".join(reversed(ranks))
        state = ["wb".index(words[1])]
        unread = squares.replace(".", "")
        for place, man in enumerate("Kk" + self.others):
            taken = sum(one == man for one in ("Kk" + self.others)[:place])
            where = [square for square, found in enumerate(squares) if found == man]
            state.append(where[taken] if taken < len(where) else len(squares))
            unread = unread.replace(man, "", 1)
        if unread:
            raise BadState(f"{self}: {text!r} has {unread!r}, which is none of the men {self.men}")
        if len(squares) in state[1:3]:
            raise BadState(f"{self}: {text!r} lacks a king; the start is {self.format(self.start())!r}")
        return state

    def format(self, state: Sequence[int]) -> str:
        """Return the first two fields of a FEN."""
        squares = ["."] * (self.rows * self.columns + 1)
        for man, square in zip("Kk" + self.others, state[1:], strict=True):
            squares[square] = man
        ranks = [
            re.sub(r"\.+", lambda found: str(len(found[0])), "".join(squares[first : first + self.columns]))
            for first in range((self.rows - 1) * self.columns, -1, -self.columns)
        ]
        return f"{'/'.join(ranks)} {'wb'[state[0]]}"

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the man, where it goes from and to, and "x" where it captures: Qa1xb2."""
        squares = self.rows * self.columns
        begin, end = move // squares % squares, move % squares
        man = ("Kk" + self.others)[list(state[1:]).index(begin)].upper()
        return f"{man}{self._square(begin)}{'x' if move >= squares * squares else ''}{self._square(end)}"

    def _square(self, square: int) -> str:
        return f"{chr(97 + square % self.columns)}{square // self.columns + 1}"

    def board(self) -> Board:
        """Return the squares from a1."""
        squares = range(self.rows * self.columns)
        places = tuple((float(square % self.columns), self.rows - 1.0 - square // self.columns) for square in squares)
        return Board(places, shape="chequer", names=tuple(map(self._square, squares)))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the men as chess figurines."""
        found = [""] * (self.rows * self.columns + 1)
        for man, square in zip("Kk" + self.others, state[1:], strict=True):
            found[square] = FIGURINES[man]
        return found[:-1]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the two squares."""
        squares = self.rows * self.columns
        return [move // squares % squares, move % squares]

    def mover(self, state: Sequence[int]) -> int:
        """Return 0 where White moves, 1 where Black does."""
        return int(state[0])

    def known(self) -> Mapping[str, Any]:
        """Return the plies of the longest defence: on 8 x 8 as published (mate in 10, 16 and 35 moves), on small boards ours."""
        if (self.rows, self.columns) == (8, 8):
            return {"deepest": PLIES[self.men]} if self.men in PLIES else {}
        found = SMALL.get((self.men, self.rows, self.columns))
        return {"states": found[0], "deepest": found[1]} if found else {}
