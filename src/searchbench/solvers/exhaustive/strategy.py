"""Solve one group of parts, for a game in memory and for a growing database."""

from __future__ import annotations

from typing import NamedTuple

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange import Buckets, Table
from searchbench.exchange.shards import WHOLE
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive import fixpoint, retrograde, scores
from searchbench.solvers.exhaustive.checkpoints import INITIALISE, STAGE, Checkpoints
from searchbench.solvers.exhaustive.departures import explained
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.schedule import Departure
from searchbench.values import FIXPOINT, RETROGRADE, ValueRule


class Solved(NamedTuple):
    """Say how a group was solved: in how many levels, rounds or sweeps, and by which solver."""

    levels: int
    solver: str


def no_sweeps(name: str) -> BadRequest:
    """Return the error for a group that ranks cannot solve, as it must be swept over again and again."""
    return BadRequest(
        f"part {name}: solver {FIXPOINT!r} cannot sweep again and again over a part that several ranks share; retrograde "
        "analysis can solve it, where the rules tell `unmoves` and moves that gain points leave the part"
    )


def goes_backwards(rule: ValueRule, names: jit.Names) -> bool:
    """Tell whether values of a rule can be found by retrograde analysis, where the game can be taken back."""
    return RETROGRADE in rule.solvers and ("propagate" in names or rule.points)


def works_backwards(names: jit.Names, rule: ValueRule) -> bool:
    """Tell whether a game and a rule supply all functions that retrograde analysis needs."""
    return goes_backwards(rule, names) and not missing_rules(names)


def missing_rules(names: jit.Names) -> set[str]:
    """Return the rules that retrograde analysis needs and the game does not supply."""
    return jit.missing(retrograde.emit, names)


def solve_group(
    names: jit.Names, game: Game, rule: ValueRule, group: Group, table: Table, run: Run, buckets: Buckets | None,
    checkpoints: Checkpoints,
) -> Solved:  # fmt: skip
    """Solve a group of parts whose needs are solved: by retrograde analysis if there are buckets and it applies.

    Raises BadGame for a move that leads where none may.
    """
    run.progress(f"part {group.name}", 0, 0)
    try:
        return _solve_group(names, game, rule, group, table, run, buckets, checkpoints)
    except Departure as error:
        raise explained(game, error) from None


def _solve_group(
    names: jit.Names, game: Game, rule: ValueRule, group: Group, table: Table, run: Run, buckets: Buckets | None,
    checkpoints: Checkpoints,
) -> Solved:  # fmt: skip
    if buckets is not None and group.needs_itself:
        levels = _backwards(names, game, rule, group, table, run, buckets, checkpoints)
        if levels is not None:
            return Solved(levels, RETROGRADE)
    if group.needs_itself and table.sharing is not WHOLE:
        raise no_sweeps(group.name)
    return Solved(fixpoint.solve_group(names, rule, group, table, run, checkpoints), FIXPOINT)


def _backwards(
    names: jit.Names, game: Game, rule: ValueRule, group: Group, table: Table, run: Run, buckets: Buckets,
    checkpoints: Checkpoints,
) -> int | None:  # fmt: skip
    """Solve a group backwards; return None where that does not apply, or was found out before not to."""
    if rule.points:
        if checkpoints.noted.get(STAGE) in (INITIALISE, fixpoint.SWEEPS):
            return None
        return scores.solve_group(names, group, table, run, buckets, checkpoints)
    leaves = group.needs_others or not game.closed
    return retrograde.solve_group(names, group, rule.counts or leaves, leaves, table, run, buckets, checkpoints)
