"""Retrograde analysis on a device, of tables that fit its memory: count, scan, scatter, and back up.

The steps are those of :mod:`searchbench.solvers.exhaustive.retrograde`. Of each level, the pending states are counted in
strips of the table, the counts are summed up, and the states' numbers are scattered into one list, so that neighbouring threads
have work alike. Then a thread takes a state, and changes the codes of its predecessors by compare and swap: within a level
the order of requests does not matter. Codes take 4 bytes while they change, the size of the least word that can be swapped.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import BrokenRule, ValueOverflow
from searchbench.exchange.table import WIDTHS
from searchbench.game import Game
from searchbench.index.contract import unrank
from searchbench.index.protocol import line_size
from searchbench.jit import Device, atomic_swap
from searchbench.rules import UNDECIDED, new_moves, new_state, terminal
from searchbench.run import Run
from searchbench.solvers.exhaustive.departures import ASKED_EVERY, departure_refused
from searchbench.solvers.exhaustive.device.threads import STRIPS, Threads
from searchbench.solvers.exhaustive.finished import longest_defence, propagate_finished
from searchbench.solvers.exhaustive.groups import Group, groups_in_order
from searchbench.solvers.exhaustive.neighbours import (
    Bounds,
    conversion_edges,
    degree,
    inside,
    is_position,
    predecessors,
)
from searchbench.solvers.exhaustive.refusals import NOT_CARRIED, UNTOLD, refusal
from searchbench.solvers.exhaustive.schedule import LEAVES, NO_NUMBER
from searchbench.values import ValueRule
from searchbench.values.contract import arrival, finish, initial, level, propagate

ILLEGAL: Final = (1 << 31) - 1
"""The code that marks numbers that are no position."""
STRIP: Final = 128
"""Numbers of a strip, which one thread looks through."""
REFUSED, TOO_LARGE, AGAIN = 0, 1, 2
"""The places of a note: why a group cannot be solved, or 0; a code that no table can hold; whether the level got new states."""
NONE: Final = 1 << 62
"""A level that no state has."""

# --- kernels: the first argument is the place of a number in a part, of a strip, of a row of strips, or in the list -----------


def initialise(
    place: int, codes: Any, start: int, bounds: Bounds, look_ahead: bool, leaves: bool, note: MutableSequence[int]
) -> None:
    """Give a state its first code; see the processor's kernel of that name."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    number = start + place
    unrank(number, state)
    if not is_position(number, state, scratch):
        codes[number] = ILLEGAL
        return
    result = terminal(state)
    if result != UNDECIDED or not look_ahead:
        code = initial(result, 0 if result != UNDECIDED else 1)
    else:
        code = initial(UNDECIDED, degree(state, scratch, out, numbers, weights))
        if leaves or place % ASKED_EVERY == 0:
            count = conversion_edges(state, scratch, out, numbers, weights)
            reason = departure_refused(numbers, count, bounds, leaves)
            if reason != 0:
                note[REFUSED] = reason
                return
            code = propagate_finished(codes, code, numbers, weights, count, bounds)
    if not 0 <= code < ILLEGAL:
        note[TOO_LARGE] = 1
        return
    codes[number] = code


def least_level(strip: int, codes: Any, start: int, stop: int, now: int, least: Any) -> None:
    """Lower `least[0]` to the least level from `now` on in a strip."""
    here = NONE
    for number in range(start + strip * STRIP, min(start + (strip + 1) * STRIP, stop)):
        if codes[number] != ILLEGAL:
            found = level(codes[number])
            if now <= found < here:
                here = found
    known = least[0]
    while here < known:
        before = atomic_swap(least, 0, known, here)
        if before == known:
            return
        known = before


def count_strip(strip: int, codes: Any, start: int, stop: int, now: int, counts: MutableSequence[int]) -> None:
    """Count the states of level `now` in a strip."""
    count = 0
    for number in range(start + strip * STRIP, min(start + (strip + 1) * STRIP, stop)):
        if codes[number] != ILLEGAL and level(codes[number]) == now:
            count += 1
    counts[strip] = count


def scatter_strip(
    strip: int, codes: Any, start: int, stop: int, now: int, counts: Any, before: Any, found: MutableSequence[int]
) -> None:
    """Write the numbers of the states of level `now` in a strip to their places in the list."""
    place = before[strip // STRIPS] + counts[strip]
    for number in range(start + strip * STRIP, min(start + (strip + 1) * STRIP, stop)):
        if codes[number] != ILLEGAL and level(codes[number]) == now:
            found[place] = number
            place += 1


def back_up(
    place: int, found: Any, codes: Any, now: int, bounds: Bounds, leaves: bool, note: MutableSequence[int]
) -> None:
    """Propagate the final code of a state to its predecessors."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    times = new_moves()
    number = found[place]
    unrank(number, state)
    count = predecessors(state, scratch, out, numbers, weights, times)
    stored = finish(codes[number])
    for index in range(count):
        predecessor = numbers[index]
        if predecessor < 0 or not inside(predecessor, bounds):
            continue
        if weights[index] < 0:
            note[REFUSED] = NOT_CARRIED
            return
        if times[index] == 0 and codes[predecessor] != ILLEGAL:
            unrank(predecessor, state)
            if is_position(predecessor, state, scratch):
                note[REFUSED] = UNTOLD
                return
        for _ in range(times[index]):
            send(codes, predecessor, stored, weights[index], now, bounds, leaves, note)


def send(
    codes: Any, number: int, stored: int, weight: int, now: int, bounds: Bounds, leaves: bool,
    note: MutableSequence[int],
) -> None:  # fmt: skip
    """Change the code of a state by the stored code of a successor, while other threads may do so, too."""
    code = codes[number]
    while code != ILLEGAL:
        new = propagate(code, stored, weight)
        if new == code:
            return
        if leaves and level(new) >= 0 and level(code) < 0 and arrival(stored) > 0:
            new = defended(codes, number, code, stored, new, bounds)
        if not 0 <= new < ILLEGAL:
            note[TOO_LARGE] = 1
            return
        before = atomic_swap(codes, number, code, new)
        if before == code:
            if level(new) == now:
                note[AGAIN] = 1
            return
        code = before


def defended(codes: Any, number: int, code: int, stored: int, new: int, bounds: Bounds) -> int:
    """Return the code of a state that a successor has just decided, by the longest defence."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    return longest_defence(codes, number, code, stored, new, bounds, state, scratch, out, numbers, weights)


def finish_number(place: int, codes: Any, start: int) -> None:
    """Replace the working code of a state by the code to be stored."""
    if codes[start + place] != ILLEGAL:
        codes[start + place] = finish(codes[start + place])


# --- the loop ----------------------------------------------------------------------------------------------------------------


def bytes_needed(size: int) -> int:
    """Return the device's memory for a table of so many numbers: codes, the list of a level, and the counts of strips."""
    strips = -(-size // STRIP)
    return 12 * size + 8 * strips + 16 * (-(-strips // STRIPS)) + 4096


class DeviceRetrograde(Threads):
    """Solve all groups of a game on a device."""

    def __init__(self, game: Game, rule: ValueRule, run: Run, device: Device) -> None:
        super().__init__(run, device, game.names(rule, device.target))
        self.game, self.rule = game, rule
        self.groups = groups_in_order(list(game.parts()))
        self.codes = device.array(np.zeros(line_size(game.parts()), np.int32))
        self.levels = 0

    def solve(self) -> npt.NDArray[Any]:
        """Solve group by group; return the codes in the narrowest type that holds them."""
        for group in self.groups:
            self.run.progress(f"part {group.name}", 0, 0)
            self._solve_group(group)
        codes = self.device.read(self.codes)
        largest = int(codes[codes != ILLEGAL].max(initial=0))
        dtype = next((one for one in WIDTHS if largest < np.iinfo(one).max), WIDTHS[-1])
        found = codes.astype(dtype)
        found[codes == ILLEGAL] = np.iinfo(dtype).max
        return found

    def _solve_group(self, group: Group) -> None:
        leaves = group.needs_others or not self.game.closed
        bounds, note = self.device.array(group.bounds), self.device.array(np.zeros(3, np.int64))
        spans = [(part.start, part.stop) for part in group.parts if part.start < part.stop]
        for start, stop in spans:
            look_ahead = self.rule.counts or leaves
            self.run_each(initialise, stop - start, self.codes, start, bounds, look_ahead, leaves, note)
        self._noted(note, group)
        now = self._least(spans, 0)
        while now < NONE:
            for start, stop in spans:
                found = self._listed(start, stop, now)
                if found is not None:
                    self.run_each(back_up, len(found), found, self.codes, now, bounds, leaves, note)
            again = self._noted(note, group)
            self.levels = max(self.levels, now + 1)
            self.run.progress(f"level {now}", now, 0)
            now = now if again else self._least(spans, now + 1)
        for start, stop in spans:
            self.run_each(finish_number, stop - start, self.codes, start)

    def _least(self, spans: list[tuple[int, int]], now: int) -> int:
        """Return the least level from `now` on, or NONE."""
        least = self.device.array(np.full(1, NONE, np.int64))
        for start, stop in spans:
            self.run_each(least_level, -(-(stop - start) // STRIP), self.codes, start, stop, now, least)
        return int(self.device.read(least)[0])

    def _listed(self, start: int, stop: int, now: int) -> Any:
        """Return the numbers of the states of a level in an interval, on the device; None where there are none."""
        strips = -(-(stop - start) // STRIP)
        return self.listed(strips, count_strip, scatter_strip, self.codes, start, stop, now)

    def _noted(self, note: Any, group: Group) -> bool:
        """Return whether the level at work got new states. Raises BrokenRule and ValueOverflow."""
        reason, too_large, again = self.device.read(note).tolist()
        if reason == NO_NUMBER:
            raise BrokenRule("a move leads to a state that has no number and is not terminal")
        if reason == LEAVES:
            raise BrokenRule(f"part {group.name}: a move leads to a part that is not needed, or out of the index")
        if reason in (NOT_CARRIED, UNTOLD):
            raise refusal(reason, f"part {group.name}")
        if too_large:
            raise ValueOverflow(f"part {group.name}: a value's code is negative or above {ILLEGAL - 1:,}")
        self.clear(note)
        return bool(again)
