"""The numbers of positions in the indexes of other endings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from searchbench.rules import NOWHERE, State

if TYPE_CHECKING:
    from searchbench.games.chess import Chess


def rank_in_ending(game: Chess, other: Chess) -> Callable[[State, State], int]:
    """Return the rule that numbers the positions of a game in an ending of no more men, perhaps with the colours exchanged."""
    squares, count = game.rows * game.columns, len(game.others)
    seats = np.array([_seats(game, other, mask) for mask in range(1 << count)], np.int64)
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


def _seats(game: Chess, other: Chess, mask: int) -> list[int]:
    """Return 1 if colours are exchanged, else 0, then each man's cell here (0: none); -1, ... if these men are not there."""
    for swapped in (False, True):
        left = {3 + place: man for place, man in enumerate(game.others) if mask >> place & 1}
        cells = [2, 1] if swapped else [1, 2]
        for man in other.others:
            wanted = man.swapcase() if swapped else man
            cells.append(next((cell for cell, one in left.items() if one == wanted), 0))
            left.pop(cells[-1], None)
        if not left:
            return [int(swapped), *cells]
    return [-1] * other.width
