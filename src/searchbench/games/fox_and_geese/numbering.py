"""Ranks of positions: the fox's home, the turn, and the geese on the other points."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from searchbench.games.fox_and_geese.board import (
    FIXING,
    FOX,
    GEESE,
    HOME,
    HOME_POINT,
    HOMES,
    IMAGES,
    INWARD,
    POINTS,
    TURN,
    image,
    least_image,
)
from searchbench.index.bitboard import Bitboards
from searchbench.jit import popcount
from searchbench.rules import NOWHERE, State


def numbering(least: int, most: int) -> dict[str, Callable[..., Any]]:
    """Return the index functions: by the number of geese, the fox's home, the turn, and the geese on the other points."""
    rank_word, unrank_word = Bitboards(POINTS - 1, least, most).functions(GEESE)
    widths = np.array([comb(POINTS - 1, geese) for geese in range(least, most + 1)], np.int64)
    starts = np.cumsum(2 * len(HOMES) * widths) - 2 * len(HOMES) * widths
    begins = np.cumsum(widths) - widths

    def number(scratch: State, home: int, turn: int, geese: int) -> int:
        row = popcount(geese) - least
        if row < 0 or row >= len(widths):
            return NOWHERE
        fox = HOME_POINT[home]
        scratch[GEESE] = geese & ((1 << fox) - 1) | geese >> (fox + 1) << fox
        return int(starts[row] + (2 * home + turn) * widths[row] + rank_word(scratch) - begins[row])

    def rank(state: State) -> int:
        geese = int(state[GEESE])
        found = number(state, HOME[state[FOX]], state[TURN], image(geese, INWARD[state[FOX]]))
        state[GEESE] = geese
        return found

    def canonical(state: State) -> None:
        home = HOME[state[FOX]]
        state[GEESE] = least_image(home, image(int(state[GEESE]), INWARD[state[FOX]]))
        state[FOX] = HOME_POINT[home]

    def canonical_rank(state: State, scratch: State) -> int:
        home = HOME[state[FOX]]
        geese = least_image(home, image(int(state[GEESE]), INWARD[state[FOX]]))
        return number(scratch, home, state[TURN], geese)

    def stabilizer(state: State) -> int:
        home = HOME[state[FOX]]
        geese = image(int(state[GEESE]), INWARD[state[FOX]])
        count = 0
        for turn in range(len(IMAGES)):
            if FIXING[home, turn] and image(geese, turn) == geese:
                count += 1
        return count

    def unrank(place: int, state: State) -> None:
        row = 0
        while row + 1 < len(starts) and starts[row + 1] <= place:
            row += 1
        left = place - starts[row]
        side = left // widths[row]
        unrank_word(left - side * widths[row] + begins[row], state)
        fox = HOME_POINT[side >> 1]
        word = int(state[GEESE])
        state[GEESE] = word & ((1 << fox) - 1) | word >> fox << (fox + 1)
        state[FOX] = fox
        state[TURN] = side & 1

    return {
        "canonical": canonical, "canonical_rank": canonical_rank, "rank": rank, "stabilizer": stabilizer, "unrank": unrank,
    }  # fmt: skip
