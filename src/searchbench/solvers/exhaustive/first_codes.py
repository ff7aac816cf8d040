"""The first look at every state of a group of parts, in batches, so that it can be stopped between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Table
from searchbench.run import Run
from searchbench.solvers.exhaustive.blocks import Chunks, Group, until_it_fits
from searchbench.solvers.exhaustive.copies import Copies, array_of, pieces_of
from searchbench.solvers.exhaustive.due import Marks, new_marks, pack_marks, unpack_marks
from searchbench.solvers.exhaustive.prepare import STOPPED, prepare

BATCH: Final = 256
"""How many chunks are looked at before it is asked whether a copy is due."""
STAGE: Final = "stage"
FIRST_CODES: Final = "first codes"

Piece = tuple[int, int]
Look = Callable[[Piece], tuple[Piece, npt.NDArray[Any]]]


def look_at_all(
    pieces: list[Piece], look: Look, table: Table, run: Run, copies: Copies, keep: Callable[[list[Piece]], None]
) -> None:
    """Look at all pieces, batch by batch; `keep` what is done when a copy is due, told which pieces are left."""

    def work(piece: Piece) -> tuple[Piece, npt.NDArray[Any]]:
        result = look(piece)
        table.rest()
        return result

    for first in range(0, len(pieces), BATCH):
        until_it_fits(run, table, work, pieces[first : first + BATCH], lambda piece: piece[0] < piece[1])
        left = pieces[first + BATCH :]
        if left and copies.due:
            keep(left)


def prepare_group(names: jit.Names, group: Group, look_ahead: bool, table: Table, run: Run, copies: Copies) -> Marks:
    """Give the states of a group their first codes; return what is due at which level."""
    kernel = jit.bind(prepare, names)
    bounds = group.bounds
    due = new_marks(len(table.codes))
    pieces = list(Chunks(bounds))
    if copies.noted.get(STAGE) == FIRST_CODES:
        unpack_marks(copies.array("due"), due, bounds)
        pieces = pieces_of(copies.array("left"))

    def look(piece: Piece) -> tuple[Piece, npt.NDArray[Any]]:
        first, stop = piece
        note = np.array([first, 0], np.int64)
        kernel(table.codes, table.illegal, first, stop, bounds, look_ahead, due, note)
        return (int(note[STOPPED]), stop), note

    def keep(left: list[Piece]) -> None:
        copies.keep({STAGE: FIRST_CODES}, {"due": pack_marks(due, bounds), "left": array_of(left)})

    look_at_all(pieces, look, table, run, copies, keep)
    return due
