"""Solve as requested, and keep the database that is found."""

from __future__ import annotations

import logging
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Final

from searchbench import jit, stopping
from searchbench.exchange.ranks import ALONE, current
from searchbench.index.protocol import line_size
from searchbench.run import Run
from searchbench.solvers.exhaustive.configuration import GroupByGroup
from searchbench.solvers.exhaustive.parts import solve_parts
from searchbench.solvers.exhaustive.request import Request
from searchbench.solvers.exhaustive.solve import solve_choice
from searchbench.solvers.exhaustive.together import solve_together
from searchbench.store import Database
from searchbench.store.keep import Keep
from searchbench.store.reductions import wanted
from searchbench.store.working import discard
from searchbench.store.writing import check_target, make_parents, refuse_within_database
from searchbench.values import SWEEP

log = logging.getLogger(__name__)

ENDLESS: Final = 1 << 40
"""From so many numbers on a table takes days: some millions of numbers a second are what is measured."""


def solve_request(request: Request, run: Run, command: str = "") -> Database:
    """Solve all states, or chosen parts, and return the database, which is kept where that is asked for.

    `command` is the database's record of its origin. The run gets the folder for unfinished work.
    """
    if run.device is not None:
        from searchbench.solvers.exhaustive.device.solve import check_device

        check_device(request, run.device)
    database = _solve_numbered(request.numbered(run), run, command)
    if request.keep is not None:
        discard(request.keep.listing)
    return database


def _solve_numbered(request: Request, run: Run, command: str) -> Database:
    """Solve a request whose states have their numbers."""
    if request.parts is None and (numbers := line_size(request.game.parts())) >= ENDLESS:
        log.warning(
            "%s: a table of %s numbers takes days at the least; for one state there are prove and search, and smaller "
            "parameters make a smaller table",
            request.game,
            f"{numbers:,}",
        )
    if current() is not ALONE:
        return solve_together(request, run, command)
    if request.parts is not None:
        return _solve_parts(request, request.parts, run, command)
    game, keep = request.game, request.keep
    if keep is None:
        return _solved(request, run)
    rule = wanted(keep.form, game, request.choice.rule).rule if keep.form is not None else request.choice.rule
    _prepare(keep, run)
    if request.choice.solver == SWEEP and run.device is None and keep.described == Keep(keep.path):
        return _sweep(request, keep, run, command)
    check_target(keep.folder, keep.overwrite)
    database = _solved(request, run)
    with stopping.finished_first():
        database.save(keep, command)
    if keep.working.exists():
        database = Database.open(keep.folder, game, rule)
        discard(keep.working)
    return database


def _solved(request: Request, run: Run) -> Database:
    """Solve all states, on the device of the run or on the processor."""
    if run.device is not None:
        from searchbench.solvers.exhaustive.device.solve import solve_on_device

        return solve_on_device(request, run, run.device)
    return solve_choice(request, run, _target(request, run))


def _target(request: Request, run: Run) -> jit.Target:
    """Tell where a request is solved sooner; the quickest forms are machine code."""
    if request.choice.solver == SWEEP:
        from searchbench.solvers.exhaustive.diagrams.forward import quickest_target

        return quickest_target(request.game, run)
    return "cpu" if request.form is not None else request.game.quickest_target


def _sweep(request: Request, keep: Keep, run: Run, command: str) -> Database:
    """Solve layer by layer into the folder, in which an earlier run may have begun."""
    from searchbench.solvers.exhaustive.diagrams.solve import solve_into

    if keep.overwrite or not keep.working.exists():
        check_target(keep.folder, keep.overwrite)
    if keep.overwrite and keep.folder.exists():
        rmtree(keep.folder)
    target = _target(request, run)
    database = solve_into(request.game, keep.folder, run, command, request.symbolic, target)
    discard(keep.working)
    return database


def _solve_parts(request: Request, parts: str, run: Run, command: str) -> Database:
    """Solve parts into their folder, or into one that is removed with the database."""
    scratch = TemporaryDirectory(prefix="searchbench-") if request.keep is None else None
    keep = Keep(f"{scratch.name}/parts") if scratch is not None else request.keep
    assert keep is not None
    rule = request.choice.rule
    solver = request.solver if isinstance(request.solver, GroupByGroup) else request.choice.solver
    try:
        _prepare(keep, run)
        database = solve_parts(request.game, parts, keep.folder, rule, run, command, solver, keep.overwrite)
    except BaseException as error:
        if scratch is not None:
            scratch.cleanup()
            vars(error).pop("__notes__", None)  # which tell of work that was kept there
        raise
    database.scratch = scratch
    return database


def _prepare(keep: Keep, run: Run) -> None:
    for place in (keep.folder, keep.working):
        refuse_within_database(place)
    make_parents(keep.folder)
    run.work = keep.working
