"""Solve chosen parts of a game and the parts they need, each group kept on disk when it is done.

Only the codes of the group at work and of the parts that it looks up are in memory, or in files where the memory is too
small. A computation that is stopped or killed goes on after the last group that was kept, in the middle of the next.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import numpy as np

from searchbench.errors import BadRequest
from searchbench.exchange import Buckets, Table
from searchbench.exchange.space import MEMORY, Files
from searchbench.game import Game
from searchbench.index.protocol import line_size, part_names
from searchbench.run import Run
from searchbench.solvers.exhaustive import budget, fixpoint, scores
from searchbench.solvers.exhaustive.budget import Sizes, code_bytes
from searchbench.solvers.exhaustive.checkpoints import Checkpoints
from searchbench.solvers.exhaustive.choice import Choice, chosen
from searchbench.solvers.exhaustive.configuration import GroupByGroup
from searchbench.solvers.exhaustive.groups import Group, groups_in_order
from searchbench.solvers.exhaustive.stored_codes import finish_group
from searchbench.solvers.exhaustive.strategy import solve_group
from searchbench.solvers.exhaustive.taken import Given, Taking
from searchbench.store import Database, open_database
from searchbench.store.forms import VALUES
from searchbench.store.growing import GrowingDatabase
from searchbench.store.header import PartRecord, folder_name
from searchbench.store.working import WorkingFolder, discard, remove_if_empty, working_folder
from searchbench.store.writing import check_target
from searchbench.values import FIXPOINT, RETROGRADE, ValueRule

ALL: Final = "all"


def solve_parts(
    game: Game,
    parts: str | Iterable[str],
    to: str | Path,
    rule: str | ValueRule | None = None,
    run: Run | None = None,
    command: str = "",
    solver: GroupByGroup | str | None = None,
    overwrite: bool = False,
) -> Database:
    """Solve parts of a game, with all parts that they need, into the database `to`, and return it opened.

    `parts` are names, as a list or with commas between them; "all" stands for all of them. What `to` holds already is
    not solved again, unless it is to be overwritten. `solver` is "retrograde" or "fixpoint", or the configuration of one;
    by default the game decides.
    Unfinished work is kept in the run's working folder, if it has one, in a folder for each group; and there the codes of a
    group lie that does not fit into the memory. Raises BadRequest for
    names that are no parts and for a place that holds something else, and OutOfMemory, before anything starts or is
    replaced.
    """
    groups = needed_groups(game, parts)
    name, take = (solver.method, solver.take) if isinstance(solver, GroupByGroup) else (solver, None)
    choice = chosen(game, rule, name, by_parts=True)
    folder = Path(to)
    with run or Run() as active:
        if overwrite and folder.exists():
            check_target(folder, overwrite)
            PartByPart(game, choice, {}, active).demand(groups)
            rmtree(folder)
        with GrowingDatabase(folder, game, choice.rule, command) as kept:
            left = [group for group in groups if any(part.name not in kept.records for part in group.parts)]
            if active.work is not None:
                for group in groups:
                    if group not in left:
                        discard(active.work / folder_name(group.name))
            work = PartByPart(game, choice, kept.records, active)
            work.demand(left)
            if take is not None and left == groups:
                left = work.take(left, take, kept)
            for place, group in enumerate(left):
                active.progress("parts", place, len(left))
                work.solve(group, kept)
        if active.work is not None:
            remove_if_empty(active.work)
    return open_database(to, game, choice.rule)


def needed_groups(game: Game, parts: str | Iterable[str]) -> list[Group]:
    """Return the groups of parts with these names, and all groups that they need, in the order of their needs."""
    by_name = {part.name: part for part in game.parts()}
    names = part_names(parts, by_name.values())
    queue = list(by_name) if names == [ALL] else names
    found: set[str] = set()
    while queue:
        name = queue.pop()
        if name not in by_name:
            others = "" if ALL in by_name else f", or {ALL}"
            raise BadRequest(f"{game} has no part {name!r}; the parts are {', '.join(by_name)}{others}")
        if name not in found:
            found.add(name)
            queue.extend(by_name[name].needs)
    return [
        group for group in groups_in_order(list(by_name.values())) if any(part.name in found for part in group.parts)
    ]


class PartByPart:
    """Solve groups one after the other; `records` are those of the parts that are kept, which grow."""

    def __init__(self, game: Game, choice: Choice, records: Mapping[str, PartRecord], run: Run) -> None:
        self.game, self.rule, self.records, self.run = game, choice.rule, records, run
        self.parts = {part.name: part for part in game.parts()}
        self.size = line_size(self.parts.values())
        self.names = game.names(self.rule, game.quickest_target)
        self.backwards = choice.solver == RETROGRADE
        self.width = code_bytes(game, self.rule)
        self.table = Table(self.size, [])

    def _types(self, group: Group) -> list[np.dtype[Any]]:
        """Return the types of the needs that are kept."""
        return [np.dtype(self.records[part.name].dtype) for part in group.others if part.name in self.records]

    def _sizes(self, group: Group) -> Sizes:
        numbers = sum(part.size for part in group.parts)
        counts = scores.bytes_needed(group) if self.rule.points and self.backwards else 0
        width = max([self.width, *(dtype.itemsize for dtype in self._types(group))])
        return Sizes(self.size, numbers, numbers + sum(part.size for part in group.others), width, counts)

    def _bytes_in_memory(self, group: Group) -> int:
        sizes = self._sizes(group)
        if self.backwards:
            return budget.in_memory(self.game, sizes, self.run)
        return fixpoint.bytes_needed(sizes.bytes, self.rule)

    def demand(self, groups: Iterable[Group]) -> None:
        """Raise OutOfMemory for a group that the memory is too small for."""
        for group in groups:
            self.run.demand(self.bytes_needed(group), f"solving {group.name} of {self.game}")

    def bytes_needed(self, group: Group) -> int:
        """Return the memory that a group takes at least: with its codes in files, where it is solved backwards."""
        in_memory = self._bytes_in_memory(group)
        if not self.backwards or self.run.work is None:
            return in_memory
        return min(in_memory, budget.on_files(self.game, self._sizes(group), self.run))

    def take(self, groups: list[Group], given: str | Iterable[Given], kept: GrowingDatabase) -> list[Group]:
        """Keep the parts of those groups whose values databases of other games have; return the other groups."""
        taken = []

        def table_for(group: Group) -> Table:
            self.table.keep([])
            self.table.spans = sorted((part.start, part.stop) for part in group.parts)
            return self.table

        def keep(group: Group, fact: dict[str, Any], _largest: int) -> None:
            kept.add(group.parts, self.table.codes, self._facts(group, {**fact, "seconds": 0.0}, kept.facts))
            taken.append(group)

        Taking(self.game, self.rule, self.names, self.run, given).fill(groups, table_for, keep)
        self.table = Table(self.size, [])
        return [group for group in groups if group not in taken]

    def solve(self, group: Group, kept: GrowingDatabase) -> None:
        """Solve a group and keep its parts; unfinished work is kept in the working folder."""
        begun, compiled, used = self.run.seconds, self.run.compile_seconds, time.process_time()
        with working_folder(self.game, f"{VALUES.name} {group.name}", self.run, self.rule, group.name) as folder:
            buckets = self._prepare(group, folder, kept)
            checkpoints = Checkpoints(folder, self.table, self.run)
            checkpoints.begin(group)
            levels, solver = solve_group(
                self.names, self.game, self.rule, group, self.table, self.run, buckets, checkpoints
            )
            finish_group(self.names, group, self.table, self.run)
            fact = {
                "solver": solver,
                "levels": levels,
                "seconds": round(self.run.seconds - begun, 3),
                "compile_seconds": round(self.run.compile_seconds - compiled, 3),
                "cpu": round(time.process_time() - used, 3),
                **({"on files": True} if self.table.space is not MEMORY else {}),
            }
            kept.add(group.parts, self.table.codes, self._facts(group, fact, kept.facts))
        if folder is not None:
            discard(folder.path)

    def _prepare(self, group: Group, folder: WorkingFolder | None, kept: GrowingDatabase) -> Buckets | None:
        """Have a table with the codes of the needs and room for the group; return the buckets."""
        sizes, in_memory = self._sizes(group), self._bytes_in_memory(group)
        on_files = folder is not None and self.backwards and in_memory > self.run.memory
        if on_files and folder is not None:
            self.table = Table(self.size, [], Files(folder.make()))
        elif self.table.space is not MEMORY or self.table.codes.itemsize > sizes.width:
            self.table = Table(self.size, [])
        self.demand([group])
        self.table.limit, self.table.elsewhere = None, None
        self._bring(group, kept)
        self.table.limit = self.run.memory - in_memory + sizes.bytes
        if folder is not None and self.backwards:
            self.table.elsewhere = lambda: Files(folder.make())
        if not self.backwards:
            return None
        if on_files and folder is not None:
            return budget.buckets_on_files(self.game, sizes, self.run, folder.path)
        return budget.new_buckets(self.game, sizes, self.run)

    def _bring(self, group: Group, kept: GrowingDatabase) -> None:
        """Have the codes of the needs at hand, and room for those of the group."""
        needs = group.others
        there = set(self.table.spans)
        spans = [(part.start, part.stop) for part in (*group.parts, *needs)]
        self.table.keep([span for span in spans if span in there])
        while self.table.codes.itemsize < max([1, *(dtype.itemsize for dtype in self._types(group))]):
            self.table.widen(0)
        for part in needs:
            if (part.start, part.stop) not in there:
                kept.load(part, self.table.codes)
                self.table.rest()
        self.table.spans = sorted(spans)

    def _facts(self, group: Group, fact: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
        """Return the facts about all groups so far, for the database's header."""
        groups = {**before.get("groups", {}), group.name: fact}
        return {
            "solver": RETROGRADE if self.backwards else FIXPOINT,
            "groups": groups,
            "levels": max(one["levels"] for one in groups.values()),
            "seconds": round(sum(one["seconds"] for one in groups.values()), 3),
            "compile_seconds": round(sum(one.get("compile_seconds", 0) for one in groups.values()), 3),
            "threads": self.run.threads,
        }
