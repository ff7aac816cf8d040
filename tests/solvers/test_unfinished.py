"""Retrograde analysis that was stopped or killed goes on to the same database, in memory and on files."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import searchbench as sb
from graphs import GraphGame, chain
from searchbench.catalogue import load
from searchbench.errors import BadRequest, DamagedData, OutOfMemory, ValueOverflow
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import rounds, schedule, score_lists, score_work, scores, solve_parts, solve_states
from searchbench.solvers.exhaustive.diagrams import solve
from searchbench.solvers.exhaustive.pending import STRETCH
from searchbench.store import Database, open_database, working
from searchbench.store.working import RECORD, WorkingFolder

TRIES = 100
"""How often a computation is stopped at most: one that begins anew each time is stopped so often."""


class Killed(Exception):
    """Stand for the end of the process."""


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a copy be due whenever it is asked, and batches and rounds be small; no power is cut in these tests."""
    monkeypatch.setattr(os, "fsync", lambda _handle: None)
    monkeypatch.setattr(WorkingFolder, "due", True)
    monkeypatch.setattr(schedule, "BATCH", 1)
    for module in (rounds, scores, schedule, score_work):
        monkeypatch.setattr(module, "CHUNK", STRETCH)
    monkeypatch.setattr("searchbench.solvers.exhaustive.budget.BUCKET_MEMORY", 1 << 16)


def until_done(solve: Callable[[], Database], stops: Iterator[int]) -> tuple[Database, int]:
    """Solve again and again, stopped after so many copies each time, until it is done; return how often it was stopped."""
    kept = WorkingFolder.commit
    stopped = 0
    for copies in stops:
        left = [copies]

        def commit(folder: WorkingFolder, *arguments: Any, left: list[int] = left, **options: Any) -> None:
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            kept(folder, *arguments, **options)

        try:
            with mock.patch.object(WorkingFolder, "commit", commit):
                return solve(), stopped
        except Killed:
            stopped += 1
    raise AssertionError("stopped too often")


def mixed(seed: int, most: int) -> Iterator[int]:
    """Yield numbers of copies: each time at least one more than nothing, so that there is progress."""
    chooser = random.Random(seed)
    for _ in range(TRIES):
        yield chooser.randint(1, most)
    yield 1 << 60


def same(one: Database, other: Database) -> bool:
    """Tell whether two databases have the same codes in the same type."""
    return one.codes.dtype == other.codes.dtype and bool((one.codes == other.codes).all())


GAMES = [
    ("sliding:3x2", "retrograde", "distance"),
    ("pancake:8", "retrograde", "distance"),
    ("pancake:8", "bfs", "depth"),
    ("morris:3,3", "retrograde", "outcome"),
    pytest.param("awari:6", "retrograde", "score", marks=pytest.mark.long),
]
BACKWARDS = [*GAMES]
GAMES += [
    pytest.param("awari:6", "retrograde by lists", "score", marks=pytest.mark.long),
    ("awari:5", "fixpoint", "score"),
    ("pancake:7", "fixpoint", "distance"),
]


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("spec", "solver", "rule"), GAMES)
def test_stopped_at_any_copy_it_goes_on(
    spec: str, solver: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver, _, lists = solver.partition(" by ")
    few = {"SMALL": 1 << 22, "DEALT": 2, "ALONE": 1} if lists else {"SMALL": -1, "FEW": 0}
    for name, value in few.items():
        monkeypatch.setattr(score_lists, name, value)
    game, form = load(spec), "values" if solver == "bfs" else None
    options: dict[str, Any] = {"rule": None if solver == "bfs" else rule, "solver": solver, "form": form}
    options["target"] = "interpreted" if spec.startswith("sliding") else "cpu"
    plain = solve_states(game, run=Run(threads=1), **options)

    def solve() -> Database:
        return solve_states(game, run=Run(threads=2, work=tmp_path / "work"), **options)

    found, stopped = until_done(solve, mixed(3, 20 if rule == "score" and not lists else 4))
    assert 1 < stopped < TRIES
    assert same(found, plain)
    if (rule, lists) != (
        "score",
        "",
    ):  # a round that goes on takes what has become fresh in it, too: there may be fewer
        assert found.facts["levels"] == plain.facts["levels"]


@pytest.mark.usefixtures("always")
def test_points_go_on_from_within_the_first_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_lists, "SMALL", -1)
    game, kept, met = load("awari:7"), WorkingFolder.commit, 0

    def commit(folder: WorkingFolder, record: Any, *arguments: Any, **options: Any) -> None:
        nonlocal met
        kept(folder, record, *arguments, **options)
        met += record["noted"]["stage"] != scores.SCORES
        if met == 1:
            raise Killed

    def solve(work: Path | None) -> Database:
        return solve_states(game, "score", "retrograde", run=Run(threads=1, work=work))

    with mock.patch.object(WorkingFolder, "commit", commit), pytest.raises(Killed):
        solve(tmp_path / "work")
    assert same(solve(tmp_path / "work"), solve(None))


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("spec", "solver", "rule"), BACKWARDS)
def test_on_files_it_is_the_same_stopped_or_not(
    spec: str, solver: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, form = load(spec), "values" if solver == "bfs" else None
    options: dict[str, Any] = {"rule": None if solver == "bfs" else rule, "solver": solver, "form": form}
    options["target"] = "interpreted" if spec.startswith("sliding") else "cpu"
    plain = solve_states(game, run=Run(threads=1), **options)
    monkeypatch.setattr("searchbench.solvers.exhaustive.budget.on_files", lambda *_: 0)

    def solve() -> Database:
        return solve_states(game, run=Run(threads=2, memory=30_000, work=tmp_path / "work"), **options)

    found, stopped = until_done(solve, mixed(5, 20 if rule == "score" else 4))
    assert 1 < stopped < TRIES
    assert found.facts["on files"]
    assert same(found, plain)
    assert not list((tmp_path / "work").glob("bucket-*"))


LONG = [1] * 300
SLOW = GraphGame(
    tuple((node, node - 1, 1, 0) for node in range(1, 320)), (-1,) + (UNDECIDED,) * 319, "outcome", cuts=(40,)
)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("game", [chain(LONG), SLOW], ids=["distances", "outcomes"])
def test_codes_that_grow_wider_survive(game: Game, tmp_path: Path) -> None:
    plain = solve_states(game, target="interpreted", run=Run(threads=1))
    assert plain.codes.dtype == np.uint16

    def solve() -> Database:
        return solve_states(game, target="interpreted", run=Run(threads=1, work=tmp_path / "work"))

    found, stopped = until_done(solve, mixed(8, 90))
    assert 2 < stopped < TRIES
    assert same(found, plain)


@pytest.mark.usefixtures("always")
def test_what_no_request_carries_is_said_each_time(tmp_path: Path) -> None:
    game, stages = chain([1] * 50 + [65536]), [0]
    for _ in range(2):
        stages.append(0)
        run = Run(threads=1, work=tmp_path / "work", report=lambda *_: stages.append(stages.pop() + 1))
        with pytest.raises(ValueOverflow, match="65,535"):
            solve_states(game, solver="retrograde", target="interpreted", run=run)
    assert stages[2] < stages[1] / 10


@pytest.mark.usefixtures("always")
def test_parts_go_on_in_the_middle_of_a_group(tmp_path: Path) -> None:
    game = load("morris:4,3")
    solve_parts(game, "all", tmp_path / "plain.db", run=Run(threads=1))
    work = tmp_path / "cut.db.work"

    def solve() -> Database:
        return solve_parts(game, "all", tmp_path / "cut.db", run=Run(threads=1, work=work))

    _, stopped = until_done(solve, mixed(2, 60))
    assert 3 < stopped < TRIES
    assert parts_of(tmp_path / "cut.db") == parts_of(tmp_path / "plain.db")
    assert not work.exists()


@pytest.mark.usefixtures("always")
def test_unfinished_work_whose_removal_was_cut_short_is_removed(tmp_path: Path) -> None:
    game, work = load("awari:3"), tmp_path / "cut.db.work"

    def solve() -> Database:
        return solve_parts(game, "all", tmp_path / "cut.db", run=Run(threads=1, work=work))

    remove = Path.unlink

    def killed(path: Path, **options: Any) -> None:
        if path.is_relative_to(work) and not (path.parent / working.RECORD).exists():
            raise Killed
        remove(path, **options)

    with mock.patch.object(Path, "unlink", killed), pytest.raises(Killed):
        solve()
    assert any(work.rglob("*.array"))
    assert len(open_database(tmp_path / "cut.db").parts) < len(game.parts())
    solve()
    assert not work.exists()
    work.mkdir()
    (work / "film.part").write_text("mine")
    working.discard(work)
    assert (work / "film.part").exists()


def test_a_working_folder_that_holds_something_else_keeps_it(tmp_path: Path) -> None:
    work = tmp_path / "all"
    with pytest.raises(KeyboardInterrupt), mock.patch.object(solve.Sweep, "layer", side_effect=KeyboardInterrupt):
        sb.solve("connect4:3,3,3", solver="sweep", to=work / "three.db", work=work)
    assert (work / RECORD).exists()
    (work / "film.part").write_text("mine")
    database = sb.solve("connect4:3,3,3", solver="sweep", to=work / "three.db", work=work)
    assert sorted(entry.name for entry in work.iterdir()) == ["film.part", "three.db"]
    assert not database.verify().count


def parts_of(path: Path) -> dict[str, bytes]:
    """Return what a database has of its parts, byte for byte."""
    files = [file for place in ("parts", "digests") for file in (path / place).rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def solve_in_a_child(game: Game, to: Path, memory: int, moment: float) -> bool:
    """Solve parts in a process that is killed after some seconds; return whether it was done before."""
    child = os.fork()
    if child == 0:
        try:
            run = Run(threads=1, memory=memory, work=Path(f"{to}.work"))
            solve_parts(game, "all", to, run=run)
            os._exit(0)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(1)
    end = time.monotonic() + moment
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0
            return True
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    "memory",
    [pytest.param(1 << 30, marks=pytest.mark.long, id="in memory"), pytest.param(30_000, id="on files")],
)
def test_killed_at_random_moments_the_database_is_the_same(
    memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("searchbench.solvers.exhaustive.budget.on_files", lambda *_: 0)
    game, plain = load("awari:5"), tmp_path / "plain.db"
    solve_parts(game, "all", plain, run=Run(threads=1))
    begun = time.monotonic()
    assert solve_in_a_child(game, tmp_path / "0.db", memory, 90)
    took = time.monotonic() - begun
    chooser = random.Random(memory)
    kills, tries = 0, 0
    while kills < 10:
        tries += 1
        to = tmp_path / f"{tries}.db"
        while not solve_in_a_child(game, to, memory, chooser.uniform(0, took) if kills < 10 else 90):
            kills += 1
        assert parts_of(to) == parts_of(plain)
    names = sorted(["plain.db", *(f"{number}.db" for number in range(tries + 1))])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == names
    groups = open_database(tmp_path / "0.db").facts["groups"].values()
    assert any("on files" in group for group in groups) == (memory < 1 << 30)


def stopped_after(copies: int, solve: Callable[[], Database]) -> None:
    """Leave unfinished work with so many copies made."""
    kept = WorkingFolder.commit
    left = [copies]

    def commit(folder: WorkingFolder, *arguments: Any) -> None:
        if left[0] == 0:
            raise Killed
        left[0] -= 1
        kept(folder, *arguments)

    with mock.patch.object(WorkingFolder, "commit", commit), pytest.raises(Killed):
        solve()


@pytest.mark.usefixtures("always")
def test_a_damaged_copy_is_noticed(tmp_path: Path) -> None:
    game, work = load("pancake:7"), tmp_path / "work"
    solve = lambda: solve_states(game, run=Run(threads=1, work=work))  # noqa: E731
    stopped_after(3, solve)
    for name in ("codes-0-5040", "pending", "here"):
        file = next(work.glob(f"{name}.g*"))
        whole = file.read_bytes()
        spoilt = bytearray(whole)
        spoilt[len(whole) // 2] ^= 1
        for data, words in ((bytes(spoilt), "altered"), (whole[:-1], "too short")):
            file.write_bytes(data)
            with pytest.raises(DamagedData, match=f"{name}.*{words}: remove the folder"):
                solve()
        file.unlink()
        with pytest.raises(DamagedData, match=f"{name}.*cannot be read"):
            solve()
        file.write_bytes(whole)
    record = (work / RECORD).read_bytes()
    (work / RECORD).write_bytes(record.replace(b'"levels"', b'"leveIs"'))
    with pytest.raises(DamagedData, match="altered"):
        solve()
    (work / RECORD).write_bytes(record)
    assert same(solve(), solve_states(game, run=Run(threads=1)))


@pytest.mark.usefixtures("always")
def test_the_work_of_another_task_is_left_alone(tmp_path: Path) -> None:
    work = tmp_path / "work"
    stopped_after(3, lambda: solve_states(load("pancake:7"), run=Run(threads=1, work=work)))
    held = {file.name: file.read_bytes() for file in work.iterdir()}
    for spec, solver, form in (
        ("pancake:6", None, None),
        ("pancake:7", "fixpoint", None),
        ("pancake:7", "bfs", "values"),
        ("pancake:7", "bfs", "two-bit"),
    ):
        with pytest.raises(BadRequest, match="unfinished work on another task"):
            solve_states(load(spec), solver=solver, form=form, run=Run(threads=1, work=work))
    with WorkingFolderHeld(work), pytest.raises(BadRequest, match="another process works there"):
        solve_states(load("pancake:7"), run=Run(threads=1, work=work))
    assert held == {file.name: file.read_bytes() for file in work.iterdir()}


class WorkingFolderHeld:
    """Hold the lock of a folder, as another process does."""

    def __init__(self, path: Path) -> None:
        self._handle = working.folders.lock(path)

    def __enter__(self) -> None:
        assert self._handle is not None

    def __exit__(self, *_: object) -> None:
        assert self._handle is not None
        os.close(self._handle)


@pytest.mark.usefixtures("always")
def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, work = load("pancake:7"), tmp_path / "work"
    solve = lambda: solve_states(game, run=Run(threads=1, work=work))  # noqa: E731
    stopped_after(4, solve)
    record = (work / RECORD).read_bytes()
    with (
        mock.patch("searchbench.store.working.os.pwrite", return_value=0),
        pytest.raises(BadRequest, match="still counts"),
    ):
        solve()
    assert (work / RECORD).read_bytes() == record
    assert same(solve(), solve_states(game, run=Run(threads=1)))
    monkeypatch.setattr("searchbench.solvers.exhaustive.budget.on_files", lambda *_: 0)
    monkeypatch.setattr("searchbench.solvers.exhaustive.budget.shutil.disk_usage", lambda _: mock.Mock(free=1000))
    with pytest.raises(BadRequest, match=r"needs \d+.\d MB there, 1.0 kB are free"):
        solve_states(game, run=Run(threads=1, memory=10_000, work=tmp_path / "other"))


def test_without_a_folder_a_table_that_outgrows_the_memory_is_refused(tmp_path: Path) -> None:
    game = chain([1] * 400)

    def solve(work: Path | None) -> Database:
        with mock.patch("searchbench.solvers.exhaustive.budget.bucket_bytes", return_value=0):
            return solve_states(game, target="interpreted", run=Run(threads=1, memory=1_725, work=work))

    with pytest.raises(OutOfMemory, match=r"2 bytes each now, 802 bytes in all.*keep the database"):
        solve(None)
    assert same(solve(tmp_path / "work"), solve_states(game, target="interpreted", run=Run(threads=1)))


def test_solve_goes_on_by_itself_and_clears_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import searchbench as sb

    monkeypatch.setattr(WorkingFolder, "due", True)
    to = tmp_path / "pancakes.db"
    stopped_after(2, lambda: sb.solve("pancake:8", to=to, threads=1))
    assert (tmp_path / "pancakes.db.work" / RECORD).exists()
    stages: list[str] = []
    database = sb.solve("pancake:8", to=to, threads=1, progress=lambda stage, _done, _total: stages.append(stage))
    assert "level 0" not in stages
    assert same(database, sb.solve("pancake:8", threads=1))
    assert [entry.name for entry in tmp_path.iterdir()] == ["pancakes.db"]


@pytest.mark.long
def test_a_tenth_of_the_memory_is_enough(tmp_path: Path) -> None:
    game = load("pancake:9")
    plain = solve_states(game, run=Run())
    found = solve_states(game, run=Run(memory=len(plain.codes) // 10, work=tmp_path / "work"))
    assert found.facts["on files"]
    assert same(found, plain)


def test_parts_take_a_solver(tmp_path: Path) -> None:
    game = load("awari:5")
    forwards = solve_parts(game, "all", tmp_path / "one.db", run=Run(threads=1), solver="fixpoint")
    backwards = solve_parts(game, "all", tmp_path / "other.db", run=Run(threads=1), solver="retrograde")
    assert same(forwards, backwards)
    assert {one["solver"] for one in forwards.facts["groups"].values()} == {"fixpoint"}
    assert "retrograde" in {one["solver"] for one in backwards.facts["groups"].values()}
    with pytest.raises(BadRequest, match="'bfs': parts are solved by"):
        solve_parts(game, "all", tmp_path / "third.db", run=Run(threads=1), solver="bfs")


FORMS_BY_MEMORY = [
    ("peg-solitaire:triangle,6", (100_000, 64 << 20), "layers"),
    ("peg-solitaire:triangle,6", (64 << 20, 100_000), "values"),
    ("hanoi:9", (20_000, 64 << 20), "two-bit"),
]


@pytest.mark.long
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("spec", "memories", "form"), FORMS_BY_MEMORY)
def test_work_goes_on_in_its_form_with_another_memory(
    spec: str, memories: tuple[int, int], form: str, tmp_path: Path
) -> None:
    left, plain = iter(memories), solve_states(load(spec), solver="bfs", run=Run(threads=1))

    def solve() -> Database:
        return solve_states(load(spec), solver="bfs", run=Run(memory=next(left), threads=1, work=tmp_path / "work"))

    found, stopped = until_done(solve, iter((2, 1 << 60)))
    assert stopped == 1
    assert found.facts["form"] == form
    assert found.histogram() == plain.histogram()
