"""Level by level: emit requests in rounds, apply the buckets, widen the table when a code does not fit (Gasser 1995, 4.1)."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import ValueOverflow
from searchbench.exchange import Buckets, Pages, Table
from searchbench.exchange.memory import LARGEST_CODE, LARGEST_WEIGHT, unpack_code, unpack_local, unpack_weight
from searchbench.rules import level, propagate
from searchbench.run import Run
from searchbench.solvers.exhaustive.blocks import Chunks, Late, apply_late, until_it_fits
from searchbench.solvers.exhaustive.prepare import DEEPEST, LATE, NEGATIVE, STOPPED, TOO_LARGE

Emit = Callable[..., int]
"""Called with codes, illegal, first, stop, now, bounds, block_bits and pages; returns the first state not done, or -1 for
a code or weight that no request can carry."""
PAGE_AT = LATE
"""Where `apply` notes the page in which it stopped."""


def apply(codes: Any, illegal: int, base: int, pages: Pages, page: int, first: int, note: MutableSequence[int]) -> None:
    """Propagate the requests of one bucket to its block: from place `first` of a page on, and those of the pages before."""
    while page >= 0:
        for index in range(first, pages.fill[page]):
            request = pages.requests[page, index]
            number = base + unpack_local(request)
            code = codes[number]
            if code == illegal:
                continue
            new = propagate(code, unpack_code(request), unpack_weight(request))
            if new != code:
                if not 0 <= new < illegal:
                    note[TOO_LARGE] = new if new >= 0 else NEGATIVE
                    note[STOPPED] = index
                    note[PAGE_AT] = page
                    return
                codes[number] = new
                note[DEEPEST] = max(note[DEEPEST], level(new))
        page = pages.before[page]
        first = 0


class Drain(NamedTuple):
    """Say what is left of a bucket: from which writer on, and in which page and place (-1, 0: from its last page)."""

    bucket: int
    writer: int = 0
    page: int = -1
    first: int = 0


def earliest_level(codes: Any, illegal: int, first: int, stop: int, now: int) -> int:
    """Return the lowest level from `now` on of the states first .. stop - 1, or -1."""
    earliest = -1
    for number in range(first, stop):
        if codes[number] != illegal:
            found = level(codes[number])
            if found >= now and (earliest < 0 or found < earliest):
                earliest = found
    return earliest


def back_up(
    names: jit.Names,
    emit: Emit,
    bounds: npt.NDArray[Any],
    table: Table,
    run: Run,
    buckets: Buckets,
    deepest: int,
    late: Late | None = None,
) -> int:
    """Back up level after level until none is left; return how many there were.

    `deepest` is the highest level that the table holds so far, `late` what finished parts have still to say.
    """
    applier = jit.bind(apply, names)
    now = 0
    while now <= deepest or (late is not None and late.pending(now)):
        found = _level(emit, applier, bounds, table, run, buckets, now)
        if late is not None:
            found = max(found, apply_late(names, late.take(now), table))
        deepest = max(deepest, found)
        run.progress(f"level {now}", now + 1, 0)
        now += 1
        if found < now <= deepest:
            now = _next_level(names, bounds, table, run, now, late)
    return now


def _next_level(names: jit.Names, bounds: npt.NDArray[Any], table: Table, run: Run, now: int, late: Late | None) -> int:
    """Return the first level from `now` on that has something to do: with costs far above one, most are empty."""
    kernel = jit.bind(earliest_level, names)
    found = run.map(lambda chunk: int(kernel(table.codes, table.illegal, *chunk, now)), list(Chunks(bounds)))
    if late is not None:
        found.append(late.first_from(now))
    return min((level for level in found if level >= now), default=now)


def _level(
    emit: Emit, applier: Any, bounds: npt.NDArray[Any], table: Table, run: Run, buckets: Buckets, now: int
) -> int:
    """Back up the states of one level, in as many rounds as the buckets need; return the highest level given."""
    chunks = Chunks(bounds)
    deepest = -1

    def write(writer: int) -> None:
        pages = buckets.writers[writer]
        while (chunk := chunks.next()) is not None:
            first, stop = chunk
            done = emit(table.codes, table.illegal, first, stop, now, bounds, buckets.block_bits, pages)
            if done < 0:
                raise ValueOverflow(
                    f"level {now}: an edge has a negative weight or one above {LARGEST_WEIGHT:,}, or a value's code is "
                    f"above {LARGEST_CODE:,}: more than a request carries (the solver `fixpoint` has no such limit)"
                )
            if done < stop:
                chunks.put_back(done, stop)
                return

    while not chunks.empty():
        run.map(write, range(run.threads))
        deepest = max(deepest, _apply_all(applier, table, run, buckets))
    return deepest


def _apply_all(applier: Any, table: Table, run: Run, buckets: Buckets) -> int:
    """Apply every bucket to its block, and empty it; return the highest level given."""

    def drain(job: Drain) -> tuple[Drain, npt.NDArray[Any]]:
        bucket, writer, page, first = job
        note = np.array([0, -1, 0, 0], np.int64)
        base = bucket << buckets.block_bits
        for one in range(writer, run.threads):
            pages = buckets.writers[one]
            begin = page if page >= 0 else int(pages.last[bucket])
            applier(table.codes, table.illegal, base, pages, begin, first, note)
            if note[TOO_LARGE]:
                return Drain(bucket, one, int(note[PAGE_AT]), int(note[STOPPED])), note
            page, first = -1, 0
        return Drain(bucket, run.threads), note

    jobs = [Drain(bucket) for bucket in buckets.filled()]
    deepest = until_it_fits(run, table, drain, jobs, lambda job: job.writer < run.threads)
    buckets.clear()
    return deepest
