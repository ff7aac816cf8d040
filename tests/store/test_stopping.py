"""Asked to end, a computation goes on to its next safe point, keeps its work there, and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from searchbench import stopping
from searchbench.catalogue import load
from searchbench.cli import watching
from searchbench.proof import Proof
from searchbench.run import Run
from searchbench.solvers.exhaustive import schedule, solve_parts, solve_states
from searchbench.solvers.exhaustive.keeping import solve_request
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.proof import dfpn, pns, prove_state
from searchbench.store import Database
from searchbench.store.working import WorkingFolder

NEVER = 1e9
"""Seconds between two checkpoints: only those that are asked for are kept."""


@pytest.fixture(autouse=True)
def _asked_no_more() -> Iterator[None]:
    yield
    stopping._asked.clear()
    assert not stopping.is_at_stake()


def signal_at(moment: int) -> Callable[[str, int, int], None]:
    """Return a report that does at its moment-th call what a signal does."""
    left = [moment]

    def report(_stage: str, _done: int, _total: int) -> None:
        left[0] -= 1
        if left[0] == 0:
            watching._End()(0, None)

    return report


def until_done(compute: Callable[[Run], Any], folder: Path, moment: int) -> tuple[Any, list[list[str]]]:
    """Compute again and again, each time with a signal at a later report; return the result and what the ends told."""
    told: list[list[str]] = []
    while True:
        run = Run(
            memory=64 << 20, threads=1, work=folder, checkpoint_interval=NEVER, report=signal_at(moment + len(told))
        )
        try:
            return compute(run), told
        except KeyboardInterrupt as end:
            stopping._asked.clear()
            told.append(getattr(end, "__notes__", []))
            assert len(told) < 60


@pytest.mark.parametrize(("solver", "form"), [("retrograde", None), ("fixpoint", None), ("bfs", "values")])
def test_what_was_done_until_the_next_safe_point_is_kept(
    solver: str, form: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "BATCH", 1)
    game = load("sliding:3x2")

    def solve(run: Run) -> Database:
        rule = "depth" if form else "distance"
        return solve_states(game, rule, solver, run=run, form=form, target="interpreted")

    plain = solve(Run(threads=1))
    found, told = until_done(solve, tmp_path / "work", 3)
    assert np.array_equal(found.codes, plain.codes)
    assert [f"unfinished work is kept in {tmp_path / 'work'}"] in told
    assert len(told) < plain.facts["levels"]  # each time something was gained


def test_parts_end_before_the_next_is_begun(tmp_path: Path) -> None:
    game = load("awari:3")
    found, told = until_done(lambda run: solve_parts(game, "all", tmp_path / "db", run=run), tmp_path / "work", 3)
    assert np.array_equal(found.codes, solve_states(game, run=Run(threads=1), target="interpreted").codes)
    assert told[0] == [f"1 of 4 parts are kept in {tmp_path / 'db'}"]


def test_layers_end_when_one_is_kept(tmp_path: Path) -> None:
    game = load("tic-tac-toe")

    def solve(run: Run) -> Database:
        return solve_request(requested(game, None, "sweep", tmp_path / "ttt.db", {}), run)

    found, told = until_done(solve, tmp_path / "work", 6)
    assert len(found.parts) == 10
    assert [f"4 of 10 parts are kept in {tmp_path / 'ttt.db'}"] in told


@pytest.mark.parametrize("method", ["pns", "dfpn"])
def test_a_proof_is_kept_between_two_slices_and_once(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pns, "SLICE", 9)
    monkeypatch.setattr(dfpn, "SLICE", 9)
    commits, kept, work = [0], WorkingFolder.commit, tmp_path / "work"

    def commit(folder: WorkingFolder, *arguments: Any, **options: Any) -> None:
        commits[0] += 1
        kept(folder, *arguments, **options)

    def prove(run: Run) -> Proof:
        return prove_state(
            load("tic-tac-toe"), "X../.O./..X", method, run, target="interpreted", work=work, evidence=False
        )

    monkeypatch.setattr(WorkingFolder, "commit", commit)
    proof, told = until_done(prove, work, 2)
    assert proof.value == "draw"
    assert len(told) > 1
    assert told == [[f"unfinished work is kept in {work}"]] * len(told)
    assert commits[0] == len(told) + 1


def test_nothing_new_is_begun(tmp_path: Path) -> None:
    with WorkingFolder(tmp_path / "one", {}) as folder:
        assert not folder.due
        assert stopping.ask()
        assert folder.due
        with pytest.raises(KeyboardInterrupt):
            folder.commit({"kept": 1})
    with pytest.raises(KeyboardInterrupt):
        WorkingFolder(tmp_path / "two", {})
    stopping._asked.clear()
    with WorkingFolder(tmp_path / "one", {}) as folder:
        assert folder.record == {"kept": 1}
        assert not stopping.ask()  # no safe point was passed yet: there is nothing to lose


def test_a_database_is_written_to_the_end(tmp_path: Path) -> None:
    game = load("hanoi:3")
    save = Database.save

    def interrupted(database: Database, *arguments: Any) -> Path:
        watching._End()(0, None)
        return save(database, *arguments)

    with mock.patch.object(Database, "save", interrupted):
        solve_request(requested(game, None, None, tmp_path / "hanoi.db", {}), Run(threads=1))
    assert stopping.asked()
    assert Database.open(tmp_path / "hanoi.db").size == 27
