"""Retrograde analysis for points: states are decided from the largest scores down to 0 (after Romein and Bal 2003).

Within a group of parts no move gains points, so a state's score is that of a move that leaves the group, its own, the
opposite of a successor's, or 0 where play goes round. When all scores above v are known, those of v and -v follow: a state
has v if a leaving move gives v or a successor has -v, and -v if all its successors are won by v or more and no leaving
move gives more than -v. Every state is asked for its moves once and for its predecessors once. What is left scores 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Buckets, Table
from searchbench.exchange.decisions import begin_sum, gathered, reduce_any, reduce_max
from searchbench.exchange.ranks import ALONE, by_first, current, joined
from searchbench.exchange.space import MEMORY, Space
from searchbench.exchange.team_buckets import TeamBuckets
from searchbench.jit import FIRST, STOP, Rows, note_rows
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints import STAGE, Checkpoints, array_of
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.pending import STRETCH_BITS, pack_flags, pending_chunks
from searchbench.solvers.exhaustive.refusals import refusal
from searchbench.solvers.exhaustive.schedule import CHUNK, Chunks, Piece, run_in_batches
from searchbench.solvers.exhaustive.score_kernels import (
    HIGHEST,
    REFUSED,
    apply_all,
    emit_pieces,
    finish,
    initialise,
    select,
)
from searchbench.values.score import code_of

LEAVING: Final = "leaving"
"""The stage in which the results of leaving moves are noted. (The fixpoint, which may take over, has its own first stage.)"""
SCORES: Final = "scores"
HEAPS: Final = 4
"""In how many heaps of buckets for each thread the requests are applied, where there are several threads."""


SHARES: Final = 4
"""In how many shares a thread takes the pieces of a round."""
EMITTED, APPLIED = 1 << 9, 1 << 12
"""For how many fresh states a second thread is worth while: to write their requests, and to apply them, which is less work."""
FEW: Final = 1 << 9
"""Rounds with fewer fresh states in all than this are done by one rank, where it sees what the others hold."""
MANY: Final = 1 << 8
"""Where scores are larger than this, those that no move leads to are left out, each of which would look all states through."""


class Kernels(NamedTuple):
    """Hold the compiled functions."""

    select: Any
    emit: Any
    apply: Any
    finish: Any


class Work(NamedTuple):
    """Hold the means to solve a group: the compiled functions, the table, and the arrays beside it with their space."""

    kernels: Kernels
    bounds: npt.NDArray[Any]
    table: Table
    run: Run
    buckets: Buckets
    checkpoints: Checkpoints
    space: Space
    left: npt.NDArray[np.uint8]
    fresh: npt.NDArray[np.uint8]

    @property
    def own(self) -> npt.NDArray[Any]:
        """Return the intervals of the group that are at work here."""
        return self.table.sharing.own(self.bounds)

    @property
    def origin(self) -> int:
        """Return the first number of the group."""
        return int(self.bounds[0])

    def rest(self) -> None:
        """Give back the memory of arrays that lie in files."""
        self.table.rest()
        self.space.rest(self.left)  # not the table's: that may have gone elsewhere since

    def rest_after(self, _piece: Any) -> None:
        """Do so when a piece of a launch is done."""
        self.rest()

    def keep(self, noted: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Keep a copy of all there is."""
        fresh = pack_flags(self.fresh, self.own)
        self.checkpoints.keep(noted, {**arrays, "fresh": fresh}, {"counts": self.left})


def solve_group(
    names: jit.Names, group: Group, table: Table, run: Run, buckets: Buckets, checkpoints: Checkpoints
) -> int | None:
    """Solve a group of parts whose needs are solved; return the number of rounds.

    None where the method does not apply, because moves within the group gain points; then the table is to be made anew.
    """
    bounds = group.bounds
    space = table.space
    left = table.beside(int(bounds[-1] - bounds[0]))
    fresh = np.zeros((len(table.codes) >> STRETCH_BITS) + 1, np.uint8)
    kernels = Kernels(*(jit.bind(kernel, names) for kernel in (select, emit_pieces, apply_all, finish)))
    work = Work(kernels, bounds, table, run, buckets, checkpoints, space, left, fresh)
    if checkpoints.noted:
        checkpoints.load_beside("counts", left)
        checkpoints.restore_marks("fresh", fresh, work.own)
    goes_on = checkpoints.noted.get(STAGE) == SCORES
    highest = int(checkpoints.noted["highest"]) if goes_on else _initialise_group(names, work, group.reach)
    if highest is None:
        return None
    while table.illegal <= code_of(highest):  # which another rank may have found
        table.widen(code_of(highest))
    scores = _scores_met(work, highest)
    common = not reduce_any([not (table.in_common and isinstance(buckets, TeamBuckets) and buckets.reach_all)])
    score, rounds = (int(checkpoints.noted["score"]), int(checkpoints.noted["rounds"])) if goes_on else (highest, 0)
    while score > 0:
        run.progress(f"part {group.name}, score {score}", highest - score, highest)
        noted = {STAGE: SCORES, "highest": highest, "score": score}
        if goes_on:
            here = np.zeros_like(fresh)
            checkpoints.restore_marks("here", here, work.own)
            pieces, fresh_states = checkpoints.pieces("left"), len(left)  # at most
            goes_on = False
        else:
            fresh_states = _select_all(work, score)
            here, pieces = _taken(work)
        while (spread := _spread(work, noted | {"rounds": rounds}, here, pieces, fresh_states)).found:
            rounds += 1
            fresh_states = spread.fresh
            if common and spread.few:
                more, fresh_states = _spread_by_first(work, noted, fresh_states)
                rounds += more
            here, pieces = _taken(work)
        lower = bisect_left(scores, score)
        score = scores[lower - 1] if lower else 0
    run.launch(
        kernels.finish,
        Chunks(work.own),
        table.codes,
        table.illegal,
        FIRST,
        STOP,
        work.origin,
        left,
        after=work.rest_after,
    )
    return max(rounds, 1)


def _scores_met(work: Work, highest: int) -> list[int]:
    """Return the scores above 0 that states may get either way: all up to the highest, or those of moves that leave."""
    if highest <= MANY:
        return list(range(1, highest + 1))
    met: set[int] = set()
    for first, stop in Chunks(work.own):
        codes = np.unique(work.table.codes[first:stop]).astype(np.int64)
        met.update((codes[codes != work.table.illegal] + 1 >> 1).tolist())  # the size of the score of a code
        work.rest()
    return sorted(set(gathered(list(met))) - {0})


def bytes_needed(group: Group) -> int:
    """Return the memory that a group takes beside the table and the buckets."""
    return int(group.bounds[-1] - group.bounds[0]) if group.needs_itself else 0


def _initialise_group(names: jit.Names, work: Work, reach: npt.NDArray[Any]) -> int | None:
    """Initialise the states of a group; return the largest score of a leaving move either way, or None: not applicable."""
    kernel = jit.bind(initialise, names)
    table, checkpoints = work.table, work.checkpoints
    notes: list[npt.NDArray[np.int64]] = []
    pieces = list(Chunks(work.own))
    if checkpoints.noted.get(STAGE) == LEAVING:
        pieces = checkpoints.pieces("left")
        notes.append(np.array([0, 0, checkpoints.noted["highest"], checkpoints.noted["refused"]], np.int64))

    def seen(what: int) -> int:
        return reduce_max((note[what] for note in notes), 0)

    def look(some: Sequence[Piece]) -> npt.NDArray[np.int64]:
        noted = note_rows(len(some), 4)
        work.run.launch(
            kernel, some, table.codes, table.illegal, FIRST, STOP, work.bounds, reach, work.left, Rows(noted),
            after=work.rest_after,
        )  # fmt: skip
        notes.extend(noted)
        return noted

    def keep(pieces_left: list[Piece]) -> None:
        noted = {STAGE: LEAVING, "highest": seen(HIGHEST), "refused": seen(REFUSED)}
        work.keep(noted, {"left": array_of(pieces_left)})

    run_in_batches(pieces, look, table, checkpoints, keep)
    return None if seen(REFUSED) else seen(HIGHEST)


def _select_all(work: Work, score: int) -> int:
    """Select all states that have a score or its opposite by their leaving moves alone; return how many."""
    table = work.table
    selected = work.run.launch(
        work.kernels.select, Chunks(work.own), table.codes, table.illegal, FIRST, STOP, work.origin, work.left,
        work.fresh, score, after=work.rest_after,
    )  # fmt: skip
    return sum(selected)


def _taken(work: Work) -> tuple[npt.NDArray[np.uint8], list[Piece]]:
    """Return the marks of stretches with fresh states, which are taken away, and the pieces that have such."""
    here = work.fresh.copy()
    work.fresh[:] = 0
    return here, pending_chunks(here, work.own, CHUNK)


def _spread_by_first(work: Work, noted: dict[str, Any], states: int) -> tuple[int, int]:
    """Have the first rank go on for all until many states are fresh, or none; return its rounds, and each rank's share of these.

    On this rank so many `states` are fresh before.
    """
    told = current().gather((work.fresh, states))  # and all have applied their requests

    def go_on() -> tuple[int, int, npt.NDArray[np.uint8]]:
        assert isinstance(work.buckets, TeamBuckets)
        table = Table(0, work.table.spans, codes=work.table.codes)
        alone = work._replace(table=table, buckets=work.buckets.of(0), checkpoints=Checkpoints(None, table, work.run))
        for fresh, _ in told:
            alone.fresh[fresh != 0] = 1
        rounds, states = 0, sum(some for _, some in told)
        while alone.fresh.any() and states < FEW and not (rounds and work.checkpoints.is_due_here):
            here, pieces = _taken(alone)
            states = _spread(alone, noted, here, pieces, states).fresh
            rounds += 1
        return rounds, states, alone.fresh

    rounds, states, work.fresh[:] = by_first(joined(ALONE)(go_on))
    return rounds, -(-states // current().count)


class Spread(NamedTuple):
    """Say whether there were fresh states on any rank, and few of them, and how many there are on this one since."""

    found: bool
    few: bool
    fresh: int


def _spread(
    work: Work, noted: dict[str, Any], here: npt.NDArray[np.uint8], pieces: list[tuple[int, int]], states: int
) -> Spread:
    """Send requests to the predecessors of the fresh states in some pieces, in as many rounds as the buckets need.

    `here` marks their stretches; on this rank there are about so many `states`.
    """
    table, buckets, bounds, score = work.table, work.buckets, work.bounds, int(noted["score"])
    chunks = Chunks(bounds, pieces)
    # One by one from files, whose memory is given back after each.
    writers, readers = (1 if states < worth else work.run.threads for worth in (EMITTED, APPLIED))
    at_once = max(1, len(pieces) // (SHARES * writers)) if work.space is MEMORY else 1
    win = code_of(score)

    def write(writer: int) -> None:
        pages = buckets.writers[writer]
        while some := chunks.take(at_once):
            pieces, done = np.array(some, np.int64), 0
            while done < len(pieces):
                found = work.kernels.emit(
                    table.codes, pieces[done:], bounds, work.left, here, win, buckets.block_bits, pages
                )
                if found < 0:
                    raise refusal(found, f"score {score}")
                done += found
                if done < len(pieces) and not buckets.spill(writer):
                    for first, stop in pieces[done:].tolist():
                        chunks.put_back(first, stop)
                    return
            work.rest()

    def read_all(held: Buckets) -> int:
        def read(some: list[int]) -> int:
            decided = 0
            for source, of, last in held.sources(some):
                decided += work.kernels.apply(
                    table.codes, table.illegal, of, last, held.block_bits, source, work.origin, work.left, work.fresh, score
                )  # fmt: skip
                work.rest()
            return decided

        filled = held.filled()
        heaps = min(len(filled), HEAPS * readers if readers > 1 else 1)
        return sum(work.run.map(read, [filled[place::heaps] for place in range(heaps)]))

    more, found, in_all, decided = 1, 0, 0, 0
    while more:
        work.run.map(write, range(writers))
        told = begin_sum(not chunks.empty(), work.checkpoints.is_due_here, bool(here.any()), states)
        for held in table.sharing.deliver(buckets, told):
            decided += read_all(held)
        buckets.clear()
        more, due, found, in_all = told()
        if due:
            work.keep(noted, {"here": pack_flags(here, work.own), "left": array_of(chunks.left)})
    return Spread(found > 0, in_all < FEW, decided)
