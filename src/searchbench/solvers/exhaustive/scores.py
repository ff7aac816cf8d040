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
from searchbench.exchange.decisions import begin_sum, gathered, reduce_any, reduce_max, reduce_sum
from searchbench.exchange.ranks import current
from searchbench.exchange.space import MEMORY
from searchbench.jit import FIRST, STOP, Rows, note_rows
from searchbench.run import Run
from searchbench.solvers.exhaustive import score_lists
from searchbench.solvers.exhaustive.checkpoints import STAGE, Checkpoints, array_of
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.pending import STRETCH_BITS
from searchbench.solvers.exhaustive.refusals import refusal
from searchbench.solvers.exhaustive.schedule import (
    CHUNK,
    Chunks,
    Piece,
    launch_until_it_fits,
    pieces_of,
    run_in_batches,
)
from searchbench.solvers.exhaustive.score_kernels import HIGHEST, REFUSED, initialise
from searchbench.solvers.exhaustive.score_lists import Lists, is_small, reach_all
from searchbench.solvers.exhaustive.score_work import Kernels, Work
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
FINE: Final = 1 << 13
"""How many states of a small group a thread initialises at a time."""
MANY: Final = 1 << 8
"""Where scores are larger than this, those that no move leads to are left out, each of which would look all states through."""


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
    kernels = Kernels.bound(names)
    work = Work(kernels, bounds, table, run, buckets, checkpoints, space, left, fresh)
    if checkpoints.noted:
        checkpoints.load_beside("counts", left)
        checkpoints.restore_marks("marks", fresh, work.own)
    goes_on = checkpoints.noted.get(STAGE) == SCORES
    together = is_small(work) and reach_all(work, names.target)
    highest = int(checkpoints.noted["highest"]) if goes_on else _initialise_group(names, work, group.reach, together)
    if highest is None:
        return None
    while table.illegal <= code_of(highest):  # which another rank may have found
        table.widen(code_of(highest))
    scores = _scores_met(work, highest)
    lists = Lists(work) if reach_all(work, names.target) else None
    score, rounds = (int(checkpoints.noted["score"]), int(checkpoints.noted["rounds"])) if goes_on else (highest, 0)
    while score > 0:
        run.progress(f"part {group.name}, score {score}", highest - score, highest)
        noted = {STAGE: SCORES, "highest": highest, "score": score, "rounds": rounds}
        here = len(left) if goes_on else _select_all(work, score)  # at most
        goes_on = False
        rounds = _spread_all(work, lists, noted, here)
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


def _spread_all(work: Work, lists: Lists | None, noted: dict[str, Any], here: int) -> int:
    """Spread a score and its opposite until no state is fresh; return the number of rounds. On this rank `here` are fresh."""
    rounds, everywhere = int(noted["rounds"]), reduce_sum([here])
    found = everywhere > 0
    while found:
        if lists is not None and lists.suit(everywhere):
            more, left = lists.spread(noted | {"rounds": rounds})
            rounds += more
            if left is None:
                break
            here = left
        found, everywhere, here = _spread(work, noted | {"rounds": rounds}, here)
        rounds += found
    return rounds


def bytes_needed(group: Group) -> int:
    """Return the memory that a group takes beside the table and the buckets."""
    return bytes_beside(int(group.bounds[-1] - group.bounds[0])) if group.needs_itself else 0


def bytes_beside(numbers: int) -> int:
    """Return the memory for so many numbers of a group: a count for each, and the lists."""
    return numbers + score_lists.bytes_needed(numbers)


def _initialise_group(names: jit.Names, work: Work, reach: npt.NDArray[Any], together: bool) -> int | None:
    """Initialise the states of a group; return the largest score of a leaving move either way, or None: not applicable.

    Where all ranks reach the whole group, and it is small, they deal it out in small pieces, and keep no checkpoints.
    """
    kernel = jit.bind(initialise, names)
    table, checkpoints = work.table, work.checkpoints
    notes: list[npt.NDArray[np.int64]] = []
    pieces = pieces_of(work.own, CHUNK)
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
        work.keep(noted, {"left": array_of(pieces_left)}, work.fresh)

    begun = STAGE in checkpoints.noted
    if together and not begun:
        launch_until_it_fits(pieces_of(work.bounds, FINE)[current().rank :: current().count], look, table)
        # A rank whose codes grew wider has those that it found itself.
        together = current().count == 1 or not reduce_any([not table.in_common])
    if begun or not together:
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


class Spread(NamedTuple):
    """Say whether there were fresh states on any rank, how many on all about, and how many there are on this one since."""

    found: bool
    states: int
    fresh: int


def _spread(work: Work, noted: dict[str, Any], states: int) -> Spread:
    """Send requests to the predecessors of the fresh states, in as many rounds as the buckets need.

    On this rank there are about so many `states`.
    """
    table, buckets, bounds, score = work.table, work.buckets, work.bounds, int(noted["score"])
    here, pieces = work.taken()
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
            work.keep(noted, {}, here)
    return Spread(found > 0, in_all, decided)
