"""Give every state of a group of parts its first code, and fold in what is known of the parts it leads to."""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence
from typing import Any, Final

from searchbench.errors import BrokenRule
from searchbench.exchange import Table
from searchbench.rules import (
    UNDECIDED,
    arrival,
    initial,
    level,
    new_moves,
    new_state,
    propagate,
    terminal,
    unrank,
)  # fmt: skip
from searchbench.solvers.exhaustive.neighbours import OUTSIDE, Bounds, inside, is_position, stored_code, successors

STOPPED, DEEPEST, TOO_LARGE, LATE = range(4)
"""What a kernel notes about a block: where it stopped, the highest level it gave, why it stopped (a code that is too
large, or one of the next two, or 0), and how many requests wait for their level."""
NO_NUMBER: Final = -1
NEGATIVE: Final = -2


def make_room(table: Table, misfits: Iterable[int]) -> None:
    """Widen the table for the codes that did not fit; raise BrokenRule for what no table can hold."""
    largest = 0
    for misfit in misfits:
        if misfit == NO_NUMBER:
            raise BrokenRule("a move leads to a state that has no number and is not terminal")
        if misfit == NEGATIVE:
            raise BrokenRule("the value rule gave a negative code")
        largest = max(largest, misfit)
    table.widen(largest)


def prepare(
    codes: Any,
    illegal: int,
    first: int,
    stop: int,
    bounds: Bounds,
    look_ahead: bool,
    late: Any,
    note: MutableSequence[int],
) -> None:
    """Give the states first .. stop - 1 their initial codes.

    With `look_ahead` the successors are counted, and those in finished parts (or outside the index) are propagated. A
    successor whose value may not be the last one to arrive before its level is written to `late` (number, code, weight).
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    note[DEEPEST] = -1
    note[LATE] = 0
    for number in range(first, stop):
        unrank(number, state)
        note[STOPPED] = number
        if not is_position(number, state, scratch):
            codes[number] = illegal
            continue
        result = terminal(state)
        if result != UNDECIDED or not look_ahead:
            code = initial(result, 0 if result != UNDECIDED else 1)
        else:
            count = successors(state, scratch, out, numbers, weights)
            code = initial(UNDECIDED, count)
            last = -1
            for index in range(count):
                if numbers[index] >= 0 and inside(numbers[index], bounds):
                    continue
                if numbers[index] == UNDECIDED - OUTSIDE:
                    note[TOO_LARGE] = NO_NUMBER
                    return
                successor = stored_code(codes, numbers[index], bounds)
                if arrival(successor) == 0:
                    code = propagate(code, successor, weights[index])
                elif last < 0 or arrival(successor) > arrival(stored_code(codes, numbers[last], bounds)):
                    if last >= 0:
                        code = propagate(code, stored_code(codes, numbers[last], bounds), weights[last])
                    last = index
                else:
                    code = propagate(code, successor, weights[index])
            if last >= 0:
                late[note[LATE], 0] = number
                late[note[LATE], 1] = stored_code(codes, numbers[last], bounds)
                late[note[LATE], 2] = weights[last]
                note[LATE] += 1
        if not 0 <= code < illegal:
            note[TOO_LARGE] = code if code >= 0 else NEGATIVE
            return
        codes[number] = code
        note[DEEPEST] = max(note[DEEPEST], level(code))
    note[STOPPED] = stop
