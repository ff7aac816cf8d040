"""Points gained within a group of parts: sound where the group has no cycles, refused where it has.

A sweep knows nothing yet of values that come late, and takes 0 for them. Where moves that gain points stay in a group,
such a provisional value can start to go round on a cycle and hold itself up for ever: the sweeps end in a wrong fixpoint,
or in none. Where gains leave the group, provisional values are 0 and only grow away from 0, so this cannot happen.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

import numpy as np

from searchbench import jit
from searchbench.errors import NoFixpoint
from searchbench.exchange import Table
from searchbench.exchange.decisions import reduce_sum
from searchbench.index.contract import unrank
from searchbench.jit import FIRST, STOP, Rows, note_rows
from searchbench.rules import UNDECIDED, new_moves, new_state, terminal
from searchbench.run import Run
from searchbench.solvers.exhaustive.edges import CHANGED, Piece, targets_of, weights_of
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.neighbours import Bounds, inside, successors
from searchbench.solvers.exhaustive.schedule import Chunks

INWARD = 0
"""What `settle_block` notes besides CHANGED: how many moves within the group gain points."""


def settle_block(
    codes: Any, illegal: int, first: int, stop: int, bounds: Bounds, settled: Any, note: MutableSequence[int]
) -> None:
    """Mark the states first .. stop - 1 whose successors in the group are all marked; count the gains within the group."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    for number in range(first, stop):
        if codes[number] == illegal or settled[number] != 0:
            continue
        unrank(number, state)
        free = True
        if terminal(state) == UNDECIDED:
            for index in range(successors(state, scratch, out, numbers, weights)):
                if numbers[index] >= 0 and inside(numbers[index], bounds):
                    free = free and settled[numbers[index]] != 0
                    note[INWARD] += 1 if weights[index] != 0 else 0
        if free:
            settled[number] = 1
            note[CHANGED] += 1


def refuse_gains_on_cycles(names: jit.Names, group: Group, pieces: list[Piece], table: Table, run: Run) -> None:
    """Raise NoFixpoint if a move within the group gains points and the group has a cycle."""
    if not any(_gains_within(piece) for piece in pieces):
        return
    kernel = jit.bind(settle_block, names)
    settled = np.zeros(len(table.codes), np.uint8)
    left = reduce_sum(int((table.codes[part.start : part.stop] != table.illegal).sum()) for part in group.parts)
    gains = 0
    chunks = list(Chunks(group.bounds))
    while left:
        notes = note_rows(len(chunks), 4)
        run.launch(kernel, chunks, table.codes, table.illegal, FIRST, STOP, group.bounds, settled, Rows(notes))
        gains += reduce_sum(notes[:, INWARD])
        marked = reduce_sum(notes[:, CHANGED])
        left -= marked
        if gains == 0:
            return
        if marked == 0:
            raise NoFixpoint(
                f"part {group.name}: moves gain points and stay in the part, and {left:,} states lie on cycles or lead to "
                "one, so their values are not determined; divide the game into parts() so that such moves leave their part "
                "(with the index 'reached' all states are one part)"
            )


def _gains_within(piece: Piece) -> bool:
    """Tell whether a move of the piece may gain points within the group."""
    if piece.edges is None:
        return True
    ends = piece.edges.ends
    return bool(((targets_of(ends) >= 0) & (weights_of(ends) != 0)).any())
