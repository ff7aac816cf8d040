"""Measure IDA* on Korf's 100 15-puzzle instances with pattern databases: nodes a second, on one core.

Run ``python benchmarks/bench_patterns.py seven.db+eight.db,loaded`` after ``searchbench solve sliding-pattern:4x4,...
--mapped``. A number behind it, such as 1000, is how many random boards are searched then, with all that is opened once.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from searchbench.games.sliding import Sliding
from searchbench.heuristics import heuristic
from searchbench.run import Run
from searchbench.solvers.guided import search_state

KORF = Path(__file__).parents[1] / "tests" / "golden" / "korf100_15puzzle.json"
ROUNDS = 5
SEED = 7


def main() -> None:
    """Search all instances a few times, and print what a round took."""
    game = Sliding(4, 4)
    began = time.perf_counter()
    chosen = heuristic(game, sys.argv[1] if len(sys.argv) > 1 else "linear-conflict")
    print(f"opened in {time.perf_counter() - began:.2f} s")
    search_state(game, run=Run(threads=1), h=chosen)  # compile
    korf = [(" ".join(map(str, one["tiles"])), one["optimal"]) for one in json.loads(KORF.read_text())["instances"]]
    for _ in range(ROUNDS):
        measure(game, chosen, korf)
    boards = [(board, None) for board in random_boards(game, int(sys.argv[2]) if len(sys.argv) > 2 else 0)]
    for _ in range(ROUNDS if boards else 0):
        measure(game, chosen, boards)


def random_boards(game: Sliding, count: int) -> list[str]:
    """Return boards that can be solved, always the same ones."""
    chance, solvable, found = random.Random(SEED), game.rules()["solvable"], []
    while len(found) < count:
        board = " ".join(map(str, chance.sample(range(game.cells), game.cells)))
        if solvable(game.parse(board)):
            found.append(board)
    return found


def measure(game: Sliding, chosen: object, boards: list[tuple[str, int | None]]) -> None:
    """Search boards, compare the costs with those that are known, and print what it took."""
    nodes, searching, began, wall = 0, 0.0, time.process_time(), time.perf_counter()
    for board, optimal in boards:
        line = search_state(game, board, run=Run(threads=1), h=chosen)
        if optimal not in (None, line.cost) or line.verify():
            sys.exit(f"{board}: {line.cost} moves instead of {optimal}")
        nodes, searching = nodes + line.nodes, searching + line.seconds
    spent, wall = time.process_time() - began, time.perf_counter() - wall
    print(
        f"{len(boards)} boards, {nodes / len(boards):,.0f} nodes each; {spent:.3f} CPU s, {wall:.3f} s, of which "
        f"{searching:.3f} s searching, at {nodes / searching / 1e6:.1f} million nodes/s"
    )


if __name__ == "__main__":
    main()
