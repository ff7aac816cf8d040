"""Define the slot that proof search fills to recognize leaves."""

from __future__ import annotations

from searchbench.rules import NOWHERE, Rank, State
from searchbench.slots import slot


@slot
def leaf_rank(state: State, scratch: State) -> Rank:
    """Return the number of a state in the index of the leaf database, or NOWHERE if it is not a leaf.

    `prove` supplies it if it is given a leaf database (see `Game.rank_in`); `scratch` may be changed.
    """
    return NOWHERE
