"""Check depths modulo 3, and reached states, by an independent breadth-first search.

A successor of a state of depth d must have the code of depth d + 1, or have been seen before. A successor with that code
that was seen at an earlier level lies two or more levels nearer to the start: then the codes do not determine whole depths
(:mod:`searchbench.store.modulo`).
"""

from __future__ import annotations

from typing import Any

from searchbench.index.contract import unrank
from searchbench.rules import UNDECIDED, new_moves, new_state, terminal
from searchbench.verify.check import AMBIGUOUS, IMPLIED, LOST, STATES, Note, report
from searchbench.verify.successors import is_broken, look_ahead

NOT_SEEN, DONE, EVEN = range(3)
"""Marks of numbers; EVEN and EVEN + 1 are the current levels, by their parity."""


def check_level(
    codes: Any, first: int, stop: int, now: int, next_code: int, expected: int, through_ends: bool, whole: bool, marks: Any,
    faults: Any, note: Note,
) -> None:  # fmt: skip
    """Expand the states marked `now` among first .. stop - 1, and mark successors that have the code of the next level.

    A successor not seen before must have that code: it is neither nearer to the start nor farther away. `expected` is the
    code to report if it has another one. `whole`: the codes must determine whole depths.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    after = EVEN + EVEN + 1 - now
    for number in range(first, stop):
        if marks[number] != now:
            continue
        marks[number] = DONE
        note[STATES] += 1
        unrank(number, state)
        if not through_ends and terminal(state) != UNDECIDED:
            continue
        for index in range(look_ahead(state, scratch, out, numbers, weights)):
            successor = numbers[index]
            if is_broken(successor, len(codes)):
                report(faults, note, number, LOST, max(successor, -1))
            elif successor >= 0 and marks[successor] == NOT_SEEN:
                if codes[successor] == next_code:
                    marks[successor] = after
                else:
                    report(faults, note, successor, IMPLIED, expected)
            elif whole and successor >= 0 and marks[successor] == DONE and codes[successor] == next_code:
                report(faults, note, number, AMBIGUOUS, successor)
