"""Pairs of stones that are lost together, however far apart.

Taking stones off never hurts. So a position is lost if two of its stones, with the man where he is, cannot both come to goals
when all others are away. For the search backwards, which pulls, the goals are the squares where stones stand at the start.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import GENERATION, GOAL, MARK, SQUARE, STONES
from searchbench.games.sokoban.enhanced.pairs import MOST_SQUARES, NEVER, has_room, pushes_of_pairs

ANY_SIDE: Final = 15
"""All four sides of a square, as bits."""


class Pairs(NamedTuple):
    """Hold which pairs can come to goals: `sides[s, t]` are the sides of a stone on s, as bits, from which it and one on t can.

    A side is the direction in which the man stands next to the stone. Where a wall or the other stone is, the bit is set, too.
    """

    sides: Any


def new_pairs(base: Base, names: jit.Names, pulled: bool = False) -> Pairs:
    """Return the pairs of a level; where stones are `pulled`, the goals of `base` are the squares to pull them to.

    On a floor that is too large for the search no pair is told lost.
    """
    squares = len(base.maze)
    if squares > MOST_SQUARES:
        return Pairs(np.full((squares, squares), ANY_SIDE, np.uint8))
    goals = np.flatnonzero(base.maze[:, GOAL] >= 0).tolist()
    pushes = pushes_of_pairs(base.maze, dict.fromkeys(goals, 0), names, pulled)
    possible = (pushes != NEVER) | ~has_room(base.maze)
    return Pairs(np.packbits(possible, axis=2, bitorder="little")[:, :, 0])


def has_dead_pair(base: Any, pairs: Pairs, square: int) -> bool:
    """Tell whether the stone on a square is lost together with another one; the man's squares are marked."""
    sides = pairs.sides
    for stone in range(base.facts[STONES]):
        other = base.board[SQUARE, stone]
        if other == square or (sides[square, other] & sides[other, square]) == ANY_SIDE:
            continue
        if is_dead_beside(base, sides, square, other) or is_dead_beside(base, sides, other, square):
            return True
    return False


def is_dead_beside(base: Any, sides: Any, square: int, other: int) -> bool:
    """Tell whether the man stands, or can walk, next to a stone on a side from which it and the other one are lost."""
    for side in range(4):
        if (
            sides[square, other] >> side & 1 == 0
            and base.board[MARK, base.maze[square, side]] == base.facts[GENERATION]
        ):
            return True
    return False
