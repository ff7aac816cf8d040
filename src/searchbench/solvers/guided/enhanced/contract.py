"""The contract of enhanced IDA* (Junghanns and Schaeffer 2001, section 4): a position with its bounds, changed in place.

`work` is a named tuple of arrays that a game makes for each search: tables, and the position with all that is kept for
each row of the path. Row 0 is the start; the move from row r leads to row r + 1. A *move* may be a macro of many steps
of one piece.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.rules import Move
from searchbench.slots import slot

INFEASIBLE: Final = 1 << 20
"""A bound of so much, or more, says that there is no solution."""


@slot(required=True)
def make(work: Any, row: int, move: Move) -> None:
    """Make a move of the position of a row."""


@slot(required=True)
def unmake(work: Any, row: int, move: Move) -> None:
    """Take back the move that `make` has made with the same arguments."""


@slot(required=True)
def length(move: Move) -> int:
    """Return the cost of a move: the number of its steps."""
    return 1


@slot(required=True)
def estimate(work: Any, row: int, move: Move) -> int:
    """Return a bound for the position of a row, which `move` has led to; of row 0, when the search begins, it is 0."""
    return 0


@slot(required=True)
def is_solved(work: Any, row: int) -> bool:
    """Tell whether the position is solved."""
    return False


@slot(required=True)
def identify(work: Any, row: int) -> int:
    """Return the key of the position, a hash of 63 bits; called before `candidates`, `penalty` and `investigate` of the row."""
    return 0


@slot(required=True)
def candidates(work: Any, row: int, previous: Move, out: Any, first: int, chance: int) -> int:
    """Write the moves to be tried into `out[first:, 0]` and their ratings into `out[first:, 1]`; return the end.

    Moves of the smallest rating are tried first. `previous` is the move that led here (0: none), `chance` the degree of
    randomness that is wanted, which changes the ratings by itself.
    """
    return first


@slot
def penalty(work: Any, row: int) -> int:
    """Return what patterns that were learnt add to the bound of `estimate`."""
    return 0


@slot
def learnt(work: Any) -> int:
    """Return a number that grows with each pattern that is learnt."""
    return 0


@slot
def investigate(work: Any, row: int, move: Move, nodes: int) -> int:
    """Look for patterns that the last move may have made, if that seems worth it; return the nodes it took.

    Once more after `nodes` of the search below the position in vain; at first these are 0.
    """
    return 0


@slot
def related(work: Any, before: Move, move: Move) -> bool:
    """Tell whether a move is local to the one before it."""
    return True


@slot
def same_piece(before: Move, move: Move) -> bool:
    """Tell whether a move goes on with the piece that the one before has moved."""
    return False


@slot
def brings_home(move: Move) -> bool:
    """Tell whether a move takes a piece to its goal for good, in the place of all other moves."""
    return False


Moves = MutableSequence[Move]
