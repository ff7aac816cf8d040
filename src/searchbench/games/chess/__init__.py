"""Chess endings of up to four men without pawns: distances to mate, with a part for each set of men that captures leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from searchbench.errors import BadRequest
from searchbench.game import Board, Game
from searchbench.games.chess.men import FIGURINES, MOST_MEN, PLIES, SMALL, others_of
from searchbench.games.chess.notation import parse, square_name, text_of, text_of_move
from searchbench.games.chess.other_endings import rank_in_ending
from searchbench.games.chess.placements import Placements
from searchbench.games.chess.rules import rules_of
from searchbench.games.chess.symmetry import turns
from searchbench.index import Sum
from searchbench.index.protocol import Part
from searchbench.rules import State


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
        return others_of(self.men)

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
        """Return the rules."""
        return rules_of(self.men, self.rows, self.columns)

    def rank_in(self, other: Game) -> Callable[..., int] | None:
        """Return the number in an ending of no more men on the same board, perhaps with the colours exchanged (KKR is KRK)."""
        if not isinstance(other, Chess) or (other.rows, other.columns) != (self.rows, self.columns):
            return None
        if other.width > self.width:
            return None
        return rank_in_ending(self, other)

    # --- notation and drawing ------------------------------------------------------------------------------------------

    def parse(self, text: str) -> list[int]:
        """Read a FEN, of which the first two fields count: the ranks from the last, and "w" or "b" for the side to move."""
        return parse(self, text)

    def format(self, state: Sequence[int]) -> str:
        """Return the first two fields of a FEN."""
        return text_of(self, state)

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the man, where it goes from and to, and "x" where it captures: Qa1xb2."""
        return text_of_move(self, state, move)

    def board(self) -> Board:
        """Return the squares from a1."""
        squares = range(self.rows * self.columns)
        places = tuple((float(square % self.columns), self.rows - 1.0 - square // self.columns) for square in squares)
        return Board(places, shape="chequer", names=tuple(square_name(self.columns, square) for square in squares))

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
