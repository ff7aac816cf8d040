"""A database that names a Python file does not run it before the user has agreed: by having run it, by naming it, by `trust`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import searchbench as sb
from front_program import EXAMPLES, ROOT, Program
from searchbench import consent
from searchbench.errors import NoConsent
from searchbench.store import header as head
from searchbench.store.opening import open_salvaged

MARK = "\nfrom pathlib import Path\nPath(__file__).with_name('ran').touch()\n"


@pytest.fixture
def received(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder as somebody else sent it: a game that tells when it is run, a database and a certificate of it."""
    made = tmp_path / "made"
    made.mkdir()
    shutil.copy(EXAMPLES["token"], made / "tokens.py")
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path / "theirs"))
    monkeypatch.chdir(made)
    sb.solve("tokens.py", to="token.db", threads=1)
    sb.prove("tokens.py", "l b").write("token.cert")
    sent = shutil.copytree(made, tmp_path / "sent")
    shutil.rmtree(made)
    (sent / "tokens.py").write_text((sent / "tokens.py").read_text() + MARK)
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path / "mine"))
    monkeypatch.setattr(consent, "_run", set())
    monkeypatch.chdir(tmp_path)
    return sent


OPENING: dict[str, Callable[[Path], object]] = {
    "database": lambda sent: sb.open_database(sent / "token.db"),
    "class": lambda sent: sb.Database.open(sent / "token.db"),
    "certificate": lambda sent: sb.open_certificate(sent / "token.cert"),
    "repair": lambda sent: sb.repair(sent / "token.db"),
    "salvage": lambda sent: open_salvaged(sent / "token.db"),
    "environment": lambda sent: sb.environment(sent / "token.db"),
    "leaves": lambda sent: sb.prove("tic-tac-toe", leaves=sent / "token.db"),
}


@pytest.mark.parametrize("way", OPENING)
def test_a_file_that_was_never_run_is_not_run(received: Path, way: str) -> None:
    with pytest.raises(
        NoConsent, match=r"runs that file, which you have not run before.*--game .*tokens.py:CLASS.*trust=True"
    ):
        OPENING[way](received)
    assert not (received / "ran").exists()


def test_trust_runs_it_and_is_remembered(received: Path) -> None:
    assert sb.open_database(received / "token.db", trust=True).states == 144
    assert (received / "ran").exists()
    assert sb.open_database(received / "token.db").states == 144
    assert sb.open_certificate(received / "token.cert").verify


def test_naming_the_file_is_consent(received: Path) -> None:
    assert sb.open_database(received / "token.db", f"{received}/tokens.py:Token").states == 144


def test_who_has_run_the_file_has_agreed(received: Path) -> None:
    sb.load(f"{received}/tokens.py")
    assert sb.open_database(received / "token.db").states == 144


def test_a_file_that_was_replaced_is_another_one(received: Path) -> None:
    """The same place may hold something else the next time."""
    place = received / "tokens.py"
    sb.load(f"{place}")
    (received / "ran").unlink()
    harmless = place.read_text()
    place.write_text(f"{harmless}# changed\n")
    with pytest.raises(NoConsent, match="not run before"):
        sb.open_database(received / "token.db")
    assert not (received / "ran").exists()
    place.write_text(harmless)
    assert sb.open_database(received / "token.db").states == 144
    place.write_text(f"{harmless}# changed\n")
    sb.load(f"{place}")
    assert sb.open_database(received / "token.db").states == 144


def test_another_process_remembers(received: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sb.load(f"{received}/tokens.py")
    monkeypatch.setattr(consent, "_run", set())
    code = "import sys, searchbench as sb; print(sb.open_database(sys.argv[1]).states)"
    command = [sys.executable, "-c", code, str(received / "token.db")]
    environment = {"PYTHONPATH": str(ROOT / "src"), "SEARCHBENCH_CACHE": str(received.parent / "mine")}
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == "144\n"


def test_a_header_without_the_place_of_the_file_is_no_way_round(
    received: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads((received / "token.db" / head.DOCUMENT).read_text())
    del document["attributes"][head.KEY]["game"]["file"]
    document["attributes"][head.KEY]["digest"] = head.metadata_digest(received / "token.db", document)
    (received / "token.db" / head.DOCUMENT).write_text(json.dumps(document))
    monkeypatch.chdir(received)  # where the game's own text, tokens.py, leads to the file
    with pytest.raises(NoConsent):
        sb.open_database("token.db")
    assert not (received / "ran").exists()


def test_the_command_line_refuses_asks_and_takes_the_games_name(
    received: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = program("stats", received / "token.db")
    assert answer.code == 30
    assert f"--game {received}/tokens.py:CLASS" in answer.err
    questions = []

    def answered(yes: bool) -> None:
        monkeypatch.setattr(consent, "ask_with", lambda question: None)
        monkeypatch.setattr(consent, "_asking", [lambda *asked: questions.append(asked) or yes])

    answered(False)
    assert program("stats", received / "token.db").code == 30
    assert not (received / "ran").exists()
    answered(True)
    assert program("stats", received / "token.db").code == 0
    assert questions == [(received / "token.db", received / "tokens.py")] * 2
    assert program("probe", received / "token.db", "start").code == 0
    assert len(questions) == 2  # asked once


def test_the_command_line_takes_the_games_name(received: Path, program: Program) -> None:
    assert program("stats", received / "token.db", "--game", f"{received}/tokens.py:Token").code == 0


def test_trust_is_for_one_command(received: Path, program: Program) -> None:
    assert program("stats", received / "token.db", "--trust").code == 0
    (received / "tokens.py").write_text((received / "tokens.py").read_text() + "\n")  # another file from now on
    with pytest.raises(NoConsent):
        sb.open_database(received / "token.db")


@pytest.mark.parametrize("words", [["stats"], ["verify", "--no-progress"], ["solve", "tic-tac-toe", "--take"]])
def test_the_command_line_trusts_when_told_to(received: Path, program: Program, words: list[str]) -> None:
    assert program(*words, received / "token.db").code == 30
    assert not (received / "ran").exists()
    program(*words, received / "token.db", "--trust")
    assert (received / "ran").exists()


@pytest.mark.parametrize(("typed", "agreed"), [("y\n", True), ("yes\n", True), ("\n", False), ("no\n", False)])
def test_the_question_on_a_terminal(typed: str, agreed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from searchbench.cli.app import _may_run

    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert _may_run(Path("a.db"), Path("game.py")) is agreed


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path / "file"))
    shutil.copy(EXAMPLES["token"], tmp_path / "mine.py")
    assert sb.load(f"{tmp_path}/mine.py").name == "token"
    assert consent.is_known(tmp_path / "mine.py")
