"""Retrograde analysis: values go from the decided states backwards, level by level (Gasser 1995, sections 3.5 and 4.1).

1. *Initialise*: give each state its first code, from the result of a finished game or the number of its successors.
2. For each level, from 0 upwards, while any state is pending:
   *emit*: write the values that became final at this level as requests to the predecessors, into buckets by block;
   *apply*: change the predecessors' codes by the requests, one thread a block. Some become final at a later level.
3. *Finish* (`stored_codes`): turn the working codes into those to be stored. What never became final is a draw, or has no value.

Within a level the requests may come in any order, so the table does not depend on the number of threads or buckets. Beside
this: `pending` says where a level has states, `rounds` runs emit and apply in turn, `schedule` hands out pieces of the table.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Buckets, Pages, Table
from searchbench.exchange.memory import (
    LARGEST_CODE,
    LARGEST_WEIGHT,
    add_request,
    has_room,
    pages_for,
    unpack_code,
    unpack_local,
    unpack_weight,
)  # fmt: skip
from searchbench.index.contract import unrank
from searchbench.jit import FIRST, STOP, Rows, note_rows, unowned
from searchbench.rules import GUARDED, UNDECIDED, new_moves, new_state, terminal
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints import INITIALISE, LEVELS, STAGE, Checkpoints, array_of
from searchbench.solvers.exhaustive.departures import asked_in, astray, departure_refused, is_asked
from searchbench.solvers.exhaustive.finished import DEFENDED, defence_room, defended, propagate_finished
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.neighbours import (
    Bounds,
    conversion_edges,
    degree,
    inside,
    is_position,
    predecessors,
)
from searchbench.solvers.exhaustive.pending import Flags, new_flags, next_level, next_pending, pack_flags, set_pending
from searchbench.solvers.exhaustive.refusals import NO_ROOM, NOT_CARRIED, UNTOLD
from searchbench.solvers.exhaustive.rounds import Emit, Work, level_ahead, resume, run_level
from searchbench.solvers.exhaustive.schedule import (
    AGAIN,
    NEGATIVE,
    PAGE_AT,
    STOPPED,
    TOO_LARGE,
    Chunks,
    Piece,
    run_in_batches,
)  # fmt: skip
from searchbench.values.contract import arrival, finish, initial, level, propagate

# --- kernels -------------------------------------------------------------------------------------------------------------


def initialise(
    codes: Any, illegal: int, first: int, stop: int, bounds: Bounds, reach: Bounds, asked: int, look_ahead: bool,
    leaves: bool, pending: Flags, note: MutableSequence[int],
) -> None:  # fmt: skip
    """Give the states first .. stop - 1 their first codes.

    With `look_ahead` the successors are counted; if moves may leave the group (`leaves`), those in finished parts or
    outside the index are propagated. Where none should leave, the first states and one in `asked` of the others are asked
    whether one does; and in a game that is not shipped where they lead.
    """
    state, scratch = new_state(), new_state()
    out = new_moves()
    numbers, weights = new_moves(), new_moves()
    for number in range(first, stop):
        unrank(number, state)
        note[STOPPED] = number
        if not is_position(number, state, scratch):
            codes[number] = illegal
            continue
        result = terminal(state)
        if GUARDED and result == UNDECIDED and is_asked(number, first, asked):
            note[TOO_LARGE] = astray(number, state, scratch, out, reach)
            if note[TOO_LARGE] != 0:
                return
        if result != UNDECIDED or not look_ahead:
            code = initial(result, 0 if result != UNDECIDED else 1)
        else:
            code = initial(UNDECIDED, degree(state, scratch, out, numbers, weights))
            if leaves or is_asked(number, first, asked):
                count = conversion_edges(state, scratch, out, numbers, weights)
                note[TOO_LARGE] = departure_refused(numbers, count, bounds, leaves)
                if note[TOO_LARGE] != 0:
                    return
                code = propagate_finished(codes, code, numbers, weights, count, bounds)
        if not 0 <= code < illegal:
            note[TOO_LARGE] = code if code >= 0 else NEGATIVE
            return
        codes[number] = code
        if level(code) >= 0:
            set_pending(pending, number, level(code))
    note[STOPPED] = stop


def emit(
    codes: Any, illegal: int, first: int, stop: int, now: int, bounds: Bounds, block_bits: int, pages: Pages,
    here: Any, pending: Flags,
) -> int:  # fmt: skip
    """Write requests for the predecessors of the states of level `now`; return the first state not done.

    Stops when the pages might not hold the requests of one more state. Less than 0 is one of the refusals.
    """
    state, scratch = new_state(), new_state()
    out = new_moves()
    numbers, weights = new_moves(), new_moves()
    times = new_moves()
    codes, bounds, pages = unowned(codes), unowned(bounds), unowned(pages)
    here, pending = unowned(here), unowned(pending)
    number = next_pending(codes, illegal, first, stop, now, here, pending)
    while number < stop:
        unrank(number, state)
        count = predecessors(state, scratch, out, numbers, weights, times)
        requests = 0
        for index in range(count):
            requests += times[index]
        if not has_room(pages, requests):
            if pages.used[0] > 0:
                return number
            if pages_for(times, count, pages) > len(pages.fill):
                return NO_ROOM
        stored = finish(codes[number])
        for index in range(count):
            predecessor = numbers[index]
            if predecessor < 0 or not inside(predecessor, bounds):
                continue
            if stored > LARGEST_CODE or not 0 <= weights[index] <= LARGEST_WEIGHT:
                return NOT_CARRIED
            if times[index] == 0 and codes[predecessor] != illegal:  # which ranks know of their own numbers only
                unrank(predecessor, state)
                if is_position(predecessor, state, scratch):
                    return UNTOLD
            for _ in range(times[index]):
                add_request(pages, predecessor, block_bits, stored, weights[index])
        number = next_pending(codes, illegal, number + 1, stop, now, here, pending)
    return stop


def apply(
    codes: Any, illegal: int, base: int, pages: Pages, page: int, first: int, now: int, bounds: Bounds, leaves: bool,
    pending: Flags, note: MutableSequence[int],
) -> None:  # fmt: skip
    """Propagate the requests of one bucket to its block: from place `first` of a page on, and those of the pages before.

    `leaves` says whether moves lead out of the group. Notes whether any state has got the level `now`, which is at work,
    as by a move that costs nothing.
    """
    room = defence_room()
    while page >= 0:
        for index in range(first, pages.fill[page]):
            request = pages.requests[page, index]
            number = base + unpack_local(request)
            code = codes[number]
            if code == illegal:
                continue
            stored = unpack_code(request)
            new = propagate(code, stored, unpack_weight(request))
            if new == code:
                continue
            if leaves and level(new) >= 0 and level(code) < 0 and arrival(stored) > 0:
                new = defended(codes, number, code, stored, new, bounds, room)
            if not 0 <= new < illegal:
                note[TOO_LARGE] = new if new >= 0 else NEGATIVE
                note[STOPPED] = index
                note[PAGE_AT] = page
                return
            codes[number] = new
            when = level(new)
            if when >= 0:
                set_pending(pending, number, when)
                if when == now:
                    note[AGAIN] = 1
        page = pages.before[page]
        first = 0


# --- the loop ------------------------------------------------------------------------------------------------------------


def solve_group(
    names: jit.Names, group: Group, look_ahead: bool, leaves: bool, table: Table, run: Run, buckets: Buckets,
    checkpoints: Checkpoints,
) -> int:  # fmt: skip
    """Solve a group of parts whose needs are solved; return the number of levels.

    `look_ahead`: whether the successors must be looked at first, to count them or to learn from other parts; `leaves`:
    whether moves lead to other parts, or out of the index.
    """
    pending = new_flags(len(table.codes))
    if not checkpoints.restore_flags(LEVELS, pending, table.sharing.own(group.bounds)):
        initialise_group(names, group, look_ahead, leaves, table, pending, run, checkpoints)
    work = Work(group.bounds, leaves, table, buckets, pending, run, checkpoints)
    return back_up(names, jit.bind(emit, names), work)


def initialise_group(
    names: jit.Names, group: Group, look_ahead: bool, leaves: bool, table: Table, pending: Flags, run: Run,
    checkpoints: Checkpoints,
) -> None:  # fmt: skip
    """Give the states of a group their first codes, in batches with checkpoints between them; mark those that are pending."""
    kernel = jit.bind(initialise, names)
    own, asked = table.sharing.own(group.bounds), asked_in(names, group, table)
    resumed = checkpoints.restore_flags(INITIALISE, pending, own)
    pieces = checkpoints.pieces("left") if resumed else list(Chunks(own))

    def work(some: Sequence[Piece]) -> npt.NDArray[np.int64]:
        notes = note_rows(len(some), 2)
        run.launch(
            kernel, some, table.codes, table.illegal, FIRST, STOP, group.bounds, group.reach, asked,
            look_ahead, leaves, pending, Rows(notes), after=table.rest_after,
        )  # fmt: skip
        return notes

    def keep(left: list[Piece]) -> None:
        checkpoints.keep({STAGE: INITIALISE}, {"pending": pack_flags(pending, own), "left": array_of(left)})

    run_in_batches(pieces, work, table, checkpoints, keep)


def back_up(names: jit.Names, emit: Emit, work: Work) -> int:
    """Back up level after level until no state is pending; return how many levels there were.

    A level that gains states by moves that cost nothing is backed up again. Its other states may send their predecessors
    the same request twice, which changes nothing: only rules whose values are counted could not bear it, and theirs grow
    by a ply with each move.
    """
    applier = jit.bind(apply, names.with_(**DEFENDED) if work.leaves else names)
    levels = resume(emit, applier, work)
    while (now := next_level(work.pending, work.own, levels)) >= 0:
        done = run_level(emit, applier, work, now)
        levels = done.next_level
        if not done.found:
            levels = max(levels, level_ahead(names, work, levels))
        work.run.progress(f"level {now}", levels, 0)
    return levels
