"""Solve every state on several ranks, which share the table: each works on its shard of every part.

The algorithms are those of one process; :mod:`searchbench.exchange.shards` carries requests to the ranks that hold their
numbers. Finished parts that a group looks up lie in memory that the ranks of a machine have in common, so a machine needs memory
for these and for its ranks' shares of the group. All ranks write the database. Checkpoints are kept by all, under one record,
and read by any number of ranks.
"""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.configuration import given_options
from searchbench.errors import BadRequest
from searchbench.exchange import Buckets, Table
from searchbench.exchange.clock import Clock
from searchbench.exchange.decisions import reduce_max
from searchbench.exchange.ranks import ALONE, by_first, current, joined, meet
from searchbench.exchange.shards import Shards, block_bits
from searchbench.exchange.shared_memory import SharedMemory
from searchbench.exchange.team_buckets import Room
from searchbench.first_state import check_first_state, check_number_of_start
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.jit import FIRST, STOP
from searchbench.run import Run
from searchbench.solvers.exhaustive import bfs
from searchbench.solvers.exhaustive.budget import Sizes, code_bytes
from searchbench.solvers.exhaustive.checkpoints_together import CheckpointsTogether
from searchbench.solvers.exhaustive.choice import SPREAD, VALUES, Choice
from searchbench.solvers.exhaustive.codes_together import CodesTogether, write_together
from searchbench.solvers.exhaustive.diagrams.solve import solve_into
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.parts import ALL, needed_groups
from searchbench.solvers.exhaustive.planes_together import FORMS, search_planes_together
from searchbench.solvers.exhaustive.request import Request
from searchbench.solvers.exhaustive.rows_together import solve_rows_together
from searchbench.solvers.exhaustive.share import Share
from searchbench.solvers.exhaustive.stored_codes import finish_block, finish_group
from searchbench.solvers.exhaustive.strategy import Solved, no_sweeps, solve_group
from searchbench.store import Database, open_database
from searchbench.store.growing import GrowingDatabase
from searchbench.store.header import folder_name, header_on_disk, is_begun
from searchbench.store.keep import Keep
from searchbench.store.working import discard, remove_if_empty, working_folder
from searchbench.store.writing import check_target, is_database, make_parents
from searchbench.values import BFS, FIXPOINT, SWEEP, ValueRule


def solve_together(request: Request, run: Run, command: str = "", target: jit.Target = "cpu") -> Database:
    """Solve as one of several ranks, all of which call this; return the database, opened.

    Raises BadRequest for what ranks cannot do, on all of them, before anything starts.
    """
    keep = _kept(request)
    check_first_state(request.game)
    check_number_of_start(request.game)
    groups = _groups(request)
    by_first(lambda: _prepare(keep, request))
    run.work = keep.working
    with run:
        if request.choice.solver == SWEEP:
            solve_into(request.game, keep.folder, run, command, target=target)
            discard(keep.working)
        elif request.choice.solver == BFS and request.form in FORMS:
            _search_planes(request, request.form, keep, run, command, target)
        elif _goes_by_rows(request, keep, run, command, target):
            pass  # done
        elif request.choice.solver == BFS:
            _search(request.game, request.choice.rule, keep, run, command, target)
        else:
            _solve_groups(request.game, request.choice, groups, keep, run, command, target)
    meet()
    return open_database(keep.folder, request.game, request.choice.rule)


def _kept(request: Request) -> Keep:
    """Return how the database is kept. Raises BadRequest for what several ranks cannot do."""
    choice, keep = request.choice, request.keep
    can = f"retrograde analysis and the sweep can, and breadth-first search in the forms {', '.join((VALUES, *FORMS))}"
    if SPREAD in choice.forms:
        raise BadRequest(f"form {SPREAD!r} cannot work on several ranks; {can}")
    if request.symbolic is not None:
        raise BadRequest(f"symbolic {request.symbolic}: binary diagrams cannot work on several ranks; leave it out")
    if (
        choice.solver == BFS
        and request.form not in FORMS
        and (request.form not in (None, VALUES) or VALUES not in choice.forms)
    ):
        raise BadRequest(f"form {request.form or choice.forms[0]!r} cannot work on several ranks; {can}")
    if request.take is not None:
        raise BadRequest("take: several ranks solve all parts themselves; leave out --take, or mpiexec")
    if keep is None:
        raise BadRequest("several ranks keep their database in a folder that all of them see: give --to DIR")
    for name in given_options(keep.described):
        raise BadRequest(
            f"{name} {getattr(keep, name)!r}: several ranks keep whole values; convert the database afterwards"
        )
    return keep


def _groups(request: Request) -> list[Group]:
    """Return the groups to be solved. Raises BadRequest for a group that takes sweeps over all its states."""
    if request.choice.solver in (BFS, SWEEP):
        return []
    groups = needed_groups(request.game, request.parts or ALL)
    for group in groups:
        if request.choice.solver == FIXPOINT and group.needs_itself:
            raise no_sweeps(group.name)
    return groups


def _prepare(keep: Keep, request: Request) -> None:
    make_parents(keep.folder)
    if keep.overwrite and keep.folder.exists():
        check_target(keep.folder, keep.overwrite)
        rmtree(keep.folder)
    elif request.choice.solver == SWEEP:
        if not keep.working.exists():
            check_target(keep.folder, keep.overwrite)
    elif request.parts is None and _is_complete(keep.folder, request.game):
        check_target(keep.folder, keep.overwrite)


def _is_complete(folder: Path, game: Game) -> bool:
    """Tell whether a folder holds a database of all parts: with fewer, ranks that were stopped go on."""
    if not is_database(folder) or is_begun(folder):
        return False
    return {part.name for part in game.parts()} <= {record.name for record in header_on_disk(folder).parts}


def _demand(share: Share, group: Group, sizes: Sizes) -> int:
    """Return the memory that a rank needs for its share of a group. Raises OutOfMemory."""
    needed = share.bytes_needed(group, sizes)
    share.run.demand(needed, f"solving {group.name} of {share.game} on {share.count} ranks, on each of them,")
    return needed


def _solve_groups(
    game: Game, choice: Choice, groups: list[Group], keep: Keep, run: Run, command: str, target: jit.Target
) -> None:
    with GrowingDatabase(keep.folder, game, choice.rule, command) as kept:
        work = _GroupByGroup(game, choice, kept, keep.working, run, target)
        left = [group for group in groups if any(part.name not in kept.records for part in group.parts)]
        for group in groups:
            # A run may have been stopped when it had kept a group, before it removed its checkpoints.
            if group not in left:
                discard(keep.working / folder_name(group.name))
        for group in left:
            _demand(work.share, group, work.sizes_of(group))
        for place, group in enumerate(left):
            run.progress("parts", place, len(left))
            work.solve(group)
        remove_if_empty(keep.working)


class _GroupByGroup:
    """Solve groups one after the other, and keep each."""

    def __init__(
        self, game: Game, choice: Choice, kept: GrowingDatabase, working: Path, run: Run, target: jit.Target
    ) -> None:
        self.game, self.rule, self.run, self.target, self.working = game, choice.rule, run, target, working
        self.names = game.names(choice.rule, target)
        self.memory = memory = SharedMemory()
        self.share = Share(game, choice.rule, run, current().count, len(memory.team))
        self.line = self.share.line
        self.room, self.codes = Room(memory), CodesTogether(self.line, memory)
        self.solver, self.kept = choice.solver, kept
        self.parts = {part.name: part for part in game.parts()}

    def sizes_of(self, group: Group) -> Sizes:
        """Return how large this rank's share of a group is."""
        needs = group.others
        records = self.kept.records
        types = [np.dtype(records[part.name].dtype).itemsize for part in needs if part.name in records]
        return self.share.sizes(group, needs, max([code_bytes(self.game, self.rule), *types]))

    def solve(self, group: Group) -> None:
        """Solve a group and keep its parts."""
        begun, compiled, clock = self.run.seconds, self.run.compile_seconds, Clock()
        sizes = self.sizes_of(group)
        memory = _demand(self.share, group, sizes)
        table = self._table(group, sizes.width)
        table.limit = self.run.memory - memory + sizes.bytes
        assert isinstance(table.sharing, Shards)
        if table.sharing.whole:
            if current().rank > 0:
                self._load(table)
            levels, solver = by_first(lambda: self._solve_alone(group, table, sizes))
        else:
            levels, solver = self._solve(group, table, self._buckets(group, sizes))
        fact = {
            "solver": solver,
            "levels": levels,
            "seconds": round(self.run.seconds - begun, 3),
            "compile_seconds": round(self.run.compile_seconds - compiled, 3),
            **clock.used(),
        }
        _write(self.kept, group.parts, table, self.codes, self._facts(group, fact))
        discard(self.working / folder_name(group.name))

    def _load(self, table: Table) -> None:
        """Load the compiler and some machine code while another rank is at work, instead of when the others wait for it."""
        kernel = jit.bind(finish_block, self.names)
        self.run.launch(kernel, [(0, 0)], table.codes, table.illegal, FIRST, STOP)

    def _solve_alone(self, group: Group, table: Table, sizes: Sizes) -> Solved:
        """Solve a group that this rank holds all of, while the others wait."""
        with joined(ALONE):
            return self._solve(group, table, self._buckets(group, sizes))

    def _buckets(self, group: Group, sizes: Sizes) -> Buckets | None:
        return self.share.buckets(group, sizes, self.room) if self.solver != FIXPOINT else None

    def _solve(self, group: Group, table: Table, buckets: Buckets | None) -> Solved:
        """Solve a group, with checkpoints."""
        with working_folder(self.game, f"{VALUES} {group.name} on ranks", self.run, self.rule, group.name) as folder:
            checkpoints = CheckpointsTogether(folder, table, self.run)
            checkpoints.begin(group)
            solved = solve_group(self.names, self.game, self.rule, group, table, self.run, buckets, checkpoints)
            finish_group(self.names, group, table, self.run)
        return solved

    def _table(self, group: Group, width: int) -> Table:
        """Return a table with the codes of the needs, and room for this rank's share of the group."""
        needs = group.others
        table = Table(self.line, [], codes=self.codes.bring(needs, width, self.kept))
        table.sharing = _shards(self.line, group.bounds, self.target, self.memory)
        own = table.sharing.own(group.bounds).reshape(-1, 2).tolist()
        table.spans = sorted([(start, stop) for start, stop in own] + [(part.start, part.stop) for part in needs])
        return table

    def _facts(self, group: Group, fact: dict[str, Any]) -> dict[str, Any]:
        groups = {**self.kept.facts.get("groups", {}), group.name: fact}
        return {
            "solver": self.solver,
            "groups": groups,
            "levels": max(one["levels"] for one in groups.values()),
            "seconds": round(sum(one["seconds"] for one in groups.values()), 3),
            "compile_seconds": round(sum(one.get("compile_seconds", 0) for one in groups.values()), 3),
            "threads": self.run.threads,
            "ranks": current().count,
        }


def _search(game: Game, rule: ValueRule, keep: Keep, run: Run, command: str, target: jit.Target) -> None:
    """Search breadth first from the start, all parts together."""
    clock = Clock()
    memory = SharedMemory()
    share, names = Share(game, rule, run, current().count, len(memory.team)), game.names(rule, target)
    parts = tuple(game.parts())
    group = Group(parts, parts)
    bounds = np.array([0, share.line], np.int64)
    sizes = share.sizes(group, [], code_bytes(game, rule))
    needed = _demand(share, group, sizes)
    with (
        GrowingDatabase(keep.folder, game, rule, command) as kept,
        working_folder(game, f"{BFS} on ranks", run, rule) as folder,
    ):
        codes = CodesTogether(share.line, memory)
        table = Table(share.line, codes=codes.bring([], sizes.width, kept))
        table.sharing = _shards(share.line, bounds, target, memory)
        table.spans = [(start, stop) for start, stop in table.sharing.own(bounds).reshape(-1, 2).tolist()]
        table.limit = run.memory - needed + sizes.bytes
        checkpoints = CheckpointsTogether(folder, table, run)
        checkpoints.begin(group)
        levels = bfs.solve_all(names, game, table, run, share.buckets(group, sizes, Room(memory)), checkpoints)
        table.narrow(finish_group(names, group, table, run))
        facts = {
            "solver": BFS, "form": VALUES, "levels": levels, **run.times, "threads": run.threads,
            "ranks": current().count, "memory": needed, **clock.used(),
        }  # fmt: skip
        _write(kept, parts, table, codes, facts)
    discard(keep.working)


def _search_planes(request: Request, form: str, keep: Keep, run: Run, command: str, target: jit.Target) -> None:
    """Search breadth first on bit vectors."""
    clock = Clock()
    search_planes_together(request.game, form, keep, run, command, target, clock.used)


def _goes_by_rows(request: Request, keep: Keep, run: Run, command: str, target: jit.Target) -> bool:
    """Solve by rows; return False for what is solved another way."""
    if request.parts is not None or not jit.backend(target).machine_code:
        return False
    clock = Clock()
    return solve_rows_together(request.game, request.choice, keep, run, command, clock.used)


def _shards(line: int, bounds: npt.NDArray[Any], target: jit.Target, memory: SharedMemory) -> Shards:
    numbers = int((bounds[1::2] - bounds[::2]).sum())
    return Shards(bounds, block_bits(line, numbers, current().count), target, memory)


def _write(
    kept: GrowingDatabase, parts: tuple[Part, ...], table: Table, codes: CodesTogether, facts: dict[str, Any]
) -> None:
    """Write the codes of a table that ranks share."""
    shards = table.sharing
    assert isinstance(shards, Shards)
    near = codes.holders(table)
    width = reduce_max([table.codes.itemsize], 1)
    while table.codes.itemsize < width:
        table.widen(0)
    write_together(kept, parts, table.codes, [shards.of(rank) for rank in range(current().count)], near, facts)
    codes.finish(parts, near)
