"""Chess endings of up to four men: distances to mate, with a part for each set of men that captures and promotions leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadRequest
from searchbench.game import Board, Game
from searchbench.games.chess.coding import coding
from searchbench.games.chess.ending import Ending
from searchbench.games.chess.men import FIGURINES, MOST_MEN, PLIES, SMALL
from searchbench.games.chess.notation import (
    ending_in_words,
    men_on,
    parse,
    square_name,
    text_of,
    text_of_move,
    text_with,
)
from searchbench.games.chess.numbering import Numbering
from searchbench.games.chess.other_endings import rank_in_ending
from searchbench.games.chess.rules import rules_of
from searchbench.games.chess.symmetry import turns
from searchbench.index.protocol import Part


@dataclass(frozen=True)
class Chess(Game):
    """Mate with few men, White's before Black's: `men`.

    The men of a side begin with the king. There is no castling, and a draw is what nobody can win. A state has who is to move
    (0 White), the squares of the kings and of the other men, a1, b1, ...; with pawns also the kinds of the other men, in the
    order KQRBNP, and 1 where a pawn can be captured en passant. Of two men of a side the first kind comes first, of equal men
    the lower square. A captured man stands beside the board. On boards of fewer than 5 rows a pawn goes one square at first.
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
        if not re.fullmatch("K[QRBNP]*K[QRBNP]*", self.men):
            raise BadRequest(
                f"men {self.men!r}: expected White's men, then Black's, each beginning with the king, then some of QRBNP: "
                "KQKR is king and queen against king and rook, KPK king and pawn against king"
            )
        if len(self.men) > MOST_MEN:
            raise BadRequest(f"men {self.men!r}: {len(self.men)} men; expected at most {MOST_MEN}, the kings included")

    @property
    def ending(self) -> Ending:
        """Return the men and the board: the cells of a state, and the sets of men that captures and promotions leave."""
        return Ending(self.men, self.rows, self.columns)

    @property
    def width(self) -> int:
        """Return the cells."""
        return self.ending.width

    @property
    def max_moves(self) -> int:
        """Return a bound: each man goes along a row, a column and two diagonals, and may take back a capture of two men."""
        return 8 + (3 if len(self.ending.others) > 1 else 2) * len(self.men) * 2 * (self.rows + self.columns)

    @property
    def max_unmoves(self) -> int:
        """Return a bound: with pawns, captures of five kinds are taken back, and chances to capture en passant."""
        if not self.ending.pawns:
            return self.max_moves
        return 2 * (1 + 5) * len(self.men) * (3 + 2 * (self.rows + self.columns))

    @property
    def symmetries(self) -> int:
        """Return in how many ways a board can be turned and mirrored: 8 if it is a square, else 4; with a pawn, some agree."""
        return len(turns(self.rows, self.columns, False).images)

    @property
    def gains_symmetries(self) -> bool:
        """Return whether there are pawns: when the last one is gone, the board can be turned."""
        return self.ending.pawns

    def index(self) -> Numbering:
        """Return an index with a part for each set of men."""
        return Numbering(self.ending)

    def parts(self) -> list[Part]:
        """Return a part for each set of men: it needs itself, and what a capture or a promotion leaves."""
        return self.index().parts()

    def called_part(self, part: str) -> str:
        """Return the men of both sides in words."""
        return ending_in_words(part)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        return rules_of(self.ending)

    def rank_in(self, other: Game) -> Callable[..., int] | None:
        """Return the number in an ending of no more men on the same board, perhaps with the colours exchanged (KKR is KRK)."""
        if not isinstance(other, Chess) or (other.rows, other.columns) != (self.rows, self.columns):
            return None
        if len(other.men) > len(self.men):
            return None
        return rank_in_ending(self, other)

    # --- notation and drawing ------------------------------------------------------------------------------------------

    def parse(self, text: str) -> list[int]:
        """Read a FEN: the ranks from the last, "w" or "b" for the side to move, "-", and the square that a pawn has passed."""
        return parse(self, text)

    def format(self, state: Sequence[int]) -> str:
        """Return the first two fields of a FEN, and four where a pawn can be captured en passant."""
        return text_of(self, state)

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the man, where it goes from and to, and "x" where it captures: Qa1xb2; of a pawn e2e4, or e7e8=Q."""
        return text_of_move(self, state, move)

    def board(self) -> Board:
        """Return the squares from a1."""
        squares = range(self.rows * self.columns)
        places = tuple((float(square % self.columns), self.rows - 1.0 - square // self.columns) for square in squares)
        return Board(places, shape="chequer", names=tuple(square_name(self.columns, square) for square in squares))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the men as chess figurines."""
        there = men_on(self.ending, state)
        return [FIGURINES[there[square]] if square in there else "" for square in range(self.ending.squares)]

    def arrange(self, pieces: Sequence[str], like: Sequence[int], side: int) -> str:
        """Return the first two fields of a FEN."""
        return text_with(self.columns, pieces, side)

    def impossible(self, state: Sequence[int]) -> str | None:
        """Return that the kings stand side by side, or that the side that has moved is in check."""
        (white_row, white_column), (black_row, black_column) = (divmod(king, self.columns) for king in state[1:3])
        if max(abs(white_row - black_row), abs(white_column - black_column)) < 2:
            return "the kings stand side by side"
        if (self.ending.passes and state[-1]) or self.call("legal", list(state)):
            return None
        return f"{self.sides[1 - state[0]]} is in check, and {self.sides[state[0]]} is to move"

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the two squares; what a pawn becomes is asked then."""
        _, begin_of, end_of, *_ = coding(self.ending.squares)
        return [begin_of(move), end_of(move)]

    def mover(self, state: Sequence[int]) -> int:
        """Return 0 where White moves, 1 where Black does."""
        return int(state[0])

    def known(self) -> Mapping[str, Any]:
        """Return the plies of the longest defence: on 8 x 8 as published (10 to 43 moves), on small boards ours."""
        if (self.rows, self.columns) == (8, 8):
            return {"deepest": PLIES[self.men]} if self.men in PLIES else {}
        found = SMALL.get((self.men, self.rows, self.columns))
        return {"states": found[0], "deepest": found[1]} if found else {}
