"""Retrograde analysis: values go from the decided states backwards, level by level (Gasser 1995, sections 3.5 and 4.1).

In each level every thread looks through blocks of states, and writes the values of those that have become final as
requests to their predecessors, into buckets by block; then each bucket is applied to its block by one thread. Within a
level the requests may come in any order, so the table does not depend on the number of threads or buckets.
"""

from __future__ import annotations

from typing import Any

from searchbench import jit
from searchbench.exchange import Buckets, Pages, Table
from searchbench.exchange.memory import LARGEST_CODE, LARGEST_WEIGHT, add_request, has_room, pages_for
from searchbench.index.contract import unrank
from searchbench.rules import new_moves, new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive.blocks import Group
from searchbench.solvers.exhaustive.copies import Copies
from searchbench.solvers.exhaustive.due import Marks, next_due
from searchbench.solvers.exhaustive.first_codes import prepare_group
from searchbench.solvers.exhaustive.levels import Work, back_up, marks_kept
from searchbench.solvers.exhaustive.neighbours import Bounds, inside, predecessors
from searchbench.solvers.exhaustive.refusals import NO_ROOM, NOT_CARRIED, UNTOLD
from searchbench.values.contract import finish


def emit(
    codes: Any, illegal: int, first: int, stop: int, now: int, bounds: Bounds, block_bits: int, pages: Pages,
    here: Any, due: Marks,
) -> int:  # fmt: skip
    """Write requests for the predecessors of the states of level `now`; return the first state not done.

    Stops when the pages might not hold the requests of one more state. Less than 0 is one of the refusals.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    times = new_moves()
    number = next_due(codes, illegal, first, stop, now, here, due)
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
            if times[index] == 0 and codes[predecessor] != illegal:
                return UNTOLD
            for _ in range(times[index]):
                add_request(pages, predecessor, block_bits, stored, weights[index])
        number = next_due(codes, illegal, number + 1, stop, now, here, due)
    return stop


def solve_group(
    names: jit.Names, group: Group, look_ahead: bool, table: Table, run: Run, buckets: Buckets, copies: Copies
) -> int:
    """Solve a group of parts whose needs are solved; return the number of levels.

    `look_ahead`: whether the successors must be looked at first, to count them or to learn from other parts.
    """
    due = marks_kept(copies, table, group.bounds)
    if due is None:
        due = prepare_group(names, group, look_ahead, table, run, copies)
    return back_up(names, jit.bind(emit, names), Work(group.bounds, look_ahead, table, buckets, due, run, copies))
