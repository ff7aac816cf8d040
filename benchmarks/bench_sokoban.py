"""Measure the searches of Sokoban on levels of a file: nodes and macro moves a second of processor time, on one core.

Run ``python benchmarks/bench_sokoban.py xsokoban.xsb 1 7 9 39 71 77``; without numbers it takes the first level of the file,
without a file the levels that come with searchbench. Each row searches all levels, each up to a number of nodes.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Any

from searchbench.errors import LimitReached
from searchbench.games.sokoban import Sokoban
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_state

NODES = 200_000
"""The nodes of a search, at most; macro moves where feature space guides it."""


@dataclass(frozen=True)
class Search:
    """Name a search, and say how it goes."""

    name: str
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    unit: str = "nodes"


SHIPPED = ("1", "2", "3", "4")
SEARCHES = (
    Search("R0, the matching alone", "enhanced", {"version": "R0"}),
    Search("R3, with table and deadlocks", "enhanced", {"version": "R3"}),
    Search("R10, Rolling Stone", "enhanced", {"version": "R10"}),
    Search("R11, with younger detectors", "enhanced", {"version": "R11"}),
    Search("least pushes, without jams", "enhanced", {"optimal": True, "without": ("jams",)}),
    Search("least pushes", "enhanced", {"optimal": True}),
    Search("feature space", "featurespace", {}, "macro moves"),
)


def main() -> None:
    """Search all levels in each way; print how many are solved, nodes, seconds and nodes a second."""
    file, *numbers = sys.argv[1:] or ("", *SHIPPED)
    specs = [f"{file}#{number}" for number in numbers or ("1",)]
    began = time.process_time()
    levels = [Sokoban(spec) for spec in specs]
    squares = [len(level.tables.live) for level in levels]
    opening = (time.process_time() - began) / len(levels)
    print(f"opening a level of {min(squares)} to {max(squares)} squares: {1000 * opening:.1f} ms")
    print("search                        solved     amount              CPU seconds  thousands a second")
    for search in SEARCHES:
        _searched(search, levels[:1])  # compile
        solved, nodes, seconds = _searched(search, levels)
        rate = nodes / seconds / 1e3
        print(
            f"{search.name:28}  {solved:2} of {len(levels):2}  {nodes:9,} {search.unit:11}  {seconds:8.2f}  {rate:10.1f}"
        )


def _searched(search: Search, levels: list[Sokoban]) -> tuple[int, int, float]:
    """Return how many levels a search solves, its nodes on all of them, and the seconds of processor time."""
    solved = nodes = 0
    began = time.process_time()
    for level in levels:
        limits = Limits(NODES)
        try:
            line = search_state(level, None, search.method, Run(threads=1), limits, **search.options)
        except LimitReached as reached:
            nodes += reached.nodes
            continue
        if faults := line.verify():
            sys.exit(f"{level}: {faults}")
        solved, nodes = solved + 1, nodes + line.nodes
    return solved, nodes, time.process_time() - began


if __name__ == "__main__":
    main()
