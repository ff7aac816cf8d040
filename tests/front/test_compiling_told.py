"""Commands tell the time that compiling takes apart from their own, and no limit counts it."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from searchbench.cli import compiling
from searchbench.cli.compiling import Notice
from searchbench.cli.progress import Reporter

LONG = "2 3 4 8 5 11 9 7 6 10 0 1"  # 405,119 nodes: no glance finds its line


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["search", "sliding:3x4", LONG, "--method", "idastar", "--seconds", "2"], "searched"),
        (["prove", "connect4:4x4", "--method", "dfpn", "--no-evidence", "--seconds", "5"], "proved"),
    ],
)
def test_compiling_is_told_apart_and_no_limit_counts_it(arguments: list[str], told: str, tmp_path: Path) -> None:
    for first in (True, False):
        ended = subprocess.run(
            [sys.executable, "-c", "from searchbench.cli import main; main()", *arguments],
            capture_output=True, text=True, check=True, env={**os.environ, "SEARCHBENCH_CACHE": str(tmp_path)},
        )  # fmt: skip
        match = re.search(rf"compiled in ([\d.]+) s, {told} in ([\d.]+) s", ended.stdout)
        assert (match is not None) == first, ended.stdout
        if match is not None:
            assert float(match[1]) > float(match[2])


def started(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own whose output goes into pipes."""
    return subprocess.run(
        [sys.executable, "-c", "from searchbench.cli import main; main()", *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, "SEARCHBENCH_CACHE": str(cache)},
    )  # fmt: skip


@pytest.mark.long
def test_a_pipe_hears_of_compiling_once_where_it_lasts(tmp_path: Path) -> None:
    words = ("solve", "awari:6", "--json")
    first, second = (started(tmp_path, *words) for _ in range(2))
    assert re.fullmatch(r"compiling the rules \(.*\); the next run starts at once\n", first.stderr), first.stderr
    assert (first.stdout.count("\n"), second.stderr) == (1, "")


@pytest.mark.long
def test_where_code_cannot_be_kept_no_quick_start_is_promised(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    answer = started(tmp_path / "file", "solve", "awari:6")
    assert re.fullmatch(r"compiling the rules \(.*\); the next run compiles again: no cache .*\n", answer.stderr)


@pytest.mark.parametrize(("seconds", "rank", "says"), [(2.0, 0, True), (2.0, 1, False), (0.1, 0, False)])
def test_the_first_rank_alone_tells_of_compiling_that_lasts(
    seconds: float, rank: int, says: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, seconds, seconds, 2 * seconds])
    monkeypatch.setattr("searchbench.jit.compile_seconds", lambda: next(clock))
    monkeypatch.setattr(compiling, "PATIENCE", 0.5)
    monkeypatch.setattr(compiling, "_is_first_rank", lambda: rank == 0)
    notice = Notice()
    for kernel in ("compiling emit", "compiling apply"):
        assert notice.filter(logging.makeLogRecord({"levelno": logging.INFO, "msg": kernel}))
    assert notice.filter(logging.makeLogRecord({"levelno": logging.WARNING, "msg": "an entry was dropped"}))
    time.sleep(1)
    told = capsys.readouterr().err
    assert (told.count("\n"), told.startswith("compiling the rules (")) == ((1, True) if says else (0, False))


@pytest.mark.parametrize(("shown", "wanted"), [(True, False), (False, False), (None, True)])
def test_a_reporter_decides_whether_it_is_told_later(
    shown: bool | None, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who sees progress hears of compiling at once."""
    monkeypatch.setattr(compiling, "NOTICE", Notice())
    with Reporter(shown):
        assert compiling.NOTICE.wanted == wanted
