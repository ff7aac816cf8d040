"""Measure IDA* on Korf's 15-puzzle instances with Manhattan distance: nodes a second of processor time, on one core.

Run ``python benchmarks/bench_idastar.py``; the numbers of other instances (1 to 100) may follow.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from searchbench.games.sliding import Sliding
from searchbench.run import Run
from searchbench.solvers.guided import search_state

KORF = Path(__file__).parents[1] / "tests" / "golden" / "korf100_15puzzle.json"
INSTANCES = (1, 12, 23, 31, 42, 47, 48, 55, 79, 97)


def main() -> None:
    """Search the instances and print nodes, seconds and nodes a second for each and for all."""
    instances = {instance["number"]: instance for instance in json.loads(KORF.read_text())["instances"]}
    game = Sliding(4, 4)
    search_state(game, run=Run(threads=1))  # compile
    total_nodes, total_seconds = 0, 0.0
    print("instance  moves        nodes  seconds  million nodes/s")
    for number in map(int, sys.argv[1:] or INSTANCES):
        instance = instances[number]
        began = time.process_time()
        line = search_state(game, " ".join(map(str, instance["tiles"])), run=Run(threads=1))
        seconds = time.process_time() - began
        if line.cost != instance["optimal"] or line.verify():
            sys.exit(f"instance {number}: {line.cost} moves instead of {instance['optimal']}, {line.verify()}")
        total_nodes, total_seconds = total_nodes + line.nodes, total_seconds + seconds
        print(f"{number:8}  {line.cost:5}  {line.nodes:11,}  {seconds:7.3f}  {line.nodes / seconds / 1e6:15.1f}")
    print(f"     all         {total_nodes:11,}  {total_seconds:7.3f}  {total_nodes / total_seconds / 1e6:15.1f}")


if __name__ == "__main__":
    main()
