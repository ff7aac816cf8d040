"""The number line in pieces: chunks for threads, batches with checkpoints between them, and codes that do not fit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from searchbench.errors import BrokenRule
from searchbench.exchange import Table
from searchbench.exchange.decisions import reduce_max
from searchbench.jit import intervals
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints import Checkpoints

CHUNK = 1 << 16
"""How many states a thread takes at a time."""
BATCH: Final = 256
"""How many chunks are done before it is asked whether a checkpoint is due."""
STOPPED, TOO_LARGE, PAGE_AT, AGAIN = 0, 1, 2, 3
"""The places of a kernel's note: where it stopped and why (a code that is too large, or one of the next five, or 0); and
of `apply` in which page it stopped, and whether the level at work has got new states."""
NO_NUMBER: Final = -1
NEGATIVE: Final = -2
LEAVES: Final = -3
ILLEGAL: Final = -4
CHANGED_STATE: Final = -5

Job = TypeVar("Job")
Piece = tuple[int, int]


def pieces_of(bounds: npt.NDArray[Any], size: int) -> list[Piece]:
    """Return some intervals in pieces of so many numbers."""
    return [piece for start, stop in bounds.reshape(-1, 2).tolist() for piece in intervals(start, stop, size)]


class Chunks:
    """Hand out pieces of some intervals to threads, each piece once; `pieces` instead of all of them."""

    def __init__(self, bounds: npt.NDArray[Any], pieces: list[tuple[int, int]] | None = None) -> None:
        self._lock = threading.Lock()
        if pieces is None:
            pieces = pieces_of(bounds, CHUNK)
        self._left = pieces[::-1]

    def next(self) -> tuple[int, int] | None:
        """Return a piece that nobody has, or None when all are taken."""
        with self._lock:
            return self._left.pop() if self._left else None

    def take(self, count: int) -> list[tuple[int, int]]:
        """Return up to so many pieces that nobody has, in order."""
        with self._lock:
            some = self._left[-count:]
            del self._left[-count:]
            return some[::-1]

    def put_back(self, first: int, stop: int) -> None:
        """Give back the rest of a piece."""
        if first < stop:
            with self._lock:
                self._left.append((first, stop))

    def empty(self) -> bool:
        """Tell whether everything is taken."""
        return not self._left

    @property
    def left(self) -> list[tuple[int, int]]:
        """Return the pieces that nobody has, in order."""
        return self._left[::-1]

    def __iter__(self) -> Any:
        while (chunk := self.next()) is not None:
            yield chunk


def until_it_fits(
    run: Run,
    table: Table,
    work: Callable[[Job], tuple[Job, npt.NDArray[Any]]],
    jobs: list[Job],
    unfinished: Callable[[Job], bool],
) -> None:
    """Do all jobs; widen the table and go on where they stopped while a code does not fit."""
    while jobs:
        results = run.map(work, jobs)
        jobs = [job for job, _ in results if unfinished(job)]
        if jobs:
            make_room(table, [note for _, note in results])


def launch_until_it_fits(
    pieces: Sequence[Any], work: Callable[[Sequence[Any]], npt.NDArray[np.int64]], *tables: Table
) -> None:
    """Do all pieces; widen the tables and go on where pieces stopped while a code does not fit.

    `work` launches a kernel over pieces and returns two notes for each: where it stopped, and the code that is too large.
    """
    while pieces:
        notes = work(pieces)
        pieces = unfinished_pieces(pieces, notes)
        if pieces:
            for table in tables:
                make_room(table, notes)


def unfinished_pieces(pieces: Sequence[Any], notes: npt.NDArray[np.int64]) -> list[Any]:
    """Return the rest of the pieces, from where the kernel noted that it stopped."""
    stopped = notes[:, STOPPED].tolist()
    return [(at, *piece[1:]) for piece, at in zip(pieces, stopped, strict=True) if at < piece[1]]


def run_in_batches(
    pieces: list[Piece],
    work: Callable[[Sequence[Piece]], npt.NDArray[np.int64]],
    table: Table,
    checkpoints: Checkpoints,
    keep: Callable[[list[Piece]], None],
) -> None:
    """Do all pieces, batch by batch; when a checkpoint is due, call `keep` with the pieces that are left.

    Ranks that have fewer pieces than others have batches without any, so that all come to the same checkpoints.
    """
    batches = reduce_max([-(-len(pieces) // BATCH)], 0)
    for batch in range(batches):
        launch_until_it_fits(pieces[batch * BATCH : (batch + 1) * BATCH], work, table)
        if batch + 1 < batches and checkpoints.due:
            keep(pieces[(batch + 1) * BATCH :])


def make_room(table: Table, notes: Iterable[npt.NDArray[np.int64]]) -> None:
    """Widen the table for the codes that did not fit; raise BrokenRule for a code that no table can hold."""
    misfits = []
    for note in notes:
        misfit = int(note[TOO_LARGE])
        if misfit in DEPARTURES:
            raise Departure(DEPARTURES[misfit], int(note[STOPPED]))
        if misfit == NEGATIVE:
            raise BrokenRule(
                "a value's code is negative: the value rule is wrong, or a move has a negative cost "
                "(see `searchbench check`)"
            )
        misfits.append(misfit)
    table.widen(max(misfits))


class Departure(BrokenRule):
    """Report a move that leads where none may: from the state with a number."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number


DEPARTURES: Final = {
    NO_NUMBER: "a move leads to a state that has no number and is not terminal",
    LEAVES: "a move leads out of the index, or to a part that is not among the needs: set `closed = False`, or name the part "
    "in `parts`",
    ILLEGAL: "a move leads to a state of which `legal` says that it cannot occur",
    CHANGED_STATE: "a state has another number when its moves were played and taken back (see `searchbench check`)",
}
"""What is wrong with the successor of a state."""
