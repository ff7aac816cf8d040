"""The command `serve`: what it takes, what it refuses, how it ends; and that everything it needs is in the package."""

from __future__ import annotations

import fnmatch
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from front_program import EXAMPLES, ROOT
from searchbench import cli
from searchbench.cli import explore
from searchbench.store.header import DOCUMENT, KEY
from searchbench.web.app import ASSETS, PAGES
from searchbench.web.library import Library
from searchbench.web.serve import listening
from web_client import Client


@contextmanager
def served(*arguments: object) -> Iterator[tuple[Client, list[str], Any]]:
    """Run the command in a process of its own until the block ends."""
    command = [sys.executable, "-m", "searchbench", "serve", *map(str, arguments), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stdout is not None
        told = []
        for line in process.stdout:
            told.append(line.strip())
            if line.startswith("serving "):
                break
        try:
            yield Client(told[-1].split()[1].rstrip("/").rstrip(";").rstrip("/")), told, process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def test_it_serves_until_it_is_interrupted(folders: dict[str, Path]) -> None:
    with served(folders["token"], folders["eight"], EXAMPLES["coins"], "--trust") as (client, told, process):
        assert [item["name"] for item in client.fetch("/databases")] == ["token", "eight"]
        assert told[0].startswith("token: ")
        assert client.fetch("/games")[0]["name"] == "coins"
        assert client.ask("GET", "/").status == 200
    assert process.returncode == 0


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="there is no such signal here")
def test_it_goes_on_where_a_job_or_a_reader_has_gone(folders: dict[str, Path]) -> None:
    with served(folders["eight"]) as (client, _, process):
        for _ in range(5):  # stopped before it has read its task: the pipe to it is broken
            job = client.post("/jobs", {"kind": "solve", "game": "pancake:4"}).json
            assert client.ask("DELETE", f"/api/v1/jobs/{job['id']}").json["status"] == "stopped"
        process.send_signal(signal.SIGPIPE)  # as writing to a pipe or a socket does that nobody reads any more
        assert client.fetch("/health")["status"] == "ok"
    assert process.returncode == 0


def test_a_folder_stands_for_the_databases_and_certificates_in_it(folders: dict[str, Path], tmp_path: Path) -> None:
    for name in ("noughts", "eight"):
        shutil.copytree(folders[name], tmp_path / f"{name}.db")
    sb.prove("tic-tac-toe", "XX./OO./...").write(tmp_path / "won.cert")
    (tmp_path / "spoiled.db").mkdir()
    (tmp_path / "spoiled.db" / DOCUMENT).write_text(json.dumps({"attributes": {KEY: {}}}))
    shutil.copytree(folders["eight"], tmp_path / "torn.db")
    (tmp_path / "torn.db" / DOCUMENT).write_text("{")
    damaged = b"SPOIL" + (tmp_path / "won.cert").read_bytes()[5:]
    (tmp_path / "lost.cert").write_bytes(damaged)
    (tmp_path / "notes.txt").write_text("not a database")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / DOCUMENT).write_text('{"attributes": {}}')  # an array of some other program
    with served(tmp_path) as (client, told, _):
        assert [item["name"] for item in client.fetch("/databases")] == ["eight", "noughts"]
        assert [item["name"] for item in client.fetch("/certificates")] == ["won"]
        left_out = sorted(line for line in told if "left out" in line)
        assert [any(name in line for line in left_out) for name in ("spoiled.db", "torn.db", "lost.cert")] == [True] * 3
        assert len(left_out) == 3
        assert (
            "the certificate 'lost' was left out when the server started: " in client.get("/certificates/lost").message
        )
        assert "there is no certificate 'torn'" in client.get("/certificates/torn").message
        for name in ("spoiled", "torn"):
            answer = client.get(f"/databases/{name}")
            assert answer.status == 404
            assert f"the database '{name}' was left out when the server started: " in answer.json["detail"]
            assert str(tmp_path) not in answer.text
            assert re.search(r"(?<!\d)/\w+/", answer.json["detail"]) is None
        assert "there is no database 'other'" in client.get("/databases/other").json["detail"]
    assert cli.run(["serve", str(tmp_path / "torn.db"), "--no-browser"]) == 40


def test_what_is_solved_is_kept_where_it_should_be(tmp_path: Path) -> None:
    (tmp_path / "kept" / "rubbish").mkdir(parents=True)
    with served("--keep", tmp_path / "kept") as (client, told, _):
        assert any("left out" in line for line in told)
        name = client.finished(kind="solve", game="hanoi:3")["result"]["database"]
        assert client.fetch(f"/databases/{name}/probe")["value"]["number"] == 7
    (tmp_path / "taken").write_text("a file")
    assert cli.run(["serve", "--keep", str(tmp_path / "taken"), "--no-browser"]) == 30
    with served("--keep", tmp_path / "kept", "--read-only") as (client, told, _):
        assert "(read only)" in told[-1]
        (item,) = client.fetch("/databases")
        assert item["game"] == "hanoi:3,3"
        assert item["name"] == name  # a link stays good
        assert client.post("/jobs", {"kind": "solve", "game": "hanoi:3"}).status == 400


def test_what_was_solved_is_gone_at_the_end_if_it_was_not_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with served() as (client, _, _process):
        client.finished(kind="solve", game="hanoi:3")
        assert list(tmp_path.rglob("*.db"))
    assert not list(tmp_path.rglob("*.db"))


def test_a_predicate_of_the_users_own_is_offered(folders: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def together(position):\n    return position.state[0] == position.state[1]\n")
    with served(folders["token"], "--trust", "--predicate", f"{tmp_path / 'mine.py'}:together") as (
        client,
        _,
        _process,
    ):
        assert client.fetch("/databases/token")["predicates"] == ["together"]
        page = client.fetch("/databases/token/find", predicate="together", limit=100)
        assert len(page["states"]) == 12


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere.db"], 30, "no such database"),
        (["draughts:8x8"], 30, "unknown game"),
        ([str(ROOT / "docs")], 40, "no searchbench database"),
        (["--predicate", "nothing.py:f"], 30, "there is no file"),
        (["--cache", "much"], 30, "expected a number with a unit"),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_starts(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str], folders: dict[str, Path]
) -> None:
    database = [str(folders["eight"])] if "--cache" in arguments else []
    assert cli.run(["serve", "--no-browser", *arguments, *database]) == code
    assert words in capsys.readouterr().err


def test_the_file_that_a_database_names_is_run_only_with_consent(
    folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, _, name = EXAMPLES["token"].rpartition(":")
    mine = shutil.copy(source or name, tmp_path / "mine.py")
    spec = f"{mine}:{name}" if source else str(mine)
    database = tmp_path / "mine.db"
    sb.solve(spec, to=database, threads=1)
    with open(mine, "a") as file:
        file.write(f"\nopen({str(tmp_path / 'ran')!r}, 'w').close()\n")
    arguments = ["serve", "--no-browser", "--port", "0", str(database)]
    assert cli.run(arguments) == 30
    told = capsys.readouterr().err
    assert "mine.py" in told
    assert "--trust" in told
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    assert cli.run(arguments) == 30
    assert not (tmp_path / "ran").exists()
    library = Library({}, trust=True)
    library.add(database)
    assert (tmp_path / "ran").exists()
    (tmp_path / "ran").unlink()
    Library({}, database_games=[sb.load(spec)]).add(database)
    with pytest.raises(sb.errors.BadRequest, match="--trust"):
        Library({}, {"other": sb.load("hanoi:3")}).add(database)
    asking = Library({})
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    explore._ask(asking, database)
    asking.add(database)


class Terminal(io.StringIO):
    """Stand for a terminal on which somebody types."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert cli.run(["serve", "--no-browser", "--port", str(port)]) == 30
        assert f"127.0.0.1:{port} cannot be served" in capsys.readouterr().err


def test_all_that_the_pages_use_is_in_the_package() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["searchbench"]
    files = {file.name for file in ASSETS.iterdir()}
    for name in files:
        assert any(fnmatch.fnmatch(f"web/assets/{name}", pattern) for pattern in patterns)
    assert {*PAGES.values(), "missing.html"} <= files
    used = set()
    for file in ASSETS.glob("*.*"):
        text = file.read_text()
        used |= set(re.findall(r'"/assets/([\w.]+)"', text)) | set(re.findall(r'from "\./([\w.]+)"', text))
    assert used <= files | {"drawing.css"}
    assert files - used <= {*PAGES.values(), "missing.html"}
