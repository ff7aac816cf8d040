"""What solvers for points work with: a group's table, its bytes beside it, its fresh states, and the compiled functions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Buckets, Table
from searchbench.exchange.space import Space
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints import Checkpoints
from searchbench.solvers.exhaustive.pending import pack_flags, pending_chunks
from searchbench.solvers.exhaustive.schedule import CHUNK
from searchbench.solvers.exhaustive.score_kernels import apply_all, collect, emit_pieces, finish, propagate, select


class Kernels(NamedTuple):
    """Hold the compiled functions."""

    select: Any
    emit: Any
    apply: Any
    finish: Any
    collect: Any
    propagate: Any

    @classmethod
    def bound(cls, names: jit.Names) -> Kernels:
        """Return them with a game's rules."""
        return cls(
            select=jit.bind(select, names),
            emit=jit.bind(emit_pieces, names),
            apply=jit.bind(apply_all, names),
            finish=jit.bind(finish, names),
            collect=jit.bind(collect, names),
            propagate=jit.bind(propagate, names),
        )


class Work(NamedTuple):
    """Hold the means to solve a group: the compiled functions, the table, and the arrays beside it with their space."""

    kernels: Kernels
    bounds: npt.NDArray[Any]
    table: Table
    run: Run
    buckets: Buckets
    checkpoints: Checkpoints
    space: Space
    left: npt.NDArray[np.uint8]
    fresh: npt.NDArray[np.uint8]

    @property
    def own(self) -> npt.NDArray[Any]:
        """Return the intervals of the group that are at work here."""
        return self.table.sharing.own(self.bounds)

    @property
    def origin(self) -> int:
        """Return the first number of the group."""
        return int(self.bounds[0])

    def rest(self) -> None:
        """Give back the memory of arrays that lie in files."""
        self.table.rest()
        self.space.rest(self.left)  # not the table's: that may have gone elsewhere since

    def rest_after(self, _piece: Any) -> None:
        """Do so when a piece of a launch is done."""
        self.rest()

    def taken(self) -> tuple[npt.NDArray[np.uint8], list[tuple[int, int]]]:
        """Return the marks of stretches with fresh states, which are taken away, and the pieces that have such."""
        here = self.fresh.copy()
        self.fresh[:] = 0
        return here, pending_chunks(here, self.own, CHUNK)

    def keep(self, noted: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], more: npt.NDArray[np.uint8]) -> None:
        """Keep a copy of all there is; `more` are marks of further stretches with fresh states."""
        marks = pack_flags(self.fresh | more, self.own)
        self.checkpoints.keep(noted, {**arrays, "marks": marks}, {"counts": self.left})
