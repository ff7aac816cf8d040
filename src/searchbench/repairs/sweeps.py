"""Solve a region from the values around it: a forward fixpoint over its states only.

A region is closed: no value outside rests on it. So values outside are fixed, as those of exits from the region. States
from which play stays in the region for ever keep the initial code of a fixpoint: a draw, no points, no path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BrokenRule, NoFixpoint
from searchbench.exchange import Table
from searchbench.exchange.decisions import reduce_sum
from searchbench.jit import FIRST, STOP, Rows, intervals, note_rows
from searchbench.repairs.kernels import BROKEN, FILLED, KNOWN, NO_POSITION, OPEN, list_states
from searchbench.repairs.region import Numbers, Region
from searchbench.solvers.exhaustive.edges import CHANGED, Edges, gather_listed
from searchbench.solvers.exhaustive.groups import groups_in_order
from searchbench.solvers.exhaustive.schedule import launch_until_it_fits
from searchbench.solvers.exhaustive.stored_codes import finish_block

BLOCK: Final = 1 << 14
"""States that a thread takes at a time."""


def solve_region(region: Region) -> None:
    """Solve every number of a region, group by group in the order of their needs. Raises BrokenRule."""
    region.marks[region.numbers] = OPEN
    for group in groups_in_order(region.parts):
        inside = [region.numbers[_span(region.numbers, part.start, part.stop)] for part in group.parts]
        numbers = np.concatenate(inside)
        if len(numbers):
            _solve(region, numbers)
            region.marks[numbers] = KNOWN


def _span(numbers: Numbers, start: int, stop: int) -> slice:
    first, last = np.searchsorted(numbers, [start, stop])
    return slice(int(first), int(last))


def _solve(region: Region, numbers: Numbers) -> None:
    firsts, edges = _lists(region, numbers)
    table = Table(len(numbers))
    while len(firsts) and firsts.max() >= table.illegal:
        table.widen(int(firsts.max()))
    table.codes[:] = np.where(firsts == NO_POSITION, table.illegal, firsts)
    _until_stable(region, table, edges)
    jit.bind(finish_block, region.names)(table.codes, table.illegal, 0, len(numbers))
    region.store(numbers, table.codes, table.illegal)


def _lists(region: Region, numbers: Numbers) -> tuple[npt.NDArray[Any], Edges]:
    """Return the initial codes of some states, and their edges, which refer to states by their place."""
    kernel, width = jit.bind(list_states, region.names), len(region.names["new_moves"]())
    table = region.table

    def work(first: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        stop = min(first + BLOCK, len(numbers))
        firsts, begins = np.empty(stop - first, np.int64), np.empty(stop - first + 1, np.int64)
        ends, note = np.empty(((stop - first) * width, 2), np.int64), np.zeros(2, np.int64)
        kernel(table.codes, table.illegal, region.marks, numbers, first, stop, firsts, begins, ends, note)
        if note[BROKEN]:
            raise BrokenRule(
                f"{region.game}: from number {int(note[BROKEN]) - 1} a move leads to a state that is no position"
            )
        return firsts, begins, ends[: note[FILLED]].copy()

    firsts, begins, ends = zip(*region.run.map(work, range(0, len(numbers), BLOCK)), strict=True)
    origins = np.cumsum([0, *(len(some) for some in ends)])
    joined = np.concatenate(ends)
    open_ones = joined[:, 0] >= 0
    joined[open_ones, 0] = np.searchsorted(numbers, joined[open_ones, 0])
    starts = [some[:-1] + origin for some, origin in zip(begins, origins[:-1], strict=True)]
    return np.concatenate(firsts), Edges(np.arange(len(numbers)), np.concatenate([*starts, origins[-1:]]), joined)


def _until_stable(region: Region, table: Table, edges: Edges) -> None:
    """Gather all states from their edges until nothing changes. Raises NoFixpoint."""
    listed = np.flatnonzero(np.diff(edges.begins) > 0)
    edges = Edges(listed, np.append(edges.begins[listed], edges.begins[-1:]), edges.ends)
    target = table if region.rule.unique else table.copy()
    limit = region.rule.sweeps(len(table.codes))
    sweeps = 0
    while _sweep(region, table, target, edges):
        table.codes, target.codes = target.codes, table.codes
        sweeps += 1
        region.run.progress(f"working out {len(table.codes):,} values anew, sweep {sweeps}", sweeps, 0)
        if limit is not None and sweeps > limit:
            raise NoFixpoint(f"{region.rule.name}: no fixpoint on {len(table.codes):,} states of {region.game}")


def _sweep(region: Region, table: Table, target: Table, edges: Edges) -> int:
    """Gather every state once, from `table` into `target` (which may be `table`); return how many changed."""
    kernel = jit.bind(gather_listed, region.names)
    changed = 0

    def work(pieces: Sequence[Any]) -> npt.NDArray[np.int64]:
        nonlocal changed
        notes = note_rows(len(pieces), 4)
        region.run.launch(kernel, pieces, table.codes, target.codes, table.illegal, FIRST, STOP, *edges, Rows(notes))
        changed += reduce_sum(notes[:, CHANGED])
        return notes

    tables = [table] if target is table else [table, target]
    launch_until_it_fits(intervals(0, len(edges.states), BLOCK), work, *tables)
    return changed
