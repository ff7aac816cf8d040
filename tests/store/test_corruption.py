"""A database that was damaged on disk is reported as such, and never answers wrongly."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from searchbench.catalogue import load
from searchbench.errors import BadRequest, DamagedData
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.store import header as head
from searchbench.store.folder import bytes_on_disk
from searchbench.store.writing import Layout, write_database


@pytest.fixture(scope="module")
def right() -> Database:
    """Return a database in memory, of several parts."""
    return solve_states(load("mnk:2,2,2"), run=Run(threads=1))


@pytest.fixture(params=[Layout(chunk=8), Layout(chunk=4, files=2, shard=2)], ids=["chunks", "shards"])
def folder(right: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return the folder of the same database, in files of its own."""
    write_database(right, tmp_path / "x.db", layout=request.param)
    return tmp_path / "x.db"


def files(folder: Path) -> list[Path]:
    """Return all files of a database."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def is_noticed(folder: Path, right: Database) -> bool:
    """Tell whether opening or reading all fails with DamagedData; fail where it gives a wrong answer."""
    try:
        with Database.open(folder, game=right.game) as database:
            for number in range(database.size):
                assert database.code(number) == right.code(number)
            assert database.histogram() == right.histogram()
            assert np.array_equal(database.codes, right.codes)
    except DamagedData as error:
        found = error
    else:
        return False
    assert found.exit_code == 40
    assert str(folder) in str(found)
    return True


def alterations(content: bytes, seed: int) -> Iterator[bytes]:
    """Yield a file with single bits flipped, here and there, and cut off at several places."""
    places = random.Random(seed)
    for _ in range(6):
        place = places.randrange(8 * len(content))
        altered = bytearray(content)
        altered[place // 8] ^= 1 << place % 8
        yield bytes(altered)
    for size in (0, len(content) // 2, len(content) - 1):
        yield content[:size]
    yield content + b"\0"


def test_every_file_is_guarded(folder: Path, right: Database) -> None:
    assert not is_noticed(folder, right)
    unseen = []
    for seed, path in enumerate(files(folder)):
        content = path.read_bytes()
        for altered in alterations(content, seed):
            path.write_bytes(altered)
            if not is_noticed(folder, right):
                unseen.append((path.name, altered))
        path.unlink()
        assert is_noticed(folder, right)
        path.write_bytes(content)
    # What may pass is what leaves the meaning: white space after the end of a JSON text.
    assert all(name == "zarr.json" and json.loads(altered) for name, altered in unseen)
    assert not is_noticed(folder, right)


def test_every_bit_of_the_header_is_guarded(right: Database, tmp_path: Path) -> None:
    write_database(right, tmp_path / "x.db")
    path = tmp_path / "x.db" / "zarr.json"
    content = path.read_bytes()
    for place in random.Random(1).sample(range(8 * len(content)), 500):
        altered = bytearray(content)
        altered[place // 8] ^= 1 << place % 8
        path.write_bytes(altered)
        with pytest.raises(DamagedData):
            Database.open(tmp_path / "x.db", game=right.game)


def test_chunks_in_each_others_place_are_noticed(tmp_path: Path) -> None:
    database = solve_states(load("sliding:2x2"), run=Run(threads=1))
    write_database(database, tmp_path / "x.db", layout=Layout(chunk=6))
    chunks = tmp_path / "x.db" / "parts" / "all" / "c"
    assert database.codes[:6].tolist() != database.codes[6:12].tolist()
    (chunks / "1").write_bytes((chunks / "0").read_bytes())
    assert is_noticed(tmp_path / "x.db", database)


def test_an_older_chunk_is_noticed(folder: Path, right: Database, tmp_path: Path) -> None:
    codes = right.codes.copy()
    part = max(right.parts, key=lambda part: part.size)
    codes[part.start] ^= 3
    write_database(Database(right.game, right.rule, codes), tmp_path / "old.db", layout=Layout(chunk=8))
    write_database(right, tmp_path / "new.db", layout=Layout(chunk=8))
    chunk = f"{head.codes_path(part.name)}/c/0"
    shutil.copy(tmp_path / "old.db" / chunk, tmp_path / "new.db" / chunk)
    assert is_noticed(tmp_path / "new.db", right)


def test_a_file_that_does_not_belong_is_noticed(folder: Path, right: Database) -> None:
    (folder / "parts" / "2" / "c" / "999").write_bytes(b"x")
    with pytest.raises(DamagedData, match="999 does not belong"):
        Database.open(folder)


def test_a_chunk_that_vanishes_after_opening_is_noticed(folder: Path, right: Database) -> None:
    database = Database.open(folder)
    part = max(right.parts, key=lambda part: part.size)
    shutil.rmtree(folder / head.codes_path(part.name) / "c")
    with pytest.raises(DamagedData):
        database.code(part.start)
    with pytest.raises(DamagedData):
        database.verify(Run(threads=1))


def reseal(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the header and give it the digest that then is right."""
    path = folder / "zarr.json"
    document = json.loads(path.read_text())
    change(document["attributes"]["searchbench"])
    path.write_text(json.dumps(document))
    document["attributes"]["searchbench"]["digest"] = head.metadata_digest(folder)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header: header.update(format=2), "format 2"),
        (lambda header: header["game"].update(version=7), "version 7"),
        (lambda header: header["game"]["parameters"].update(rows=9), "rows=9"),
        (lambda header: header["rule"].update(name="magic"), "magic"),
        (lambda header: header["rule"].update(version=9), "name the value rule"),
        (lambda header: header["parts"][4].update(stop=999), "expected"),
        (lambda header: header["parts"][0].update(needs=[]), "index"),
        (lambda header: header.update(dtype="uint16"), "shape and type"),
        (lambda header: header["fingerprints"].update(game="0"), "rules or the index"),
        (lambda header: header["fingerprints"].update(rule="0"), "functions of the rule"),
        (lambda header: header["parts"][2].update(digest="0"), "digest"),
        (lambda header: header.update(surprise=1), "header"),
    ],
)
def test_a_genuine_header_that_does_not_fit(
    folder: Path, right: Database, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    reseal(folder, change)
    with pytest.raises(DamagedData, match=message):
        _ = Database.open(folder, game=right.game).codes


def test_fingerprints_of_another_python_are_not_compared(folder: Path, right: Database) -> None:
    def older(header: dict[str, Any]) -> None:
        header["versions"]["python"] = "2.7"
        header["fingerprints"]["game"] = "another"

    reseal(folder, older)
    assert not is_noticed(folder, right)


def test_wrong_counts_in_a_genuine_header_are_a_fault(folder: Path) -> None:
    def miscount(header: dict[str, Any]) -> None:
        header["parts"][1]["counts"][0][1] += 1

    reseal(folder, miscount)
    report = Database.open(folder).verify(Run(threads=1))
    assert (report.count, report.faults[0].claim) == (1, "counts")


@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"attributes": 3}', '{"attributes": {"searchbench": 1}}'])
def test_what_is_no_database(tmp_path: Path, content: str | None) -> None:
    (tmp_path / "x").mkdir()
    if content is not None:
        (tmp_path / "x" / "zarr.json").write_text(content)
    with pytest.raises(DamagedData, match="x"):
        Database.open(tmp_path / "x")


def test_files_and_other_groups_are_no_databases(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    zarr.create_group(tmp_path / "group", attributes={"mine": 1})
    for name in ("file", "group"):
        with pytest.raises(DamagedData):
            Database.open(tmp_path / name)


# --- overwriting ------------------------------------------------------------------------------------------------------


def test_only_a_database_is_overwritten_and_only_if_asked(right: Database, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("dear")
    (tmp_path / "file").write_text("text")
    for name in ("letters", "file"):
        with pytest.raises(BadRequest, match="no searchbench database"):
            right.save(tmp_path / name, overwrite=True)
    assert (tmp_path / "letters" / "dear.txt").read_text() == "dear"
    right.save(tmp_path / "x.db", "first")
    with pytest.raises(BadRequest, match="already"):
        right.save(tmp_path / "x.db", "second")
    assert Database.open(tmp_path / "x.db").command == "first"
    right.save(tmp_path / "x.db", "second", overwrite=True)
    assert Database.open(tmp_path / "x.db").command == "second"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "letters", "x.db"]


def test_a_damaged_database_may_be_overwritten(folder: Path, right: Database) -> None:
    (folder / "parts" / "zarr.json").unlink()
    right.save(folder, overwrite=True)
    assert not is_noticed(folder, right)


def test_a_database_open_while_it_is_replaced_never_mixes(right: Database, tmp_path: Path) -> None:
    write_database(right, tmp_path / "x.db")
    opened = Database.open(tmp_path / "x.db")
    other = Database(right.game, right.rule, np.full_like(right.codes, 3))
    write_database(other, tmp_path / "x.db", overwrite=True)
    with pytest.raises(DamagedData, match="replaced"):
        opened.probe()


def test_the_bytes_on_disk_are_counted_while_files_go_away(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "one").write_bytes(b"12345")
    (tmp_path / "inside" / "two").write_bytes(b"123")
    (tmp_path / "inside" / "gone").symlink_to(tmp_path / "nothing")
    assert bytes_on_disk(tmp_path) == 8
    assert bytes_on_disk(tmp_path / "nothing") == 0
