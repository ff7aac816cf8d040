"""Compare each stored code with the code implied by the rules and the successors' codes."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.index.contract import unrank
from searchbench.rules import UNDECIDED, legal, new_moves, new_state, terminal
from searchbench.values.contract import finish, gather, initial
from searchbench.verify.successors import BEYOND, has_changed, is_broken, look_ahead, number_of

Note = MutableSequence[int]

STATES, FOUND, FREE = range(3)
"""A kernel's counts for a block: positions, faults, and moves that cost or gain nothing."""

NOT_LEGAL, NOT_FIRST, NOT_THERE, ENDED, IMPLIED, LOST, COST = range(7)
"""Faults: a value of an illegal state, or of a state that is not its class's representative; a position without value; a
wrong value of a finished game; a value that the successors contradict; a move out of the index; a negative cost."""
UNREACHED, UNSUPPORTED, CIRCULAR, OPEN, AMBIGUOUS = range(7, 12)
"""Faults of whole tables: see :mod:`searchbench.verify.depth`, :mod:`searchbench.verify.ground` and
:mod:`searchbench.verify.modulo`."""
CHANGED: Final = 12
"""The state is another one when its moves were played and taken back."""


def report(faults: Any, note: Note, number: int, kind: int, expected: int) -> None:
    """Count a fault, and list it if there is room."""
    if note[FOUND] < len(faults):
        faults[note[FOUND], 0] = number
        faults[note[FOUND], 1] = kind
        faults[note[FOUND], 2] = expected
    note[FOUND] += 1


def is_position(codes: Any, illegal: int, number: int, state: Any, scratch: Any, faults: Any, note: Note) -> bool:
    """Unrank a number and return whether it is a position with a value; report a fault if the table disagrees."""
    unrank(number, state)
    if not legal(state):
        if codes[number] != illegal:
            report(faults, note, number, NOT_LEGAL, illegal)
        return False
    own = number_of(state, scratch)
    if own != number:
        if codes[number] != illegal:
            report(faults, note, number, NOT_FIRST, own)
        return False
    note[STATES] += 1
    if codes[number] == illegal:
        report(faults, note, number, NOT_THERE, 0)
        return False
    return True


def check_block(
    codes: Any, illegal: int, first: int, stop: int, working: bool, revalue: bool, least: int, faults: Any, note: Note
) -> None:
    """Check the numbers first .. stop - 1.

    `working`: the rule gathers into a working code, which starts from the initial one, instead of the stored code.
    `revalue`: gather finished games, too. `least` is the least weight that a move may have.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    for number in range(first, stop):
        if not is_position(codes, illegal, number, state, scratch, faults, note):
            continue
        code = codes[number]
        result = terminal(state)
        if result != UNDECIDED and not revalue:
            expected = finish(initial(result, 0))
            if code != expected:
                report(faults, note, number, ENDED, expected)
            continue
        count = look_ahead(state, scratch, out, numbers, weights)
        if has_changed(number, state, scratch):
            report(faults, note, number, CHANGED, number_of(state, scratch))
            continue
        sound = True
        for index in range(count):
            successor = numbers[index]
            if is_broken(successor, len(codes)) or (successor >= 0 and codes[successor] == illegal):
                report(faults, note, number, LOST, max(successor, -1))
                sound = False
                break
            numbers[index] = codes[successor] if successor >= 0 else finish(initial(successor - BEYOND, 0))
            if weights[index] < least:
                report(faults, note, number, COST, weights[index])
            if weights[index] == 0:
                note[FREE] += 1
        if sound:
            expected = finish(gather(initial(result, count) if working else code, numbers, weights, count))
            if code != expected:
                report(faults, note, number, IMPLIED, expected)


def check_listed(
    codes: Any, illegal: int, listed: Any, first: int, stop: int, working: bool, revalue: bool, least: int, faults: Any,
    note: Note,
) -> None:  # fmt: skip
    """Check the numbers ``listed[first] .. listed[stop - 1]`` as `check_block` does."""
    for place in range(first, stop):
        number = listed[place]
        check_block(codes, illegal, number, number + 1, working, revalue, least, faults, note)
