"""Define the slot that proof search fills to recognize leaves, and how it reads them."""

from __future__ import annotations

from typing import Final

from searchbench.rules import NOWHERE, Rank, State
from searchbench.slots import constant, slot


@slot
def leaf_rank(state: State, scratch: State) -> Rank:
    """Return the number of a state in the index of the leaf database, or NOWHERE if it is not a leaf.

    `prove` supplies it if it is given a leaf database (see `Game.rank_in`); `scratch` may be changed.
    """
    return NOWHERE


SCORED_LEAVES: Final = constant("SCORED_LEAVES", False)
"""Whether the leaf database knows scores, a byte each, which `outcome_with` turns into outcomes."""
