"""Solve chosen parts of a game and what they need, each group kept on disk when it is done.

Only the codes of the group at work and of the parts that it looks up are in memory. A computation that is stopped or
killed goes on with the group after the last one that was kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np

from searchbench.errors import BadRequest
from searchbench.exchange import Table
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.run import Run
from searchbench.solvers.exhaustive import scores
from searchbench.solvers.exhaustive.blocks import Group, finish_group, groups_in_order
from searchbench.solvers.exhaustive.due import SLOTS, STRETCH
from searchbench.solvers.exhaustive.groups import bucket_bytes, new_buckets, solve_group, works_backwards
from searchbench.store import Database, open_database
from searchbench.store.growing import GrowingDatabase
from searchbench.values import Score, ValueRule, value_rule

ALL: Final = "all"
CODE_BYTES: Final = 2
"""What a code is taken to need when the memory is reckoned: two bytes hold depths up to some ten thousand plies."""


def solve_parts(
    game: Game,
    parts: str | Iterable[str],
    to: str | Path,
    rule: str | ValueRule | None = None,
    run: Run | None = None,
    command: str = "",
) -> Database:
    """Solve parts of a game, with all parts that they need, into the database `to`, and return it opened.

    `parts` are names, as a list or with commas between them; "all" stands for all of them. What `to` holds already is
    not solved again. Raises BadRequest for names that are no parts and for a place that holds something else, and
    OutOfMemory before anything starts.
    """
    groups = needed_groups(game, parts)
    wanted = value_rule(rule if rule is not None else game.values)
    with run or Run() as active, GrowingDatabase(Path(to), game, wanted, command) as kept:
        left = [group for group in groups if any(part.name not in kept.records for part in group.parts)]
        work = _PartByPart(game, wanted, kept, active)
        for group in left:
            active.demand(work.bytes_needed(group), f"solving {group.name} of {game}")
        for place, group in enumerate(left):
            active.progress("parts", place, len(left))
            work.solve(group)
    return open_database(to, game, wanted)


def needed_groups(game: Game, parts: str | Iterable[str]) -> list[Group]:
    """Return the groups of parts with these names, and all groups that they need, in the order of their needs."""
    names = [name.strip() for name in parts.split(",")] if isinstance(parts, str) else list(parts)
    by_name = {part.name: part for part in game.parts()}
    queue = list(by_name) if names == [ALL] else names
    found: set[str] = set()
    while queue:
        name = queue.pop()
        if name not in by_name:
            raise BadRequest(f"{game} has no part {name!r}; the parts are {', '.join(by_name)}, or {ALL}")
        if name not in found:
            found.add(name)
            queue.extend(by_name[name].needs)
    return [
        group for group in groups_in_order(list(by_name.values())) if any(part.name in found for part in group.parts)
    ]


class _PartByPart:
    def __init__(self, game: Game, rule: ValueRule, kept: GrowingDatabase, run: Run) -> None:
        self.game, self.rule, self.kept, self.run = game, rule, kept, run
        self.parts = {part.name: part for part in game.parts()}
        self.size = max(part.stop for part in self.parts.values())
        self.names = game.names(rule)
        self.backwards = works_backwards(self.names, rule)
        self.table = Table(self.size, [])

    def _needs(self, group: Group) -> list[Part]:
        """Return the finished parts that the states of a group may lead to."""
        own = {part.name for part in group.parts}
        return [
            self.parts[need] for need in {need: 0 for part in group.parts for need in part.needs} if need not in own
        ]

    def bytes_needed(self, group: Group) -> int:
        """Return the memory for the codes of a group and its needs, its marks and its buckets."""
        codes = CODE_BYTES * sum(part.size for part in (*group.parts, *self._needs(group)))
        marks = SLOTS * sum(part.size // STRETCH + 2 for part in group.parts)
        marks += scores.bytes_needed(group) if isinstance(self.rule, Score) and self.backwards else 0
        return codes + marks + (bucket_bytes(self.game, codes, self.run) if self.backwards else 0)

    def solve(self, group: Group) -> None:
        """Solve a group and keep its parts."""
        begun, used = time.perf_counter(), time.process_time()
        self._bring(group)
        size = self.bytes_needed(group)
        buckets = new_buckets(self.game, size, self.run, self.size) if self.backwards else None
        levels = solve_group(self.names, self.game, self.rule, group, self.table, self.run, buckets)
        finish_group(self.names, group, self.table, self.run)
        solved = time.perf_counter()
        fact = {"levels": levels, "seconds": round(solved - begun, 3), "cpu": round(time.process_time() - used, 3)}
        self.kept.add(group.parts, self.table.codes, self._facts(group, fact))

    def _bring(self, group: Group) -> None:
        """Have the codes of the needs in memory, and room for those of the group."""
        needs = self._needs(group)
        there = set(self.table.spans)
        spans = [(part.start, part.stop) for part in (*group.parts, *needs)]
        self.table.keep([span for span in spans if span in there])
        types = [np.dtype(self.kept.records[part.name].dtype) for part in needs]
        while self.table.codes.itemsize < max([1, *(dtype.itemsize for dtype in types)]):
            self.table.widen(0)
        for part in needs:
            if (part.start, part.stop) not in there:
                self.kept.load(part, self.table.codes)
        self.table.spans = sorted(spans)

    def _facts(self, group: Group, fact: dict[str, Any]) -> dict[str, Any]:
        """Return what the database tells of all its groups so far."""
        groups = {**self.kept.facts.get("groups", {}), group.name: fact}
        return {
            "solver": "retrograde" if self.backwards else "fixpoint",
            "groups": groups,
            "levels": max(one["levels"] for one in groups.values()),
            "seconds": round(sum(one["seconds"] for one in groups.values()), 3),
            "threads": self.run.threads,
        }
