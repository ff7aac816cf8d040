"""A rule that does not return is told, and Ctrl-C ends the program wherever it is."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from searchbench.store.working import WorkingFolder

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
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
import numpy as np
from searchbench.cli import watching
from searchbench.store import working

def slowly(handle):
    print("begun", file=sys.stderr, flush=True)
    time.sleep(2)

working._drop = slowly
watching.GRACE = 0.2
watching.watch(130)
with working.WorkingFolder(Path(sys.argv[1]), {}) as folder:
    try:
        if sys.argv[2] == "later":
            print("begun", file=sys.stderr, flush=True)
            time.sleep(60)
    except KeyboardInterrupt:
        pass
    try:
        folder.commit({"kept": 1}, {"some": np.zeros(9)})
    except KeyboardInterrupt:
        folder.commit({"kept": 2}, {"some": np.zeros(9)})
sys.exit(130)
"""


def started(*words: str) -> subprocess.Popen[str]:
    """Start Python."""
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def interrupted(process: subprocess.Popen[str], told: str) -> str:
    """Interrupt a program when it has told something; return what it tells then. It must end as documented."""
    assert process.stderr is not None
    line = process.stderr.readline()
    process.send_signal(signal.SIGINT)
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


@pytest.mark.parametrize("threads", [1, 2])
def test_machine_code_that_does_not_return_is_ended(threads: int) -> None:
    assert "in the middle of a call" in interrupted(started("-c", MACHINE_CODE, str(threads)), "begun")


@pytest.mark.parametrize(("moment", "kept"), [("at once", 2), ("later", 1)])
def test_unfinished_work_is_written_to_the_end(moment: str, kept: int, tmp_path: Path) -> None:
    rest = interrupted(started("-c", KEEPING, str(tmp_path / "work"), moment), "begun")
    assert "in the middle of a call" not in rest
    with WorkingFolder(tmp_path / "work", {}) as folder:
        assert folder.record == {"kept": kept}
        assert folder.copy_of("some").tolist() == [0] * 9


def test_a_second_interrupt_ends_the_writing_too(tmp_path: Path) -> None:
    process = started("-c", KEEPING, str(tmp_path / "work"), "later")
    assert process.stderr is not None
    for _ in range(2):
        assert process.stderr.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
    assert "in the middle of a call" in process.communicate(timeout=30)[1]
    assert process.returncode == 130
    with WorkingFolder(tmp_path / "work", {}) as folder:
        assert folder.record == {}
