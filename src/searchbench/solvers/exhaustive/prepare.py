"""Give every state of a group of parts its first code, and fold in what is known of the parts it leads to."""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence
from typing import Any, Final

from searchbench.errors import BrokenRule
from searchbench.exchange import Table
from searchbench.index.contract import unrank
from searchbench.rules import UNDECIDED, Code, Rank, new_moves, new_state, terminal
from searchbench.solvers.exhaustive.due import Marks, mark_due
from searchbench.solvers.exhaustive.neighbours import (
    OUTSIDE,
    Bounds,
    degree,
    departures,
    inside,
    is_position,
    stored_code,
)
from searchbench.values.contract import arrival, initial, level, propagate

STOPPED, TOO_LARGE = 0, 1
"""What a kernel notes about a block: where it stopped, and why (a code that is too large, or one of the next two, or 0)."""
NO_NUMBER: Final = -1
NEGATIVE: Final = -2


def settled(
    codes: Any, number: Rank, code: Code, stored: Code, new: Code, bounds: Bounds,
    state: Any, scratch: Any, out: Any, numbers: Any, weights: Any,
) -> Code:  # fmt: skip
    """Return the code of a state that a successor's `stored` code has just decided to be `new`.

    A finished part may hold a successor that comes later; then that one decides, and was only counted so far.
    """
    unrank(number, state)
    latest = arrival(stored)
    for index in range(departures(state, scratch, out, numbers, weights)):
        if numbers[index] >= 0 and inside(numbers[index], bounds):
            continue
        successor = stored_code(codes, numbers[index], bounds)
        if arrival(successor) > latest:
            latest = arrival(successor)
            new = propagate(code, successor, weights[index])
    return new


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
    codes: Any, illegal: int, first: int, stop: int, bounds: Bounds, look_ahead: bool, due: Marks,
    note: MutableSequence[int],
) -> None:  # fmt: skip
    """Give the states first .. stop - 1 their initial codes.

    With `look_ahead` the successors are counted, and those in finished parts (or outside the index) are propagated.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
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
            code = initial(UNDECIDED, degree(state, scratch, out, numbers, weights))
            count = departures(state, scratch, out, numbers, weights)
            last = -1
            for index in range(count):
                if numbers[index] == UNDECIDED - OUTSIDE:
                    note[TOO_LARGE] = NO_NUMBER
                    return
                if numbers[index] >= 0 and inside(numbers[index], bounds):
                    continue
                numbers[index] = stored_code(codes, numbers[index], bounds)
                if arrival(numbers[index]) == 0:
                    code = propagate(code, numbers[index], weights[index])
                elif last < 0 or arrival(numbers[index]) > arrival(numbers[last]):
                    if last >= 0:
                        code = propagate(code, numbers[last], weights[last])
                    last = index
                else:
                    code = propagate(code, numbers[index], weights[index])
            if last >= 0:  # the longest defence comes last: it counts if no other escape is left
                code = propagate(code, numbers[last], weights[last])
        if not 0 <= code < illegal:
            note[TOO_LARGE] = code if code >= 0 else NEGATIVE
            return
        codes[number] = code
        if level(code) >= 0:
            mark_due(due, number, level(code))
    note[STOPPED] = stop
