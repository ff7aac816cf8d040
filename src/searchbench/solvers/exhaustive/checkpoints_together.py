"""Checkpoints of ranks that share a table: each keeps its shard, and any number of ranks can go on.

With each checkpoint the array `own` of a rank tells the intervals that it held. A rank that goes on takes what it holds now
out of the arrays of all that wrote.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.exchange.ranks import current
from searchbench.exchange.shards import common
from searchbench.exchange.table import recode
from searchbench.solvers.exhaustive.checkpoints import Array, Checkpoints, pieces_of
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.pending import Flags, unpack_flags


class CheckpointsTogether(Checkpoints):
    """Keep checkpoints of one group of parts, all ranks together."""

    def begin(self, group: Group) -> None:
        """Turn to a group; bring back this rank's codes if the last checkpoint is of it."""
        self._group = group
        record = self._folder.record if self._folder is not None else {}
        self.noted = dict(record["noted"]) if record.get("group") == group.name else {}
        self._writers = int(record["ranks"]) if self.noted else 0
        for rank in range(self._writers):
            self._bring_codes(rank)

    def _bring_codes(self, rank: int) -> None:
        """Take this rank's codes out of those that a rank kept."""
        assert self._folder is not None
        while self._table.codes.itemsize < self._folder.dtype(_name("codes", rank)).itemsize:
            self._table.widen(0)

        def put(data: Array, start: int, stop: int) -> None:
            recode_into(data, self._table.codes[start:stop])

        self._take("codes", rank, put)

    def _take(self, name: str, rank: int, put: Any) -> None:
        """Call `put` with each piece of an array that a rank kept and that this one holds now, and its interval."""
        held, own = self._held(rank), self._own
        if not len(common(held, own)):
            return
        data = self._array(name, rank)
        done = 0
        for start, stop in held.reshape(-1, 2).tolist():
            for low, high in common(np.array([start, stop], np.int64), own).reshape(-1, 2).tolist():
                put(data[done + low - start : done + high - start], low, high)
            done += stop - start

    @property
    def _own(self) -> npt.NDArray[Any]:
        assert self._group is not None
        return self._table.sharing.own(self._group.bounds)

    def _held(self, rank: int) -> npt.NDArray[Any]:
        return self._array("own", rank)

    def _array(self, name: str, rank: int) -> Array:
        assert self._folder is not None
        return self._folder.copy_of(_name(name, rank), self._run)

    def keep(self, noted: dict[str, Any], arrays: dict[str, Array], beside: dict[str, Array] | None = None) -> None:
        """Keep this rank's codes of the group at hand, with a note and some arrays; all ranks do so together."""
        assert self._folder is not None
        assert self._group is not None
        own, origin, ranks = self._own, int(self._group.bounds[0]), current()
        cut = {name: _cut(array, own - origin) for name, array in (beside or {}).items()}
        copies = {"own": own, "codes": _cut(self._table.codes, own), **arrays, **cut}
        record = {"group": self._group.name, "noted": noted, "ranks": ranks.count}
        self._folder.commit(record, {_name(name, ranks.rank): array for name, array in copies.items()}, self._run)

    def restore_marks(self, name: str, marks: Flags, bounds: Array) -> None:
        """Bring back marks of stretches, those that any rank kept."""
        for rank in range(self._writers):
            unpack_flags(self._array(name, rank), marks, self._held(rank))

    def pieces(self, name: str) -> list[tuple[int, int]]:
        """Return those pieces of intervals that this rank holds now."""
        kept = sorted(piece for rank in range(self._writers) for piece in pieces_of(self._array(name, rank)))
        return pieces_of(common(np.array(kept, np.int64).ravel(), self._own))

    def load_beside(self, name: str, array: Array) -> None:
        """Bring back this rank's places of an array with a place for each number of the group."""
        assert self._group is not None
        origin = int(self._group.bounds[0])

        def put(data: Array, start: int, stop: int) -> None:
            array[start - origin : stop - origin] = data

        for rank in range(self._writers):
            self._take(name, rank, put)


def recode_into(data: Array, codes: Array) -> None:
    """Copy codes into an array of the same or a wider type."""
    if data.dtype == codes.dtype:
        codes[:] = data
    else:
        recode(data, codes)


def _cut(array: Array, bounds: npt.NDArray[Any]) -> Array:
    """Return the entries of an array in some intervals."""
    return np.concatenate([array[:0], *(array[start:stop] for start, stop in bounds.reshape(-1, 2).tolist())])


def _name(name: str, rank: int) -> str:
    return f"{name}.{rank}"
