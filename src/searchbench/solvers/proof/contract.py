"""The contract of proof search: leaves, first numbers, what alpha-beta goes by, and the look at what is developed."""

from __future__ import annotations

from collections.abc import MutableSequence
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


@slot
def outcome_with(state: State, score: int) -> int:
    """Return the outcome -1 / 0 / +1 of a state whose player to move still gains `score` points more than the opponent.

    Asked of leaves whose scores a database of another game knows (see `Game.rank_in`).
    """
    return -1 if score < 0 else 1 if score > 0 else 0


@slot
def first_proof(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
    """Return the first proof number of "the player to move gets at least `bound`" (0 or 1): how far she is from it.

    A game may supply it and `first_disproof` with its `rules()`: stones still to capture, say (Allis 1994, section 2.3.3).
    `depth` is the number of moves from the root, `scratch` room for the moves of a state.
    """
    return 1


@slot
def first_disproof(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
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


@slot
def irreversible(state: State, move: Move) -> bool:
    """Return whether no state that came before can come again after this move; false where that is not known.

    A capture is irreversible, or a stone that is put down; a search that merges positions asks (Allis 1994, section 2.3.4).
    """
    return False


@slot
def on_development(code: int) -> None:
    """Look at the key of each most-proving state before it is developed; by default nothing is done."""


def half_depth(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
    """Return one more than half the depth, for both slots: broad and shallow trees (Allis 1994, section 5.4)."""
    return 1 + (depth >> 1)


def one(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
    """Return 1, for both slots, also where the game has numbers of its own."""
    return 1


ONES: Final = {"first_proof": one, "first_disproof": one}
"""What fills the slots where all numbers are to begin with 1."""
