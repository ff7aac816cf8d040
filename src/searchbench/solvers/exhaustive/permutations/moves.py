"""Turn a plan's moves into arrays for kernels."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.solvers.exhaustive.permutations.kernels import Moves
from searchbench.solvers.exhaustive.permutations.plan import Plan, RowMap

Array = npt.NDArray[Any]
ALL_BITS: Final = (1 << 64) - 1


def moves_of(plan: Plan, parity: int | None) -> Moves:
    """Return a plan's moves as arrays; with a parity, only those from places of that parity."""
    wanted = ALL_BITS
    if parity is not None:
        wanted = plan.spread(sum(1 << place for place in range(parity, plan.game.places, 2)))
    shifts = [(mask & wanted, distance) for distance, mask in plan.shifts if mask & wanted]
    rows = [row for row in plan.row_maps if row.bits == 64 and (parity is None or row.origin % 2 == parity)]
    byte_rows = [row for row in plan.row_maps if row.bits == 8]
    pulls = [wide for wide in plan.wide_maps if not wide.push]
    offsets = np.cumsum([0, *(len(wide.rows) for wide in pulls)])
    blocks, numbers = plan.blocks, plan.block_rows
    back = [told for told in plan.local.back if parity is None or told[0] % 2 == parity]
    back = back if plan.word_bits >= 8 and all(table >= 0 for _, _, table in back) else []
    return Moves(
        shift_mask=np.array([mask for mask, _ in shifts], np.uint64),
        shift_distance=np.array([abs(distance) for _, distance in shifts], np.uint64),
        shift_up=np.array([distance > 0 for _, distance in shifts], np.bool_),
        row_origin=np.array([row.origin for row in rows], np.uint64),
        row_target=np.array([row.target for row in rows], np.uint64),
        row_length=np.array([row.length for row in rows], np.int64),
        row_begin=_begins(rows),
        row_source=_joined(rows),
        byte_length=np.array([row.length for row in byte_rows], np.int64),
        byte_begin=_begins(byte_rows),
        byte_source=_joined(byte_rows),
        local_mask=np.uint64(plan.local.mask & wanted),
        local_first=plan.local.first,
        local_target=plan.local.targets,
        local_table=plan.local.tables,
        local_back=np.array(back, np.int64).reshape(len(back), 3),
        pull_base=np.array([wide.base for wide in pulls], np.int64).reshape(len(pulls), blocks),
        pull_kind=np.array(
            [wide.kind + offset for wide, offset in zip(pulls, offsets, strict=False)], np.int32
        ).reshape(len(pulls), blocks),
        pull_row=np.concatenate([np.zeros((0, numbers), np.int32), *(wide.rows for wide in pulls)]),
    )


def _begins(maps: list[RowMap]) -> Array:
    return np.cumsum([0, *(len(row_map.source) for row_map in maps)]).astype(np.int64)


def _joined(maps: list[RowMap]) -> Array:
    return np.concatenate([np.zeros(0, np.int32), *(row_map.source for row_map in maps)])
