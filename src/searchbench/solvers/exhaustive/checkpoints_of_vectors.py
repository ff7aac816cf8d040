"""Checkpoints of bit vectors that ranks search together: each keeps its blocks, and any number of ranks can go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from searchbench.exchange.ranks import Array, current
from searchbench.exchange.vectors import Deal
from searchbench.run import Run
from searchbench.store.working import WorkingFolder

BLOCKS: Final = "blocks"
"""The array of a rank that tells which blocks it kept."""


def cut(deal: Deal, vectors: Mapping[str, Array]) -> dict[str, Array]:
    """Return this rank's share of some vectors, under names of its own; alone, the vectors."""
    if deal.count == 1:
        return dict(vectors)
    blocks, rank = np.flatnonzero(deal.mine), current().rank
    shares = {f"{name}.{rank}": deal.rows(vector, blocks).reshape(-1) for name, vector in vectors.items()}
    return {f"{BLOCKS}.{rank}": blocks, **shares}


def load(deal: Deal, work: WorkingFolder, vectors: Mapping[str, Array], run: Run) -> None:
    """Bring this rank's words back out of those that any number of ranks kept. Raises DamagedData."""
    kept = sorted(name for name in work.copies if name.startswith(f"{BLOCKS}."))
    if not kept:
        for name, vector in vectors.items():
            work.load(name, vector, run)
    for one in kept:
        blocks = work.copy_of(one, run)
        here = deal.mine[blocks]
        for name, vector in vectors.items() if len(blocks) else ():
            rows = work.copy_of(one.replace(BLOCKS, name, 1), run).reshape(len(blocks), -1)
            deal.put(vector, blocks[here], rows[here])
    deal.meet()
