"""Chess endings in words: a FEN, and moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from searchbench.board import CHESSMEN, counted
from searchbench.errors import BadState
from searchbench.games.chess.coding import coding
from searchbench.games.chess.ending import Ending
from searchbench.games.chess.men import FIGURINES, GONE, KINDS, PAWN

if TYPE_CHECKING:
    from searchbench.games.chess import Chess

NUMBERS: Final = {2: "two", 3: "three"}


def men_on(ending: Ending, state: Sequence[int]) -> dict[int, str]:
    """Return the men by their squares, White's as capitals."""
    kinds = state[1 + len(ending.men) :] if ending.pawns else ending.kinds
    found = {state[1]: "K", state[2]: "k"}
    for square, kind, side in zip(state[3:], kinds, ending.black[2:], strict=False):
        if square < ending.squares:
            found[square] = KINDS[kind].lower() if side else KINDS[kind]
    return found


def parse(game: Chess, text: str) -> list[int]:
    """Read a FEN: the ranks from the last, "w" or "b" for the side to move, and the square that a pawn has just passed.

    The numbers at its end say nothing of an ending.
    """
    words = text.split()
    ranks = [re.sub(r"[1-9]", lambda found: "." * int(found[0]), rank) for rank in words[0].split("/")] if words else []
    if wrong := _wrong_fields(game, ranks, words[1:3]):
        raise BadState(f"{game}: {text!r} {wrong}; expected a text such as {game.format(game.start())!r}")
    squares = "".join(reversed(ranks))
    if unknown := sorted(set(squares) - set(KINDS + KINDS.lower() + ".")):
        raise BadState(f"{game}: {text!r} has {unknown[0]!r}, which is none of the men {game.men}")
    if [squares.count(king) for king in "Kk"] != [1, 1]:
        wrong = "lacks a king" if min(squares.count(king) for king in "Kk") < 1 else "has a king too many"
        raise BadState(f"{game}: {text!r} {wrong}")
    for end in (squares[: game.columns], squares[-game.columns :]):
        if "p" in end.lower():
            raise BadState(f"{game}: {text!r} has a pawn on the first or the last rank, where none can stand")
    state = _placed(game, squares, "wb".index(words[1]), text)
    if len(words) > 3 and words[3] != "-":
        _set_passing(game, state, words[3], text)
    return state


def _wrong_fields(game: Chess, ranks: Sequence[str], fields: Sequence[str]) -> str:
    """Say what is wrong with the ranks of a FEN, or with its fields for the side to move and for castling; "" if nothing is."""
    if len(ranks) != game.rows:
        return f"has {counted(str(len(ranks)), 'rank')}, the board {game.rows}"
    for row, rank in zip(range(game.rows, 0, -1), ranks, strict=True):
        if len(rank) != game.columns:
            return f"has {counted(str(len(rank)), 'square')} in rank {row}, the board {game.columns}"
    if fields[:1] not in (["w"], ["b"]):
        return "does not say behind the ranks who is to move, w or b"
    if fields[1:] not in ([], ["-"]):
        return f"allows castling, {fields[1]!r}, and an ending knows none"
    return ""


def _placed(game: Chess, squares: str, side: int, text: str) -> list[int]:
    """Return the state with men on their squares. Raises BadState for men whom the ending does not leave."""
    ending = game.ending
    seats = [(GONE, ending.squares)] * len(ending.others)
    found = sorted((KINDS.index(man.upper()), square) for square, man in enumerate(squares) if man not in ".Kk")
    for kind, square in found:
        colour = int(squares[square].islower())
        for place, (black, own) in enumerate(zip(ending.black[2:], ending.kinds, strict=True)):
            if seats[place][0] == GONE and black == colour and (ending.pawns or own == kind):
                seats[place] = kind, square
                break
        else:
            raise BadState(f"{game}: {text!r} has {_wrong_men(game, squares, colour)}")
    kinds = tuple(kind for kind, _ in seats)
    if kinds not in ending.parts:
        raise BadState(
            f"{game}: {text!r} has men whom {game.men} cannot leave; its endings are {', '.join(ending.parts.values())}"
        )
    state = [side, squares.index("K"), squares.index("k"), *(square for _, square in seats)]
    return [*state, *(kinds if ending.pawns else ()), *([0] if ending.passes else [])]


def _wrong_men(game: Chess, squares: str, colour: int) -> str:
    """Say which men of a side stand on the board, and which the ending gives it."""
    ending, side = game.ending, game.sides[colour]
    there = [KINDS.index(man.upper()) for man in squares if man not in ".Kk" and man.islower() == bool(colour)]
    own = [kind for black, kind in zip(ending.black[2:], ending.kinds, strict=True) if black == colour]
    return f"{_men(there)} besides {side}'s king; in {game.men} {side} has {_men(own) or 'the king alone'}"


def ending_in_words(men: str) -> str:
    """Return the men of an ending in words: "king and queen against king and rook"; another text as it is."""
    sides = re.fullmatch(r"(K[QRBNP]*)(K[QRBNP]*)", men)
    if sides is None:
        return men
    return " against ".join(_side_in_words(side) for side in sides.groups())


def _side_in_words(men: str) -> str:
    kinds = [KINDS.index(man) for man in men]
    *others, last = (_counted(kind, kinds.count(kind), "") for kind in sorted(set(kinds)))
    return f"{', '.join(others)} and {last}" if others else last


def _counted(kind: int, many: int, one: str = "a ") -> str:
    return f"{one}{CHESSMEN[kind]}" if many == 1 else f"{NUMBERS.get(many, many)} {CHESSMEN[kind]}s"


def _men(kinds: Sequence[int]) -> str:
    """Return men in words: "two queens and a rook"."""
    return " and ".join(_counted(kind, kinds.count(kind)) for kind in sorted(set(kinds)))


def _set_passing(game: Chess, state: list[int], name: str, text: str) -> None:
    """Note that a pawn can be captured en passant, where one can. Raises BadState for a square that none has passed."""
    ending, forward = game.ending, (1 if state[0] else -1) * game.columns
    names = [square_name(game.columns, square) for square in range(ending.squares)]
    passed = names.index(name) if name in names else -1
    victim = "P" if state[0] else "p"
    row = 2 if state[0] else game.rows - 3
    there = men_on(ending, state)
    way = {passed, passed - forward}  # which the pawn has gone
    if (
        not ending.double
        or passed // game.columns != row
        or there.get(passed + forward) != victim
        or way & there.keys()
    ):
        raise BadState(f"{game}: {text!r}: no pawn has just passed {name!r}; expected '-' for none")
    if ending.passes:
        state[-1] = 1
        if not game.call("legal", list(state)):
            state[-1] = 0


def ranks_of(columns: int, squares: str) -> str:
    """Return the first field of a FEN: the ranks from the last, of squares from a1, "." where nothing stands."""
    return "/".join(
        re.sub(r"\.+", lambda found: str(len(found[0])), squares[first : first + columns])
        for first in range(len(squares) - columns, -1, -columns)
    )


def text_of(game: Chess, state: Sequence[int]) -> str:
    """Return the first two fields of a FEN, and four where a pawn can be captured en passant."""
    there = men_on(game.ending, state)
    squares = "".join(there.get(square, ".") for square in range(game.ending.squares))
    passed = ""
    if game.ending.passes and state[-1]:
        back = -game.columns if state[0] else game.columns
        passed = f" - {square_name(game.columns, state[4 - state[0]] + back)}"
    return f"{ranks_of(game.columns, squares)} {'wb'[state[0]]}{passed}"


def text_with(columns: int, pieces: Sequence[str], side: int) -> str:
    """Return the first two fields of a FEN of a board with these figurines."""
    letters = {figurine: letter for letter, figurine in FIGURINES.items()}
    return f"{ranks_of(columns, ''.join(letters.get(label, '.') for label in pieces))} {'wb'[side]}"


def text_of_move(game: Chess, state: Sequence[int], move: int) -> str:
    """Return the man, where it goes from and to, and "x" where it captures: Qa1xb2; of a pawn e2e4, or e7e8=Q."""
    _, begin_of, end_of, taken_of, promoted_of, _ = coding(game.ending.squares)
    begin, end, promoted = begin_of(move), end_of(move), promoted_of(move)
    man = men_on(game.ending, state)[begin].upper()
    becomes = f"={KINDS[promoted]}" if promoted else ""
    letter = "" if man == KINDS[PAWN] else man
    captures = "x" if taken_of(move) else ""
    return f"{letter}{square_name(game.columns, begin)}{captures}{square_name(game.columns, end)}{becomes}"


def square_name(columns: int, square: int) -> str:
    """Return the name of a square, as a1."""
    return f"{chr(97 + square % columns)}{square // columns + 1}"
