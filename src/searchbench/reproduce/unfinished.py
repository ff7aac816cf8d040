"""Work that is killed and goes on, and work that does not fit into the memory (Gasser 1995, sections 3.5 and 4.1)."""

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
from searchbench.store import Database, working

GAME: Final = "pancake:10"
KILLS: Final = 10
PROGRAM: Final = f"import sys; from {__name__} import solve_with_copies; solve_with_copies(*sys.argv[1:])"


def solve_with_copies(to: str, threads: str) -> None:
    """Solve the game into a folder, with a copy of unfinished work whenever there is something new; say when it begins."""
    working.LEAST_SECONDS, working.SHARE = 0.0, 0
    print("ready", flush=True)
    with Run(threads=int(threads), work=Path(f"{to}.work")) as run:
        solve_states(load(GAME), run=run).save(to)


def killed_and_resumed(run: Run) -> dict[str, Any]:
    """Kill a computation at ten random moments; return how often, and whether the database is that of one in peace."""
    moments = random.Random(1995)
    with TemporaryDirectory(prefix="searchbench-") as scratch:
        plain = Path(scratch) / "plain.db"
        begun = time.monotonic()
        _solve_in_a_process(plain, run.threads, None)
        took = time.monotonic() - begun
        kills, tries, same = 0, 0, True
        while kills < KILLS or tries == 0:
            tries += 1
            to = Path(scratch) / f"{tries}.db"
            while kills < KILLS and not _solve_in_a_process(to, run.threads, moments.uniform(0, took / 3)):
                kills += 1
                run.progress("killing", kills, KILLS)
            if not to.exists():
                _solve_in_a_process(to, run.threads, None)
            with Database.open(plain) as one, Database.open(to) as other:
                same = same and np.array_equal(one.codes, other.codes)
    return {"killed": kills, "same database": same}


def _solve_in_a_process(to: Path, threads: int, seconds: float | None) -> bool:
    """Solve in a process that is killed some seconds after it began; return whether it was done before."""
    command = [sys.executable, "-c", PROGRAM, str(to), str(threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            return False


def out_of_core(run: Run) -> dict[str, Any]:
    """Solve the game with a tenth of the memory that its codes take, and compare."""
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
