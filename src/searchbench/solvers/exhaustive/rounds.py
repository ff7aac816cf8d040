"""One level of retrograde analysis in rounds: emit until the buckets are full, apply them, and so on (Gasser 1995, 4.1).

Where a code does not fit, the table is widened, and the bucket applied from the request at which it stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Buckets, Table
from searchbench.exchange.decisions import begin_any, reduce_any, reduce_min
from searchbench.jit import FIRST, STOP
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints import LEVELS, STAGE, Checkpoints, array_of
from searchbench.solvers.exhaustive.pending import (
    Flags,
    least_level,
    pack_flags,
    pending_anywhere,
    pending_chunks,
    take_pending,
)
from searchbench.solvers.exhaustive.refusals import refusal
from searchbench.solvers.exhaustive.schedule import AGAIN, CHUNK, PAGE_AT, STOPPED, TOO_LARGE, Chunks, until_it_fits

Emit = Callable[..., int]
"""Called with codes, illegal, first, stop, now, bounds, block_bits, pages, here and pending; returns the first state not
done, or one of the refusals."""


class Drain(NamedTuple):
    """Mark the rest of a bucket: from which source on (-1: nothing), and in which page and place (-1, 0: from the last)."""

    bucket: int
    source: int = 0
    page: int = -1
    first: int = 0


class Work(NamedTuple):
    """Hold the functions and tables that solve a group of parts; `leaves` says whether moves lead out of the group."""

    bounds: npt.NDArray[Any]
    leaves: bool
    table: Table
    buckets: Buckets
    pending: Flags
    run: Run
    checkpoints: Checkpoints

    @property
    def own(self) -> npt.NDArray[Any]:
        """Return the intervals of the group that are at work here."""
        return self.table.sharing.own(self.bounds)


def level_ahead(names: jit.Names, work: Work, now: int) -> int:
    """Return the least level from `now` on that is pending, or -1: levels may be far apart, and share their slots in between."""
    pieces = pending_chunks(pending_anywhere(work.pending, work.own), work.own, CHUNK)
    least, table = jit.bind(least_level, names), work.table
    found = work.run.launch(least, pieces, table.codes, table.illegal, FIRST, STOP, now)
    return reduce_min((one for one in found if one >= 0), -1)


class Done(NamedTuple):
    """Say of a level whether its states made any requests, and from which level on states are pending here."""

    found: bool
    next_level: int


def run_level(emit: Emit, applier: Any, work: Work, now: int) -> Done:
    """Back up the pending states of one level."""
    here = take_pending(work.pending, now)
    return _run_rounds(emit, applier, work, now, here, pending_chunks(here, work.own, CHUNK))


def resume(emit: Emit, applier: Any, work: Work) -> int:
    """Back up the rest of the level at which the last checkpoint was made; return from which level on states are pending."""
    checkpoints = work.checkpoints
    if checkpoints.noted.get(STAGE) != LEVELS:
        return 0
    here = np.zeros_like(work.pending[0])
    checkpoints.restore_marks("here", here, work.own)
    left, again = checkpoints.pieces("left"), bool(checkpoints.noted.get("again"))
    return _run_rounds(emit, applier, work, int(checkpoints.noted["level"]), here, left, again).next_level


def _run_rounds(
    emit: Emit, applier: Any, work: Work, now: int, here: Flags, pieces: list[tuple[int, int]], again: bool = False
) -> Done:
    """Back up the states of one level in some pieces, in as many rounds as the buckets need."""
    table, buckets, bounds = work.table, work.buckets, work.bounds
    chunks = Chunks(bounds, pieces)
    writers = range(min(work.run.threads, len(pieces)))

    def write(writer: int) -> None:
        pages = buckets.writers[writer]
        while (chunk := chunks.next()) is not None:
            first, stop = chunk
            while first < stop:
                first = emit(
                    table.codes, table.illegal, first, stop, now, bounds, buckets.block_bits, pages, here, work.pending
                )
                if first < 0:
                    raise refusal(first, f"level {now}")
                if first < stop and not buckets.spill(writer):
                    chunks.put_back(first, stop)
                    return
            table.rest()

    found = False
    goes_on = True
    while goes_on:
        work.run.map(write, writers)
        told = begin_any(not chunks.empty(), buckets.filled(), work.checkpoints.is_due_here)
        for held in table.sharing.deliver(buckets, told):
            again |= _apply_all(applier, work, now, held)
        buckets.clear()
        goes_on, sent, due = told()
        found |= sent
        if due:
            again = reduce_any([again])
            work.checkpoints.keep({STAGE: LEVELS, "level": now, "again": again}, {
                "pending": pack_flags(work.pending, work.own), "here": pack_flags(here, work.own),
                "left": array_of(chunks.left),
            })  # fmt: skip
    return Done(found, now if again else now + 1)  # a level that gained states is backed up again


def _apply_all(applier: Any, work: Work, now: int, buckets: Buckets) -> bool:
    """Apply every bucket to its block; tell whether states have got the level at work."""
    table = work.table
    again = threading.Event()

    def drain(job: Drain) -> tuple[Drain, npt.NDArray[Any]]:
        bucket, source, page, first = job
        note = np.zeros(4, np.int64)
        base = bucket << buckets.block_bits
        for place, pages, last in buckets.held(bucket, source):
            begin = page if page >= 0 else last
            applier(
                table.codes, table.illegal, base, pages, begin, first, now, work.bounds, work.leaves, work.pending, note
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
    return again.is_set()
