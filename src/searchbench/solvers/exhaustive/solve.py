"""Solve every state: choose a control strategy for each group of parts, in the order of their needs."""

from __future__ import annotations

from typing import Any

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange import Buckets, Table
from searchbench.exchange.memory import MOST_BLOCK_BITS
from searchbench.exchange.space import Files
from searchbench.first_state import check_first_state, check_number_of_start
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.inherited import why_left_out
from searchbench.run import Run
from searchbench.solvers.exhaustive import bfs, budget, fixpoint, scores
from searchbench.solvers.exhaustive.bits.solve import REACHABILITY, form_in_files, form_within, solve_in_bits
from searchbench.solvers.exhaustive.budget import Sizes, code_bytes
from searchbench.solvers.exhaustive.by_products import PRODUCT, fitting_moves, moves_for, solve_by_products
from searchbench.solvers.exhaustive.by_rows import solve_by_rows, way_of
from searchbench.solvers.exhaustive.by_streaming import STREAMING, method_for, solve_by_streaming
from searchbench.solvers.exhaustive.checkpoints import Checkpoints
from searchbench.solvers.exhaustive.choice import FORMS as FORMS
from searchbench.solvers.exhaustive.choice import SOLVERS as SOLVERS
from searchbench.solvers.exhaustive.choice import SPREAD, VALUES, Choice
from searchbench.solvers.exhaustive.configuration import Exhaustive
from searchbench.solvers.exhaustive.groups import Group, groups_in_order
from searchbench.solvers.exhaustive.request import Request, requested
from searchbench.solvers.exhaustive.spread import solve_by_spreading
from searchbench.solvers.exhaustive.stored_codes import finish_group
from searchbench.solvers.exhaustive.strategy import Solved, solve_group
from searchbench.solvers.exhaustive.taken import SOLVER, Taking
from searchbench.store import Database
from searchbench.store.working import WorkingFolder, form_begun, working_folder
from searchbench.values import BFS, FIXPOINT, SWEEP, Depth, ValueRule


def solve_states(
    game: Game,
    rule: str | ValueRule | None = None,
    solver: Exhaustive | str | None = None,
    run: Run | None = None,
    *,
    block_bits: int | None = None,
    target: jit.Target = "cpu",
    **options: Any,
) -> Database:
    """Solve every state of a game and return the database, in memory.

    `rule` is the value rule, by default the game's own. `solver` is a `Retrograde`, a `Fixpoint` or a `BreadthFirst`, or
    "retrograde", "fixpoint" or "bfs" with the fields of the configuration as `options`; by default retrograde analysis where
    the game has `unmoves` and the rule can propagate, and the forward fixpoint elsewhere. `block_bits` is the binary logarithm
    of a block's size (the result does not depend on it); `target` "interpreted" runs the same kernels without a compiler.
    Without a form, breadth-first search takes streaming, or product, or else values, or else the form that fits into the memory.
    Raises OutOfMemory before anything starts, NoFixpoint, MissingRule, and ValueOverflow.
    """
    request = requested(game, rule, solver, None, options)
    if request.parts is not None:
        raise BadRequest(
            f"parts {request.parts}: all states are solved here; solve_parts takes parts, and so does solve"
        )
    with run or Run() as active:
        return solve_choice(request.numbered(active), active, target, block_bits)


def solve_choice(
    request: Request, run: Run | None = None, target: jit.Target = "cpu", block_bits: int | None = None
) -> Database:
    """Solve every state as it was chosen; see :func:`solve_states`."""
    game, choice, form = request.game, request.choice, request.form
    if block_bits is not None and not 1 <= block_bits <= MOST_BLOCK_BITS:
        raise BadRequest(f"block_bits {block_bits}: expected 1 to {MOST_BLOCK_BITS}")
    check_first_state(game)
    check_number_of_start(game)
    if choice.solver == SWEEP:
        from searchbench.solvers.exhaustive.diagrams.solve import solve_by_sweep

        with run or Run() as active:
            return solve_by_sweep(game, active, target, request.symbolic)
    if choice.solver == BFS and form != VALUES:
        with run or Run() as active:
            compact = _solve_compactly(game, choice, form, active, block_bits, target)
        if compact is not None:
            return compact
    if jit.backend(target).machine_code and block_bits is None and request.take is None:
        with run or Run() as active:
            by_rows = solve_by_rows(game, choice, active)
        if by_rows is not None:
            return by_rows
    names = game.names(choice.rule, target)
    with run or Run() as active, working_folder(game, choice.solver, active, choice.rule) as folder:
        taking = None if request.take is None else Taking(game, choice.rule, names, active, request.take)
        return _Computation(game, choice.rule, names, choice.solver, active, block_bits, folder).solve(taking)


def _solve_compactly(
    game: Game, choice: Choice, form: str | None, run: Run, block_bits: int | None, target: jit.Target
) -> Database | None:
    """Search breadth first in the form that is asked for, or that suits the game; None where whole values do."""
    if SPREAD in choice.forms:
        return solve_by_spreading(game, run, target)
    if form is None and VALUES not in choice.forms:
        form = REACHABILITY
    if form is None:
        begun = form_begun(run.work)  # which another memory does not change
        if begun in (BFS, way_of(BFS)):
            return None
        form = next((one for one in choice.forms if begun in (one, form_in_files(one))), None)
    quickest = (
        jit.backend(target).machine_code and block_bits is None
    )  # the quickest forms are machine code, without blocks
    if form == STREAMING or (form is None and quickest):
        method = method_for(game.claimed("sequences"), run)
        if method is not None and (form == STREAMING or method.least <= run.memory):
            return solve_by_streaming(game, method, run)
        if form == STREAMING:
            raise BadRequest(
                f"form {STREAMING!r}: {game} does not tell its moves as rearrangements of enough elements, "
                f"each of which a move undoes{why_left_out(game, 'sequences')}"
            )
    if form == PRODUCT:
        return solve_by_products(game, moves_for(game), run)
    if form is None and PRODUCT in choice.forms and quickest:
        moves = fitting_moves(game, run)
        if moves is not None:
            return solve_by_products(game, moves, run)
    if form is None:
        options = {} if block_bits is None else {"block_bits": block_bits}
        needed = budget.in_memory(game, _sizes(game, Depth()), run, **options)
        form = form_within(game, run, choice.forms) if needed > run.memory else None
    return solve_in_bits(game, form, run, target) if form is not None else None


def _sizes(game: Game, rule: ValueRule) -> Sizes:
    """Return how large a game is whose states are solved all together."""
    parts = game.parts()
    size = line_size(parts)
    counts = max(map(scores.bytes_needed, groups_in_order(parts))) if rule.points else 0
    return Sizes(size, size, size, code_bytes(game, rule), counts)


class _Computation:
    def __init__(
        self, game: Game, rule: ValueRule, names: jit.Names, solver: str, run: Run, block_bits: int | None,
        folder: WorkingFolder | None,
    ) -> None:  # fmt: skip
        self.game, self.rule, self.names, self.solver, self.run = game, rule, names, solver, run
        self.parts = list(game.parts())
        self.sizes = _sizes(game, rule)
        self.block_bits = {} if block_bits is None else {"block_bits": block_bits}
        in_memory = self._bytes_in_memory()
        self.on_files = in_memory > run.memory and folder is not None and solver != FIXPOINT
        self.memory = budget.on_files(game, self.sizes, run) if self.on_files else in_memory
        run.demand(self.memory, f"solving {game} ({self.sizes.line:,} states) with {solver}")
        if self.on_files:
            self.memory = run.memory
        self.table = self._table(folder)
        self.buckets = self._buckets(folder)
        self.checkpoints = Checkpoints(folder, self.table, run)

    def _bytes_in_memory(self) -> int:
        if self.solver == FIXPOINT:
            return fixpoint.bytes_needed(self.sizes.bytes, self.rule)
        return budget.in_memory(self.game, self.sizes, self.run, **self.block_bits)

    def _table(self, folder: WorkingFolder | None) -> Table:
        if self.on_files and folder is not None:
            return Table(self.sizes.line, space=Files(folder.make()))
        table = Table(self.sizes.line)
        if self.solver == FIXPOINT:
            table.limit = self.run.memory // (1 if self.rule.unique else 2)
        else:
            table.limit = self.run.memory - self.memory + self.sizes.bytes
        if folder is not None and self.solver != FIXPOINT:
            table.elsewhere = lambda: Files(folder.make())
        return table

    def _buckets(self, folder: WorkingFolder | None) -> Buckets | None:
        if self.solver == FIXPOINT:
            return None
        if self.on_files and folder is not None:
            return budget.buckets_on_files(self.game, self.sizes, self.run, folder.path)
        return budget.new_buckets(self.game, self.sizes, self.run, **self.block_bits)

    def solve(self, taking: Taking | None = None) -> Database:
        """Solve group by group those that are not taken, finish each, and return the database."""
        groups = groups_in_order(self.parts) if self.solver != BFS else [Group(tuple(self.parts), tuple(self.parts))]
        if taking is not None and not self.checkpoints.finished:
            taking.fill(groups, lambda _: self.table, self._took)
        for group in groups:
            if group.name not in self.checkpoints.finished:
                self.checkpoints.begin(group)
                levels, solver = self._solve_group(group)
                largest = finish_group(self.names, group, self.table, self.run)
                self.checkpoints.finish({"levels": levels, "solver": solver, "largest": largest})
        finished = self.checkpoints.finished.values()
        self.table.narrow(max(told["largest"] for told in finished))
        return Database(self.game, self.rule, self.table.codes, self._facts(groups))

    def _took(self, group: Group, facts: dict[str, Any], largest: int) -> None:
        self.checkpoints.begin(group)
        self.checkpoints.finish({**facts, "largest": largest})

    def _solve_group(self, group: Group) -> Solved:
        if self.solver == BFS and self.buckets is not None:
            levels = bfs.solve_all(self.names, self.game, self.table, self.run, self.buckets, self.checkpoints)
            return Solved(levels, BFS)
        return solve_group(
            self.names, self.game, self.rule, group, self.table, self.run, self.buckets, self.checkpoints
        )

    def _facts(self, groups: list[Group]) -> dict[str, Any]:
        told = self.checkpoints.finished
        solvers = {group.name: told[group.name]["solver"] for group in groups if group.needs_itself}
        forwards = [name for name, solver in solvers.items() if solver not in (self.solver, SOLVER)]
        taken = {name: one["from"] for name, one in told.items() if one["solver"] == SOLVER}
        return {
            "solver": self.solver,
            **({"taken": taken} if taken else {}),
            **({"form": VALUES} if self.solver == BFS else {}),
            **({"forwards": forwards} if forwards else {}),
            "levels": max(one["levels"] for one in told.values()),
            **self.run.times,
            "threads": self.run.threads,
            "memory": self.memory,
            **({"on files": True} if self.on_files else {}),
        }
