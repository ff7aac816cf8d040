"""The placing phase: its moves, and the possible numbers of men on the board and in hand.

A move is ``HAND | to << 5 | (removed + 1) << 10``, with 0 there if no man is removed.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from functools import lru_cache
from typing import Final, NamedTuple

from searchbench.games.morris.board import ADJACENT, ALL, POINTS, closing_points, in_mills, removable
from searchbench.games.morris.moving import JUMPING, add_captures, add_returns
from searchbench.jit import trailing_zeros
from searchbench.rules import State

HAND: Final = 31
"""The origin of a placed man, instead of a point."""
CROSSINGS: Final = sum(1 << point for point in range(POINTS) if int(ADJACENT[point]).bit_count() == 4)
JUNCTIONS: Final = sum(1 << point for point in range(POINTS) if int(ADJACENT[point]).bit_count() == 3)


class Stage(NamedTuple):
    """The number of men still to be placed, and the mover's and the opponent's men on the board."""

    left: int
    own: int
    other: int

    @property
    def name(self) -> str:
        """Return the name of the part: that of the midgame, and the number of men still to be placed."""
        return f"{self.own}-{self.other}" + (f"+{self.left}" if self.left else "")


def placings(state: State, out: MutableSequence[int]) -> int:
    """Write the moves that place a man: those that close mills, then prevent mills, then the most mobile points."""
    men, others = int(state[0]), int(state[1])
    free = ALL & ~(men | others)
    closing = closing_points(men) & free
    victims = removable(others)
    count = 0
    rest = closing
    while rest != 0:
        count = add_captures(out, count, HAND | trailing_zeros(rest) << 5, victims)
        rest &= rest - 1
    free &= ~closing
    blocks = closing_points(others) & free
    count = add_placings(out, count, blocks)
    free &= ~blocks
    count = add_placings(out, count, free & CROSSINGS)
    count = add_placings(out, count, free & JUNCTIONS)
    return add_placings(out, count, free & ~(CROSSINGS | JUNCTIONS))


def add_placings(out: MutableSequence[int], count: int, points: int) -> int:
    """Write the moves that place a man on one of `points` and remove none; return the new count."""
    while points != 0:
        out[count] = HAND | trailing_zeros(points) << 5
        count += 1
        points &= points - 1
    return count


def add_unplacings(
    men: int, waiting: int, quiet: bool, capture: bool, out: MutableSequence[int], count: int
) -> int:  # fmt: skip
    """Write the moves that have just placed one of `men`, with and without a capture; return the new count."""
    free = ALL & ~(men | waiting)
    milled = in_mills(men)
    rest = men & ~milled if quiet else 0
    while rest != 0:
        out[count] = HAND | trailing_zeros(rest) << 5
        count += 1
        rest &= rest - 1
    rest = milled if capture else 0
    while rest != 0:
        count = add_returns(out, count, HAND | trailing_zeros(rest) << 5, waiting, free)
        rest &= rest - 1
    return count


def following(stage: Stage, men: int) -> list[Stage]:
    """Return the stages that a move may lead to: a quiet one, and one with a capture."""
    left, own = max(stage.left - 1, 0), stage.own + (stage.left > 0)
    found = [Stage(left, stage.other, own)]
    in_hand = men - ((2 * men - left) >> 1)  # of the next player
    if own >= JUMPING and stage.other > 0 and stage.other - 1 + in_hand >= JUMPING:
        found.append(Stage(left, stage.other - 1, own))
    return found


@lru_cache(maxsize=8)
def stages(men: int) -> list[Stage]:
    """Return the stages of a game with `men` men each: by men still to be placed, then by men on the board."""
    first = Stage(2 * men, 0, 0)
    found, waiting = {first}, [first]
    while waiting:
        new = [stage for stage in following(waiting.pop(), men) if stage not in found]
        found.update(new)
        waiting += new
    return sorted(found, key=lambda stage: (stage.left, stage.own + stage.other, stage.own))
