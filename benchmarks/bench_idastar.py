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


AUTOMATA = (0, None, 12)
"""Moves of the automaton: none, as many as is usual, and more."""


def main() -> None:
    """Search the instances without and with an automaton; print nodes, seconds and nodes a second for each and for all."""
    instances = {instance["number"]: instance for instance in json.loads(KORF.read_text())["instances"]}
    game = Sliding(4, 4)
    for depth in AUTOMATA:
        search_state(game, None, "idastar", Run(threads=1), automaton=depth)  # compile, and make the automaton
    totals = dict.fromkeys(AUTOMATA, (0, 0.0))
    print("instance  moves  automaton        nodes  seconds  million nodes/s")
    for number in map(int, sys.argv[1:] or INSTANCES):
        instance = instances[number]
        for depth in AUTOMATA:
            began = time.process_time()
            line = search_state(game, " ".join(map(str, instance["tiles"])), "idastar", Run(threads=1), automaton=depth)
            seconds = time.process_time() - began
            if line.cost != instance["optimal"] or line.verify():
                sys.exit(f"instance {number}: {line.cost} moves instead of {instance['optimal']}, {line.verify()}")
            totals[depth] = totals[depth][0] + line.nodes, totals[depth][1] + seconds
            print(f"{number:8}  {line.cost:5}  {_told(depth)}  {_rate(line.nodes, seconds)}")
    for depth, (nodes, seconds) in totals.items():
        print(f"     all         {_told(depth)}  {_rate(nodes, seconds)}")


def _told(depth: int | None) -> str:
    return f"{'usual' if depth is None else depth or 'none':>9}"


def _rate(nodes: int, seconds: float) -> str:
    return f"{nodes:11,}  {seconds:7.3f}  {nodes / seconds / 1e6:15.1f}"


if __name__ == "__main__":
    main()
