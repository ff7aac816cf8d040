"""Ground values: values that fit their successors may still support only each other on a cycle.

Distances over moves of positive cost, and outcomes with their depth, cannot: they follow from smaller values. But moves of
cost 0 can support a distance that leads nowhere, and points can be promised for ever. So each value must be *grounded*:
derived from the ends of the game.

For points, a state with the value v gets two marks as they are proved: the player to move gets at least v (AT_LEAST), and
at most v (AT_MOST). A finished game has both. A state is worth at least v if some move that yields v leads to a state with
AT_MOST; it is worth at most v if all its successors have AT_LEAST. These marks grow to a fixpoint. Endless play is the other
ground. Take the states whose every move leads to a state with both marks, or gains nothing and stays in the set (AMONG):
those with v >= 0 are worth at most v, those with v <= 0 at least v, because endless play gains 0 and every move out of the
set leads to a state with both marks. Both steps alternate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from searchbench.index.contract import unrank
from searchbench.index.protocol import Part
from searchbench.rules import UNDECIDED, moves, new_moves, new_state, terminal
from searchbench.values.contract import weight
from searchbench.verify.check import Note
from searchbench.verify.passes import blocks, count_equal, numbers_where
from searchbench.verify.successors import BEYOND, after
from searchbench.verify.value_claims import points_of

AT_LEAST: Final = 1
AT_MOST: Final = 2
BOTH: Final = 3
AMONG: Final = 4
SEEN: Final = 8
NOBODY: Final = -1
LONGEST: Final = 1 << 12
"""The longest chain of states each of which waits for the next one."""

Sweep = Callable[[Callable[..., None], Sequence[Part], Any], None]
"""Calls a kernel for all numbers of some parts until it changes no mark."""


def ground_distances(codes: Any, illegal: int, first: int, stop: int, backwards: bool, marks: Any, note: Note) -> None:
    """Mark solved states, and states with a best move that has a positive cost or leads to a marked state."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    for step in range(stop - first):
        number = stop - 1 - step if backwards else first + step
        code = codes[number]
        if marks[number] or code == illegal or code == 0:
            continue
        unrank(number, state)
        grounded = terminal(state) != UNDECIDED
        for index in range(0 if grounded else moves(state, out)):
            edge = weight(state, out[index])
            successor = after(state, out[index], scratch)
            if successor < 0:
                grounded = successor == BEYOND and 1 + edge == code
            else:
                grounded = (
                    codes[successor] > 0 and codes[successor] + edge == code and (edge > 0 or marks[successor] != 0)
                )
            if grounded:
                break
        if grounded:
            marks[number] = BOTH
            note[0] += 1


def ground_points(codes: Any, illegal: int, first: int, stop: int, backwards: bool, marks: Any, note: Note) -> None:
    """Mark bounds on the points that follow from the marks of the successors.

    A state that waits for a successor's mark has that one looked at first, once in a sweep: so a long chain takes few sweeps.
    Who was looked at has SEEN in a sweep forwards, and lacks it in one backwards.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    chain = np.empty(LONGEST, np.int64)
    seen = 0 if backwards else SEEN
    for step in range(stop - first):
        number = stop - 1 - step if backwards else first + step
        if marks[number] & BOTH == BOTH or codes[number] == illegal or marks[number] & SEEN == seen:
            continue
        chain[0] = number
        length = 1
        while length > 0:
            number = chain[length - 1]
            before = marks[number] & BOTH
            marks[number] = marks[number] & ~SEEN | seen
            waits_for = bound_points(codes, number, seen, marks, state, scratch, out)
            note[0] += marks[number] & BOTH != before
            if waits_for != NOBODY and length < LONGEST:
                chain[length] = waits_for
                length += 1
            else:
                length -= 1


def bound_points(codes: Any, number: int, seen: int, marks: Any, state: Any, scratch: Any, out: Any) -> int:
    """Mark the bounds of one state; return a successor, not seen in this sweep, for whose mark another bound waits, or NOBODY."""
    unrank(number, state)
    value = points_of(codes[number])
    count = moves(state, out) if terminal(state) == UNDECIDED else 0
    at_least = count == 0 or marks[number] & AT_LEAST != 0
    at_most = count == 0 or marks[number] & AT_MOST != 0
    below = not at_most  # whether all successors looked at so far let the state have at most its value
    waits_above = waits_below = NOBODY
    for index in range(count):
        if at_least and not below:
            break  # no mark can be added
        edge = weight(state, out[index])
        successor = after(state, out[index], scratch)
        mark = BOTH if successor < 0 else marks[successor]
        points = successor - BEYOND if successor < 0 else points_of(codes[successor])
        if edge - points == value:
            if mark & AT_MOST:
                at_least = True
            elif mark & SEEN != seen:
                waits_above = successor
        if below and not mark & AT_LEAST:
            below = False
            if mark & SEEN != seen:
                waits_below = successor
    marks[number] |= (AT_LEAST if at_least else 0) | (AT_MOST if at_most or below else 0)
    return waits_below if at_least else waits_above


def leave_neutral(codes: Any, illegal: int, first: int, stop: int, backwards: bool, marks: Any, note: Note) -> None:
    """Clear AMONG for states with a move to a state without both marks that gains points or leaves the set."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    for step in range(stop - first):
        number = stop - 1 - step if backwards else first + step
        if not marks[number] & AMONG:
            continue
        unrank(number, state)
        for index in range(moves(state, out) if terminal(state) == UNDECIDED else 0):
            successor = after(state, out[index], scratch)
            if successor < 0 or marks[successor] & BOTH == BOTH:
                continue
            if weight(state, out[index]) != 0 or not marks[successor] & AMONG:
                marks[number] &= ~AMONG
                note[0] += 1
                break


def circular_distances(codes: Any, illegal: int, parts: Sequence[Part], until_stable: Sweep) -> Any:
    """Return the numbers whose distance rests only on moves of cost 0."""
    marks = np.zeros(len(codes), np.int8)
    until_stable(ground_distances, parts, marks)
    return numbers_where(
        len(codes), lambda block: (marks[block] == 0) & (codes[block] != 0) & (codes[block] != illegal)
    )


def circular_points(codes: Any, illegal: int, parts: Sequence[Part], until_stable: Sweep) -> tuple[Any, Any]:
    """Return the numbers whose points are never gained; if there are none, also those left open by endless gains."""
    marks = np.full(len(codes), BOTH, np.int8)  # of numbers outside the parts nothing is asked
    for block in _blocks_of(parts):
        marks[block] = np.where(codes[block] == illegal, BOTH, 0)
    for group in _in_order(parts):
        known = -1
        while (now := _known(group, marks)) > known:
            known = now
            _find_neutral(group, marks, until_stable)
            for block in _blocks_of(group):
                values = codes[block]
                bounds = np.where(values & 1 == 1, AT_LEAST, np.where(values == 0, BOTH, AT_MOST))
                marks[block] |= np.where(marks[block] & AMONG != 0, bounds, 0).astype(np.int8)
            until_stable(ground_points, group, marks)
            circular = numbers_where(
                len(marks), lambda block: (marks[block] & AMONG != 0) & (marks[block] & BOTH != BOTH)
            )
            if len(circular):
                return circular, np.empty(0, np.int64)
            for block in _blocks_of(group):
                marks[block] &= BOTH
    return np.empty(0, np.int64), numbers_where(len(marks), lambda block: marks[block] != BOTH)


def _known(group: Sequence[Part], marks: Any) -> int:
    """Return the number of states of a group that have both marks."""
    return sum(count_equal(marks[part.start : part.stop], BOTH) for part in group)


def _find_neutral(group: Sequence[Part], marks: Any, until_stable: Sweep) -> None:
    """Set AMONG for the states of a group from which play may go on for ever without a gain; see the module's docstring."""
    for block in _blocks_of(group):
        marks[block] |= np.where(marks[block] != BOTH, AMONG, 0).astype(np.int8)
    until_stable(leave_neutral, group, marks)


def _blocks_of(parts: Sequence[Part]) -> Iterator[slice]:
    return (block for part in parts for block in blocks(part.start, part.stop))


def _in_order(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield the parts in the order of their needs; all parts on or behind a cycle of needs come last, as one group."""
    left, done = list(parts), set[str]()
    while left:
        ready = [part for part in left if all(need in done or need == part.name for need in part.needs)] or left
        yield ready
        done |= {part.name for part in ready}
        left = [part for part in left if part.name not in done]
