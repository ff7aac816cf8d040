"""The numbers of positions in the indexes of other endings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from searchbench.games.chess.ending import CODES, Ending, Kinds
from searchbench.games.chess.men import GONE
from searchbench.rules import NOWHERE, State

if TYPE_CHECKING:
    from searchbench.games.chess import Chess


def rank_in_ending(game: Chess, other: Chess) -> Callable[[State, State], int]:
    """Return the rule that numbers the positions of a game in an ending of no more men, perhaps with the colours exchanged.

    Then the board is turned round, too: pawns go the other way.
    """
    here, there = game.ending, other.ending
    rows, columns, squares = here.rows, here.columns, here.squares
    own, places = np.array([*here.kinds, 0], np.int64), here.places
    count, width = len(here.others), len(there.others)
    seats = np.array([_seats(here, there, kinds) for kinds in here.parts], np.int64).reshape(-1, 1 + width)
    canonical, rank = other.rules()["canonical"], other.index().functions()[0]
    pawns, pawns_there, passes, passing = here.pawns, there.pawns, here.passes, here.width - 1

    passes_there, passing_there = there.passes, there.width - 1

    def kind_of(state: State, man: int) -> int:
        if state[3 + man] == squares:
            return GONE
        return int(state[3 + count + man] if pawns else own[man])

    def turned(square: int, swapped: int) -> int:
        if swapped == 0 or square == squares:
            return square
        return (rows - 1 - square // columns) * columns + square % columns

    def rank_of_ending(state: State, scratch: State) -> int:
        code = 0
        for man in range(count):
            code = code * CODES + kind_of(state, man)
        place = places[code]
        if place < 0 or seats[place, 0] < 0:
            return NOWHERE
        swapped = seats[place, 0]
        scratch[0] = state[0] ^ swapped
        scratch[1] = turned(state[1 + swapped], swapped)
        scratch[2] = turned(state[2 - swapped], swapped)
        for seat in range(width):
            man = seats[place, 1 + seat]
            scratch[3 + seat] = turned(state[3 + man], swapped) if man >= 0 else squares
            if pawns_there:
                scratch[3 + width + seat] = kind_of(state, man) if man >= 0 else GONE
        if passes_there:
            scratch[passing_there] = state[passing] if passes else 0
        canonical(scratch)
        return int(rank(scratch))

    return rank_of_ending


def _seats(here: Ending, there: Ending, kinds: Kinds) -> list[int]:
    """Return 1 if colours are exchanged, else 0, then the man here for each one there (-1: none); -1, ... if none fit."""
    for swapped in (0, 1):
        left = [man for man, kind in enumerate(kinds) if kind != GONE]
        seats = []
        for own, side in zip(there.kinds, there.black[2:], strict=True):
            fitting = [
                man for man in left if here.black[2 + man] ^ swapped == side and (there.pawns or kinds[man] == own)
            ]
            seats += fitting[:1] or [-1]
            left = [man for man in left if man not in seats]
        if not left and there.ordered(tuple(kinds[man] if man >= 0 else GONE for man in seats)) in there.parts:
            return [swapped, *seats]
    return [-1] * (1 + len(there.others))
