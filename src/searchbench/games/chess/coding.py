"""Moves as numbers: where from and where to, and what is needed to take them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from searchbench.games.chess.ending import CODES

BASE: Final = 8
"""Room for a kind; the king, whose number is 0, is never captured and no pawn becomes one: 0 means none."""
assert CODES <= BASE


class Coding(NamedTuple):
    """The functions of `coding`."""

    encode: Callable[[int, int, int, int, int], int]
    begin_of: Callable[[int], int]
    end_of: Callable[[int], int]
    taken_of: Callable[[int], int]
    promoted_of: Callable[[int], int]
    passing_of: Callable[[int], int]


def coding(squares: int) -> Coding:
    """Return the functions that make a move's number, and those that read it.

    It holds the squares from and to, the kinds captured and promoted to (0: none), and whether a capture en passant was
    possible in the state before it.
    """

    def encode(begin: int, end: int, taken: int, promoted: int, passing: int) -> int:
        return (((passing * BASE + promoted) * BASE + taken) * squares + begin) * squares + end

    def begin_of(move: int) -> int:
        return move // squares % squares

    def end_of(move: int) -> int:
        return move % squares

    def taken_of(move: int) -> int:
        return move // (squares * squares) % BASE

    def promoted_of(move: int) -> int:
        return move // (squares * squares * BASE) % BASE

    def passing_of(move: int) -> int:
        return move // (squares * squares * BASE * BASE)

    return Coding(encode, begin_of, end_of, taken_of, promoted_of, passing_of)
