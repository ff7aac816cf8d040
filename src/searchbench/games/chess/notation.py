"""Chess endings in words: the first two fields of a FEN, and moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from searchbench.errors import BadState

if TYPE_CHECKING:
    from searchbench.games.chess import Chess


def parse(game: Chess, text: str) -> list[int]:
    """Read a FEN, of which the first two fields count: the ranks from the last, and "w" or "b" for the side to move."""
    words = text.split()
    ranks = [re.sub(r"[1-8]", lambda found: "." * int(found[0]), rank) for rank in words[0].split("/")] if words else []
    if [len(rank) for rank in ranks] != [game.columns] * game.rows or words[1:2] not in (["w"], ["b"]):
        raise BadState(f"{game}: {text!r}: expected {game.rows} ranks and a side such as {game.format(game.start())!r}")
    squares = "".join(reversed(ranks))
    state = ["wb".index(words[1])]
    unread = squares.replace(".", "")
    for place, man in enumerate("Kk" + game.others):
        taken = sum(one == man for one in ("Kk" + game.others)[:place])
        where = [square for square, found in enumerate(squares) if found == man]
        state.append(where[taken] if taken < len(where) else len(squares))
        unread = unread.replace(man, "", 1)
    if unread:
        raise BadState(f"{game}: {text!r} has {unread!r}, which is none of the men {game.men}")
    if len(squares) in state[1:3]:
        raise BadState(f"{game}: {text!r} lacks a king; the start is {game.format(game.start())!r}")
    return state


def text_of(game: Chess, state: Sequence[int]) -> str:
    """Return the first two fields of a FEN."""
    squares = ["."] * (game.rows * game.columns + 1)
    for man, square in zip("Kk" + game.others, state[1:], strict=True):
        squares[square] = man
    ranks = [
        re.sub(r"\.+", lambda found: str(len(found[0])), "".join(squares[first : first + game.columns]))
        for first in range((game.rows - 1) * game.columns, -1, -game.columns)
    ]
    return f"{'/'.join(ranks)} {'wb'[state[0]]}"


def text_of_move(game: Chess, state: Sequence[int], move: int) -> str:
    """Return the man, where it goes from and to, and "x" where it captures: Qa1xb2."""
    squares = game.rows * game.columns
    begin, end = move // squares % squares, move % squares
    man = ("Kk" + game.others)[list(state[1:]).index(begin)].upper()
    return f"{man}{square_name(game.columns, begin)}{'x' if move >= squares * squares else ''}{square_name(game.columns, end)}"


def square_name(columns: int, square: int) -> str:
    """Return the name of a square, as a1."""
    return f"{chr(97 + square % columns)}{square // columns + 1}"
