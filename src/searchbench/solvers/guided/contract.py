"""The contract of guided search: the slots of incremental heuristics and of enhancements.

Heuristics and games supply the functions; a configuration sets the constants, or puts the defaults back.
"""

from __future__ import annotations

from typing import Any, Final

from searchbench.rules import Move, State, h, h_step
from searchbench.slots import constant, slot

# --- incremental heuristics -------------------------------------------------------------------------------------------

H_STATE_SIZE: Final = constant("H_STATE_SIZE", 0)
"""How many numbers a heuristic keeps for each state of the path, beside the bound itself."""
H_PREFETCHES: Final = constant("H_PREFETCHES", False)
"""Whether `h_update` relies on `h_prefetch`."""


@slot
def h_init(state: State, tables: Any, h_state: Any, row: int) -> int:
    """Return h of the state a search begins with, and write the heuristic's numbers into a row of `h_state`."""
    return h(state, tables)


@slot
def h_prefetch(state: State, move: Move, tables: Any, h_state: Any, row: int, after: int) -> None:
    """Prepare `h_update` with the same arguments: write its numbers into the row `after`, and ask for the memory it reads.

    With H_PREFETCHES depth-first search calls it for all the moves of a state before it asks for the first bound, and any
    other search right before `h_update`.
    """


@slot
def h_update(state: State, move: Move, tables: Any, bound: int, limit: int, h_state: Any, row: int, after: int) -> int:
    """Return h after a move that is not played yet; `bound` is h before it, and `row` has the heuristic's numbers.

    Write the numbers after the move into the row `after`. May return any lower bound above `limit`; the row is then
    undefined.
    """
    return bound + h_step(state, move, tables)


# --- the order of moves and states ------------------------------------------------------------------------------------

ORDER_BY_H: Final = constant("ORDER_BY_H", False)
"""Whether depth-first search tries the moves in the order of their bounds, not in that of `moves`."""
ORDER_BY_PRIORITY: Final = constant("ORDER_BY_PRIORITY", False)
"""Whether search tries the moves in the order of their `move_priority`."""
RANDOM_ORDER: Final = constant("RANDOM_ORDER", False)
"""Whether depth-first search breaks the order of the moves at random, as it does where it restarts."""


@slot
def move_priority(state: State, move: Move, tables: Any) -> int:
    """Return how promising a move looks; with ORDER_BY_PRIORITY moves of a larger priority are tried first."""
    return 0


@slot
def goodness(state: State, tables: Any) -> int:
    """Return how promising a state looks, in points of the game's own: best-first search can go by that alone.

    It is no bound: a state with more points is expanded first, at any cost of its path.
    """
    return 0


# --- cuts -------------------------------------------------------------------------------------------------------------

MACROS: Final = constant("MACROS", False)
"""Whether search plays forced moves at once, and joins them to the move before."""
FSM_PRUNING: Final = constant("FSM_PRUNING", False)
"""Whether depth-first search leaves out moves that complete a superfluous sequence (Taylor and Korf 1993)."""


@slot
def forced_move(state: State, move: Move, tables: Any) -> bool:
    """Return true for a move beside which no other needs to be tried; of several such moves the first one is made.

    No solution may be lost or grow longer by that.
    """
    return False


@slot
def relevance_cut(state: State, previous: Move, move: Move, tables: Any) -> bool:
    """Return true for a move that need not be tried in a state, after the move that led there (-1: unknown, or none).

    Searches that know a state again ask with -1, as other moves may reach it, too. A cut must lose no solution, or none that
    is not found otherwise; else the game names the enhancement in `incomplete`.
    """
    return False


@slot
def dead(state: State, tables: Any) -> bool:
    """Return true for a state from which no solved state can be reached; guided search asks at every state it expands."""
    return False


# --- memory -----------------------------------------------------------------------------------------------------------

TRANSPOSITION_TABLE: Final = constant("TRANSPOSITION_TABLE", False)
"""Whether depth-first search keeps the states that it has expanded in a transposition table."""
CLOSED_LIST: Final = constant("CLOSED_LIST", False)
"""Whether depth-first search keeps all the states that it sees, and so notices when there are no others."""
