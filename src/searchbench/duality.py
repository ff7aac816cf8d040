"""The contract of duality: rules that relate the paths from the start to the paths to the goal; few games have them."""

from __future__ import annotations

from searchbench.rules import State
from searchbench.slots import slot


@slot
def reversal(state: State) -> None:
    """Replace the state by its reversal, which exchanges the start and the goal: an involution.

    A move leads from s to t just if one of the same cost leads from the reversal of t to the reversal of s; the start's
    reversal is the only solved state, up to symmetry, and symmetric states have symmetric reversals. So a state d moves from
    the start has a reversal d moves from the goal, which may have no number (Edelkamp 2017, symmetries).
    """


@slot
def dual_state(state: State) -> None:
    """Replace the state by its dual: the inverses of the moves that lead to the state, last one first, lead to the dual.

    Where moves cost the same in every state, and as much as their inverses, it is as far from the start as the state
    itself: pattern databases may look it up instead (Felner, Zahavi, Schaeffer and Holte 2005, dual lookups).
    """
