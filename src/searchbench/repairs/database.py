"""Repair a database: find the region of wrong values, solve it again, verify it, and write its parts.

The region begins with all numbers at which verification finds a fault and all numbers of damaged chunks. It grows by every
value that no longer follows without them; all other values stay. Then the region is solved and verified together with its
predecessors. States found wrong there (a draw that is now a win, say) join the region, until there are none. No other
state has a successor whose value changed, so verification finds no fault in the whole database.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from searchbench import jit
from searchbench.catalogue import WhichGame
from searchbench.errors import BadRequest, BrokenRule
from searchbench.repairs.from_start import renew_depths
from searchbench.repairs.region import Numbers, Region
from searchbench.repairs.report import LOST, Repair, changes_of
from searchbench.repairs.sweeps import solve_region
from searchbench.run import Run
from searchbench.store import Database, Lost, open_salvaged
from searchbench.store.codes import Codes, MemoryCodes
from searchbench.store.replacing import grows, locked, replace_parts
from searchbench.store.slices import refuse_slice
from searchbench.values import SHIPPED, ValueRule
from searchbench.verify.database import Findings, find_faults

REPAIRED: Final = tuple(name for name, rule in SHIPPED.items() if rule.repairable)
"""The value rules whose databases can be repaired."""
SOUND: Final = Lost((), ())


def repair_folder(
    path: str | Path, game: WhichGame = None, rule: ValueRule | None = None, run: Run | None = None,
    limit: int = 100, target: jit.Target | None = None,
) -> Repair:  # fmt: skip
    """Repair a database on disk, whose chunks may be damaged or missing; report at most `limit` changes in words.

    At any moment the folder holds the old database or the repaired one. Raises DamagedData if more than chunks is damaged,
    BadRequest for a database that cannot be repaired, OutOfMemory, and BrokenRule if the rules contradict themselves.
    """
    with run or Run() as active, locked(Path(path)):
        database, lost = open_salvaged(path, game, rule)
        return _Repairing(database, lost, active, limit, target or database.game.quickest_target).repair()


def repair_database(
    database: Database, run: Run | None = None, limit: int = 100, target: jit.Target | None = None
) -> Repair:
    """Repair a database in memory or, as `repair_folder` does, on disk; the object then returns the right values."""
    target = target or database.game.quickest_target
    with run or Run() as active:
        if database.path is None:
            repairing = _Repairing(database, SOUND, active, limit, target)
            found = repairing.repair()
        else:
            with locked(database.path):
                salvaged, lost = open_salvaged(database.path, database.game, database.rule)
                repairing = _Repairing(salvaged, lost, active, limit, target)
                found = repairing.repair()
        if repairing.store is not None:
            database.answer_from(repairing.store)
        return found


class _Repairing:
    def __init__(self, database: Database, lost: Lost, run: Run, limit: int, target: jit.Target) -> None:
        if not database.rule.repairable or database.modulus:
            what = f"depths modulo {database.modulus}" if database.modulus else f"values of {database.rule.name}"
            raise BadRequest(
                f"{database.game}: {what} cannot be repaired, only whole values of "
                f"{', '.join(REPAIRED)}: solve the game again"
            )
        refuse_slice(database, "repaired")
        self.database, self.lost, self.run, self.limit, self.target = database, lost, run, limit, target
        self.region = Region(database, run, target)
        self.given = np.concatenate([np.empty(0, np.int64), *(np.arange(*interval) for interval in lost.numbers)])
        self.store: Codes | None = None

    def repair(self) -> Repair:
        """Find the faults, repair them, and store the result."""
        database, region = self.database, self.region
        found = self._faults(database)
        wrong = np.union1d(found.numbers, self.given)
        if self._whole():
            region.bring(region.parts)
        checked = self._renew(wrong) if len(wrong) else "all values"
        before, after = region.before_and_after()
        before[np.isin(region.numbers, self.given)] = LOST
        differ = np.flatnonzero(before != after)
        parts = {part.name for part in region.parts_of(region.numbers[differ])} | {*found.miscounted, *self.lost.parts}
        written = tuple(part.name for part in database.parts if part.name in parts)
        if written:
            self._keep(written)
        some = differ[: self.limit]
        faults = len(np.setdiff1d(found.numbers, self.given)) + len({*found.miscounted} - {*self.lost.parts})
        return Repair(
            str(region.game), region.rule.name, faults, len(self.given), len(region.numbers), len(differ),
            changes_of(database, region.numbers[some].tolist(), before[some], after[some]), written, checked,
        )  # fmt: skip

    def _whole(self) -> bool:
        """Return whether all parts must be in memory: if they are stored together, or need each other."""
        return self.database.path is None or self.region.rule.from_start or not grows(self.database.path)

    def _faults(self, database: Database) -> Findings:
        return find_faults(database, self.run, self.limit, self.target)

    def _renew(self, wrong: Numbers) -> str:
        """Solve the region until nothing is wrong; return a text about the values checked."""
        region = self.region
        while len(wrong):
            if region.rule.from_start:
                renew_depths(region, wrong, self.given)
            else:
                around = self._close(wrong)
            if self._local():
                return f"{len(region.numbers):,} values and {around - len(region.numbers):,} that lead to them"
            # Points can support each other on a cycle, and depths rest on predecessors: verify the whole database.
            region.bring(region.parts)
            wrong = self._fresh(self._faults(self._as_database()).numbers)
        return "all values"

    def _local(self) -> bool:
        """Return whether values that fit their successors are right, because they follow from smaller values."""
        rule = self.region.rule
        return rule.outcomes or not (rule.points or rule.from_start or self.region.game.has("cost"))

    def _close(self, wrong: Numbers) -> int:
        """Solve the region until it and its predecessors have no faults; return the number of values checked."""
        region = self.region
        while True:
            region.grow(wrong)
            region.table.codes[region.numbers] = 0
            solve_region(region)
            around = np.union1d(region.numbers, region.predecessors(region.numbers))
            wrong = self._fresh(region.failing(around))
            if not len(wrong):
                return len(around)

    def _fresh(self, wrong: Numbers) -> Numbers:
        """Return the wrong numbers; raise BrokenRule if one is in the region, which has just been solved."""
        inside = wrong[self.region.marks[wrong] != 0]
        if len(inside):
            raise BrokenRule(
                f"{self.region.game}: number {int(inside[0])} is at fault with any value: the rules contradict "
                "themselves (`searchbench check` tells more)"
            )
        return wrong

    def _as_database(self) -> Database:
        """Return the database with its current codes."""
        old = self.database
        codes = MemoryCodes(self.region.table.codes)
        return Database(old.game, old.rule, codes, old.facts, old.command, parts=old.parts)

    def _keep(self, parts: Sequence[str]) -> None:
        """Replace the old codes by the new ones."""
        region, path = self.region, self.database.path
        region.bring([part for part in region.parts if part.name in parts])
        if path is None or not grows(path):
            region.table.narrow(self._largest())
        codes = self._as_database()
        self.store = MemoryCodes(region.table.codes) if path is None else replace_parts(path, codes, parts)

    def _largest(self) -> int:
        """Return the largest code of all parts."""
        database = self._as_database()
        return max(
            code for part in database.parts for code in [0, *database.part_counts(part)] if code != database.illegal
        )
