"""Measure what a start of the program takes: CPU seconds of a first start, with nothing compiled, and of a later one.

Run ``python benchmarks/bench_start.py``; ``--later`` leaves out first starts, and words choose the commands that hold
them. A later start is the least of ``--times`` (by default 7), of all commands in turn, so that other work on the machine
weighs on all of them alike. Kernels are kept in a folder of the benchmark's own, byte code where Python keeps it.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
COMMANDS = (
    "--version",
    "--help",
    "games",
    "solve sliding:2x3",
    f"solve {EXAMPLES}/tokens.py",
    "solve sliding:3x3",
    "solve sliding:2x5",
    "solve chess:KQKR,5,5",
    "search sliding:4x4",
    "prove tic-tac-toe",
    "stats eight.db",
    "probe eight.db start",
    "line eight.db hardest",
    "verify eight.db",
)


def cpu_seconds(command: str, folder: Path) -> float:
    """Return the seconds of the processor that a process of the program takes."""
    environment = {**os.environ, "SEARCHBENCH_CACHE": str(folder / "kernels")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    program = [sys.executable, "-c", "from searchbench.cli import main; main()", *command.split()]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(program, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure the commands, and print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only commands that hold one of these")
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--later", action="store_true", help="leave out first starts")
    asked = parser.parse_args()
    chosen = [one for one in COMMANDS if not asked.words or any(word in one for word in asked.words)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cpu_seconds("solve sliding:3x3 --to eight.db", folder)
        first: dict[str, float] = {}
        for command in chosen:
            if not asked.later:
                shutil.rmtree(folder / "kernels", ignore_errors=True)
                first[command] = cpu_seconds(command, folder)
        for command in chosen:
            cpu_seconds(command, folder)
        rounds = [[cpu_seconds(command, folder) for command in chosen] for _ in range(asked.times)]
    print(f"{'command':40} {'first, CPU s':>13} {'later, CPU s':>13}")
    for command, later in zip(chosen, map(min, zip(*rounds, strict=True)), strict=True):
        begun = f"{first[command]:.2f}" if first else "-"
        print(f"{command.replace(f'{EXAMPLES}/', 'examples/'):40} {begun:>13} {later:>13.2f}")


if __name__ == "__main__":
    main()
