"""Solve every state: choose a control strategy for each group of parts, in the order of their needs."""

from __future__ import annotations

from typing import Any, Final

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange import Buckets, Table
from searchbench.exchange.memory import MOST_BLOCK_BITS
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive import bfs, fixpoint, scores
from searchbench.solvers.exhaustive.bits.solve import BIT_FORMS, form_within, solve_in_bits
from searchbench.solvers.exhaustive.blocks import Group, finish_group, groups_in_order
from searchbench.solvers.exhaustive.by_rows import ROWS, method_for, solve_by_rows
from searchbench.solvers.exhaustive.groups import bucket_bytes, new_buckets, solve_group, works_backwards
from searchbench.solvers.exhaustive.spread import solve_by_spreading
from searchbench.store import Database
from searchbench.values import Bound, Depth, Score, ValueRule, value_rule

SOLVERS: Final = ("retrograde", "fixpoint", "bfs")
VALUES, SPREAD = "values", "spread"
FORMS: Final = (VALUES, ROWS, SPREAD, *BIT_FORMS)


def solve_states(
    game: Game,
    rule: str | ValueRule | None = None,
    solver: str | None = None,
    run: Run | None = None,
    block_bits: int | None = None,
    target: jit.Target = "cpu",
    form: str | None = None,
) -> Database:
    """Solve every state of a game and return the database, in memory.

    `rule` is the value rule, by default the game's own. `solver` is "retrograde", "fixpoint" or "bfs"; by default
    retrograde analysis where the game has `unmoves` and the rule can propagate, and the forward fixpoint elsewhere.
    `block_bits` is the binary logarithm of a block's size (the result does not depend on it); `target` "interpreted"
    runs the same kernels without a compiler. `form` is how breadth-first search keeps what it
    finds: "values" (depths, a byte a state or more), "rows" (depths modulo 3 or 4, for games that tell their moves as
    rearrangements), "two-bit" (depths modulo 3), "layers" (one bit; for games whose parts are layers), "one-bit" and
    "reachability" (what is reached; the former counts the layers too). By default rows, or else values, or else what
    fits into the memory.
    Raises OutOfMemory before anything starts, NoFixpoint, MissingRule, and ValueOverflow.
    """
    if solver is not None and solver not in SOLVERS:
        raise BadRequest(f"unknown solver {solver!r}: there are {', '.join(SOLVERS)}")
    if block_bits is not None and not 1 <= block_bits <= MOST_BLOCK_BITS:
        raise BadRequest(f"block_bits {block_bits}: expected 1 to {MOST_BLOCK_BITS}")
    if game.index() is None and not game.has("rank", "unrank"):
        raise BadRequest(f"{game} has no index at this size: its states can be searched and proved, but not all solved")
    if solver is None and isinstance(value_rule(game.values if rule is None else rule), Bound):
        solver = "bfs"
    if game.has("place"):
        form = _spreading(game, rule, solver, form)
    if form is not None and (solver != "bfs" or form not in FORMS):
        raise BadRequest(f"form {form!r}: solver bfs takes {', '.join(FORMS)}, and no other solver takes a form")
    if solver == "bfs" and form != VALUES:
        with run or Run() as active:
            compact = _solve_compactly(game, form, active, block_bits, target)
        if compact is not None:
            return compact
    wanted = Depth() if solver == "bfs" else value_rule(rule if rule is not None else game.values)
    names = game.names(wanted, target)
    if solver is None:
        solver = "retrograde" if works_backwards(names, wanted) else "fixpoint"
    with run or Run() as active:
        return _Computation(game, wanted, names, solver, active, block_bits).solve()


def _spreading(game: Game, rule: str | ValueRule | None, solver: str | None, form: str | None) -> str:
    """Return the one form that suits a game whose states share numbers; refuse all else."""
    if (
        solver != "bfs"
        or form not in (None, SPREAD)
        or not isinstance(value_rule(game.values if rule is None else rule), Bound)
    ):
        raise BadRequest(f"{game}: states share numbers, so only solver 'bfs' in the form {SPREAD!r} solves them all")
    return SPREAD


def _solve_compactly(
    game: Game, form: str | None, run: Run, block_bits: int | None, target: jit.Target
) -> Database | None:
    """Search breadth first in the form that is asked for, or that suits the game; None where whole values do."""
    if form == SPREAD:
        return solve_by_spreading(game, run, target)
    if form == ROWS or (form is None and target == "cpu" and block_bits is None):
        method = method_for(game.sequences(), run)
        if method is not None and (form == ROWS or method.least <= run.memory):
            return solve_by_rows(game, method, run)
        if form == ROWS:
            raise BadRequest(f"form {ROWS!r}: {game} does not tell its moves as rearrangements of enough elements")
    if form is None:
        options = {} if block_bits is None else {"block_bits": block_bits}
        form = form_within(game, run) if _table_bytes(game, run, options) > run.memory else None
    return solve_in_bits(game, form, run, target) if form is not None else None


def _table_bytes(game: Game, run: Run, block_bits: dict[str, int]) -> int:
    """Return the memory of a table of whole values and its buckets."""
    size = max(part.stop for part in game.parts())
    return size + bucket_bytes(game, size, run, **block_bits)


class _Computation:
    def __init__(
        self, game: Game, rule: ValueRule, names: jit.Names, solver: str, run: Run, block_bits: int | None
    ) -> None:
        self.game, self.rule, self.names, self.solver, self.run = game, rule, names, solver, run
        self.parts = list(game.parts())
        self.size = max(part.stop for part in self.parts)
        self.block_bits = {} if block_bits is None else {"block_bits": block_bits}
        self.memory = self._bytes_needed()
        run.demand(self.memory, f"solving {game} ({self.size:,} states) with {solver}")
        self.table = Table(self.size)
        self.levels = 0

    def _bytes_needed(self) -> int:
        if self.solver == "fixpoint":
            return fixpoint.bytes_needed(self.size, self.rule)
        counts = max(map(scores.bytes_needed, groups_in_order(self.parts))) if isinstance(self.rule, Score) else 0
        return _table_bytes(self.game, self.run, self.block_bits) + counts

    def _buckets(self) -> Buckets:
        return new_buckets(self.game, self.size, self.run, **self.block_bits)

    def solve(self) -> Database:
        """Solve group by group, finish each, and return the database."""
        largest = 0
        if self.solver == "bfs":
            through_ends = not self.game.two_players
            self.levels = bfs.solve_all(self.names, self.table, self.run, self._buckets(), through_ends)
            largest = self._finish(Group(tuple(self.parts), True, False))
        else:
            buckets = self._buckets() if self.solver == "retrograde" else None
            for group in groups_in_order(self.parts):
                self.levels = max(self.levels, self._solve_group(group, buckets))
                largest = max(largest, self._finish(group))
        self.table.narrow(largest)
        return Database(self.game, self.rule, self.table.codes, self._facts())

    def _solve_group(self, group: Group, buckets: Buckets | None) -> int:
        return solve_group(self.names, self.game, self.rule, group, self.table, self.run, buckets)

    def _finish(self, group: Group) -> int:
        return finish_group(self.names, group, self.table, self.run)

    def _facts(self) -> dict[str, Any]:
        return {
            "solver": self.solver,
            **({"form": VALUES} if self.solver == "bfs" else {}),
            "levels": self.levels,
            "seconds": round(self.run.seconds, 3),
            "threads": self.run.threads,
            "memory": self.memory,
        }
