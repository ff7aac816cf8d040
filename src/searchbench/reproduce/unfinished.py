"""Rows on work that is killed and resumed, and work that does not fit into memory (Gasser 1995, sections 3.5 and 4.1)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from searchbench.catalogue import load
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

GAME: Final = "pancake:9"
KILLS: Final = 10
PROGRAM: Final = f"""
import sys
from {__name__} import solve_with_copies
print("ready", flush=True)
solve_with_copies(*sys.argv[1:])
"""


def solve_with_copies(to: str, threads: str) -> None:
    """Solve the game into a folder, saving the unfinished work as often as possible."""
    with Run(threads=int(threads), work=Path(f"{to}.work"), checkpoint_interval=0) as run:
        solve_states(load(GAME), run=run).save(to)


def killed_and_resumed(run: Run) -> dict[str, Any]:
    """Kill a computation at ten random moments; return how often, and whether the database equals an undisturbed one."""
    moments = random.Random(1995)
    with TemporaryDirectory(prefix="searchbench-") as scratch:
        plain = Path(scratch) / "plain.db"
        took = _seconds_in_peace(plain, run.threads)
        kills, tries, same = 0, 0, True
        while kills < KILLS:
            tries += 1
            to = Path(scratch) / f"{tries}.db"
            while kills < KILLS and not to.exists():
                kills += not _solve_in_a_process(to, run.threads, moments.uniform(0, took))
                run.progress("killing", kills, KILLS)
            if not to.exists():
                _solve_in_a_process(to, run.threads, None)
            with Database.open(plain) as one, Database.open(to) as other:
                same = same and np.array_equal(one.codes, other.codes)
    return {"killed": kills, "same database": same}


def _seconds_in_peace(to: Path, threads: int) -> float:
    """Return the seconds that an undisturbed process takes to solve the game, from the start of the work."""
    with _begun(to, threads) as process:
        begun = time.monotonic()
        process.wait()
        return time.monotonic() - begun


def _begun(to: Path, threads: int) -> subprocess.Popen[bytes]:
    """Start a process that solves the game; return it when the work begins."""
    command = [sys.executable, "-P", "-c", PROGRAM, str(to), str(threads)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def _solve_in_a_process(to: Path, threads: int, seconds: float | None) -> bool:
    """Solve in a process that is killed `seconds` after its work began; return whether it finished before."""
    with _begun(to, threads) as process:
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            return False


def out_of_core(run: Run) -> dict[str, Any]:
    """Solve the game with a tenth of the memory of its codes, and compare."""
    game = load(GAME)
    whole = solve_states(game, run=Run(threads=run.threads, report=run.report))
    with TemporaryDirectory(prefix="searchbench-") as scratch:
        tight = Run(len(whole.codes) // 10, run.threads, run.report, Path(scratch) / "work")
        before = os.times()
        found = solve_states(game, run=tight)
        after = os.times()
        return {
            "same database": bool(np.array_equal(whole.codes, found.codes)),
            "codes in files": bool(found.facts.get("on files", False)),
            "I/O dominates": after.system - before.system > after.user - before.user,
        }
