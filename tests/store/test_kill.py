"""A writer that is killed leaves the old database or none, and what it left lying about is cleared away."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database, folder
from searchbench.store.writing import Layout, write_database

WRITER = """
import sys, pathlib, numpy as np
from searchbench.catalogue import load
from searchbench.store import Database
from searchbench.store.writing import Layout, write_database
from searchbench.values import Distance
game = load("sliding:3x3")
codes = np.random.default_rng(int(sys.argv[2])).integers(0, 30, 362880).astype(np.uint8)
database = Database(game, Distance(), codes, command=sys.argv[2])
print("ready", flush=True)
while True:
    write_database(database, pathlib.Path(sys.argv[1]), sys.argv[2], True, Layout(chunk=4096))
    print("done", flush=True)
"""


def codes_of(seed: int) -> np.ndarray:
    """Return the codes that a writer writes."""
    return np.random.default_rng(seed).integers(0, 30, 362880).astype(np.uint8)


def test_a_killed_writer_leaves_the_old_database_or_none(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    moments = random.Random(11)
    seen = set()
    for seed in range(1, 7):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(seed)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        if seed % 2 == 0:  # it has written one, and is at the next
            assert writer.stdout.readline() == b"done\n"
        time.sleep(moments.random() * 0.6)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        try:
            database = Database.open(path)
        except BadRequest:  # there is no database yet
            assert not path.exists()
            continue
        assert np.array_equal(database.codes, codes_of(int(database.command)))
        seen.add(database.command)
        assert int(database.command) <= seed
    assert {"2", "4", "6"} <= seen
    Database(load("sliding:3x3"), solved().rule, codes_of(9)).save(path, "9", overwrite=True)
    assert Database.open(path).command == "9"
    assert [left.name for left in tmp_path.iterdir()] == ["x.db"]


def solved() -> Database:
    """Return a small database."""
    return solve_states(load("sliding:2x3"), run=Run(threads=1))


def test_the_work_of_a_living_writer_is_left_alone(tmp_path: Path) -> None:
    with folder.replaced_folder(tmp_path / "x.db") as mine:
        (mine / "half").write_text("done")
        solved().save(tmp_path / "x.db")
        assert (mine / "half").exists()
        (mine / "half").unlink()
        (mine / "zarr.json").write_text("{}")
    assert (tmp_path / "x.db" / "zarr.json").read_text() == "{}"
    assert [left.name for left in tmp_path.iterdir()] == ["x.db"]


def test_a_writer_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = solved()
    database.facts["unknown"] = float("nan")
    solved().save(tmp_path / "x.db", "old")

    class Broken(Database):
        def read(self, *_: object) -> np.ndarray:
            raise OSError(errno.ENOSPC, "No space left on device")

    broken = Broken(database.game, database.rule, database.codes)
    with pytest.raises(BadRequest, match=r"cannot be written there: .*No space left"):
        write_database(broken, tmp_path / "x.db", overwrite=True)
    assert [left.name for left in tmp_path.iterdir()] == ["x.db"]
    assert Database.open(tmp_path / "x.db").command == "old"


def test_folders_can_be_replaced_where_they_cannot_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_one: Path, _other: Path) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(folder, "_exchange", refuse)
    solved().save(tmp_path / "x.db", "old")
    solved().save(tmp_path / "x.db", "new", overwrite=True)
    assert Database.open(tmp_path / "x.db").command == "new"
    assert [left.name for left in tmp_path.iterdir()] == ["x.db"]


def test_shards_and_chunks_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(folder, "_sync_one", synced.append)
    write_database(solved(), tmp_path / "x.db", layout=Layout(chunk=100))
    names = {path.name for path in synced}
    assert {"zarr.json", "0", "7", "c", "all", "parts", tmp_path.name} <= names


def test_the_header_of_a_killed_writer_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".x.db.1234abcd.partial").mkdir()
    (tmp_path / "..x.db.1234abcd.partial.header.partial").write_text("{")
    solved().save(tmp_path / "x.db")
    assert [left.name for left in tmp_path.iterdir()] == ["x.db"]
