"""List the predecessors and the edges of some states."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.index.contract import canonical_rank, unrank
from searchbench.rules import UNDECIDED, image_under, moves, new_moves, new_state, play, terminal, unmoves, unplay
from searchbench.solvers.exhaustive.neighbours import OUTSIDE, is_position, successors
from searchbench.values.contract import finish, initial

OPEN, KNOWN = 1, 2
"""Marks of the numbers of a region: no value yet, or solved again. All others are marked 0."""
NO_POSITION: Final = -1
"""Stands for the code of a number that is not a position."""
FILLED, BROKEN = 0, 1
"""The notes of `list_states`: the number of edges, and 1 + a number from which a move leads to no position."""


def list_predecessors(images: int, listed: Any, first: int, stop: int, numbers: Any) -> int:
    """Write the predecessors of ``listed[first] .. listed[stop - 1]``; return how many.

    With more `images` than one, those of a state's images count as well: moves may have led to each of them.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    count = 0
    for place in range(first, stop):
        unrank(listed[place], state)
        if not is_position(listed[place], state, scratch):
            continue
        for symmetry in range(images):
            if symmetry > 0:
                unrank(listed[place], state)
                image_under(state, symmetry)
            for index in range(unmoves(state, out)):
                unplay(state, out[index])
                numbers[count] = canonical_rank(state, scratch)
                play(state, out[index])
                count += 1
    return count


def list_leading(wanted: Any, first: int, stop: int, through_ends: bool, numbers: Any) -> int:
    """Write those of the numbers first .. stop - 1 that have a `wanted` successor; return how many."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    count = 0
    for number in range(first, stop):
        unrank(number, state)
        if not is_position(number, state, scratch) or (not through_ends and terminal(state) != UNDECIDED):
            continue
        for index in range(moves(state, out)):
            play(state, out[index])
            successor = canonical_rank(state, scratch)
            unplay(state, out[index])
            if successor >= 0 and wanted[successor] != 0:
                numbers[count] = number
                count += 1
                break
    return count


def list_states(
    codes: Any, illegal: int, marks: Any, listed: Any, first: int, stop: int, firsts: Any, begins: Any, ends: Any,
    note: MutableSequence[int],
) -> None:  # fmt: skip
    """Write the first codes of ``listed[first] .. listed[stop - 1]`` and their edges, which begin at ``begins[k]``.

    An edge is a weight and the number of a successor that is OPEN, or -1 - code for any other successor.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    filled = 0
    for place in range(first, stop):
        begins[place - first] = filled
        number = listed[place]
        unrank(number, state)
        if not is_position(number, state, scratch):
            firsts[place - first] = NO_POSITION
            continue
        result = terminal(state)
        firsts[place - first] = initial(result, 0 if result != UNDECIDED else 1)
        count = successors(state, scratch, out, numbers, weights) if result == UNDECIDED else 0
        for index in range(count):
            target = numbers[index]
            if target == UNDECIDED - OUTSIDE or (target >= 0 and marks[target] != OPEN and codes[target] == illegal):
                note[BROKEN] = 1 + number
                return
            if target < 0:
                target = -1 - finish(initial(target + OUTSIDE, 0))
            elif marks[target] != OPEN:
                target = -1 - codes[target]
            ends[filled, 0] = target
            ends[filled, 1] = weights[index]
            filled += 1
    begins[stop - first] = filled
    note[FILLED] = filled
