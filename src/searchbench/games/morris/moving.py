"""Moves forwards and backwards; a state is the points of the mover's men and those of the opponent's.

A move is ``from | to << 5 | (removed + 1) << 10``, with 0 there if no man is removed.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

from searchbench.games.morris.board import (
    ADJACENT,
    ALL,
    closers,
    closing_points,
    closings,
    in_mills,
    neighbours,
    removable,
)
from searchbench.games.morris.placements import MOST
from searchbench.jit import popcount, trailing_zeros
from searchbench.rules import UNDECIDED, State

JUMPING: Final = 3
"""A player with this number of men may move to any free point."""


def legal(state: State) -> bool:
    """Tell whether the men can have closed their mills: each closing removed one of the opponent's nine."""
    own, other = int(state[0]), int(state[1])
    return bool(closings(own) + popcount(other) <= MOST and closings(other) + popcount(own) <= MOST)


def terminal(state: State) -> int:
    """Return -1 for a player with two men left, or without a move."""
    men = popcount(state[0])
    if men < JUMPING or (men > JUMPING and neighbours(int(state[0])) & ALL & ~(state[0] | state[1]) == 0):
        return -1
    return UNDECIDED


def moves(state: State, out: MutableSequence[int]) -> int:
    """Write the moves, those that close mills first."""
    count = conversions(state, out)
    men = int(state[0])
    free = ALL & ~(men | int(state[1]))
    jumps = popcount(men) == JUMPING
    closing = closing_points(men) & free
    rest = men
    while rest != 0:
        point = trailing_zeros(rest)
        rest &= rest - 1
        targets = free if jumps else free & ADJACENT[point]
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            if (closing >> target) & 1 == 0 or closers(men, 1 << point, target) == 0:
                out[count] = point | target << 5
                count += 1
    return count


def conversions(state: State, out: MutableSequence[int]) -> int:
    """Write the moves that close a mill and remove a man: they lead to a part with fewer men."""
    men = int(state[0])
    targets = closing_points(men) & ALL & ~(men | int(state[1]))
    victims = removable(int(state[1]))
    jumps = popcount(men) == JUMPING
    count = 0
    while targets != 0:
        target = trailing_zeros(targets)
        targets &= targets - 1
        rest = closers(men, men if jumps else men & ADJACENT[target], target)
        while rest != 0:
            count = add_captures(out, count, trailing_zeros(rest) | target << 5, victims)
            rest &= rest - 1
    return count


def add_captures(out: MutableSequence[int], count: int, move: int, victims: int) -> int:
    """Write a move once per man that it may remove; return the new count."""
    while victims != 0:
        out[count] = move | (trailing_zeros(victims) + 1) << 10
        count += 1
        victims &= victims - 1
    return count


def mobility(state: State, out: MutableSequence[int]) -> int:
    """Count the moves; a move that closes a mill counts once per man that it may remove."""
    men = int(state[0])
    free = ALL & ~(men | int(state[1]))
    jumps = popcount(men) == JUMPING
    if jumps:
        count = JUMPING * popcount(free)
    else:
        count = popcount(((men << 1) & 0xFEFEFE | (men >> 7) & 0x010101) & free)
        count += popcount(((men >> 1) & 0x7F7F7F | (men << 7) & 0x808080) & free)
        count += popcount((men & 0xAAAAAA) << 8 & free) + popcount((men & 0xAAAAAA) >> 8 & free)
    targets = closing_points(men) & free
    if targets != 0:
        more = popcount(removable(int(state[1]))) - 1
        while targets != 0:
            target = trailing_zeros(targets)
            targets &= targets - 1
            count += more * popcount(closers(men, men if jumps else men & ADJACENT[target], target))
    return count


def play(state: State, move: int) -> None:
    """Move a man, remove one if encoded, and exchange the sides."""
    mover = state[0] ^ (1 << (move & 31)) ^ (1 << ((move >> 5) & 31))
    state[0] = state[1] & ~((1 << (move >> 10)) >> 1)
    state[1] = mover


def unplay(state: State, move: int) -> None:
    """Take a move back."""
    mover = state[1] ^ (1 << (move & 31)) ^ (1 << ((move >> 5) & 31))
    state[1] = state[0] | ((1 << (move >> 10)) >> 1)
    state[0] = mover


def unmoves_within(state: State, out: MutableSequence[int]) -> int:
    """Write the moves without a capture that can have led here: the moved man is in no mill."""
    if popcount(state[0]) < JUMPING:  # only a capture leads here
        return 0
    men = int(state[1])
    free = ALL & ~(men | int(state[0]))
    jumps = popcount(men) == JUMPING
    rest = men & ~in_mills(men)
    count = 0
    while rest != 0:
        target = trailing_zeros(rest)
        rest &= rest - 1
        points = free if jumps else free & ADJACENT[target]
        while points != 0:
            out[count] = trailing_zeros(points) | target << 5
            count += 1
            points &= points - 1
    return count


def add_uncaptures(men: int, waiting: int, out: MutableSequence[int], count: int) -> int:
    """Append the moves that closed a mill with one of `men` and removed an opponent's man; return the new count."""
    free = ALL & ~(men | waiting)
    jumps = popcount(men) == JUMPING
    rest = in_mills(men)
    while rest != 0:
        target = trailing_zeros(rest)
        rest &= rest - 1
        points = free if jumps else free & ADJACENT[target]
        while points != 0:
            point = trailing_zeros(points)
            points &= points - 1
            count = add_returns(out, count, point | target << 5, waiting, free ^ (1 << point))
    return count


def add_returns(out: MutableSequence[int], count: int, move: int, men: int, points: int) -> int:
    """Write a move once per point from which it may have removed a man; return the new count."""
    while points != 0:
        point = trailing_zeros(points)
        points &= points - 1
        if (removable(men | 1 << point) >> point) & 1:
            out[count] = move | (point + 1) << 10
            count += 1
    return count
