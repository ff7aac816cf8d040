"""Which moves a guided search tries in a state, and in which order: the game's cuts, in one place for every search."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.hashing import key, mix
from searchbench.jit import inlined
from searchbench.rules import State, moves
from searchbench.solvers.guided.contract import ORDER_BY_PRIORITY, forced_move, move_priority, relevance_cut

NONE: Final = -1
"""What stands for no move: the one before the start, one that is not known, or one that suffices where there is none."""


@inlined
def sufficient(state: State, out: MutableSequence[int], count: int, tables: Any) -> int:
    """Return the first of `count` moves beside which no other needs to be tried, or NONE."""
    for index in range(count):
        if forced_move(state, out[index], tables):
            return out[index]
    return NONE


@inlined
def choices(state: State, previous: int, out: MutableSequence[int], tables: Any) -> int:
    """Write the moves that are to be tried, the first one first, and return how many there are."""
    count = moves(state, out)
    only = sufficient(state, out, count, tables)
    if only != NONE:
        out[0] = only
        return 1
    kept = 0
    for index in range(count):
        if not relevance_cut(state, previous, out[index], tables):
            out[kept] = out[index]
            kept += 1
    if ORDER_BY_PRIORITY:
        arrange(state, out, kept, tables)
    return kept


def arrange(state: State, out: MutableSequence[int], count: int, tables: Any) -> None:
    """Bring the moves into the order of their promise; those of the same promise stay as they are."""
    for end in range(1, count):
        move = out[end]
        worth = move_priority(state, move, tables)
        place = end
        while place > 0 and move_priority(state, out[place - 1], tables) < worth:
            out[place] = out[place - 1]
            place -= 1
        out[place] = move


SEED, SHARE = range(2)
"""What chance is told: a number that makes it another one, and in how many of PARTS cases a move is moved."""
PARTS: Final = 16


def scatter(state: State, out: MutableSequence[int], count: int, chance: Any) -> None:
    """Exchange some of the moves with others, at random, but always the same ones in a state with the same seed."""
    word = mix(key(state) ^ chance[SEED])
    for index in range(count):
        word = mix(word + 1)
        if word & (PARTS - 1) < chance[SHARE]:
            other = (word >> 8 & 0xFFFF) % count
            move = out[index]
            out[index] = out[other]
            out[other] = move
