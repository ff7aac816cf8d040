"""The contract of proof search: leaves, first numbers, and what alpha-beta goes by before it knows an outcome."""

from __future__ import annotations

from typing import Final

from searchbench.rules import NOWHERE, Move, Rank, State
from searchbench.slots import constant, slot


@slot
def leaf_rank(state: State, scratch: State) -> Rank:
    """Return the number of a state in the index of the leaf database, or NOWHERE if it is not a leaf.

    `prove` supplies it if it is given a leaf database (see `Game.rank_in`); `scratch` may be changed.
    """
    return NOWHERE


SCORED_LEAVES: Final = constant("SCORED_LEAVES", False)
"""Whether the leaf database knows scores, a byte each, which `outcome_with` turns into outcomes."""

OWN_NUMBERS: Final = constant("OWN_NUMBERS", False)
"""Whether proof numbers begin with the game's `first_proof` and `first_disproof`, not with 1."""


@slot
def first_proof(state: State, bound: int) -> int:
    """Return the first proof number of "the player to move gets at least `bound`" (0 or 1): how far she is from it."""
    return 1


@slot
def first_disproof(state: State, bound: int) -> int:
    """Return the first disproof number of the same question: how far the opponent is from preventing it."""
    return 1


@slot
def evaluate(state: State) -> int:
    """Return a guess at the advantage of the player to move, in points of the game's own below 2^14."""
    return 0


@slot
def urgency(state: State, move: Move) -> int:
    """Return how promising a move looks; the larger ones are searched first, equal ones in the order of `moves`."""
    return 0
