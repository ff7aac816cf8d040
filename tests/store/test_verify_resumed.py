"""A verification that was stopped goes on where it was, and believes what it noted only as long as nothing changes."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.store import Database, open_database, working
from searchbench.verify import passes


class Stages:
    """Note the stages that a run reports, and stop it when it comes to one of them."""

    def __init__(self, last: str = "") -> None:
        self.seen: list[str] = []
        self.last = last

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take a report."""
        self.seen.append(stage)
        if stage == self.last:
            raise KeyboardInterrupt


def stopped(path: Path, work: Path, stage: str) -> None:
    """Verify until a stage is reported."""
    with open_database(path) as database, pytest.raises(KeyboardInterrupt):
        database.verify(Run(threads=1, report=Stages(stage)), work=work)


@pytest.fixture(scope="module")
def game() -> Game:
    """Return a game of several parts."""
    return load("mnk:2,2,2")


@pytest.fixture
def path(game: Game, tmp_path: Path) -> Path:
    """Return the folder of its database, part by part."""
    solve_parts(game, "all", tmp_path / "x.db", run=Run(threads=1)).close()
    return tmp_path / "x.db"


def test_it_goes_on_with_the_part_that_was_not_done(path: Path, game: Game, tmp_path: Path) -> None:
    work = tmp_path / "work"
    names = [part.name for part in game.parts()]
    stopped(path, work, f"checking {names[2]}")
    assert (work / "record.json").exists()
    stages = Stages()
    with open_database(path) as database:
        whole = database.verify(Run(threads=1))
        rest = database.verify(Run(threads=1, report=stages), work=work)
    assert (rest.states, rest.count) == (whole.states, 0)
    done = [name for name in names if f"checking {name}" not in stages.seen]
    assert done
    assert set(names[3:]).isdisjoint(done)
    assert not work.exists()  # the next verification looks at all of it again


def test_a_part_that_has_changed_is_looked_at_again(path: Path, game: Game, tmp_path: Path) -> None:
    work = tmp_path / "work"
    names = [part.name for part in game.parts()]
    stopped(path, work, f"checking {names[-1]}")
    with open_database(path) as database:
        codes = database.codes.copy()
        number = database.part(names[0]).start
        codes[number] = 7 if codes[number] != 7 else 8
        Database(game, database.rule, codes).save(path, overwrite=True)
    with open_database(path) as database:
        report = database.verify(Run(threads=1), work=work)
    assert number in {fault.number for fault in report.faults}


def test_within_a_part_it_goes_on_from_the_last_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working.WorkingFolder, "due", property(lambda _folder: True))
    monkeypatch.setattr(passes, "BLOCK", 5000)
    solved = solve_states(load("sliding:3x3"), run=Run(threads=1))
    solved.save(tmp_path / "x.db")
    told: list[tuple[int, int]] = []

    def stop_at_the_second(_stage: str, done: int, total: int) -> None:
        told.append((done, total))
        if len(told) == 2:
            raise KeyboardInterrupt

    with open_database(tmp_path / "x.db") as database:
        with pytest.raises(KeyboardInterrupt):
            database.verify(Run(threads=1, report=stop_at_the_second), work=tmp_path / "work")
        assert told == [(16, 73), (32, 73)]
        run = Run(threads=1, report=stop_at_the_second)
        assert database.verify(run, work=tmp_path / "work").states == 362880
    assert told[2:] == [(16, 41), (32, 41), (41, 41)]


def test_where_there_is_nothing_to_note(tmp_path: Path) -> None:
    game = load("sliding:2x2")
    with pytest.raises(BadRequest, match="on disk only"):
        solve_states(game, run=Run(threads=1)).verify(work=tmp_path / "work")
    solve_states(game, solver="bfs", run=Run(threads=1), form="values").save(tmp_path / "x.db")
    with open_database(tmp_path / "x.db") as database, pytest.raises(BadRequest, match="in one go"):
        database.verify(work=tmp_path / "work")
    assert np.array_equal(sorted(path.name for path in tmp_path.iterdir()), ["x.db"])


def test_parts_are_checked_alone(path: Path, game: Game, tmp_path: Path) -> None:
    first, *_, last = (part.name for part in game.parts())
    with open_database(path) as database:
        codes, number = database.codes.copy(), database.part(last).start
        alone = [database.verify(Run(threads=1), parts=part.name).states for part in game.parts()]
        assert (
            sum(alone)
            == database.verify(Run(threads=1)).states
            == database.verify(parts=f"{first},{last}").states + sum(alone[1:-1])
        )
        with pytest.raises(BadRequest, match="has no part 'x'"):
            database.verify(parts=f"{first},x")
        codes[number] = 7 if codes[number] != 7 else 8
        Database(game, database.rule, codes).save(tmp_path / "wrong.db")
    with open_database(tmp_path / "wrong.db") as wrong:
        assert wrong.verify(Run(threads=1), parts=last).faults[0].number == number
        assert any(wrong.verify(Run(threads=1), parts=part.name) for part in game.parts())
    work, stages = tmp_path / "work", Stages()
    with open_database(path) as database:
        for name in (first, last):
            database.verify(Run(threads=1), work=work, parts=name)
        assert (work / "record.json").exists()  # what was verified in parts counts for the whole
        database.verify(Run(threads=1, report=stages), work=work)
    assert {f"checking {first}", f"checking {last}"}.isdisjoint(stages.seen)
    assert stages.seen
    assert not work.exists()
    solved = solve_states(load("sliding:2x2"), run=Run(threads=1))
    with pytest.raises(BadRequest, match="only outcomes on disk"):
        solved.verify(parts="all")


@pytest.mark.parametrize("spec", ["dots-and-boxes:1,2", "mnk:2,2,2", "awari:3", "connect4:3,2,3"])
def test_nothing_is_asked_of_parts_that_are_not_in_memory_any_more(spec: str, tmp_path: Path) -> None:
    """Memory that is given back holds what it held, up to whole pages: here it holds something else at once."""
    game = load(spec)
    solve_parts(game, "all", tmp_path / "x.db", run=Run(threads=1)).close()

    def forget(codes: np.ndarray, first: int, stop: int) -> None:
        codes[first:stop] = 78

    with mock.patch("searchbench.verify.database.release", forget), open_database(tmp_path / "x.db") as database:
        assert database.verify(Run(threads=1)).faults == ()
        for part in database.parts if spec != "awari:3" else ():  # its points rest on each other: all are in memory
            assert database.verify(Run(threads=1), parts=part.name).faults == ()
