"""A rule that does not return is told, and Ctrl-C ends the program wherever it is."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from searchbench.store.working import RECORD, WorkingFolder

GAME = '''\
from dataclasses import dataclass
import searchbench as sb


@dataclass(frozen=True)
class Endless(sb.Game):
    """Count down; in one state the moves are never found."""

    name = "endless"
    width = 1
    max_moves = 1

    def index(self):
        return sb.index.Radix((9,))

    def rules(self):
        def start(state):
            state[0] = 8

        def terminal(state):
            return 0 if state[0] == 0 else sb.UNDECIDED

        def moves(state, out):
            while state[0] == 4:
                out[0] = 2
            out[0] = 1
            return 1

        def play(state, move):
            state[0] -= move

        def unplay(state, move):
            state[0] += move

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}
'''

PROGRAM = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
from searchbench.cli import app, watching
watching.watch.__defaults__ = (False, 0.3)
app.main()
"""

MACHINE_CODE = """\
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
from numba import njit
from searchbench.cli import watching
from searchbench.run import Run

@njit(nogil=True)
def count(step):
    found = 0
    while step != 0:
        found += step
    return found

count(0)
watching.watch(130, checks=True)
threading.Timer(0.5, lambda: print("begun", file=sys.stderr, flush=True)).start()
with Run(threads=int(sys.argv[1])) as run:
    run.map(count, [1, 1])
"""


KEEPING = """\
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
import numpy as np
from searchbench.cli import watching
from searchbench.store import working

def slowly(handle):
    print("begun", file=sys.stderr, flush=True)
    time.sleep(2)

kind = sys.argv[2]
if kind == "writing":
    working._drop = slowly
watching.GRACE = watching.UNTOLD = 0.2
watching.ECHO = float(sys.argv[3]) if len(sys.argv) > 3 else 0.1
watching.watch(130)
with working.WorkingFolder(Path(sys.argv[1]), {}) as folder:
    begun = time.monotonic()
    while kind != "writing" and not folder.due:
        if kind == "slow":
            time.sleep(1.5)
        if begun:
            begun = print("begun", file=sys.stderr, flush=True)
        time.sleep(1 if kind == "slow" else 0.01)
    try:
        if kind != "beside":
            folder.commit({"kept": 1}, {"some": np.zeros(9)})
    except KeyboardInterrupt:
        sys.exit(130)
time.sleep(60)
"""


def started(*words: str) -> subprocess.Popen[str]:
    """Start Python."""
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def interrupted(process: subprocess.Popen[str], told: str, number: int = signal.SIGINT) -> str:
    """Interrupt a program when it has told something; return what it tells then. It must end as documented."""
    assert process.stderr is not None
    line = process.stderr.readline()
    process.send_signal(number)
    _, rest = process.communicate(timeout=30)
    assert told in line
    assert process.returncode == 130, rest
    return rest


@pytest.mark.parametrize("command", ["check", "solve"])
def test_a_rule_that_does_not_return_is_named(tmp_path: Path, command: str) -> None:
    (tmp_path / "endless.py").write_text(GAME)
    process = started("-c", PROGRAM, command, str(tmp_path / "endless.py"))
    rest = interrupted(process, "endless.py, line 24: `moves` has not returned for 0.3 s in the state [4]")
    assert rest == "searchbench: interrupted\n"


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.long), 2])
def test_machine_code_that_does_not_return_is_ended(threads: int) -> None:
    assert "in the middle of a call" in interrupted(started("-c", MACHINE_CODE, str(threads)), "begun")


@pytest.mark.parametrize(
    ("kind", "number"),
    [("quick", signal.SIGTERM), ("quick", signal.SIGHUP), ("slow", signal.SIGINT), ("writing", signal.SIGTERM)],
)
def test_work_is_kept_at_the_next_safe_point(kind: str, number: int, tmp_path: Path) -> None:
    rest = interrupted(started("-c", KEEPING, str(tmp_path / "work"), kind), "begun", number)
    assert "in the middle of a call" not in rest
    assert ("it ends as soon as unfinished work can be kept" in rest) == (kind != "quick")
    with WorkingFolder(tmp_path / "work", {}) as folder:
        assert folder.record == {"kept": 1}
        assert folder.copy_of("some").tolist() == [0] * 9


@pytest.mark.parametrize("kind", ["slow", "writing"])
def test_a_second_signal_ends_it_at_once(kind: str, tmp_path: Path) -> None:
    process = started("-c", KEEPING, str(tmp_path / "work"), kind)
    assert process.stderr is not None
    assert process.stderr.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert "as soon as unfinished work can be kept" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert "in the middle of a call" in process.communicate(timeout=30)[1]
    assert process.returncode == 130
    assert not (tmp_path / "work" / RECORD).exists()


@pytest.mark.parametrize("kind", [pytest.param("slow", marks=pytest.mark.long), "writing"])
def test_a_signal_that_comes_twice_at_once_is_one(kind: str, tmp_path: Path) -> None:
    process = started("-c", KEEPING, str(tmp_path / "work"), kind, "10")
    assert process.stderr is not None
    assert process.stderr.readline() == "begun\n"
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.02)
    assert "in the middle of a call" not in process.communicate(timeout=30)[1]
    assert process.returncode == 130
    with WorkingFolder(tmp_path / "work", {}) as folder:
        assert folder.record == {"kept": 1}


@pytest.mark.parametrize("command", ["check", "solve"])
def test_a_signal_that_comes_twice_without_work_at_stake_is_one(tmp_path: Path, command: str) -> None:
    (tmp_path / "endless.py").write_text(GAME)
    process = started("-c", PROGRAM, command, str(tmp_path / "endless.py"))
    assert process.stderr is not None
    assert "has not returned" in process.stderr.readline()
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
    assert process.communicate(timeout=30)[1] == "searchbench: interrupted\n"
    assert process.returncode == 130


def test_what_goes_on_when_its_work_is_kept_is_interrupted(tmp_path: Path) -> None:
    process = started("-c", KEEPING, str(tmp_path / "work"), "beside")
    assert process.stderr is not None
    assert process.stderr.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1].endswith("KeyboardInterrupt\n")
