"""Feature-space search on Sokoban: every level of a collection, ten minutes each, with all threads on one level after the other.

The levels do not come with searchbench: `rolling_stone` tells where those of XSokoban are looked for; those of Microban are
in the file that the environment variable SEARCHBENCH_MICROBAN names. What comes of each level is written to the row's folder of
unfinished work at once, one JSON object to a line, and not searched again with the same limit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.reproduce.rolling_stone import at_least, levels_file, searched
from searchbench.reproduce.row import Cost, Measured, Row
from searchbench.run import Limits, Run
from searchbench.solvers.guided.featurespace import FeatureSpace

SECONDS: Final = 600
MICROBAN: Final = "SEARCHBENCH_MICROBAN"
SEEDS: Final = {"seed 1": 90, "seed 2": 90}


def microban_file() -> str:
    """Return the path of the levels of Microban. Raises BadRequest."""
    path = Path(os.environ.get(MICROBAN, "microban1_155.xsb"))
    if not path.is_file():
        raise BadRequest(f"no file {path}: set {MICROBAN} to the file of the 155 levels of Microban")
    return str(path)


def collection(
    file: str, count: int, name: str, run: Run, seconds: float = SECONDS, configuration: FeatureSpace | None = None
) -> Measured:
    """Return how many levels of a file are solved."""
    chosen = configuration or FeatureSpace()
    path = None if run.work is None else run.work / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path and path.exists() else []
    known = {row["level"]: row for row in rows if row["limit"] == seconds}
    for number in range(1, count + 1):
        if number not in known:
            found = searched(load(f"sokoban:{file}#{number}"), chosen, Limits(0, seconds), run.threads)
            known[number] = {"level": number, "limit": seconds} | found
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a") as kept:
                    kept.write(json.dumps(known[number]) + "\n")
        run.progress(name, number, count)
    solved = sum(row["status"] == "solved" for row in known.values())
    nodes, spent = sum(row["nodes"] for row in known.values()), sum(row["cpu"] for row in known.values())
    return Measured(solved, [Cost(f"{name}: {solved} of {count}", nodes, spent, 0, 0)])


def xsokoban(run: Run) -> Measured:
    """Return how many of the 90 levels of XSokoban are solved."""
    return collection(levels_file(), 90, "xsokoban", run)


def other_seeds(run: Run, names: Sequence[str]) -> Measured:
    """Return how many of the 90 levels are solved with each of some seeds."""
    figures, costs = {}, []
    for name in names:
        found = collection(levels_file(), 90, name, run, configuration=FeatureSpace(seed=int(name.split()[1])))
        figures[name] = found.figures
        costs += found.costs
    return Measured(figures, costs)


def microban(run: Run) -> Measured:
    """Return how many of the 155 levels of Microban are solved."""
    return collection(microban_file(), 155, "microban", run, 60)


ROWS = [
    Row(
        "J8", "levels of XSokoban solved in ten minutes each", "beyond the paper: the best published solver", 90, xsokoban,
        at_least, note="by feature-space search alone", long=True,
    ),
    Row(
        "J8-seeds", "levels of XSokoban solved in ten minutes each, with other chance",
        "beyond the paper: the best published solver",
        SEEDS, other_seeds, at_least, note="J8 has seed 0; three of the twelve strategies are left to chance", long=True,
        parts=tuple(SEEDS),
    ),
    Row(
        "J8-microban", "levels of Microban solved in a minute each", "all of them can be solved", 155, microban,
        at_least, note="by feature-space search alone", long=True,
    ),
]  # fmt: skip
