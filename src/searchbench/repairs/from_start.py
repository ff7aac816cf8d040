"""Repair depths from the start: clear those that rest on a wrong one, and find them again from their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.index.contract import canonical_rank, unrank
from searchbench.repairs.region import Numbers, Region
from searchbench.rules import UNDECIDED, moves, new_moves, new_state, play, terminal, unmoves, unplay
from searchbench.solvers.exhaustive.neighbours import is_position


def list_deeper(
    codes: Any, illegal: int, marks: Any, listed: Any, first: int, stop: int, depths: Any, through_ends: bool,
    lowering: bool, numbers: Any,
) -> int:  # fmt: skip
    """Write the successors of ``listed[first] .. listed[stop - 1]`` that are one deeper; return how many.

    `depths` has the codes of the listed numbers, -1 if lost. `lowering`: write instead the successors that are not reached
    yet or have a larger depth.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    count = 0
    for place in range(first, stop):
        unrank(listed[place], state)
        if not is_position(listed[place], state, scratch):
            continue
        if depths[place] == 0 or (not through_ends and terminal(state) != UNDECIDED):
            continue
        deeper = depths[place] + 1
        for index in range(moves(state, out)):
            play(state, out[index])
            target = canonical_rank(state, scratch)
            unplay(state, out[index])
            if target < 0 or codes[target] == illegal:
                continue
            if lowering:
                wanted = codes[target] == 0 or codes[target] > deeper
            else:
                wanted = marks[target] == 0 and codes[target] > 1 and (deeper == 0 or codes[target] == deeper)
            if wanted:
                numbers[count] = target
                count += 1
    return count


def list_unsupported(codes: Any, illegal: int, listed: Any, first: int, stop: int, numbers: Any) -> int:
    """Write those of ``listed[first] .. listed[stop - 1]`` without a predecessor one less deep; return how many."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    count = 0
    for place in range(first, stop):
        number = listed[place]
        unrank(number, state)
        supported = False
        for index in range(unmoves(state, out)):
            unplay(state, out[index])
            origin = canonical_rank(state, scratch)
            play(state, out[index])
            if origin >= 0 and codes[origin] != 0 and codes[origin] + 1 == codes[number]:
                supported = True
                break
        if not supported:
            numbers[count] = number
            count += 1
    return count


def list_positions(listed: Any, first: int, stop: int, numbers: Any) -> int:
    """Write those of ``listed[first] .. listed[stop - 1]`` that are positions; return how many."""
    state = new_state()
    scratch = new_state()
    count = 0
    for place in range(first, stop):
        unrank(listed[place], state)
        if is_position(listed[place], state, scratch):
            numbers[count] = listed[place]
            count += 1
    return count


def renew_depths(region: Region, wrong: Numbers, lost: Numbers) -> None:
    """Clear the depths of some numbers and all that rest on them, and find them again; some others decrease, too."""
    while len(wrong):
        table = region.table
        depths = table.codes[wrong].astype(np.int64)
        depths[depths == table.illegal] = 0
        depths[np.isin(wrong, lost)] = -1
        region.add(wrong)
        wrong = _deeper(region, wrong, depths, lowering=False)
        if "unmoves" in region.names:
            wrong = region.listed(list_unsupported, wrong, table.codes, table.illegal)
    _spread(region, _seeds(region))
    if any(region.database.illegal in region.database.part_counts(part) for part in region.parts):
        positions = region.listed(list_positions, region.numbers)
        region.table.codes[np.setdiff1d(region.numbers, positions)] = region.table.illegal


def _seeds(region: Region) -> Numbers:
    """Return the states from which the region can be reached: its predecessors and the start."""
    codes, start = region.table.codes, region.game.rank(region.game.start())
    around = region.predecessors(region.numbers)
    known: Numbers = around[
        (region.marks[around] == 0) & (codes[around] != 0) & (codes[around] != region.table.illegal)
    ]
    if region.marks[start] != 0:
        codes[start] = 1
        known = np.union1d(known, [start])
    return known


def _spread(region: Region, wave: Numbers) -> None:
    """Lower depths from the states of a wave, in the order of depth, to all states that they reach sooner than known."""
    while len(wave):
        depths = region.table.codes[wave].astype(np.int64)
        now = int(depths.min())
        found = _deeper(region, wave[depths == now], depths[depths == now], lowering=True)
        region.add(found[region.marks[found] == 0])
        if now + 1 >= region.table.illegal:
            region.table.widen(now + 1)
        region.table.codes[found] = now + 1
        wave = np.union1d(wave[depths > now], found)


def _deeper(region: Region, numbers: Numbers, depths: npt.NDArray[np.int64], lowering: bool) -> Numbers:
    kernel, width, table = jit.bind(list_deeper, region.names), len(region.names["new_moves"]()), region.table
    out = np.empty(len(numbers) * width, np.int64)
    count = kernel(
        table.codes, table.illegal, region.marks, numbers, 0, len(numbers), depths, region.through_ends, lowering, out
    )
    found: Numbers = np.unique(out[:count])
    return found
