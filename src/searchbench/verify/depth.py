"""Check the depth of each state: no move skips a depth, and every state has a predecessor one less deep."""

from __future__ import annotations

from typing import Any

from searchbench.rules import UNDECIDED, new_moves, new_state, terminal
from searchbench.verify.check import CHANGED, IMPLIED, LOST, STATES, Note, is_position, report
from searchbench.verify.successors import has_changed, is_broken, look_ahead, number_of


def check_depths(
    codes: Any,
    illegal: int,
    first: int,
    stop: int,
    marked: bool,
    through_ends: bool,
    led_to: Any,
    faults: Any,
    note: Note,
) -> None:
    """Check that no move leads more than one deeper, and mark in `led_to` the successors exactly one deeper.

    Code 0 is an unreached state, d + 1 a depth of d. `marked`: illegal numbers have the code `illegal`; otherwise they count
    as unreached, and unreached numbers are skipped. `through_ends`: finished games have moves, as solved puzzles do.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    for number in range(first, stop):
        if codes[number] == 0 and not marked:
            note[STATES] += 1
            continue
        if not is_position(codes, illegal, number, state, scratch, faults, note) or codes[number] == 0:
            continue
        if not through_ends and terminal(state) != UNDECIDED:
            continue
        deeper = codes[number] + 1
        count = look_ahead(state, scratch, out, numbers, weights)
        if has_changed(number, state, scratch):
            report(faults, note, number, CHANGED, number_of(state, scratch))
            continue
        for index in range(count):
            successor = numbers[index]
            if is_broken(successor, len(codes)) or (successor >= 0 and codes[successor] == illegal):
                report(faults, note, number, LOST, max(successor, -1))
            elif successor >= 0:
                if codes[successor] == 0 or codes[successor] > deeper:
                    report(faults, note, successor, IMPLIED, deeper)
                elif codes[successor] == deeper:
                    led_to[successor] = 1
