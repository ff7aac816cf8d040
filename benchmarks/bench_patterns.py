"""Measure IDA* on Korf's 100 15-puzzle instances with pattern databases: nodes a second of processor time, on one core.

Run ``python benchmarks/bench_patterns.py seven.db+eight.db`` after ``searchbench solve sliding-pattern:4x4,... --mapped``.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from searchbench.games.sliding import Sliding
from searchbench.heuristics import heuristic
from searchbench.run import Run
from searchbench.solvers.guided import search_state

KORF = Path(__file__).parents[1] / "tests" / "golden" / "korf100_15puzzle.json"
ROUNDS = 3


def main() -> None:
    """Search all instances a few times, and print what a round took."""
    instances = json.loads(KORF.read_text())["instances"]
    game = Sliding(4, 4)
    began = time.perf_counter()
    chosen = heuristic(game, sys.argv[1] if len(sys.argv) > 1 else "linear-conflict")
    print(f"opened in {time.perf_counter() - began:.2f} s")
    search_state(game, run=Run(threads=1), h=chosen)  # compile
    for _ in range(ROUNDS):
        nodes, began, wall = 0, time.process_time(), time.perf_counter()
        for instance in instances:
            line = search_state(game, " ".join(map(str, instance["tiles"])), run=Run(threads=1), h=chosen)
            if line.cost != instance["optimal"] or line.verify():
                sys.exit(f"instance {instance['number']}: {line.cost} moves instead of {instance['optimal']}")
            nodes += line.nodes
        spent, wall = time.process_time() - began, time.perf_counter() - wall
        rate = nodes / spent / 1e6
        print(
            f"100 exact, {nodes / 100:,.0f} nodes each; {spent:.3f} CPU s, {wall:.3f} s, {rate:.1f} million nodes a CPU second"
        )


if __name__ == "__main__":
    main()
