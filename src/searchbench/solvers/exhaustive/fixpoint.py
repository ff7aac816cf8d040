"""Forward fixpoint: gather each state's value from its successors, sweep by sweep, until none changes (Gasser 1995, 2.2).

It works for every value rule and needs no `unmoves`. A part that no move stays in takes one sweep (backward induction).
A rule whose fixpoint does not depend on the order of evaluation is swept in place. For any other rule each sweep reads
the values of the one before, and a sequence of sweeps that repeats itself proves that no fixpoint will be reached.
"""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BrokenRule, NoFixpoint
from searchbench.exchange import Table
from searchbench.rules import UNDECIDED, gather, new_moves, new_state, terminal, unrank
from searchbench.run import Run
from searchbench.solvers.exhaustive.blocks import Chunks, Group, prepare_group
from searchbench.solvers.exhaustive.neighbours import OUTSIDE, Bounds, stored_code, successors
from searchbench.solvers.exhaustive.prepare import STOPPED, TOO_LARGE
from searchbench.values import ValueRule

CHANGED = 1


def gather_block(
    old: Any, new: Any, illegal: int, first: int, stop: int, bounds: Bounds, revalue: bool, note: MutableSequence[int]
) -> None:
    """Gather the values of the states first .. stop - 1 from `old` and write them to `new` (which may be `old`)."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    for number in range(first, stop):
        code = old[number]
        note[STOPPED] = number
        if code == illegal:
            continue
        unrank(number, state)
        gathered = code
        if revalue or terminal(state) == UNDECIDED:
            count = successors(state, scratch, out, numbers, weights)
            for index in range(count):
                if numbers[index] == UNDECIDED - OUTSIDE:
                    note[TOO_LARGE] = -1
                    return
                numbers[index] = stored_code(old, numbers[index], bounds)
            gathered = gather(code, numbers, weights, count)
        if gathered >= illegal:
            note[TOO_LARGE] = gathered
            return
        if gathered != code:
            note[CHANGED] += 1
        new[number] = gathered
    note[STOPPED] = stop


def solve_group(names: jit.Names, rule: ValueRule, group: Group, table: Table, run: Run) -> int:
    """Solve a group of parts whose needs are solved; return the number of sweeps. Raises NoFixpoint."""
    prepare_group(names, group, False, table, run)
    if not group.needs_itself:
        _sweep(names, rule, group, table, run, in_place=True)
        return 1
    return _until_stable(names, rule, group, table, run)


def _until_stable(names: jit.Names, rule: ValueRule, group: Group, table: Table, run: Run) -> int:
    states = sum(part.size for part in group.parts)
    limit = rule.sweeps(states)
    seen: dict[bytes, int] = {}
    sweeps = 0
    while True:
        if not rule.unique:
            mark = _digest(group, table)
            if mark in seen:
                raise NoFixpoint(
                    f"{rule.name}: no fixpoint on part {group.name}: "
                    f"after sweep {sweeps} all values are as after sweep {seen[mark]}"
                )
            seen[mark] = sweeps
        changed = _sweep(names, rule, group, table, run, in_place=rule.unique)
        sweeps += 1
        run.progress(f"sweep {sweeps}, {changed:,} changed", sweeps, 0)
        if not changed:
            return sweeps
        if limit is not None and sweeps > limit:
            raise NoFixpoint(
                f"{rule.name}: no fixpoint on part {group.name} after {sweeps} sweeps over {states} states"
            )


def _sweep(names: jit.Names, rule: ValueRule, group: Group, table: Table, run: Run, in_place: bool) -> int:
    """Gather every state of a group once; return how many changed."""
    kernel = jit.bind(gather_block, names)
    bounds = group.bounds
    target = Table(0)
    target.codes = table.codes if in_place else table.codes.copy()

    def work(job: tuple[int, int]) -> tuple[tuple[int, int], npt.NDArray[Any]]:
        note = np.zeros(4, np.int64)
        kernel(table.codes, target.codes, table.illegal, *job, bounds, rule.revalues_terminals, note)
        return (int(note[STOPPED]), job[1]), note

    jobs = list(Chunks(bounds))
    changed = 0
    while jobs:
        results = run.map(work, jobs)
        changed += sum(int(note[CHANGED]) for _, note in results)
        jobs = [job for job, _ in results if job[0] < job[1]]
        if jobs:
            code = max(int(note[TOO_LARGE]) for _, note in results)
            if code <= 0:
                raise BrokenRule("a move leads to a state that has no number and is not terminal")
            table.widen(code)
            if in_place:
                target.codes = table.codes
            else:
                target.widen(code)
    table.codes = target.codes
    return changed


def _digest(group: Group, table: Table) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in group.parts:
        digest.update(table.codes[part.start : part.stop].tobytes())
    return digest.digest()


def bytes_needed(size: int, rule: ValueRule) -> int:
    """Return the memory that a fixpoint over a table of `size` one-byte codes takes."""
    return size if rule.unique else 2 * size
