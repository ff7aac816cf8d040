"""Successor lists: the moves of a group's states, written down once and read in every sweep.

A sweep over lists is a stream of additions and comparisons, where a sweep over states plays and ranks every move again.
Lists take 8 bytes a move, or 16 where a weight needs more than 16 bits; states for which there is no room are played out in
every sweep.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Table
from searchbench.index.contract import unrank
from searchbench.rules import UNDECIDED, new_moves, new_state, terminal
from searchbench.run import Run
from searchbench.solvers.exhaustive.departures import has_changed, successor_refused
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.neighbours import Bounds, inside, stored_code, successors
from searchbench.solvers.exhaustive.schedule import CHANGED_STATE, NEGATIVE, STOPPED, TOO_LARGE, Chunks, make_room
from searchbench.values.contract import finish, gather

LIST_MEMORY: Final = 4 << 30
"""What the lists of a group may take together, unless the budget is smaller."""
SHARE: Final = 0.6
"""The share of the free memory that lists take: the rest is for worklists."""
WEIGHT_BITS: Final = 16
"""The bits of a weight that shares a word with its successor."""
WEIGHT_MASK: Final = (1 << WEIGHT_BITS) - 1
BUFFER: Final = 1 << 18
"""How many edges a thread writes before it keeps them."""
CHANGED, LISTED = 2, 3
"""What kernels note besides where they stopped and why: how many codes changed, how many states were listed."""


class Edges(NamedTuple):
    """Hold some states' edges: those of ``states[k]`` are the rows ``begins[k] .. begins[k + 1] - 1`` of `ends`.

    A row is the successor's number and the edge's weight, or -1 less the successor's code where that is stored already: in two
    words, or in one with the weight in its last 16 bits.
    """

    states: npt.NDArray[Any]
    begins: npt.NDArray[Any]
    ends: npt.NDArray[Any]


class Piece(NamedTuple):
    """Hold the states first .. stop - 1 of a group, or the places first .. stop - 1 of lists."""

    first: int
    stop: int
    edges: Edges | None = None


def list_edges(
    codes: Any, illegal: int, first: int, stop: int, bounds: Bounds, reach: Bounds, revalue: bool,
    states: Any, begins: Any, ends: Any, note: MutableSequence[int],
) -> None:  # fmt: skip
    """List the edges of the states first .. stop - 1 that are to be gathered, until there is no room for one more."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    listed = 0
    filled = 0
    begins[0] = 0
    for number in range(first, stop):
        note[STOPPED] = number
        note[LISTED] = listed
        if filled + len(out) > len(ends):
            return
        if codes[number] == illegal:
            continue
        unrank(number, state)
        if not revalue and terminal(state) != UNDECIDED:
            continue
        count = successors(state, scratch, out, numbers, weights)
        if has_changed(number, state, scratch):
            note[TOO_LARGE] = CHANGED_STATE
            return
        for index in range(count):
            target = numbers[index]
            refused = successor_refused(target, codes, illegal, bounds, reach)
            if refused != 0:
                note[TOO_LARGE] = refused
                return
            if target < 0 or not inside(target, bounds):
                target = -1 - stored_code(codes, target, bounds)
            ends[filled, 0] = target
            ends[filled, 1] = weights[index]
            filled += 1
        states[listed] = number
        listed += 1
        begins[listed] = filled
    note[STOPPED] = stop
    note[LISTED] = listed


def target_in(ends: Any, row: int) -> int:
    """Return the successor of an edge, or -1 less a code."""
    word: int = ends[row, 0]
    return word if ends.shape[1] == 2 else word >> WEIGHT_BITS


def read_edges(
    codes: Any, begin: int, stop: int, ends: Any, numbers: MutableSequence[int], weights: MutableSequence[int]
) -> int:
    """Write the successors' codes and the weights of the rows begin .. stop - 1; return how many there are."""
    for row in range(begin, stop):
        target = target_in(ends, row)
        numbers[row - begin] = finish(codes[target]) if target >= 0 else -1 - target
        weights[row - begin] = ends[row, 1] if ends.shape[1] == 2 else ends[row, 0] & WEIGHT_MASK
    return stop - begin


def in_one_word(ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return a copy of edges in two words, in one word each where all weights fit."""
    weights = ends[:, 1:]
    if len(ends) and (weights.min() < 0 or weights.max() > WEIGHT_MASK):
        return ends.copy()
    return (ends[:, :1] << WEIGHT_BITS) | weights


def targets_of(ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the successors of edges, or -1 less a code."""
    return ends[:, 0] if ends.shape[1] == 2 else ends[:, 0] >> WEIGHT_BITS


def weights_of(ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the weights of edges."""
    return ends[:, 1] if ends.shape[1] == 2 else ends[:, 0] & WEIGHT_MASK


def gather_listed(
    old: Any, new: Any, illegal: int, first: int, stop: int, states: Any, begins: Any, ends: Any,
    note: MutableSequence[int],
) -> None:  # fmt: skip
    """Gather the values of the listed states first .. stop - 1 from `old` and write them to `new` (which may be `old`)."""
    numbers = new_moves()
    weights = new_moves()
    for place in range(first, stop):
        number = states[place]
        count = read_edges(old, begins[place], begins[place + 1], ends, numbers, weights)
        code = old[number]
        gathered = gather(code, numbers, weights, count)
        if not 0 <= gathered < illegal:
            note[TOO_LARGE] = gathered if gathered >= 0 else NEGATIVE
            note[STOPPED] = place
            return
        if gathered != code:
            note[CHANGED] += 1
        new[number] = gathered
    note[STOPPED] = stop


def list_pieces(names: jit.Names, group: Group, revalue: bool, table: Table, run: Run) -> list[Piece]:
    """Return the states of a group in pieces, with lists for as many as there is room for."""
    kernel, bounds, reach = jit.bind(list_edges, names), group.bounds, group.reach
    room = max(BUFFER, len(names["new_moves"]()))
    left = min(LIST_MEMORY, int(SHARE * (run.memory - 2 * table.codes.nbytes - run.threads * 16 * room)))

    def work(chunk: tuple[int, int]) -> list[Piece]:
        nonlocal left
        first, stop = chunk
        pieces: list[Piece] = []
        if left <= 0:
            return [Piece(first, stop)]
        states, begins, ends = (np.empty(shape, np.int64) for shape in (stop - first, stop - first + 1, (room, 2)))
        while first < stop and left > 0:
            note = np.zeros(4, np.int64)
            kernel(table.codes, table.illegal, first, stop, bounds, reach, revalue, states, begins, ends, note)
            if note[TOO_LARGE]:
                make_room(table, [note])
            first, listed = int(note[STOPPED]), int(note[LISTED])
            edges = Edges(states[:listed].copy(), begins[: listed + 1].copy(), in_one_word(ends[: begins[listed]]))
            left -= sum(array.nbytes for array in edges)  # about: threads may take the last room twice
            pieces.append(Piece(0, listed, edges))
        return pieces if first == stop else [*pieces, Piece(first, stop)]

    return [piece for pieces in run.map(work, list(Chunks(bounds))) for piece in pieces]
