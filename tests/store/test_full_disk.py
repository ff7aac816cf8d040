"""Where no room is left, a message names what cannot be written, and nothing is left behind."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench.errors import BadRequest
from searchbench.learning import export, write_table
from searchbench.store.certificate import write_certificate
from searchbench.store.folder import replaced_file
from searchbench.store.working import WorkingFolder
from searchbench.store.writing import is_database

WRITERS: dict[str, Callable[[Path], Any]] = {
    "x.parquet": lambda path: export(sb.solve("hanoi:3"), path),
    "x.npz": lambda path: write_table(sb.solve("hanoi:3"), path),
    "x.cert": lambda path: write_certificate(sb.prove("tic-tac-toe"), path),
    "x.db": lambda path: sb.solve("hanoi:3", to=path),
    "parts.db": lambda path: sb.solve("tic-tac-toe", to=path, parts="all"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_cannot_be_written_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as there:
        there.setattr(os, "replace", full)
        with pytest.raises(
            BadRequest, match=rf"{name}: the (file|database) cannot be written.*No space left on device"
        ):
            WRITERS[name](tmp_path / name)
    assert {file.name for file in tmp_path.iterdir()} <= {"parts.db"}
    WRITERS[name](tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_file_that_cannot_be_read_meanwhile_is_not_told_as_unwritable(tmp_path: Path) -> None:
    other = tmp_path / "other"
    with pytest.raises(FileNotFoundError, match="other"), replaced_file(tmp_path / "x.npz"):
        other.read_bytes()
    with (
        pytest.raises(BadRequest, match=r"x\.npz: the file cannot be written"),
        replaced_file(tmp_path / "none" / "x.npz") as fresh,
    ):
        fresh.write_bytes(b"")
    assert list(tmp_path.iterdir()) == []


def test_a_proof_that_cannot_be_written_is_kept_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have taken hours: the message names the file, which is a certificate."""
    replace, spare = os.replace, tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))

    def full(fresh: Path, path: Path) -> None:
        if not Path(path).is_relative_to(spare):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(fresh, path)

    proof = sb.prove("tic-tac-toe")
    with monkeypatch.context() as there:
        there.setattr(os, "replace", full)
        with pytest.raises(BadRequest, match="No space left on device; the proof is kept in ") as error:
            write_certificate(proof, tmp_path / "x.cert")
    kept = Path(str(error.value).rpartition("is kept in ")[2])
    assert kept.parent.parent == spare
    write_certificate(proof, tmp_path / "x.cert")
    assert kept.read_bytes() == (tmp_path / "x.cert").read_bytes()


def test_where_no_folder_has_room_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    proof = sb.prove("tic-tac-toe")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(BadRequest, match="nor can it be kept in the folder for temporary files"):
        write_certificate(proof, tmp_path / "x.cert")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_written_into_a_database_or_where_nothing_can_be(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "outer.db"
    sb.solve("hanoi:3", to=database)
    before = sorted(database.rglob("*"))
    for folder in (database, database / "deeper"):
        with pytest.raises(BadRequest, match=rf"{name} lies in the database {database}, which has nothing but its own"):
            WRITERS[name](folder / name)
    assert sorted(database.rglob("*")) == before
    with pytest.raises(BadRequest, match=r"lies in the database"):
        sb.solve("hanoi:3", to=tmp_path / "x.db", work=database / "work")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BadRequest, match=rf"{name}: nothing can be written in the folder {tmp_path}"):
        WRITERS[name](tmp_path / name)


@pytest.mark.parametrize("name", WRITERS)
def test_links_to_a_database_are_read_and_never_written_through(name: str, tmp_path: Path) -> None:
    database, link, around = tmp_path / "outer.db", tmp_path / "link.db", tmp_path / "around"
    sb.solve("hanoi:3", to=database)
    link.symlink_to(database, target_is_directory=True)
    around.symlink_to(tmp_path, target_is_directory=True)
    assert is_database(link)
    assert sb.open_database(link).count() == sb.open_database(database).count()
    before = sorted(database.rglob("*"))
    for folder in (link, link / "deeper", around / "outer.db"):
        with pytest.raises(BadRequest, match=rf"{name} lies in the database .*, which has nothing but its own"):
            WRITERS[name](folder / name)
    for overwrite in (False, True):
        with pytest.raises(BadRequest, match=rf"link.db is a link to {database}, which is left alone: name the place"):
            sb.solve("hanoi:3", to=link, overwrite=overwrite)
    assert sorted(database.rglob("*")) == before
    assert link.is_symlink()


def test_links_that_go_round_are_told(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    with pytest.raises(BadRequest, match=r"one is a link to .*two, which is left alone"):
        sb.solve("hanoi:3", to=tmp_path / "one")
    with pytest.raises(BadRequest, match=r"the folder .*one cannot be made: File exists"):
        sb.solve("hanoi:3", to=tmp_path / "one" / "x.db")


def test_a_disk_that_cannot_be_written_is_told_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    told = r"x\.npz: the file cannot be written: Read-only file system"
    with pytest.raises(BadRequest, match=told), replaced_file(tmp_path / "x.npz") as fresh:
        refuse(fresh)
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(BadRequest, match="work: unfinished work cannot be written: Read-only file system"):
        WorkingFolder(tmp_path / "work", {})._claim()
