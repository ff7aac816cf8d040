"""Where no room is left, a message names what cannot be written, and nothing is left behind."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench.errors import BadRequest
from searchbench.learning import export, write_table
from searchbench.store.certificate import write_certificate

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
