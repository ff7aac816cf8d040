"""A start is quick: no command imports what it does not need, and what is compiled is told apart."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import searchbench as sb
from front_program import EXAMPLES, Program
from searchbench.cli import app, commands
from searchbench.cli import progress as reporting
from searchbench.cli.progress import Reporter

PROGRAM = """
import sys
from searchbench.cli import run
code = run(sys.argv[1:])
print(code, *sys.modules, file=sys.stderr)
"""
COMPILER = {"numba", "llvmlite"}
STORE = {"zarr", "numcodecs", "yaml", "asyncio", "searchbench.drawing"}


def started(*arguments: object, **environment: str) -> tuple[str, str]:
    """Return what a new process of the program prints, and the modules it has imported."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        capture_output=True, text=True, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    code, _, modules = ended.stderr.splitlines()[-1].partition(" ")
    assert code == "0", ended.stderr
    return ended.stdout, modules


@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        (["--version"], COMPILER | STORE | {"numpy", "rich", "psutil"}),
        (["--help"], COMPILER | STORE | {"numpy", "rich", "psutil"}),
        (["verify", "--help"], COMPILER | STORE | {"numpy", "rich", "psutil"}),
        (["solve", "--help"], COMPILER | STORE | {"rich"}),
        (["games"], COMPILER | STORE | {"rich"}),
        (["solve", EXAMPLES["token"]], COMPILER | STORE | {"rich"}),
        (["stats", "token"], COMPILER | STORE | {"rich"}),
        (["probe", "token", "start"], COMPILER | STORE | {"rich"}),
        (["line", "token", "start"], COMPILER | STORE | {"rich"}),
        (["probe", "eight", "start"], COMPILER | STORE | {"rich"}),
        (["line", "eight", "hardest"], COMPILER | STORE | {"rich"}),
        (["find", "eight", "--hardest"], COMPILER | STORE | {"rich"}),
        (["verify", "token"], COMPILER | STORE | {"rich"}),
        (["solve", "sliding:2x3", "--to", "new"], COMPILER | STORE | {"rich"}),
    ],
    ids=lambda one: " ".join(one if isinstance(one, list) else sorted(one)),
)
def test_a_command_imports_no_more_than_it_needs(
    databases: dict[str, Path], arguments: list[str], spared: set[str], tmp_path: Path
) -> None:
    places = databases | {"new": tmp_path / "new.db"}
    _, modules = started(*(places.get(word, word) for word in arguments))
    assert not spared & set(modules.split())


def test_a_compiled_command_draws_nothing_unasked(tmp_path: Path) -> None:
    _, modules = started("solve", "sliding:3x3", "--to", tmp_path / "new.db")
    assert "numba" in modules.split()
    assert not (STORE - {"yaml"} | {"rich"}) & set(modules.split())


def test_the_table_of_commands_names_each_function_once() -> None:
    names = [name for panel in app.COMMANDS.values() for name in panel]
    assert len(names) == len(set(names))
    for name in names:
        assert commands.first_sentence(app.command_named(name)).endswith(".")
        assert app.command_named(name).__name__ == name.rpartition(" ")[2].replace("-", "_")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("solv sliding:2x2", "no such command: solv: did you mean solve?"),
        ("--verbose", "no such option: --verbose"),
        ("solve sliding:2x2 --treads 2", "no such option: --treads: did you mean --threads?"),
        ("solve sliding:2x2 --thread=2", "no such option: --thread: did you mean --threads?"),
        ("solve sliding:2x2 more", "one word too many: 'more'"),
        ("solve sliding:2x2 --threads two", "--threads: 'two': expected a whole number"),
        ("solve sliding:2x2 --threads 0", "--threads: 0: expected at least 1"),
        ("solve sliding:2x2 --threads -1", "--threads: -1: expected at least 1"),
        ("solve sliding:2x2 --to", "--to: expected a value; one that begins with - is written --to=VALUE"),
        ("games --json=yes", "--json takes no value, not 'yes'"),
        ("search sliding:2x2 --seconds -1", "--seconds: -1: expected at least 0;"),
        ("solve -- sliding:2x2 --json", "one word too many: '--json'"),
        ("abstractions more", "one word too many: 'more'"),
        ("analyse -x", "no such option: analyse -x"),
        ("search sliding:2x2 --seconds soon", "--seconds: 'soon': expected a number"),
        ("serve --port 70000", "--port: 70000: expected 0 to 65535"),
        ("play sliding:2x2 --computer third", "'third': expected one of first, second, none"),
        ("convert somewhere", "required: --to"),
        ("solve", "required: GAME"),
        ("analyse subgoals sliding:2x2", "required: STEP"),
        ("analyse tre", "no such command: analyse tre: did you mean analyse tree?"),
        ("find", "required: DIR"),
    ],
)
def test_wrong_usage_is_told_with_the_right_one(program: Program, words: str, message: str) -> None:
    answer = program(*words.split())
    assert (answer.code, answer.out) == (30, "")
    assert message in answer.err
    assert answer.err.startswith("Usage: searchbench")
    assert "--help" in answer.err


def test_options_stand_anywhere(program: Program) -> None:
    state = "1 0 2 3"
    found = [
        program("search", *words).json["cost"]
        for words in (
            ["sliding:2x2", state, "--json"],
            ["--json", "sliding:2x2", state],
            ["sliding:2x2", "--json", "--nodes", "900", state],
            ["sliding:2x2", "--nodes=900", "--json", "--", state],
        )
    ]
    assert found == [found[0]] * 4


def test_a_value_may_begin_with_a_minus_sign(program: Program, databases: dict[str, Path]) -> None:
    coins = databases["coins"]
    for value in ("-2..4", "-2"):
        assert program("find", coins, "--value", value).out == program("find", coins, f"--value={value}").out != ""
    assert program("find", coins, "--where", "-value>2").out == program("find", coins, "--where=-value>2").out
    assert "expected two numbers" in program("find", coins, "--numbers", "-5-7").err


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
def test_a_stream_may_be_closed(closed: str) -> None:
    number = ("stdin", "stdout", "stderr").index(closed)
    program = f"import os, sys; os.close({number}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    for words, code in ((["solve", "sliding:2x2"], 0), (["solve", "nosuch"], 30)):
        command = [sys.executable, "-c", program, "-c", "from searchbench.cli import main; main()", *words]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == code
        assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
def test_figurines_are_letters_where_the_output_has_none(encoding: str, tmp_path: Path) -> None:
    sb.solve("chess:KQK,3x3", to=tmp_path / "queen.db")
    command = [sys.executable, "-c", "from searchbench.cli import main; main()", "probe", "queen.db", "2Q/3/k1K b"]
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    ended = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    men = "\u2655\u265a\u2654" if encoding == "utf-8" else "QkK"
    assert ended.stdout.decode(encoding).splitlines()[:3] == [f". . {men[0]}", ". . .", f"{men[1]} . {men[2]}"]


def test_help_is_of_the_command(program: Program) -> None:
    for words in (["--help"], ["-h"], ["analyse", "--help"], ["analyse", "tree", "-h"], ["solve", "sliding:2x2", "-h"]):
        answer = program(*words)
        assert (answer.code, answer.err) == (0, "")
        assert answer.out.startswith("Usage: searchbench")
    assert "tree" in program("analyse", "--help").out
    assert "Measurements" in program().out


# --- compiling --------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """Stand for a terminal."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def test_a_terminal_hears_at_once_of_compiling_and_sees_bars_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    import logging

    log = logging.getLogger("searchbench.jit")
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")  # where bars can be drawn
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(reporting, "AFTER", 3600)
    with Reporter() as reporter:
        log.info("compiling emit")
        assert re.fullmatch(r"compiling the rules \(.*\); the next run starts at once\n", screen.getvalue())
        reporter("checking", 1, 2)
    assert "checking" not in screen.getvalue()
    monkeypatch.setattr(reporting, "AFTER", 0.01)
    with Reporter() as reporter:
        reporter("checking", 1, 2)
        limit = time.monotonic() + 20
        while "checking" not in screen.getvalue() and time.monotonic() < limit:
            time.sleep(0.01)
        with reporter.paused():
            pass
        reporter("counting", 1, 2)
    assert "checking" in screen.getvalue()
