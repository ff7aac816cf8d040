"""Reasons why the predecessors or successors of a state cannot be told; a kernel returns one in the place of a number."""

from __future__ import annotations

from typing import Final

from searchbench.errors import BrokenRule, OutOfMemory, SearchBenchError, ValueOverflow
from searchbench.exchange.memory import LARGEST_CODE, LARGEST_WEIGHT

NOT_CARRIED: Final = -1
"""A weight or a code is more than a request carries."""
NO_ROOM: Final = -2
"""The requests of one state are more than empty buckets hold."""
UNTOLD: Final = -3
"""Of two neighbours the stabilizer of one is known, and of the other not."""
NOT_IN_INDEX: Final = -4
"""A successor's number is none of the index."""


def refusal(reason: int, where: str) -> SearchBenchError:
    """Return the error for one of the reasons; `where` names the solver's step."""
    if reason == NO_ROOM:
        return OutOfMemory(
            f"{where}: the requests to the predecessors of one state do not fit the buckets; give a larger --memory "
            "(the solver `fixpoint` has no buckets)"
        )
    if reason == UNTOLD:
        return BrokenRule(
            f"{where}: `stabilizer` gives 0 for a state and more for its predecessor, or the other way round: it must "
            "know the number of every state, or of none"
        )
    if reason == NOT_IN_INDEX:
        return BrokenRule(
            f"{where}: a move leads to a number that the index does not have: `searchbench check` shows it"
        )
    return ValueOverflow(
        f"{where}: a move costs less than 0, which no solver takes (`searchbench check` finds it), or more than "
        f"{LARGEST_WEIGHT:,}, or a value's code is above {LARGEST_CODE:,}: more than a request carries; the solver `fixpoint` "
        "takes large ones"
    )
