"""A table in one file says what the database says, to a reader that has the standard library only."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from searchbench.errors import BadRequest
from searchbench.learning import table_reader, write_table
from searchbench.learning.table_reader import Table
from searchbench.learning.truths import figures_of
from searchbench.rules import UNDECIDED
from searchbench.store import Database

SPECS = ["tic-tac-toe", "sliding:2x3", "awari:3", "hanoi:3", "morris:3,3", "mnk:3,3,3,no,yes", "frogs-and-toads:2"]


@pytest.fixture(scope="module")
def databases() -> dict[str, Database]:
    return {spec: sb.solve(spec, threads=1) for spec in SPECS}


@pytest.mark.parametrize("spec", SPECS)
def test_a_table_says_what_the_database_says(spec: str, databases: dict[str, Database], tmp_path: Path) -> None:
    database = databases[spec]
    done = write_table(database, tmp_path / "one.npz", cells=True)
    table = Table(tmp_path / "one.npz")
    numbers = list(table)
    assert len(numbers) == done.positions == database.states
    assert numbers == [int(number) for some in database.numbers() for number in some]
    random = np.random.default_rng(1)
    for number in random.choice(numbers, min(200, len(numbers)), replace=False).tolist():
        value = database.rule.decode(database.code(number))
        assert table.value(number) == (None if value is None else database.rule.format(value))
        assert table.figures(number) == (None if value is None else figures_of(database.rule, value))
        assert table.number(database.position(number).state) == number
    for number in set(range(min(database.size, 5_000))) - set(numbers):
        with pytest.raises(KeyError, match="is no position"):
            table.value(number)
    with pytest.raises(KeyError, match="is not in this table"):
        table.value(database.size)
    with pytest.raises(KeyError, match="is no position of this table"):
        table.number([101] * database.game.width)


@pytest.mark.parametrize("spec", ["mnk:3,3,3,no,yes", "chess:KPK,4,4"])
def test_a_table_with_symmetric_copies_has_the_cells_of_every_position(spec: str, tmp_path: Path) -> None:
    database = sb.solve(spec, threads=1)
    done = write_table(database, tmp_path / "all.npz", cells=True, symmetric=True)
    assert done.positions == database.states
    table, game = Table(tmp_path / "all.npz"), database.game
    waiting, seen = [game.start()], set()
    while waiting and len(seen) < 2_000:  # as play meets them: no representatives
        state = waiting.pop()
        if tuple(state) in seen:
            continue
        seen.add(tuple(state))
        assert table.number(state) == database.number(state)
        if game.terminal(state) == UNDECIDED:
            waiting.extend(game.play(state, move) for move in game.moves(state))
    assert len({game.rank(game.canonical(state)) for state in seen}) < len(seen)
    with np.load(tmp_path / "all.npz") as arrays:
        assert arrays["numbers"].dtype == np.uint16  # as narrow as they can be
    with pytest.raises(BadRequest, match="tells no symmetries"):
        write_table(sb.solve("hanoi:2"), tmp_path / "no.npz", cells=True, symmetric=True)
    with pytest.raises(BadRequest, match="ask for cells, too"):
        write_table(database, tmp_path / "no.npz", symmetric=True)


def test_a_table_of_some_parts_has_these_only(databases: dict[str, Database], tmp_path: Path) -> None:
    database = databases["awari:3"]
    names = [part.name for part in database.parts]
    done = write_table(database, tmp_path / "two.npz", parts=names[1:3])
    table = Table(tmp_path / "two.npz")
    assert list(done.parts) == [part.name for part in table.parts] == names[1:3]
    first = database.part(names[1])
    assert table.value(first.start) == database.rule.format(database.rule.decode(database.code(first.start)))
    with pytest.raises(KeyError, match=f"it has {names[1]}: "):
        table.value(database.part(names[3]).start)
    with pytest.raises(KeyError, match="--cells"):
        table.number(database.game.start())


READ_ALONE = """
import json, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numba", "zarr", "numpy", "searchbench"}:
            raise ImportError(name + " shall not be needed")

sys.meta_path.insert(0, Refuse())
from table_reader import Table

table = Table("ttt.npz")
print(json.dumps([len(list(table)), table.value(table.number(json.loads(sys.argv[1])))]))
"""


def test_the_reader_is_one_file_that_needs_the_standard_library_only(
    databases: dict[str, Database], tmp_path: Path
) -> None:
    database = databases["tic-tac-toe"]
    write_table(database, tmp_path / "ttt.npz", cells=True)
    shutil.copy(str(table_reader.__file__), tmp_path / "table_reader.py")
    state = database.game.canonical(database.game.read("XX./OO./..."))
    command = [sys.executable, "-S", "-c", READ_ALONE, json.dumps(list(map(int, state)))]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout) == [5478, "win 1"]


def test_numpy_reads_the_same_file(databases: dict[str, Database], tmp_path: Path) -> None:
    write_table(databases["sliding:2x3"], tmp_path / "one.npz", cells=True)
    with np.load(tmp_path / "one.npz") as arrays:
        about = json.loads(bytes(arrays["about"]))
        assert (about["game"], about["columns"]) == ("sliding:2x3", ["value"])
        assert arrays["cells"].shape == (720, about["width"])
        assert len(arrays["codes_0"]) == 720


def modulo() -> Database:
    return sb.solve("sliding:2x3", solver="bfs", form="two-bit")


@pytest.mark.parametrize(
    ("make", "options", "right"),
    [
        (lambda: sb.solve("sliding:2x3"), {"parts": "nowhere"}, "has no part 'nowhere'"),
        (lambda: sb.solve("sliding:2x3"), {"parts": ""}, "no part is named"),
        (modulo, {}, "depths modulo"),
        (lambda: sb.solve("sliding-pattern:2x3,1-2"), {}, "several states share a number"),
    ],
)
def test_what_no_table_can_tell_is_refused(make: Any, options: dict[str, Any], right: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=right):
        write_table(make(), tmp_path / "one.npz", **options)
    assert list(tmp_path.iterdir()) == []


def test_too_large_a_table_is_refused_with_the_way_out(
    databases: dict[str, Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("searchbench.learning.tables.MOST", 1_000)
    with pytest.raises(BadRequest, match="name some parts, --parts"):
        write_table(databases["morris:3,3"], tmp_path / "one.npz")


def test_a_file_that_exists_is_left_alone(databases: dict[str, Database], tmp_path: Path) -> None:
    (tmp_path / "one.npz").write_text("mine")
    with pytest.raises(BadRequest, match="exists"):
        write_table(databases["hanoi:3"], tmp_path / "one.npz")
    with pytest.raises(BadRequest, match="there is no folder"):
        write_table(databases["hanoi:3"], tmp_path / "nowhere" / "one.npz")
    write_table(databases["hanoi:3"], tmp_path / "one.npz", overwrite=True)
    assert len(list(Table(tmp_path / "one.npz"))) == 27


def test_the_reader_refuses_what_is_no_table(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    with pytest.raises(ValueError, match="is no table"):
        Table(tmp_path / "other.npz")
    np.savez(tmp_path / "new.npz", about=np.frombuffer(b'{"format": "searchbench table 9"}', np.uint8))
    with pytest.raises(ValueError, match="format 'searchbench table 9'"):
        Table(tmp_path / "new.npz")
    for about in (
        b"[]",
        b"{",
        b'{"format": "searchbench table 1"}',
        b'{"format": "searchbench table 1", "game": 1, "rule": 2, "columns": 3}',
    ):
        np.savez(tmp_path / "other.npz", about=np.frombuffer(about, np.uint8))
        with pytest.raises(ValueError, match=r"other\.npz is no table, or is damaged"):
            Table(tmp_path / "other.npz")
    np.savez(tmp_path / "other.npz", about=np.array([0.5]))
    with pytest.raises(ValueError, match=r"other\.npz is no table, or is damaged: about has the type <f8"):
        Table(tmp_path / "other.npz")


def test_the_reader_refuses_a_damaged_file_by_its_name(databases: dict[str, Database], tmp_path: Path) -> None:
    """A KeyError would say that a position is not in the table."""
    whole = write_table(databases["hanoi:3"], tmp_path / "whole.npz", cells=True).path.read_bytes()
    path, expected = tmp_path / "damaged.npz", list(Table(tmp_path / "whole.npz"))
    told: list[str] = []
    damaged = [whole[:place] for place in range(0, len(whole), 7)]
    for place in range(len(whole)):
        damaged += [whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :] for bit in (1, 8, 128)]
    for content in damaged:
        path.write_bytes(content)
        try:
            assert list(Table(path)) == expected  # dates and the like, which are not read
        except ValueError as error:
            told.append(str(error))
    assert all(str(path) in one for one in told)
    assert len(told) > len(damaged) // 2
    with pytest.raises(FileNotFoundError):
        Table(tmp_path / "nothing.npz")
