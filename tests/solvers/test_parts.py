"""Parts by name: each is kept when it is done, what is kept is not solved again, and a kill loses one group at most."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs import EMPTY_PARTS, GraphGame, chain, long_games, outcome_games, shared
from searchbench.catalogue import load
from searchbench.errors import BadRequest, BadState, DamagedData, OutOfMemory
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.solvers.exhaustive.parts import needed_groups
from searchbench.store import Database, growing, open_database

MORRIS = load("morris:4,3")
AWARI = load("awari:5")


def solve(to: Path, parts: str, spec: str = "morris:4,3") -> Database:
    """Solve parts with one thread."""
    return solve_parts(load(spec), parts, to, run=Run(threads=1))


@pytest.fixture(scope="module")
def whole() -> Database:
    """Return the same game solved in memory."""
    return solve_states(MORRIS, run=Run(threads=1))


@pytest.mark.long
def test_all_parts_are_those_of_the_whole_game(tmp_path: Path, whole: Database) -> None:
    database = solve(tmp_path / "db", "all")
    assert (database.codes == whole.codes).all()
    assert database.histogram() == whole.histogram()
    assert (database.states, database.reachable) == (whole.states, whole.reachable)
    assert database.verify()


@pytest.mark.long
def test_points_are_solved_part_by_part(tmp_path: Path) -> None:
    database = solve(tmp_path / "db", "all", "awari:5")
    right = solve_states(AWARI, solver="fixpoint", run=Run(threads=1))
    assert (database.facts["solver"], right.facts["solver"]) == ("retrograde", "fixpoint")
    assert (database.codes == right.codes).all()


def test_only_what_is_needed_is_solved() -> None:
    game = load("morris:6,5")
    assert [group.name for group in needed_groups(game, "4-4,5-3")] == ["3-3", "3-4 + 4-3", "3-5 + 5-3", "4-4"]
    assert [group.name for group in needed_groups(game, ["3-4"])] == ["3-3", "3-4 + 4-3"]
    with pytest.raises(BadRequest, match=r"no part '7-3'; the parts are 3-3, 3-4, .*or all"):
        needed_groups(game, "4-4,7-3")


@pytest.mark.long
def test_what_is_there_is_not_solved_again(tmp_path: Path, whole: Database) -> None:
    solve(tmp_path / "db", "3-3")
    with mock.patch("searchbench.solvers.exhaustive.parts.solve_group", side_effect=AssertionError):
        solve(tmp_path / "db", "3-3")
    some = open_database(tmp_path / "db")
    assert [part.name for part in some.parts] == ["3-3"]
    assert some.histogram() == whole.histogram("3-3")
    assert (solve(tmp_path / "db", "4-3").codes == whole.codes).all()


def test_a_state_of_a_part_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with solve(tmp_path / "db", "3-3") as database:
        assert database.probe("WWW...../B.B...B./........").outcome != 0
        with pytest.raises(BadState, match="in the part '4-3'; this database has the parts 3-3: solve or cut that one"):
            database.probe("WWW....W/B.B...B./........")
        with pytest.raises(BadRequest, match="no part '4-3'; there are 3-3"):
            database.histogram("4-3")


@pytest.mark.long
def test_parts_of_different_width_are_kept_side_by_side(tmp_path: Path) -> None:
    game = replace(chain([1] * 599), cuts=(20,))
    solve_parts(game, "from 0", tmp_path / "db", run=Run(threads=1))
    database = solve_parts(game, "all", tmp_path / "db", run=Run(threads=1))
    with growing.GrowingDatabase(tmp_path / "db", game, database.rule) as kept:
        assert [record.dtype for record in kept.records.values()] == ["uint8", "uint16"]
    right = solve_states(game, run=Run(threads=1))
    assert database.dtype == np.uint16
    assert (database.codes == right.codes).all()
    assert database.histogram() == right.histogram()
    assert database.verify()


@pytest.mark.parametrize("memory", [0, 8 << 20])
@given(game=st.one_of(outcome_games(largest=40), long_games()), empty=EMPTY_PARTS)
@settings(max_examples=12)
def test_empty_parts_are_kept_too(game: GraphGame, empty: tuple[tuple[int, bool], ...], memory: int) -> None:
    right = solve_states(game, run=Run(threads=1), target="interpreted")
    game = replace(shared(game), empty=empty)
    with tempfile.TemporaryDirectory() as folder:
        to, work = Path(folder, "db"), Path(folder, "work")
        database = solve_parts(game, "all", to, run=Run(threads=1, memory=memory, work=work))
        assert (database.codes == right.codes).all()
        assert database.histogram() == right.histogram()
        assert database.verify()
        for part in game.parts():
            kept = open_database(to, game).histogram(part.name)
            assert kept == (right.histogram(part.name) if part.start < part.stop else {})


def test_a_writer_that_was_stopped_leaves_a_database_of_what_it_had(tmp_path: Path, whole: Database) -> None:
    solve(tmp_path / "db", "3-3")
    with (
        mock.patch.object(growing, "write_header", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        solve(tmp_path / "db", "4-3")
    assert (tmp_path / "db" / "parts" / "4-3").exists()
    assert [part.name for part in open_database(tmp_path / "db").parts] == ["3-3"]
    assert (solve(tmp_path / "db", "4-3").codes == whole.codes).all()


def test_metadata_that_a_writer_was_killed_at_are_passed_over_and_removed(tmp_path: Path, whole: Database) -> None:
    solve(tmp_path / "db", "3-3")
    half_written = [tmp_path / "db" / place / "zarr.0b1e.partial" for place in ("", "parts", "digests")]
    for file in half_written:
        file.write_text("{")
    assert [part.name for part in open_database(tmp_path / "db").parts] == ["3-3"]
    assert (solve(tmp_path / "db", "4-3").codes == whole.codes).all()
    assert not any(file.exists() for file in half_written)
    (tmp_path / "db" / "parts" / "3-3" / "zarr.0b1e.partial").write_text("{")
    with pytest.raises(DamagedData, match="partial does not belong"):
        open_database(tmp_path / "db")


def test_damage_in_a_part_that_is_needed_is_noticed(tmp_path: Path) -> None:
    solve(tmp_path / "db", "3-3")
    file = next((tmp_path / "db" / "parts" / "3-3" / "c").iterdir())
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)
    with pytest.raises(DamagedData, match="3-3"):
        solve(tmp_path / "db", "4-3")


def test_other_places_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "text").write_text("mine")
    with pytest.raises(BadRequest, match="no searchbench database"):
        solve(tmp_path / "notes", "3-3")
    solve(tmp_path / "db", "3-3")
    with pytest.raises(BadRequest, match="is of morris:4,3, not of awari:5"):
        solve(tmp_path / "db", "all", "awari:5")
    with (
        growing.GrowingDatabase(tmp_path / "db", MORRIS, open_database(tmp_path / "db").rule),
        pytest.raises(BadRequest, match="another process writes there"),
    ):
        solve(tmp_path / "db", "4-3")


def test_what_does_not_fit_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(OutOfMemory, match=r"8-7 of morris:9,9 needs \d\.\d GB"):
        solve_parts(load("morris"), "8-7", tmp_path / "db", run=Run(memory=3 << 30, threads=1))
    assert not (tmp_path / "db" / "zarr.json").exists()


def test_killed_before_the_first_part_is_written_it_goes_on(
    tmp_path: Path, whole: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(growing, "write_part", killed)
        with pytest.raises(KeyboardInterrupt):
            solve(tmp_path / "db", "3-3")
    with pytest.raises(DamagedData, match="has no part yet"):
        open_database(tmp_path / "db")
    assert np.array_equal(solve(tmp_path / "db", "all").codes, whole.codes)


def killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_killed_at_any_moment_it_goes_on(tmp_path: Path, whole: Database) -> None:
    program = "from searchbench.cli import main; main()"
    command = [sys.executable, "-c", program, "solve", "morris:4,3", "--parts", "all", "--to", str(tmp_path / "db")]
    rng, parts = random.Random(4), tmp_path / "db" / "parts"
    for wanted in (1, 2, 3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and (not parts.exists() or len(list(parts.iterdir())) < wanted):
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        killed_at_work = process.wait() != 0
        assert killed_at_work or wanted > 1
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert np.array_equal(open_database(tmp_path / "db").codes, whole.codes)


def test_a_database_is_not_replaced_before_it_is_known_that_another_can_be_made(tmp_path: Path) -> None:
    game = load("awari:3")
    solve_parts(game, "all", tmp_path / "db", run=Run(threads=1)).close()
    before = {file: file.read_bytes() for file in (tmp_path / "db").rglob("*") if file.is_file()}
    for parts, memory, error in (("typo", 0, BadRequest), ("all", 1, OutOfMemory)):
        with pytest.raises(error):
            solve_parts(game, parts, tmp_path / "db", run=Run(memory=memory, threads=1), overwrite=True)
        assert before == {file: file.read_bytes() for file in (tmp_path / "db").rglob("*") if file.is_file()}
    first = game.parts()[0].name
    with solve_parts(game, first, tmp_path / "db", run=Run(threads=1), overwrite=True) as database:
        assert list(database.facts["groups"]) == [first]
