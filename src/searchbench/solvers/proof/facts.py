"""What proof search knows of a state: bounds on its outcome, and the place of a move that reaches the lower one.

A fact is one word of a transposition table. It holds for the state however it was reached. Where play may return to
an earlier state, a bound that is due to such a repetition holds only on the path it was found on, and is no fact: see
:mod:`searchbench.solvers.proof.path`.
"""

from __future__ import annotations

from typing import Final

from searchbench.rules import UNDECIDED, State, terminal
from searchbench.solvers.shared.transposition import (
    LARGEST_WORTH,
    WORTH_SHIFT,
    Transpositions,
    probe,
    store,
)  # fmt: skip

NO_PLACE: Final = -1
_PLACE_SHIFT: Final = 4
_PLACE_MASK: Final = (1 << (WORTH_SHIFT - _PLACE_SHIFT)) - 1
LARGEST_PLACE: Final = _PLACE_MASK - 1


def outcome_of(state: State) -> int:
    """Return UNDECIDED, or -1 / 0 / +1 for the player to move."""
    result = terminal(state)
    if result == UNDECIDED or -1 <= result <= 1:
        return result
    return 1 if result > 0 else -1


def lower_of(fact: int) -> int:
    """Return the outcome that the player to move is sure of; -1 of the empty fact 0."""
    return (fact & 3) - 1


def upper_of(fact: int) -> int:
    """Return the outcome that the player to move cannot exceed; +1 of the empty fact 0."""
    return 1 - ((fact >> 2) & 3)


def place_of(fact: int) -> int:
    """Return the place of the best move in the list of moves, or NO_PLACE."""
    return ((fact >> _PLACE_SHIFT) & _PLACE_MASK) - 1


def learn(table: Transpositions, key: int, lower: int, upper: int, place: int, work: int) -> None:
    """Add bounds to what the table knows of a state; `place` is that of a move which reaches the lower one."""
    known = probe(table, key)
    if lower_of(known) > lower or (place == NO_PLACE and lower_of(known) == lower):
        lower = lower_of(known)
        place = place_of(known)
    upper = min(upper, upper_of(known))
    worth = min(max(work, known >> WORTH_SHIFT), LARGEST_WORTH)
    store(table, key, (worth << WORTH_SHIFT) | ((place + 1) << _PLACE_SHIFT) | ((1 - upper) << 2) | (lower + 1))
