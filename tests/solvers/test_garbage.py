"""A computation leaves no arrays in cycles of objects, where they would wait for Python's collector."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb

SMALL = 4096
"""Bytes of arrays that may wait: constants and vectors of one state, no tables."""


@contextmanager
def left_for_the_collector() -> Iterator[dict[str, int]]:
    """Fill in the bytes of arrays that only the collector frees, by the class of the object that holds them."""
    found: dict[str, int] = {}
    gc.disable()
    gc.freeze()  # compiled kernels are millions of objects: the collector need not walk over those that were here before
    kept = len(gc.garbage)
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        seen: set[int] = set()
        for holder in gc.garbage[kept:]:
            for one in gc.get_referents(holder):
                if isinstance(one, np.ndarray) and id(one) not in seen:
                    seen.add(id(one))
                    name = f"{type(holder).__name__} {list(holder)[:6] if isinstance(holder, dict) else ''}"
                    found[name] = found.get(name, 0) + one.nbytes
    finally:
        gc.set_debug(0)
        del gc.garbage[kept:]
        gc.collect()
        gc.unfreeze()
        gc.enable()


def test_arrays_in_a_cycle_are_found() -> None:
    class Holder:
        def __init__(self) -> None:
            self.array, self.itself = np.zeros(1 << 16), self

    with left_for_the_collector() as found:
        Holder()
    assert sum(found.values()) == 8 << 16


def _heard(_stage: str, _done: int, _total: int) -> None:
    """Hear how far a computation is."""


def _proved(method: str, spec: str = "mnk:3,3,3", **options: Any) -> Callable[[Path], None]:
    def prove(folder: Path) -> None:
        if options.get("work"):
            options["work"] = folder / "work"
        sb.prove(spec, method=method, memory="64MB", threads=1, **options)

    return prove


def _searched(spec: str, method: str, **options: Any) -> Callable[[Path], None]:
    def search(_folder: Path) -> None:
        sb.search(spec, sb.load(spec).start(), method, memory="256MB", seconds=20, **options)

    return search


def _solved(spec: str, **options: Any) -> Callable[[Path], None]:
    def solve(folder: Path) -> None:
        with sb.solve(spec, to=folder / "table.db", memory="256MB", threads=2, overwrite=True, **options) as database:
            database.probe(database.game.start())
            database.verify()

    return solve


COMPUTATIONS: dict[str, Callable[[Path], None]] = {
    **{f"prove {one}": _proved(one) for one in ("pns", "dfpn", "alphabeta", "conspiracy", "sss", "mst")},
    "prove portfolio": _proved("portfolio", progress=_heard),
    "prove graph": _proved("graph", "mnk:4,4,3"),
    "prove pns second": _proved("pns", second=True),
    **{f"prove kept {one}": _proved(one, work="work") for one in ("pns", "dfpn")},
    **{f"search {one}": _searched("sliding:3x3", one) for one in ("idastar", "astar", "bestfirst")},
    **{f"search {one}": _searched("sokoban:5#|#@$.#|5#", one) for one in ("enhanced", "featurespace")},
    "solve retrograde": _solved("mnk:3,3,3", solver="retrograde"),
    "solve fixpoint": _solved("mnk:3,3,3", solver="fixpoint"),
    "solve bfs": _solved("sliding:3x2", solver="bfs"),
    "solve bfs two-bit": _solved("sliding:3x3", solver="bfs", form="two-bit"),
    "solve bfs one-bit": _solved("sliding:3x3", solver="bfs", form="one-bit"),
    "solve sweep": _solved("connect4:4x4", solver="sweep"),
    "solve reached": _solved("mnk:3,3,3", index="reached"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", COMPUTATIONS)
def test_a_computation_leaves_no_arrays_for_the_collector(name: str, tmp_path: Path) -> None:
    compute = COMPUTATIONS[name]
    compute(tmp_path)  # compiles, and fills what lives as long as the process
    with left_for_the_collector() as found:
        compute(tmp_path)
    assert sum(found.values()) <= SMALL, found
