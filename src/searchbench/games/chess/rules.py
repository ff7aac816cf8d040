"""The rules of chess endings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from searchbench.errors import BadRequest
from searchbench.games.chess.ending import Ending
from searchbench.games.chess.men import GONE, PAWN
from searchbench.games.chess.moving import moving
from searchbench.games.chess.placing import Placing, placing
from searchbench.games.chess.retracting import retracting
from searchbench.games.chess.symmetry import turns
from searchbench.rules import State

MOVES = ("terminal", "moves", "conversions", "play", "unplay")


def rules_of(ending: Ending) -> Mapping[str, Callable[..., Any]]:
    """Return the rules. Raises BadRequest for a board without room for the men."""
    placed = placing(ending)
    on = moving(ending, placed)
    opening = _opening(ending, placed.legal)

    def start(state: State) -> None:
        for cell in range(len(opening)):
            state[cell] = opening[cell]

    return {
        "start": start, "legal": placed.legal, **{name: on[name] for name in MOVES}, **retracting(ending, placed, on),
        **turning(ending, placed),
    }  # fmt: skip


def turning(ending: Ending, placed: Placing) -> Mapping[str, Callable[..., Any]]:
    """Return the rules of symmetry: with pawns on the board the mirror, else the turns, too."""
    squares, pawns, paired, count = ending.squares, ending.pawns, ending.paired, len(ending.men)
    sort, kind_of = placed.sort, placed.kind_of
    images, least, other, _ = turns(ending.rows, ending.columns, False)
    _, mirror_least, mirror_other, _ = turns(ending.rows, ending.columns, True)

    def mirrored(state: State) -> bool:
        """Return whether the mirror is the only symmetry."""
        if pawns:
            for man in range(2, count):
                if kind_of(state, man) == PAWN:
                    return True
        return False

    def image_under(state: State, symmetry: int) -> None:
        turn = symmetry % 2 if mirrored(state) else symmetry  # every second turn contains the mirror
        for man in range(count):
            state[1 + man] = images[turn, state[1 + man]]
        sort(state)

    def compare(state: State, symmetry: int) -> int:
        """Return whether the image of the other men comes before them (-1), after them (1), or is the same (0)."""
        if count < 3:
            return 0
        one = images[symmetry, state[3]]
        two = images[symmetry, state[4]] if count > 3 else 0
        if paired and one > two and kind_of(state, 2) == kind_of(state, 3):
            one, two = two, one
        if one != state[3]:
            return -1 if one < state[3] else 1
        if count > 3 and two != state[4]:
            return -1 if two < state[4] else 1
        return 0

    def least_for(state: State) -> int:
        """Return the symmetry that makes the squares of the kings the first of those they can become."""
        pair = state[1] * squares + state[2]
        return int(mirror_least[pair] if mirrored(state) else least[pair])

    def other_for(state: State) -> int:
        """Return a symmetry but the identity (0) that leaves the kings where they are, 0 if there is none."""
        pair = state[1] * squares + state[2]
        return int(mirror_other[pair] if mirrored(state) else other[pair])

    def canonical(state: State) -> None:
        image_under(state, least_for(state))
        symmetry = other_for(state)
        if symmetry > 0 and compare(state, symmetry) < 0:
            image_under(state, symmetry)

    def stabilizer(state: State) -> int:
        symmetry = other_for(state)
        return 2 if symmetry > 0 and compare(state, symmetry) == 0 else 1

    return {"canonical": canonical, "stabilizer": stabilizer, "image_under": image_under}


def _opening(ending: Ending, legal: Callable[[Any], bool]) -> Any:
    """Return the start: White to move, the kings in opposite corners, each other man on the first square without check."""
    squares, kinds = ending.squares, ending.ordered(ending.kinds)
    cells = [
        0,
        0,
        squares - 1,
        *(squares for _ in kinds),
        *(GONE for _ in kinds if ending.pawns),
        *([0] * ending.passes),
    ]
    state = np.array(cells, np.int64)
    for man, kind in enumerate(kinds):
        if ending.pawns:
            state[3 + len(kinds) + man] = kind
        for square in range(max(cells[3 : 3 + man], default=-1) + 1, squares):
            state[3 + man] = cells[3 + man] = square
            if legal(state):
                break
        else:
            raise BadRequest(f"men {ending.men!r}: the board of {ending.rows}x{ending.columns} has no room for them")
    return state
