"""Giveaway chess: who has no legal move wins (Allis 1994, section 2.3.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.rules import UNDECIDED, State

LETTERS: Final = "PNBRQK"
PIECES: Final = "." + LETTERS + LETTERS.lower()
"""The pieces by their numbers: 0 empty, 1 to 6 white, 7 to 12 black."""
FIGURINES: Final = "\u2659\u2658\u2657\u2656\u2655\u2654\u265f\u265e\u265d\u265c\u265b\u265a"
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
TURN: Final = 64
"""The cell of the player to move: 0 white, 1 black."""
MOST_PIECES: Final = 16
MOST_OF_A_PIECE: Final = 27
"""The most moves of a piece: a queen's in the centre."""


@dataclass(frozen=True)
class GiveawayChess(Game):
    """Lose all men or the power to move: captures are compulsory, and a player without a legal move wins.

    The king is an ordinary man, there is no check, no castling and no capture en passant, and a pawn becomes a queen, rook,
    bishop, knight or king. A state has the men of the squares a1, b1, ... h8, and then the player to move.
    """

    name: ClassVar[str] = "giveaway-chess"
    values: ClassVar[Any] = "outcome"

    @property
    def width(self) -> int:
        """Return 64 squares and the player to move."""
        return 65

    @property
    def max_moves(self) -> int:
        """Return a bound: sixteen queens."""
        return MOST_PIECES * MOST_OF_A_PIECE

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is from + 64 * to + 4096 * (captured man) + 65536 * (kind that a pawn becomes)."""
        across = np.array((1, 0, -1, 0, 1, -1, -1, 1), np.int64)
        up = np.array((0, 1, 0, -1, 1, 1, -1, -1), np.int64)
        jump_across = np.array((1, 2, 2, 1, -1, -2, -2, -1), np.int64)
        jump_up = np.array((2, 1, -1, -2, -2, -1, 1, 2), np.int64)
        first_rank = np.array(
            [ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK], np.int64
        )  # fmt: skip

        def start(state: State) -> None:
            for square in range(64):
                state[square] = 0
            for file in range(8):
                state[file], state[8 + file] = first_rank[file], PAWN
                state[48 + file], state[56 + file] = PAWN + 6, first_rank[file] + 6
            state[TURN] = 0

        def side(man: int) -> int:
            """Return 0 for a white man, 1 for a black one, -1 for none."""
            return -1 if man == 0 else 0 if man < 7 else 1

        def add(out: MutableSequence[int], count: int, move: int, promotes: bool) -> int:
            if not promotes:
                out[count] = move
                return count + 1
            for kind in range(KING, PAWN, -1):
                out[count] = move + (kind << 16)
                count += 1
            return count

        def pawn(state: State, square: int, captures: bool, out: MutableSequence[int], count: int) -> int:
            own = state[TURN]
            forward = 8 - 16 * own
            rank, file = square >> 3, square & 7
            promotes = rank == 6 - 5 * own
            target = square + forward
            if captures:
                for way in range(-1, 2, 2):
                    if 0 <= file + way < 8 and side(state[target + way]) == 1 - own:
                        move = square + 64 * (target + way) + 4096 * state[target + way]
                        count = add(out, count, move, promotes)
            elif state[target] == 0:
                count = add(out, count, square + 64 * target, promotes)
                if rank == 1 + 5 * own and state[target + forward] == 0:
                    count = add(out, count, square + 64 * (target + forward), False)
            return count

        def figure(state: State, square: int, kind: int, captures: bool, out: MutableSequence[int], count: int) -> int:
            own = state[TURN]
            first = 4 if kind == BISHOP else 0
            last = 4 if kind == ROOK else 8
            for direction in range(first, last):
                right, upwards = across[direction], up[direction]
                if kind == KNIGHT:
                    right, upwards = jump_across[direction], jump_up[direction]
                file, rank = (square & 7) + right, (square >> 3) + upwards
                going = True
                while going and 0 <= file < 8 and 0 <= rank < 8:
                    target = 8 * rank + file
                    man = state[target]
                    if man == 0 and not captures:
                        out[count] = square + 64 * target
                        count += 1
                    elif man != 0 and captures and side(man) != own:
                        out[count] = square + 64 * target + 4096 * man
                        count += 1
                    going = man == 0 and kind != KNIGHT and kind != KING
                    file += right
                    rank += upwards
            return count

        def some(state: State, captures: bool, out: MutableSequence[int]) -> int:
            """Write the captures, or the other moves, in the order of the squares."""
            own = state[TURN]
            count = 0
            for square in range(64):
                man = state[square]
                if side(man) == own:
                    kind = man - 6 * own
                    if kind == PAWN:
                        count = pawn(state, square, captures, out, count)
                    else:
                        count = figure(state, square, kind, captures, out, count)
            return count

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = some(state, True, out)
            return count if count > 0 else some(state, False, out)

        def open_square(state: State, square: int, right: int, upwards: int) -> bool:
            """Tell whether the square some files and ranks away is on the board, and not occupied by an own man."""
            file, rank = (square & 7) + right, (square >> 3) + upwards
            if not (0 <= file < 8 and 0 <= rank < 8):
                return False
            return side(state[8 * rank + file]) != state[TURN]

        def terminal(state: State) -> int:
            own = state[TURN]
            forward = 1 - 2 * own
            for square in range(64):
                man = state[square]
                if side(man) != own:
                    continue
                kind = man - 6 * own
                if kind == PAWN:
                    if state[square + 8 * forward] == 0:
                        return UNDECIDED
                    for way in range(-1, 2, 2):
                        if 0 <= (square & 7) + way < 8 and side(state[square + 8 * forward + way]) == 1 - own:
                            return UNDECIDED
                elif kind == KNIGHT:
                    for direction in range(8):
                        if open_square(state, square, jump_across[direction], jump_up[direction]):
                            return UNDECIDED
                else:
                    for direction in range(4 if kind == BISHOP else 0, 4 if kind == ROOK else 8):
                        if open_square(state, square, across[direction], up[direction]):
                            return UNDECIDED
            return 1

        def play(state: State, move: int) -> None:
            source, target, kind = move & 63, (move >> 6) & 63, move >> 16
            state[target] = state[source] if kind == 0 else kind + 6 * state[TURN]
            state[source] = 0
            state[TURN] = 1 - state[TURN]

        def unplay(state: State, move: int) -> None:
            source, target, kind = move & 63, (move >> 6) & 63, move >> 16
            own = 1 - state[TURN]
            state[TURN] = own
            state[source] = state[target] if kind == 0 else PAWN + 6 * own
            state[target] = (move >> 12) & 15

        def legal(state: State) -> bool:
            for own in range(2):
                men = 0
                for square in range(64):
                    if side(state[square]) == own:
                        men += 1
                if men > MOST_PIECES:
                    return False
            for file in range(8):
                for end in range(2):
                    man = state[56 * end + file]
                    if man == PAWN or man == PAWN + 6:
                        return False
            return True

        return {
            "start": start, "moves": moves, "terminal": terminal, "play": play, "unplay": unplay, "legal": legal,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the first two fields of a FEN: the ranks from the eighth, and "w" or "b" for the player to move."""
        words = text.split()
        ranks = (
            [re.sub(r"[1-8]", lambda found: "." * int(found[0]), rank) for rank in words[0].split("/")] if words else []
        )
        men = "".join(reversed(ranks))
        if [len(rank) for rank in ranks] != [8] * 8 or not set(men) <= set(PIECES) or words[1:2] not in (["w"], ["b"]):
            raise BadState(f"{self}: {text!r}: expected ranks and a player such as {self.format(self.start())!r}")
        return [*(PIECES.index(man) for man in men), "wb".index(words[1])]

    def format(self, state: Sequence[int]) -> str:
        """Return the first two fields of a FEN: the ranks from the eighth, and "w" or "b" for the player to move."""
        return _fen([PIECES[man] for man in state[:TURN]], state[TURN])

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the squares, such as "e2e4", "d4xe5" for a capture, and "a7a8k" for a pawn that becomes a king."""
        source, target, captured, kind = move & 63, (move >> 6) & 63, (move >> 12) & 15, move >> 16
        promotion = LETTERS[kind - 1].lower() if kind else ""
        return f"{_square(source)}{'x' if captured else ''}{_square(target)}{promotion}"

    def board(self) -> Board:
        """Return the squares from a1."""
        places = tuple((float(square & 7), 7.0 - (square >> 3)) for square in range(64))
        return Board(places, shape="chequer", names=tuple(map(_square, range(64))))

    def mover(self, state: Sequence[int]) -> int:
        """Return 0 where white moves, 1 where black does."""
        return int(state[TURN])

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the men as chess figurines."""
        return [FIGURINES[man - 1] if man else "" for man in state[:TURN]]

    def arrange(self, pieces: Sequence[str], like: Sequence[int], side: int) -> str:
        """Return the first two fields of a FEN."""
        return _fen([PIECES[FIGURINES.index(label) + 1] if label else "." for label in pieces], side)

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the two squares; what a pawn becomes is asked then."""
        return [move & 63, (move >> 6) & 63]


def _fen(men: Sequence[str], side: int) -> str:
    squares = "".join(men)
    ranks = [
        re.sub(r"\.+", lambda found: str(len(found[0])), squares[first : first + 8]) for first in range(56, -1, -8)
    ]
    return f"{'/'.join(ranks)} {'wb'[side]}"


def _square(number: int) -> str:
    return f"{chr(ord('a') + (number & 7))}{(number >> 3) + 1}"
