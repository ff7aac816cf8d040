"""Worklists: after the first sweeps only those states are gathered again of which a successor has changed.

Most values of a long game are final long before the last sweep. Each listed state has a *place*; beside the lists of its
successors there is one of the places whose successor it is. A state that changes marks these for the next sweep. When none
is marked all are, once more: the sweeps end as they do without a worklist, when a sweep over all states changes none.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Table
from searchbench.jit import FIRST, PIECE, STOP, Rows, note_rows
from searchbench.rules import new_moves
from searchbench.run import Run
from searchbench.solvers.exhaustive.edges import CHANGED, Edges, Piece, read_edges, target_in
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.schedule import NEGATIVE, STOPPED, TOO_LARGE, launch_until_it_fits
from searchbench.values.contract import gather

FULL_SWEEPS: Final = 4
"""After how many sweeps a worklist is made: to make it takes as long as two or three."""
LEAST: Final = 1 << 17
"""The fewest listed states for which it is worth its compilation."""
BYTES_OF_A_MOVE: Final = 12
"""In the lists of successors and of places."""
NO_PLACE: Final = -1


class Waiting(NamedTuple):
    """Hold the places first .. stop - 1 of a piece's lists, of which the first state has the place `at` among all."""

    first: int
    stop: int
    edges: Edges
    at: int


def count_wakes(begins: Any, ends: Any, places: Any, low: int, counts: Any) -> None:
    """Count the edges to each place: those to place p in counts[p + 1]."""
    for row in range(begins[len(begins) - 1]):
        target = target_in(ends, row)
        if target >= 0 and places[target - low] >= 0:
            counts[places[target - low] + 1] += 1


def write_wakes(begins: Any, ends: Any, at: int, places: Any, low: int, free: Any, wakes: Any) -> None:
    """Write each state's place into the lists of its successors, from `free` on."""
    for place in range(len(begins) - 1):
        for row in range(begins[place], begins[place + 1]):
            target = target_in(ends, row)
            if target >= 0 and places[target - low] >= 0:
                successor = places[target - low]
                wakes[free[successor]] = at + place
                free[successor] += 1


def gather_waiting(
    codes: Any, illegal: int, first: int, stop: int, states: Any, begins: Any, ends: Any, at: int, waiting: Any,
    wakes_at: Any, wakes: Any, woken: Any, note: MutableSequence[int],
) -> None:  # fmt: skip
    """Gather the values of those places first .. stop - 1 that wait; mark in `woken` the places that a change concerns."""
    numbers = new_moves()
    weights = new_moves()
    for place in range(first, stop):
        if waiting[at + place] == 0:
            continue
        number = states[place]
        code = codes[number]
        count = read_edges(codes, begins[place], begins[place + 1], ends, numbers, weights)
        gathered = gather(code, numbers, weights, count)
        if not 0 <= gathered < illegal:
            note[TOO_LARGE] = gathered if gathered >= 0 else NEGATIVE
            note[STOPPED] = place
            return
        if gathered != code:
            note[CHANGED] += 1
            codes[number] = gathered
            for index in range(wakes_at[at + place], wakes_at[at + place + 1]):
                woken[wakes[index]] = 1
    note[STOPPED] = stop


class Worklist:
    """Hold the listed states of a group, which of them wait, and whom each wakes; swept until none waits."""

    def __init__(self, names: jit.Names, pieces: Sequence[Waiting], group: Group, run: Run) -> None:
        self.pieces, self.run = pieces, run
        self.kernel = jit.bind(gather_waiting, names)
        count = pieces[-1].at + pieces[-1].stop
        self.wakes_at = np.zeros(count + 1, np.int64)
        self.wakes = self._wakes(group)
        self.waiting, self.woken = np.ones(count, np.uint8), np.zeros(count, np.uint8)

    def _wakes(self, group: Group) -> npt.NDArray[np.int32]:
        bare = jit.Names({})
        count, write = jit.bind(count_wakes, bare), jit.bind(write_wakes, bare)
        low, high = int(min(group.bounds)), int(max(group.bounds))
        places = np.full(high - low, NO_PLACE, np.int32)
        for piece in self.pieces:
            places[piece.edges.states - low] = np.arange(piece.at, piece.at + piece.stop)
        for piece in self.pieces:
            count(piece.edges.begins, piece.edges.ends, places, low, self.wakes_at)
        np.cumsum(self.wakes_at, out=self.wakes_at)
        wakes = np.empty(self.wakes_at[-1], np.int32)
        free = self.wakes_at[:-1].copy()
        for piece in self.pieces:
            write(piece.edges.begins, piece.edges.ends, piece.at, places, low, free, wakes)
        return wakes

    def sweep(self, table: Table) -> int:
        """Gather the states that wait; let those wait that a change concerns, or all if there is none. Return the changes."""
        changed = 0

        def work(some: Sequence[Any]) -> npt.NDArray[np.int64]:
            nonlocal changed
            notes = note_rows(len(some), 4)
            edges = (PIECE[2][0], PIECE[2][1], PIECE[2][2])
            self.run.launch(
                self.kernel, some, table.codes, table.illegal, FIRST, STOP, *edges, PIECE[3], self.waiting,
                self.wakes_at, self.wakes, self.woken, Rows(notes),
            )  # fmt: skip
            changed += int(notes[:, CHANGED].sum())
            return notes

        launch_until_it_fits(self.pieces, work, table)
        self.waiting, self.woken = self.woken, self.waiting
        self.woken[:] = 0
        if not self.waiting.any():
            self.waiting[:] = 1
        return changed

    def all_wait(self) -> bool:
        """Tell whether the next sweep gathers all states."""
        return bool(self.waiting.all())


def worklist_of(
    names: jit.Names, pieces: Sequence[Piece], group: Group, table: Table, sweeps: int, run: Run
) -> Worklist | None:
    """Return a worklist after so many sweeps over a group; None where not all states are listed, it does not fit, or not pay."""
    if sweeps < FULL_SWEEPS:
        return None
    waiting: list[Waiting] = []
    at = listed = 0
    for piece in pieces:
        if piece.edges is None:
            return None
        waiting.append(Waiting(piece.first, piece.stop, piece.edges, at))
        at += piece.stop
        listed += sum(array.nbytes for array in piece.edges)
    edges = sum(len(piece.edges.ends) for piece in waiting)
    numbers = int(max(group.bounds)) - int(min(group.bounds))
    needed = 4 * (edges + numbers) + 18 * at  # a place a move and a number; two begins of lists and two marks a state
    if at < LEAST or at >= 1 << 31 or needed > run.memory - listed - 2 * table.codes.nbytes:
        return None
    return Worklist(names, waiting, group, run)
