"""Level by level: emit requests in rounds, apply the buckets, widen the table when a code does not fit (Gasser 1995, 4.1)."""

from __future__ import annotations

import threading
from collections.abc import Callable, MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Buckets, Pages, Table
from searchbench.exchange.memory import unpack_code, unpack_local, unpack_weight
from searchbench.rules import new_moves, new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive.blocks import CHUNK, Chunks, until_it_fits
from searchbench.solvers.exhaustive.copies import Copies, array_of, pieces_of
from searchbench.solvers.exhaustive.due import (
    Marks,
    due_anywhere,
    due_chunks,
    least_level,
    mark_due,
    new_marks,
    next_level,
    pack_marks,
    take_due,
    unpack_marks,
)
from searchbench.solvers.exhaustive.first_codes import STAGE
from searchbench.solvers.exhaustive.neighbours import Bounds
from searchbench.solvers.exhaustive.prepare import NEGATIVE, STOPPED, TOO_LARGE, settled
from searchbench.solvers.exhaustive.refusals import refusal
from searchbench.values.contract import arrival, level, propagate

Emit = Callable[..., int]
"""Called with codes, illegal, first, stop, now, bounds, block_bits, pages, here and due; returns the first state not done, or
one of the refusals."""
PAGE_AT: Final = 2
"""Where `apply` notes the page in which it stopped."""
AGAIN: Final = 3
"""Where `apply` notes that the level at work has got new states."""
LEVELS: Final = "levels"


def apply(
    codes: Any, illegal: int, base: int, pages: Pages, page: int, first: int, now: int, bounds: Bounds, look_ahead: bool,
    due: Marks, note: MutableSequence[int],
) -> None:  # fmt: skip
    """Propagate the requests of one bucket to its block: from place `first` of a page on, and those of the pages before.

    Note whether any state has got the level `now`, which is at work, as by a move that costs nothing.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
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
            if look_ahead and level(new) >= 0 and level(code) < 0 and arrival(stored) > 0:
                new = settled(codes, number, code, stored, new, bounds, state, scratch, out, numbers, weights)
            if not 0 <= new < illegal:
                note[TOO_LARGE] = new if new >= 0 else NEGATIVE
                note[STOPPED] = index
                note[PAGE_AT] = page
                return
            codes[number] = new
            when = level(new)
            if when >= 0:
                mark_due(due, number, when)
                if when == now:
                    note[AGAIN] = 1
        page = pages.before[page]
        first = 0


class Drain(NamedTuple):
    """Say what is left of a bucket: from which source on (-1: nothing), and in which page and place (-1, 0: from the last)."""

    bucket: int
    source: int = 0
    page: int = -1
    first: int = 0


class Work(NamedTuple):
    """Hold what a group of parts is solved with; `look_ahead` says whether its states may lead to finished parts."""

    bounds: npt.NDArray[Any]
    look_ahead: bool
    table: Table
    buckets: Buckets
    due: Marks
    run: Run
    copies: Copies


def back_up(names: jit.Names, emit: Emit, work: Work) -> int:
    """Back up level after level until none is due; return how many there were.

    A level that gains states by moves that cost nothing is backed up again. Its other states may tell their predecessors
    the same twice, which changes nothing: only rules whose values are counted could not bear it, and theirs grow by a ply
    with each move.
    """
    applier = jit.bind(apply, names)
    levels = 0
    if work.copies.noted.get(STAGE) == LEVELS:
        now = int(work.copies.noted["level"])
        here = np.zeros_like(work.due[0])
        unpack_marks(work.copies.array("here"), here, work.bounds)
        pieces = pieces_of(work.copies.array("left"))
        done = _level(emit, applier, work, now, here, pieces, bool(work.copies.noted.get("again")))
        levels = now if done.again else now + 1
    while (now := next_level(work.due, work.bounds, levels)) >= 0:
        here = take_due(work.due, now)
        done = _level(emit, applier, work, now, here, due_chunks(here, work.bounds, CHUNK))
        levels = now if done.again else now + 1
        if not done.found:
            levels = max(levels, _level_ahead(names, work, levels))
        work.run.progress(f"level {now}", levels, 0)
    return levels


def marks_kept(copies: Copies, table: Table, bounds: npt.NDArray[Any]) -> Marks | None:
    """Return what is due according to the last copy, or None if it was made before the first level."""
    if copies.noted.get(STAGE) != LEVELS:
        return None
    due = new_marks(len(table.codes))
    unpack_marks(copies.array("due"), due, bounds)
    return due


def _level_ahead(names: jit.Names, work: Work, now: int) -> int:
    """Return the least level from `now` on that is due, or -1: levels may be far apart, and share their slots in between."""
    pieces = due_chunks(due_anywhere(work.due, work.bounds), work.bounds, CHUNK)
    least, table = jit.bind(least_level, names), work.table
    found = work.run.map(lambda piece: int(least(table.codes, table.illegal, *piece, now)), pieces)
    return min((one for one in found if one >= 0), default=-1)


class Done(NamedTuple):
    """Say of a level whether its states made any requests, and whether it has got new states since."""

    found: bool
    again: bool


def _level(
    emit: Emit, applier: Any, work: Work, now: int, here: Marks, pieces: list[tuple[int, int]], again: bool = False
) -> Done:
    """Back up the states of one level in some pieces, in as many rounds as the buckets need."""
    table, buckets, bounds = work.table, work.buckets, work.bounds
    chunks = Chunks(bounds, pieces)

    def write(writer: int) -> None:
        pages = buckets.writers[writer]
        while (chunk := chunks.next()) is not None:
            first, stop = chunk
            while first < stop:
                first = emit(
                    table.codes, table.illegal, first, stop, now, bounds, buckets.block_bits, pages, here, work.due
                )
                if first < 0:
                    raise refusal(first, f"level {now}")
                if first < stop and not buckets.spill(writer):
                    chunks.put_back(first, stop)
                    return
            table.rest()

    found = False
    while not chunks.empty():
        work.run.map(write, range(work.run.threads))
        found |= bool(buckets.filled())
        again |= _apply_all(applier, work, now)
        if work.copies.due:
            work.copies.keep({STAGE: LEVELS, "level": now, "again": again}, {
                "due": pack_marks(work.due, bounds), "here": pack_marks(here, bounds), "left": array_of(chunks.left),
            })  # fmt: skip
    return Done(found, again)


def _apply_all(applier: Any, work: Work, now: int) -> bool:
    """Apply every bucket to its block, and empty it; tell whether states have got the level at work."""
    table, buckets = work.table, work.buckets
    again = threading.Event()

    def drain(job: Drain) -> tuple[Drain, npt.NDArray[Any]]:
        bucket, source, page, first = job
        note = np.zeros(4, np.int64)
        base = bucket << buckets.block_bits
        for place, pages, last in buckets.held(bucket, source):
            begin = page if page >= 0 else last
            applier(
                table.codes, table.illegal, base, pages, begin, first, now, work.bounds, work.look_ahead, work.due, note
            )
            if note[AGAIN]:
                again.set()
            if note[TOO_LARGE]:
                return Drain(bucket, place, int(note[PAGE_AT]), int(note[STOPPED])), note
            page, first = -1, 0
        table.rest()
        return Drain(bucket, -1), note

    jobs = [Drain(bucket) for bucket in buckets.filled()]
    until_it_fits(work.run, table, drain, jobs, lambda job: job.source >= 0)
    buckets.clear()
    return again.is_set()
