"""Retrograde analysis for points: states are settled from the largest scores down to 0 (after Romein and Bal 2003).

Within a group of parts no move gains points, so a state's score is that of a move that leaves the group, its own, the
opposite of a successor's, or 0 where play goes round. When all scores above v are known, those of v and -v follow: a state
has v if a leaving move gives v or a successor has -v, and -v if all its successors are won by v or more and no leaving
move gives more than -v. Every state is asked for its moves once and for its predecessors once. What is left scores 0.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import OutOfMemory
from searchbench.exchange import Buckets, Pages, Table
from searchbench.exchange.memory import add_request, has_room, unpack_code, unpack_local
from searchbench.rules import UNDECIDED, moves, new_moves, new_state, stabilizer, terminal, unrank
from searchbench.run import Run
from searchbench.solvers.exhaustive.blocks import CHUNK, Chunks, Group, until_it_fits
from searchbench.solvers.exhaustive.due import BLOCK, STRETCH, STRETCH_BITS, due_chunks
from searchbench.solvers.exhaustive.neighbours import (
    OUTSIDE,
    Bounds,
    inside,
    is_position,
    predecessors,
    stored_code,
    write_edges,
)
from searchbench.solvers.exhaustive.prepare import NO_NUMBER, STOPPED, TOO_LARGE
from searchbench.values.score import code_of, score_of

# While a group is worked on, the table holds what leaving moves give at best, or `illegal` where there are none; beside it
# is one byte a state: how many of its moves stay in the group and do not yet lead to a loss, or one of the next two.
FRESH: Final = 254
"""The state has its score, and its predecessors have not been told."""
DONE: Final = 255
"""The state has its score (or is no position), and nothing is left to be done."""

HIGHEST, REFUSED = 2, 3
"""What `survey` notes besides what `prepare` does: the largest score either way, and whether the method does not apply."""
LOST, WON = 0, 1
"""What a request says of a successor."""


def survey(
    codes: Any, illegal: int, first: int, stop: int, bounds: Bounds, left: Any, note: MutableSequence[int]
) -> None:
    """Note what the leaving moves of the states first .. stop - 1 give at best, and how many moves stay."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    for number in range(first, stop):
        note[STOPPED] = number
        unrank(number, state)
        codes[number] = illegal
        place = number - bounds[0]
        if not is_position(number, state, scratch):
            left[place] = DONE
            continue
        best = terminal(state)
        stay = 0
        if best == UNDECIDED:
            count = write_edges(state, scratch, out, moves(state, out), numbers, weights, stabilizer(state) == 0)
            for index in range(count):
                if numbers[index] == UNDECIDED - OUTSIDE:
                    note[TOO_LARGE] = NO_NUMBER
                    return
                if numbers[index] >= 0 and inside(numbers[index], bounds):
                    note[REFUSED] |= weights[index]
                    stay += 1
                else:
                    best = max(best, weights[index] - score_of(stored_code(codes, numbers[index], bounds)))
            if stay >= FRESH:
                note[REFUSED] = 1
        left[place] = min(stay, FRESH - 1)
        if best != UNDECIDED:
            if code_of(best) >= illegal:
                note[TOO_LARGE] = code_of(best)
                return
            codes[number] = code_of(best)
            note[HIGHEST] = max(note[HIGHEST], abs(best))
    note[STOPPED] = stop


def settle(codes: Any, illegal: int, first: int, stop: int, origin: int, left: Any, fresh: Any, score: int) -> None:
    """Settle the states first .. stop - 1 that have the score, or its opposite, by their leaving moves alone."""
    win, loss = code_of(score), code_of(-score)
    for number in range(first, stop):
        if codes[number] != win and codes[number] != loss:
            continue
        place = number - origin
        if left[place] < FRESH and (codes[number] == win or left[place] == 0):
            left[place] = FRESH
            fresh[number >> STRETCH_BITS] = 1


def tell(
    codes: Any, first: int, stop: int, bounds: Bounds, left: Any, here: Any, win: int, block_bits: int, pages: Pages
) -> int:
    """Write requests for the predecessors of the states first .. stop - 1 that are fresh; return the first state not done.

    Stops when the pages might not hold the requests of one more state; -1 if they can never hold them.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    times = new_moves()
    number = next_fresh(left, first, stop, bounds[0], here)
    while number < stop:
        unrank(number, state)
        count = predecessors(state, scratch, out, numbers, weights, times)
        requests = 0
        for index in range(count):
            requests += times[index]
        if not has_room(pages, requests):
            return number if pages.used[0] > 0 else -1
        left[number - bounds[0]] = DONE
        said = WON if codes[number] == win else LOST
        for index in range(count):
            if numbers[index] >= 0 and inside(numbers[index], bounds):
                for _ in range(times[index]):
                    add_request(pages, numbers[index], block_bits, said, 0)
        number = next_fresh(left, number + 1, stop, bounds[0], here)
    return stop


def next_fresh(left: Any, first: int, stop: int, origin: int, here: Any) -> int:
    """Return the first fresh state among first .. stop - 1, or `stop`; only stretches marked in `here` are seen."""
    while first < stop:
        if here[first >> STRETCH_BITS] == 0:
            first = (first | (STRETCH - 1)) + 1
            continue
        end = min(stop, (first | (BLOCK - 1)) + 1)
        if count_fresh(left[first - origin : end - origin]) > 0:
            while left[first - origin] != FRESH:
                first += 1
            return first
        first = end
    return stop


def count_fresh(left: Any) -> int:
    """Count the fresh states of a block."""
    count = 0
    for place in range(len(left)):
        if left[place] == FRESH:
            count += 1
    return count


def hear(
    codes: Any, illegal: int, base: int, pages: Pages, page: int, origin: int, left: Any, fresh: Any, score: int
) -> None:
    """Apply the requests of one bucket to its block: those of a page and of the pages before."""
    win, loss = code_of(score), code_of(-score)
    while page >= 0:
        for index in range(pages.fill[page]):
            request = pages.requests[page, index]
            number = base + unpack_local(request)
            place = number - origin
            if left[place] >= FRESH:
                continue
            if unpack_code(request) == LOST:
                codes[number] = win
            else:
                left[place] -= 1
                if left[place] > 0 or (codes[number] != illegal and score_of(codes[number]) > -score):
                    continue
                codes[number] = loss
            left[place] = FRESH
            fresh[number >> STRETCH_BITS] = 1
        page = pages.before[page]


def conclude(codes: Any, illegal: int, first: int, stop: int, origin: int, left: Any) -> None:
    """Give the score 0 to the states first .. stop - 1 that have none."""
    for number in range(first, stop):
        if left[number - origin] < FRESH:
            codes[number] = 0


class Kernels(NamedTuple):
    """Hold the compiled functions."""

    settle: Any
    tell: Any
    hear: Any
    conclude: Any


def solve_group(names: jit.Names, group: Group, table: Table, run: Run, buckets: Buckets) -> int | None:
    """Solve a group of parts whose needs are solved; return the number of rounds.

    None where the method does not apply, because moves within the group gain points; then the table is to be made anew.
    """
    bounds = group.bounds
    left = np.zeros(int(bounds[-1] - bounds[0]), np.uint8)
    highest = _survey_group(names, group, table, run, left)
    if highest is None:
        return None
    kernels = Kernels(*(jit.bind(kernel, names) for kernel in (settle, tell, hear, conclude)))
    fresh = np.zeros((len(table.codes) >> STRETCH_BITS) + 1, np.uint8)
    origin, rounds = int(bounds[0]), 0
    for score in range(highest, 0, -1):
        run.progress(f"part {group.name}, score {score}", highest - score, highest)
        _settle_all(kernels, bounds, table, run, left, fresh, score)
        while fresh.any():
            _spread(kernels, bounds, table, run, buckets, left, fresh, score)
            rounds += 1
    run.map(lambda chunk: kernels.conclude(table.codes, table.illegal, *chunk, origin, left), list(Chunks(bounds)))
    return max(rounds, 1)


def bytes_needed(group: Group) -> int:
    """Return the memory that a group takes beside the table and the buckets."""
    return int(group.bounds[-1] - group.bounds[0]) if group.needs_itself else 0


def _survey_group(names: jit.Names, group: Group, table: Table, run: Run, left: npt.NDArray[np.uint8]) -> int | None:
    """Survey the states of a group; return the largest score of a leaving move either way, or None: not applicable."""
    kernel = jit.bind(survey, names)
    notes: list[npt.NDArray[np.int64]] = []

    def work(job: tuple[int, int]) -> tuple[tuple[int, int], npt.NDArray[np.int64]]:
        note = np.array([job[0], 0, 0, 0], np.int64)
        kernel(table.codes, table.illegal, *job, group.bounds, left, note)
        notes.append(note)
        return (int(note[STOPPED]), job[1]), note

    until_it_fits(run, table, work, list(Chunks(group.bounds)), lambda job: job[0] < job[1])
    if any(note[REFUSED] for note in notes):
        return None
    return max((int(note[HIGHEST]) for note in notes), default=0)


def _settle_all(
    kernels: Kernels, bounds: npt.NDArray[Any], table: Table, run: Run,
    left: npt.NDArray[np.uint8], fresh: npt.NDArray[np.uint8], score: int,
) -> None:  # fmt: skip
    """Settle all states that have a score or its opposite by their leaving moves alone."""
    origin = int(bounds[0])

    def work(chunk: tuple[int, int]) -> None:
        kernels.settle(table.codes, table.illegal, *chunk, origin, left, fresh, score)

    run.map(work, list(Chunks(bounds)))


def _spread(
    kernels: Kernels, bounds: npt.NDArray[Any], table: Table, run: Run, buckets: Buckets,
    left: npt.NDArray[np.uint8], fresh: npt.NDArray[np.uint8], score: int,
) -> None:  # fmt: skip
    """Tell the predecessors of all fresh states, in as many rounds as the buckets need."""
    here = fresh.copy()
    fresh[:] = 0
    chunks = Chunks(bounds, due_chunks(here, bounds, CHUNK))
    win, origin = code_of(score), int(bounds[0])

    def write(writer: int) -> None:
        pages = buckets.writers[writer]
        while (chunk := chunks.next()) is not None:
            first, stop = chunk
            done = kernels.tell(table.codes, first, stop, bounds, left, here, win, buckets.block_bits, pages)
            if done < 0:
                raise OutOfMemory("the predecessors of one state do not fit the buckets; give a larger --memory")
            if done < stop:
                chunks.put_back(done, stop)
                return

    def read(bucket: int) -> None:
        base = bucket << buckets.block_bits
        for pages in buckets.writers:
            kernels.hear(table.codes, table.illegal, base, pages, int(pages.last[bucket]), origin, left, fresh, score)

    while not chunks.empty():
        run.map(write, range(run.threads))
        run.map(read, buckets.filled())
        buckets.clear()
