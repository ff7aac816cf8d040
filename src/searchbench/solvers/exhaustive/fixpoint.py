"""Forward fixpoint: gather each state's value from its successors, sweep by sweep, until none changes (Gasser 1995, 2.2).

It works for every value rule and needs no `unmoves`. A part that no move stays in takes one sweep (backward induction).
A rule whose fixpoint does not depend on the order of evaluation is swept in place, and after some sweeps only where a
successor has changed (`worklist`). For any other rule each sweep reads the values of the one before, and a sequence of
sweeps that repeats itself proves that no fixpoint will be reached.
The rules are asked once for each state, as long as there is room for the lists of its successors.
"""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import NoFixpoint
from searchbench.exchange import Table
from searchbench.index.contract import unrank
from searchbench.jit import FIRST, PIECE, STOP, Rows, note_rows
from searchbench.rules import UNDECIDED, new_moves, new_state, terminal
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints import STAGE, Checkpoints
from searchbench.solvers.exhaustive.cycles import refuse_gains_on_cycles
from searchbench.solvers.exhaustive.departures import has_changed, successor_refused
from searchbench.solvers.exhaustive.edges import CHANGED, Piece, gather_listed, list_pieces
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.neighbours import Bounds, stored_code, successors
from searchbench.solvers.exhaustive.pending import new_flags
from searchbench.solvers.exhaustive.retrograde import initialise_group
from searchbench.solvers.exhaustive.schedule import (
    CHANGED_STATE,
    NEGATIVE,
    STOPPED,
    TOO_LARGE,
    Chunks,
    launch_until_it_fits,
)
from searchbench.solvers.exhaustive.worklist import Worklist, worklist_of
from searchbench.values import ValueRule
from searchbench.values.contract import gather

SWEEPS: Final = "sweeps"


def gather_block(
    old: Any, new: Any, illegal: int, first: int, stop: int, bounds: Bounds, reach: Bounds, revalue: bool,
    note: MutableSequence[int],
) -> None:  # fmt: skip
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
            if has_changed(number, state, scratch):
                note[TOO_LARGE] = CHANGED_STATE
                return
            for index in range(count):
                refused = successor_refused(numbers[index], old, illegal, bounds, reach)
                if refused != 0:
                    note[TOO_LARGE] = refused
                    return
                numbers[index] = stored_code(old, numbers[index], bounds)
            gathered = gather(code, numbers, weights, count)
        if not 0 <= gathered < illegal:
            note[TOO_LARGE] = gathered if gathered >= 0 else NEGATIVE
            return
        if gathered != code:
            note[CHANGED] += 1
        new[number] = gathered
    note[STOPPED] = stop


def solve_group(
    names: jit.Names, rule: ValueRule, group: Group, table: Table, run: Run, checkpoints: Checkpoints
) -> int:
    """Solve a group of parts whose needs are solved; return the number of sweeps. Raises NoFixpoint."""
    if checkpoints.noted.get(STAGE) != SWEEPS:
        unguarded = names.with_(GUARDED=False)  # the sweeps see where all moves lead
        initialise_group(unguarded, group, False, False, table, new_flags(len(table.codes)), run, checkpoints)
    if not group.needs_itself:
        _sweep(
            names, rule, group, [Piece(*chunk) for chunk in Chunks(table.sharing.own(group.bounds))], table, table, run
        )
        return 1
    return _until_stable(names, rule, group, table, run, checkpoints)


def _until_stable(
    names: jit.Names, rule: ValueRule, group: Group, table: Table, run: Run, checkpoints: Checkpoints
) -> int:
    states = sum(part.size for part in group.parts)
    limit = rule.sweeps(states)
    pieces = list_pieces(names, group, rule.revalues_terminals, table, run)
    if rule.weights_leave:
        refuse_gains_on_cycles(names, group, pieces, table, run)
    target = table if rule.unique else table.copy()
    goes_on = checkpoints.noted.get(STAGE) == SWEEPS
    seen: dict[str, int] = dict(checkpoints.noted["seen"]) if goes_on else {}
    sweeps = int(checkpoints.noted["sweeps"]) if goes_on else 0
    worklist: Worklist | None = None
    while True:
        if not rule.unique:
            mark = _digest(group, table)
            if mark in seen:
                raise NoFixpoint(
                    f"{rule.name}: no fixpoint on part {group.name}: "
                    f"after sweep {sweeps} all values are as after sweep {seen[mark]}"
                )
            seen[mark] = sweeps
        if rule.unique and worklist is None:
            worklist = worklist_of(names, pieces, group, table, sweeps, run)
        whole = worklist is None or worklist.all_wait()
        if worklist is not None:
            changed = worklist.sweep(table)
        else:
            changed = _sweep(names, rule, group, pieces, table, target, run)
            table.codes, target.codes = target.codes, table.codes
        sweeps += 1
        run.progress(f"sweep {sweeps}, {changed:,} changed", sweeps, 0)
        if whole and not changed:
            return sweeps
        if limit is not None and sweeps > limit:
            raise NoFixpoint(
                f"{rule.name}: no fixpoint on part {group.name} after {sweeps} sweeps over {states} states"
            )
        if checkpoints.due:
            checkpoints.keep({STAGE: SWEEPS, "sweeps": sweeps, "seen": seen}, {})


def _sweep(
    names: jit.Names, rule: ValueRule, group: Group, pieces: list[Piece], table: Table, target: Table, run: Run
) -> int:
    """Gather every state of a group once, from `table` into `target` (which may be `table`); return how many changed."""
    play_out, read = jit.bind(gather_block, names), jit.bind(gather_listed, names)
    tables = [table] if target is table else [table, target]
    changed = 0

    def listed(some: Sequence[Any]) -> npt.NDArray[np.int64]:
        notes = note_rows(len(some), 4)
        edges = (PIECE[2][0], PIECE[2][1], PIECE[2][2])
        run.launch(read, some, table.codes, target.codes, table.illegal, FIRST, STOP, *edges, Rows(notes))
        return counted(notes)

    def played_out(some: Sequence[Any]) -> npt.NDArray[np.int64]:
        notes = note_rows(len(some), 4)
        run.launch(
            play_out, some, table.codes, target.codes, table.illegal, FIRST, STOP, group.bounds, group.reach,
            rule.revalues_terminals, Rows(notes),
        )  # fmt: skip
        return counted(notes)

    def counted(notes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        nonlocal changed
        changed += int(notes[:, CHANGED].sum())
        return notes

    launch_until_it_fits([piece for piece in pieces if piece.edges is not None], listed, *tables)
    launch_until_it_fits([piece for piece in pieces if piece.edges is None], played_out, *tables)
    return changed


def _digest(group: Group, table: Table) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in group.parts:
        digest.update(table.codes[part.start : part.stop].tobytes())
    return digest.hexdigest()


def bytes_needed(size: int, rule: ValueRule) -> int:
    """Return the memory that a fixpoint over a table of `size` bytes takes at least; lists take the rest."""
    return size if rule.unique else 2 * size
