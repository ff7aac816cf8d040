"""The contract of a value rule: a state's value, and how it follows from the values of its successors.

Values are stored as *codes*, small non-negative integers. (Gasser 1995, section 3.3: InitialValue, InfoProp,
InfoGather, Backupable, FinalConvert.)
"""

from __future__ import annotations

from collections.abc import MutableSequence

from searchbench.rules import Code, Move, State, cost
from searchbench.slots import slot


@slot(required=True)
def initial(result: int, count: int) -> Code:
    """Return the first code of a state: of a terminal state from its result, of others from the number of successors."""
    return 0


@slot
def propagate(code: Code, successor: Code, weight: int) -> Code:
    """Return the state's new code, given the final (stored) code of one successor.

    Retrograde analysis requires it. Must not depend on the order of the calls within a level.
    """
    return code


@slot(required=True)
def gather(code: Code, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> Code:
    """Return the state's code from its present code and those of all its successors."""
    return code


@slot
def level(code: Code) -> int:
    """Return the level (from 0) at which a code is final and is propagated to predecessors, or -1: not yet or never."""
    return -1


@slot
def arrival(successor: Code) -> int:
    """Return 0 if a successor's stored code may be propagated at any time, else how late, from 1.

    Of the codes that jointly decide a state, the one with the greatest arrival must come last.
    """
    return 0


@slot
def finish(code: Code) -> Code:
    """Return the code to store once nothing changes any more."""
    return code


@slot
def weight(state: State, move: Move) -> int:
    """Return the edge weight that the value rule uses: the move's cost, or its gain."""
    return cost(state, move)
