"""The contract of a value rule: what a state's value is, and how it follows from the values of its successors.

Values are kept as *codes*, small non-negative integers. (Gasser 1995, section 3.3: InitialValue, InfoProp, InfoGather,
Backupable, FinalConvert.)
"""

from __future__ import annotations

from collections.abc import MutableSequence

from searchbench.rules import Code, Move, State, cost
from searchbench.slots import slot


@slot(required=True)
def initial(result: int, count: int) -> Code:
    """Return the first code of a state: of a terminal one from its result, of any other from its successor count."""
    return 0


@slot
def propagate(code: Code, successor: Code, weight: int) -> Code:
    """Return the state's new code, now that one of its successors has its final (stored) code.

    Without it: no retrograde analysis. Must not depend on the order of the calls within a level.
    """
    return code


@slot(required=True)
def gather(code: Code, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> Code:
    """Return the state's code from its own present code and those of all its successors."""
    return code


@slot
def level(code: Code) -> int:
    """Return when a code is final and is backed up to the predecessors (from 0 upwards), or -1: not yet or never."""
    return -1


@slot
def arrival(successor: Code) -> int:
    """Return 0 for a successor's stored code that may be propagated at any time; else how late, from 1 upwards.

    Of the codes that decide a state together, the one with the greatest arrival must come last.
    """
    return 0


@slot
def finish(code: Code) -> Code:
    """Return the code to be stored when nothing changes any more."""
    return code


@slot
def weight(state: State, move: Move) -> int:
    """Return the number on an edge that the value rule uses: the cost of the move, or its gain."""
    return cost(state, move)
