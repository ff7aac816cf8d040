"""Numbers by what moves reach: states a second, and bytes of the index, beside the bytes of the list.

python benchmarks/bench_reached.py [GAME ...]

The bound is the game's own rules where they are long, and else the memory's latency: each move looks into the table of
states once, and once more for a state that is new, which one thread does.
"""

from __future__ import annotations

import sys
import time

import searchbench as sb
from searchbench.numbered import diagram_of
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.reached import reached_game

GAMES = ("connect4:5x4", "sliding:3x3", "pancake:10", "fox-and-geese:4", "othello:4x4")


def main() -> None:
    """Print a line for each game: the second of two runs, so that nothing is compiled."""
    print(
        f"{'game':18} {'states':>12} {'CPU s':>7} {'seconds':>7} {'M states/CPU-s':>14} {'nodes':>9} {'bits a state':>12}"
    )
    for spec in sys.argv[1:] or GAMES:
        game = sb.load(spec)
        for _ in range(2):
            begun, started = time.process_time(), time.perf_counter()
            diagram = diagram_of(reached_game(game, Run()))
            used, seconds = time.process_time() - begun, time.perf_counter() - started
        assert diagram is not None
        bits = 8 * sum(array.nbytes for array in diagram.arrays().values()) / diagram.size
        nodes = len(diagram.nodes.masks) + len(diagram.nodes.leaf_masks)
        speed = diagram.size / used / 1e6
        print(
            f"{spec:18} {diagram.size:12,} {used:7.2f} {seconds:7.2f} {speed:14.2f} {nodes:9,} {bits:12.2f}", flush=True
        )


if __name__ == "__main__":
    main()
