"""Small databases of several games, an application over them, a server that listens, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import searchbench as sb
from front_program import EXAMPLES
from web_client import LIMITS, Client, make_app, running

SPECS = {
    "eight": "sliding:3x3", "morris": "morris:3,3", "awari": "awari:5", "triangle": "peg-solitaire:triangle,6",
    "token": EXAMPLES["token"], "patience": EXAMPLES["patience"], "coins": EXAMPLES["coins"],
    "noughts": "tic-tac-toe",
}  # fmt: skip


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of some databases."""
    folder = tmp_path_factory.mktemp("explorer")
    for name, spec in SPECS.items():
        sb.solve(spec, to=folder / f"{name}.db", threads=1)
    return {name: folder / f"{name}.db" for name in SPECS}


@pytest.fixture(scope="session")
def databases(folders: dict[str, Path]) -> dict[str, sb.Database]:
    """Return the same databases, opened apart from the server."""
    return {name: sb.open_database(folder) for name, folder in folders.items()}


@pytest.fixture(scope="session")
def client(folders: dict[str, Path]) -> Iterator[Client]:
    """Return a client of a server that takes jobs."""
    with running(make_app(folders, LIMITS)) as found:
        yield found


@pytest.fixture
def copy(folders: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies a database, so that a test may spoil it."""

    def copied(name: str) -> Path:
        return Path(shutil.copytree(folders[name], tmp_path / folders[name].name))

    return copied
