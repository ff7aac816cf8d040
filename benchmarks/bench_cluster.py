"""Compare two ranks of one thread with one rank, and with one process of two threads: seconds, the least of some runs in turn.

On a machine with other work, `busiest` tells more: the seconds of the processor of the rank that took the most, without waiting.

python benchmarks/bench_cluster.py [--runs N] [GAME[=FORM] | GAME@PARTS]...
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = (
    "pancake:11=values",
    "pancake:12=values",
    "corner-cube=values",
    "corner-cube=product",
    "sliding:3x4=streaming",
    "morris@5-4",
    "awari:12",
)
WAYS = {"1 thread": (0, 1), "2 threads": (0, 2), "1 rank": (1, 1), "2 ranks": (2, 1)}
"""By name: how many ranks (0: without MPI), and threads of each."""


def command(case: str, ranks: int, threads: int, to: Path) -> list[str]:
    """Return the command that solves a case into a folder."""
    whole, _, parts = case.partition("@")
    spec, _, form = whole.partition("=")
    words = ["solve", spec, "--to", str(to), "--threads", str(threads), "--memory", "4GB", "--json"]
    words += ["--solver", "bfs", "--form", form] if form else ["--parts", parts or "all"]
    mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    starter = [str(mpiexec), "-n", str(ranks)] if ranks else []
    return [*starter, sys.executable, "-c", "from searchbench.cli import main; main()", *words]


def measured(case: str, ranks: int, threads: int) -> tuple[float, float]:
    """Return the seconds in which a case is solved, without compiling and writing, and those of the busiest rank."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command(case, ranks, threads, Path(folder) / "db"), capture_output=True, check=True)
        header = json.loads((Path(folder) / "db" / "zarr.json").read_bytes())
    facts = header["attributes"]["searchbench"]["facts"]
    groups = facts.get("groups", {"all": facts}).values()
    return sum(one["seconds"] for one in groups), sum(one.get("busiest", 0.0) for one in groups)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("cases", nargs="*", default=CASES)
given = parser.parse_args()
heads = [*WAYS, "ranks 1/2", "over threads", "busiest 1", "busiest 2", "1/2", "load"]
print(f"{'':16} " + " ".join(f"{head:>12}" for head in heads))
for one in given.cases:
    for numbers in WAYS.values():
        measured(one, *numbers)  # compiled once
    times = {way: (float("inf"), float("inf")) for way in WAYS}
    for _ in range(given.runs):
        for way, numbers in WAYS.items():
            found = measured(one, *numbers)
            times[way] = (min(times[way][0], found[0]), min(times[way][1], found[1]))
    wall, busy = {way: time[0] for way, time in times.items()}, {way: time[1] for way, time in times.items()}
    row = [*wall.values(), wall["1 rank"] / wall["2 ranks"], wall["2 ranks"] / wall["2 threads"]]
    row += [busy["1 rank"], busy["2 ranks"], busy["1 rank"] / busy["2 ranks"], os.getloadavg()[0]]
    print(f"{one:16} " + " ".join(f"{number:12.2f}" for number in row), flush=True)
