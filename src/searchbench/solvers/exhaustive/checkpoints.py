"""Checkpoints of a computation: copies of the codes and of the arrays beside them, from time to time.

A solver that has reached a point from where it can go on, and finds that a checkpoint is `due`, keeps one with a note of its
progress. When the same computation is begun again, `begin` brings back the codes, `noted` the note, and `array` the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.exchange import Table
from searchbench.exchange.decisions import reduce_any
from searchbench.exchange.table import Span, recode
from searchbench.run import Run
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.pending import Flags, unpack_flags
from searchbench.store.working import WorkingFolder

Array = npt.NDArray[Any]

STAGE: Final = "stage"
"""The entry of a note that says which step of the solver it is of: for retrograde analysis, one of the next two."""
INITIALISE: Final = "initialise"
LEVELS: Final = "levels"


class Checkpoints:
    """Keep checkpoints of one group of parts after the other in a working folder; without a folder, do nothing.

    `finished` holds the facts of the groups that are finished, by their names.
    """

    def __init__(self, folder: WorkingFolder | None, table: Table, run: Run) -> None:
        self._folder, self._table, self._run = folder, table, run
        record = folder.record if folder is not None else {}
        self.finished: dict[str, Any] = dict(record.get("finished", {}))
        self.noted: dict[str, Any] = {}
        self._final: list[Span] = [(start, stop) for start, stop in record.get("final", [])]
        self._not_kept: list[Span] = []
        self._group: Group | None = None
        self._load("final", self._final)

    def begin(self, group: Group) -> None:
        """Turn to a group; bring back its codes and its note if the last checkpoint is of it."""
        self._group = group
        record = self._folder.record if self._folder is not None else {}
        self.noted = dict(record["noted"]) if record.get("group") == group.name else {}
        if self.noted:
            self._load("codes", spans_of(group))

    def finish(self, facts: Any) -> None:
        """Note that the codes of the group at hand are final, and the facts about it."""
        if self._group is not None:
            self.finished[self._group.name] = facts
            self._not_kept += spans_of(self._group)
        self._group = None

    @property
    def is_due_here(self) -> bool:
        """Tell whether this process finds that it is time for a checkpoint."""
        return self._folder is not None and self._folder.due

    @property
    def due(self) -> bool:
        """Tell whether any rank finds that it is time for a checkpoint, so that all must keep one."""
        return reduce_any([self.is_due_here])

    def keep(self, noted: dict[str, Any], arrays: dict[str, Array], beside: dict[str, Array] | None = None) -> None:
        """Keep the codes of the group at hand with a note and some arrays. Raises BadRequest where there is no room.

        The arrays `beside` have a place for each number from the first of the group to the last.
        """
        assert self._folder is not None
        assert self._group is not None
        still = [_name("final", span) for span in self._final]
        self._final += merged(self._not_kept)
        self._not_kept = []
        fresh = [("final", span) for span in self._final if _name("final", span) not in still]
        codes = [*fresh, *(("codes", span) for span in spans_of(self._group))]
        copies = {_name(kind, span): self._table.codes[slice(*span)] for kind, span in codes}
        record = {"group": self._group.name, "noted": noted, "finished": self.finished, "final": self._final}
        self._folder.commit(record, {**copies, **arrays, **(beside or {})}, self._run, still)
        self._table.rest()

    def array(self, name: str) -> Array:
        """Return an array that was kept with the note. Raises DamagedData."""
        assert self._folder is not None
        return self._folder.copy_of(name, self._run)

    def restore_flags(self, stage: str, pending: Flags, bounds: Array) -> bool:
        """Bring back the pending flags if the last checkpoint is of this stage; return whether it is. Raises DamagedData."""
        if self.noted.get(STAGE) != stage:
            return False
        self.restore_marks("pending", pending, bounds)
        return True

    def restore_marks(self, name: str, marks: Flags, bounds: Array) -> None:
        """Bring back marks of stretches, those of some intervals. Raises DamagedData."""
        unpack_flags(self.array(name), marks, bounds)

    def pieces(self, name: str) -> list[tuple[int, int]]:
        """Return pieces of intervals that were kept with `array_of`. Raises DamagedData."""
        return pieces_of(self.array(name))

    def load_beside(self, name: str, array: Array) -> None:
        """Bring back an array with a place for each number of the group. Raises DamagedData."""
        assert self._folder is not None
        self._folder.load(name, array, self._run)

    def _load(self, kind: str, spans: Sequence[Span]) -> None:
        """Bring back the codes of some intervals, whatever their type was."""
        if self._folder is None or not spans:
            return
        names = {span: _name(kind, span) for span in spans}
        widest = max(self._folder.dtype(name).itemsize for name in names.values())
        while self._table.codes.itemsize < widest:
            self._table.widen(0)
        codes = self._table.codes
        for (start, stop), name in names.items():
            dtype = self._folder.dtype(name)
            if dtype == codes.dtype:
                self._folder.load(name, codes[start:stop], self._run)
            else:
                copy = self._table.space.array(stop - start, dtype)
                self._folder.load(name, copy, self._run)
                recode(copy, codes[start:stop])
            self._table.rest()


def spans_of(group: Group) -> list[Span]:
    """Return the intervals of a group, parts that touch each other together."""
    return merged([(part.start, part.stop) for part in group.parts])


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return intervals in order, those that touch each other together."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], stop)
        elif start < stop:
            found.append((start, stop))
    return found


def _name(kind: str, span: Span) -> str:
    return f"{kind}-{span[0]}-{span[1]}"


def array_of(pieces: Sequence[tuple[int, int]]) -> Array:
    """Return pieces of intervals as an array."""
    return np.array(pieces, np.int64).ravel()


def pieces_of(array: Array) -> list[tuple[int, int]]:
    """Return the pieces of intervals that `array_of` made an array of."""
    return [(first, stop) for first, stop in array.reshape(-1, 2).tolist()]
