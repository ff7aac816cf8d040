"""A damaged database is repaired: its values are those of a fresh one, whatever was planted, and the places are told."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs import GraphGame, chain, outcome_games, puzzles, score_games, symmetric_games
from searchbench.catalogue import load
from searchbench.errors import BadRequest, BrokenRule, DamagedData
from searchbench.game import Game
from searchbench.repairs import Repair, repair_database, repair_folder
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.store import Database, open_database
from searchbench.store import folder as folders
from searchbench.store import header as head
from searchbench.store.growing import GrowingDatabase
from searchbench.store.writing import Layout, write_database
from searchbench.values import Result, value_rule

ONE_THREAD = Run(threads=1)


def solve(game: Game, solver: str | None = None, target: Any = "interpreted") -> Database:
    """Solve with one thread."""
    return solve_states(game, solver=solver, run=ONE_THREAD, target=target)


def with_codes(right: Database, codes: Any) -> Database:
    """Return a database with other codes."""
    return Database(right.game, right.rule, np.asarray(codes, right.dtype))


def repaired(right: Database, codes: Any, target: Any = "interpreted") -> Repair:
    """Repair other codes, and check that they become the right ones, and that the wrong ones are told."""
    codes = np.asarray(codes, right.dtype)
    database = with_codes(right, codes.copy())
    found = repair_database(database, ONE_THREAD, limit=1 << 20, target=target)
    assert database.codes.dtype == right.codes.dtype
    assert database.codes.tolist() == right.codes.tolist()
    assert [change.number for change in found.changes] == np.flatnonzero(codes != right.codes).tolist()
    assert (found.changed, bool(found)) == (len(found.changes), len(found.changes) > 0)
    return found


def spoilt(codes: Any, data: st.DataObject) -> Any:
    """Return codes, some or all of which are others."""
    places = data.draw(st.lists(st.integers(0, len(codes) - 1), max_size=8) | st.just(range(len(codes))))
    codes = codes.copy()
    for place in places:
        codes[place] = data.draw(st.integers(0, 20) | st.just(255))
    return codes


# --- in memory --------------------------------------------------------------------------------------------------------


@given(
    st.one_of(puzzles(), outcome_games(), score_games(), symmetric_games("distance"), symmetric_games("outcome")),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_any_values_of_random_graphs(game: GraphGame, data: st.DataObject) -> None:
    right = solve(game)
    repaired(right, spoilt(right.codes, data))


@given(puzzles(), st.data())
@settings(max_examples=50, deadline=None)
def test_any_depths_of_random_graphs(game: GraphGame, data: st.DataObject) -> None:
    right = solve(game, "bfs")
    repaired(right, spoilt(right.codes, data))


@dataclass(frozen=True)
class Forwards(GraphGame):
    """The same graph, which does not tell who leads to a node."""

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules but for moves backwards."""
        return {name: rule for name, rule in super().rules().items() if "unmoves" not in name}


@given(st.one_of(puzzles(), outcome_games(), score_games(), symmetric_games("outcome")), st.data())
@settings(max_examples=50, deadline=None)
def test_without_moves_backwards(game: GraphGame, data: st.DataObject) -> None:
    forwards = Forwards(**game.parameters)
    right = solve(forwards, "bfs" if game.values == "distance" and data.draw(st.booleans()) else "fixpoint")
    repaired(right, spoilt(right.codes, data))


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "solver"), [("sliding:2x3", None), ("sliding:2x3", "bfs"), ("tic-tac-toe", None), ("awari:4", None)]
)
def test_single_bits_of_shipped_games(spec: str, solver: str | None) -> None:
    right = solve(load(spec), solver, "cpu")
    chance = random.Random(spec)
    for _ in range(30):
        codes = right.codes.copy()
        number = chance.randrange(len(codes))
        codes[number] ^= 1 << chance.randrange(8)
        found = repaired(right, codes, "cpu")
        assert (found.changes[0].number, found.parts) == (number, (found.changes[0].part,))


def test_only_what_rests_on_a_wrong_value_is_worked_out_anew() -> None:
    game = chain([1] * 99)
    right = solve(game)
    codes = right.codes.copy()
    codes[50] += 7
    found = repaired(right, codes)
    assert 1 <= found.renewed < 100
    assert str(found.changes[0]).startswith("from 0, number 50, 50: ")


def test_values_that_agree_with_each_other_and_are_wrong() -> None:
    # 1 and 2 go round for ever; the table says that they are won and lost, ever later, and only 0 contradicts.
    edges = ((0, 1, 1, 0), (1, 2, 1, 0), (2, 1, 1, 0), (3, 0, 1, 0), (4, 3, 1, 0), (4, 5, 1, 0))
    game = GraphGame(edges, (UNDECIDED,) * 5 + (-1,), "outcome")
    right = solve(game)
    rule = right.rule
    assert [str(rule.decode(int(code))) for code in right.codes] == ["draw"] * 4 + ["win 1", "loss 0"]
    values = [Result(-1, 4), Result(1, 3), Result(-1, 2), Result(1, 5), Result(1, 1), Result(-1, 0)]
    assert repaired(right, [rule.encode(value) for value in values]).changed == 4


def test_points_that_only_support_each_other() -> None:
    edges = ((0, 1, 1, 0), (1, 0, 1, 0), (0, 2, 1, 0), (3, 0, 1, 2))
    game = GraphGame(edges, (UNDECIDED, UNDECIDED, 0, UNDECIDED), "score", cuts=(3,))
    right = solve(game)
    encode = right.rule.encode
    codes = [encode(points) for points in (5, -5, 0, -3)]
    assert {fault.claim for fault in with_codes(right, codes).verify(ONE_THREAD).faults} == {"grounded"}
    assert repaired(right, codes).checked == "all values"


def test_a_value_that_needs_a_wider_table() -> None:
    right = solve(chain([1] * 400))
    assert right.dtype == np.uint16
    codes = right.codes.copy()
    codes[200:] = 3
    repaired(right, codes)
    wide = Database(right.game, right.rule, right.codes.astype(np.uint32))
    wide.codes[7] ^= 1 << 20
    assert wide.repair(ONE_THREAD)
    assert (wide.codes.dtype, wide.codes.tolist()) == (np.uint16, right.codes.tolist())


def test_what_is_right_is_left_alone() -> None:
    right = solve(load("sliding:2x2"), target="cpu")
    found = repaired(right, right.codes, "cpu")
    assert (found.faults, found.renewed) == (0, 0)
    assert "nothing to repair" in str(found)


def test_what_cannot_be_repaired_is_refused() -> None:
    with pytest.raises(BadRequest, match="depths modulo 3 cannot be repaired"):
        solve_states(load("pancake:6"), solver="bfs", form="two-bit", run=ONE_THREAD).repair()
    with pytest.raises(BadRequest, match="values of reached cannot be repaired"):
        solve_states(load("pancake:6"), solver="bfs", form="reachability", run=ONE_THREAD).repair()
    # Node 2 has no number, and is not the end of the game.
    game = GraphGame(((1, 0, 1, 0), (1, 2, 1, 0)), (0, UNDECIDED, UNDECIDED), numbered=2)
    broken = Database(game, value_rule("distance"), np.array([1, 2], np.uint8))
    with pytest.raises(BrokenRule, match="from number 1 a move leads to a state that is no position"):
        repair_database(broken, ONE_THREAD, target="interpreted")


# --- on disk ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def right() -> Database:
    """Return a database in memory, of several parts."""
    return solve(load("mnk:2,2,2"), target="cpu")


@pytest.fixture(params=[Layout(chunk=8), Layout(chunk=4, files=2, shard=2), None], ids=["chunks", "shards", "mapped"])
def folder(right: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return the folder of the same database."""
    if request.param is None:
        right.save(tmp_path / "x.db", mapped=True)
    else:
        write_database(right, tmp_path / "x.db", layout=request.param)
    return tmp_path / "x.db"


def data_files(folder: Path) -> list[Path]:
    """Return the files of chunks and of digests."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != head.DOCUMENT)


def is_whole(folder: Path, right: Database) -> bool:
    """Tell whether a folder has the right values, and verification finds no fault."""
    with open_database(folder, right.game) as database:
        same = np.array_equal(database.codes, right.codes) and database.codes.dtype == right.codes.dtype
        return same and database.histogram() == right.histogram() and bool(database.verify(ONE_THREAD))


def test_every_file_with_a_flipped_bit(folder: Path, right: Database) -> None:
    chance = random.Random(5)
    for path in data_files(folder):
        data = bytearray(path.read_bytes())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        found = repair_folder(folder, right.game, run=ONE_THREAD)
        part = path.relative_to(folder).parts[1]
        assert found.parts == ((part,) if found else ()), path
        assert all(change.before == "lost" and change.part == part for change in found.changes)
        assert is_whole(folder, right), path
    assert sorted(path.name for path in folder.parent.iterdir()) == ["x.db"]


def test_files_that_are_gone_or_cut_short(folder: Path, right: Database) -> None:
    for place, path in enumerate(data_files(folder)):
        if place % 2:
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[: place % 5])
        with pytest.raises(DamagedData):
            is_whole(folder, right)
        assert repair_folder(folder, right.game, run=ONE_THREAD)
        assert is_whole(folder, right), path


def test_all_data_gone(folder: Path, right: Database) -> None:
    for path in data_files(folder):
        path.unlink()
    found = repair_folder(folder, right.game, run=ONE_THREAD)
    assert (found.faults, found.lost) == (0, right.size)
    assert is_whole(folder, right)


@pytest.mark.parametrize("mapped", [False, True])
def test_wrong_values_in_sound_files(right: Database, tmp_path: Path, mapped: bool) -> None:
    codes = right.codes.copy()
    numbers = np.flatnonzero(codes != 255)[::7]
    codes[numbers] = 5
    folder = tmp_path / "x.db"
    with_codes(right, codes).save(folder, mapped=mapped)
    with open_database(folder, right.game) as database:
        assert not database.verify(ONE_THREAD)
        found = database.repair(ONE_THREAD)
        assert database.codes.tolist() == right.codes.tolist()
        assert database.verify(ONE_THREAD)
    assert found.changed == np.count_nonzero(codes != right.codes)
    assert is_whole(folder, right)


def test_damage_to_the_header_is_told_and_not_repaired(folder: Path, right: Database) -> None:
    for document in (folder / head.DOCUMENT, *(folder / "parts").rglob(head.DOCUMENT)):
        text = document.read_text()
        document.write_text(text.replace('"zarr_format"', '"zarr_f0rmat"', 1))
        with pytest.raises(DamagedData, match="metadata were altered") as caught:
            repair_folder(folder, right.game, run=ONE_THREAD)
        assert caught.value.exit_code == 40
        document.write_text(text)
    assert is_whole(folder, right)


def test_a_repair_that_was_stopped_leaves_what_was_there(folder: Path, right: Database) -> None:
    path = data_files(folder)[-1]
    path.unlink()
    before = {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    with mock.patch.object(folders, "_swap_in", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        repair_folder(folder, right.game, run=ONE_THREAD)
    assert {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()} == before
    assert repair_folder(folder, right.game, run=ONE_THREAD)
    assert is_whole(folder, right)


def test_a_database_that_another_process_writes_is_refused(folder: Path, right: Database) -> None:
    handle = folders.lock(folder)
    assert handle is not None
    with pytest.raises(BadRequest, match="another process writes there"):
        repair_folder(folder, right.game, run=ONE_THREAD)


# --- parts by name ----------------------------------------------------------------------------------------------------


def test_parts_of_different_width(tmp_path: Path) -> None:
    game = replace(chain([1] * 599), cuts=(20,))
    database = solve_parts(game, "all", tmp_path / "db", run=ONE_THREAD)
    right = database.codes.copy()
    for part in ("from%200", "from%2020"):
        (tmp_path / "db" / "parts" / part / "c" / "0").write_bytes(b"nothing")
    assert repair_folder(tmp_path / "db", game, database.rule, ONE_THREAD).lost == 600
    with open_database(tmp_path / "db", game, database.rule) as again:
        assert np.array_equal(again.codes, right)
        assert again.verify(ONE_THREAD)
    header = head.Header.of(head.read_document(tmp_path / "db" / head.DOCUMENT)["attributes"])
    assert [record.dtype for record in header.parts] == ["uint8", "uint16"]


def test_a_part_that_is_read_after_the_table_was_widened(tmp_path: Path) -> None:
    # The codes of the first part need two bytes, the table says one; the second part has numbers that are no positions.
    edges = [(node, node - 1, 1, 0) for node in range(1, 300)] + [(301, 299, 1, 0)]
    game = GraphGame(tuple(edges), (0,) + (UNDECIDED,) * 301, "distance", cuts=(300,), absent=(300,))
    right = solve(game)
    narrow = np.where(right.codes == right.illegal, 255, np.minimum(right.codes, 200)).astype(np.uint8)
    with GrowingDatabase(tmp_path / "x.db", game, right.rule) as kept:
        kept.add(tuple(game.parts()), narrow, {})
    assert repair_folder(tmp_path / "x.db", game, right.rule, ONE_THREAD).changed == 101
    with open_database(tmp_path / "x.db", game, right.rule) as again:
        assert again.codes.tolist() == right.codes.tolist()


def test_some_parts_of_a_game(tmp_path: Path) -> None:
    game = load("awari:4")
    with solve_parts(game, "all", tmp_path / "all", run=ONE_THREAD) as database:
        right = database.codes.copy()
    names = [part.name for part in game.parts()]
    with solve_parts(game, names[3], tmp_path / "some", run=ONE_THREAD) as database:
        kept = [part.name for part in database.parts]
        assert kept == names[:4]
    file = tmp_path / "some" / "parts" / names[2] / "c" / "0"
    untouched = tmp_path / "some" / "parts" / names[3] / "c" / "0"
    file.unlink()
    inode = untouched.stat().st_ino
    found = repair_folder(tmp_path / "some", run=ONE_THREAD)
    assert found.parts == (names[2],)
    assert untouched.stat().st_ino == inode  # what was sound is not written again
    with open_database(tmp_path / "some") as database:
        assert [part.name for part in database.parts] == kept
        assert np.array_equal(database.codes, right[: database.size])
        assert database.verify(ONE_THREAD)
    with solve_parts(game, "all", tmp_path / "some", run=ONE_THREAD) as database:
        assert np.array_equal(database.codes, right)
