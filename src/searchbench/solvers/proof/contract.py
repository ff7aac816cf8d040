"""The contract of proof search: what is known where a search may stop."""

from __future__ import annotations

from searchbench.rules import NOWHERE, Rank, State
from searchbench.slots import slot


@slot
def leaf_rank(state: State, scratch: State) -> Rank:
    """Return the number of a state in the index of the database at a search's leaves, or NOWHERE: it is no leaf.

    `prove` supplies it where it is given such a database (see `Game.rank_in`); `scratch` may be changed.
    """
    return NOWHERE
