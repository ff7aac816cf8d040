"""The program in this process, and small databases that many tests ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from front_program import EXAMPLES, Answer, Program
from searchbench import cli


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return a function that runs a command line in this process."""
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: object) -> Answer:
        capsys.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        return Answer(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of the databases of the three examples and the 8-puzzle, solved by the program."""
    folder = tmp_path_factory.mktemp("databases")
    found = {}
    for name, spec in {**EXAMPLES, "eight": "sliding:3x3"}.items():
        found[name] = folder / f"{name}.db"
        assert cli.run(["solve", spec, "--to", str(found[name])]) == 0
    return found
