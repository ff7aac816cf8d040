"""The contract of feature-space search (Shoham and Schaeffer 2020): positions, their macro moves, scores and advisors.

`work` is a named tuple of arrays that a game makes for each search. A *position* is a row of whole numbers. A *score* packs
the features of a position into 44 bits, the most important feature highest and each of them better the smaller it is;
its highest bits, those that tell a cell, count for the cell.
"""

from __future__ import annotations

from typing import Any, Final

from searchbench.rules import Move
from searchbench.slots import slot

SCORE_BITS: Final = 44
"""A score is below 2 to this power."""
MOVE, SCORE, KEY, RATINGS = range(4)
"""What stands in a row of `write_macros`: the move, the score and the hash of the position after it, the advisors' ratings."""


@slot(required=True)
def restore(work: Any, position: Any) -> int:
    """Make a position the one of the functions below; return its hash of 63 bits."""
    return 0


@slot(required=True)
def follow(work: Any, position: Any, move: Move, out: Any) -> None:
    """Write the position that a move leads to."""


@slot(required=True)
def score_position(work: Any) -> int:
    """Return the score of the position, 0 for a solved one and for no other."""
    return 0


@slot(required=True)
def write_macros(work: Any, score: int, out: Any) -> int:
    """Write a row for each macro move of the position, which has a score; return how many there are.

    Each advisor rates moves: it advises the one of the smallest rating; -1 is none.
    """
    return 0


@slot
def is_lost(work: Any) -> bool:
    """Tell whether the position certainly has no solution: a test that is too slow for each macro move."""
    return False
