"""Store facts about states: bounds on the outcome, and the place of a move that reaches the lower one.

A fact is one word of a transposition table. It holds for the state on any path. A bound that is due to a repetition holds
only on the path of its search and is not a fact: see :mod:`searchbench.solvers.proof.path`. If a search counted unknown
leaves as lost for one player, its facts rest on that assumption. A state can occur with either player to move, so each fact
has the set of *assumptions* under which it holds.
"""

from __future__ import annotations

from typing import Final

from searchbench.hashing import key
from searchbench.rules import UNDECIDED, State, canonical, new_state, terminal
from searchbench.slots import constant
from searchbench.solvers.shared.transposition import (
    LARGEST_WORTH,
    WORTH_SHIFT,
    Transpositions,
    probe,
    store,
)  # fmt: skip

NO_PLACE: Final = -1
LOST_LEAVES: Final = 1
WON_LEAVES: Final = 2
ANY_LEAVES: Final = 3
"""Sets of assumptions: unknown leaves are lost for the player to move in the state; won for that player; both sets."""
_ASSUMPTION_SHIFT: Final = 4
_PLACE_SHIFT: Final = 6
_PLACE_MASK: Final = (1 << (WORTH_SHIFT - _PLACE_SHIFT)) - 1
LARGEST_PLACE: Final = _PLACE_MASK - 1
SYMMETRIC_STATES: Final = constant("SYMMETRIC_STATES", False)
"""Whether symmetric states share their facts."""


def shared_key(state: State) -> int:
    """Return the key under which a table knows a state: its own, or that of its representative."""
    if SYMMETRIC_STATES:
        representative = new_state()
        for cell in range(len(state)):
            representative[cell] = state[cell]
        canonical(representative)
        return key(representative)
    return key(state)


def outcome_of(state: State) -> int:
    """Return UNDECIDED, or -1 / 0 / +1 for the player to move."""
    result = terminal(state)
    if result == UNDECIDED or -1 <= result <= 1:
        return result
    return 1 if result > 0 else -1


def lower_of(fact: int) -> int:
    """Return the lower bound of the outcome for the player to move; -1 for the empty fact 0."""
    return (fact & 3) - 1


def upper_of(fact: int) -> int:
    """Return the upper bound of the outcome for the player to move; +1 for the empty fact 0."""
    return 1 - ((fact >> 2) & 3)


def place_of(fact: int) -> int:
    """Return the place of the best move in the list of moves, or NO_PLACE."""
    return ((fact >> _PLACE_SHIFT) & _PLACE_MASK) - 1


def fact_about(table: Transpositions, key: int, assumptions: int) -> int:
    """Return the table's fact about a state if it holds under these assumptions, else the empty fact 0."""
    known = probe(table, key)
    return known if (known >> _ASSUMPTION_SHIFT) & assumptions == assumptions else 0


def learn(
    table: Transpositions, key: int, lower: int, upper: int, place: int, work: int, assumptions: int = ANY_LEAVES
) -> None:
    """Add bounds to the fact about a state; `place` is the place of a move that reaches the lower one."""
    known = probe(table, key)
    shared = (known >> _ASSUMPTION_SHIFT) & assumptions
    if shared == 0:
        known = 0
    else:
        assumptions = shared
    if lower_of(known) > lower or (place == NO_PLACE and lower_of(known) == lower):
        lower = lower_of(known)
        place = place_of(known)
    upper = min(upper, upper_of(known))
    worth = min(max(work, known >> WORTH_SHIFT), LARGEST_WORTH)
    bounds = ((1 - upper) << 2) | (lower + 1)
    store(
        table, key, (worth << WORTH_SHIFT) | ((place + 1) << _PLACE_SHIFT) | (assumptions << _ASSUMPTION_SHIFT) | bounds
    )
