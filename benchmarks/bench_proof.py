"""Measure proof-number search and alpha-beta search: nodes a second of processor time, on one core.

Run ``python benchmarks/bench_proof.py``; games may follow, such as ``connect4:6x4``. A node is a move played and
evaluated. What bounds the speed is printed too: the time that the game's own rules take for a node (a move, `terminal`,
`key`, and the list of moves, in a random walk). The rest of a node is the search: the table, the path, the tree.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.rules import UNDECIDED, moves, new_moves, play, start, terminal, unplay
from searchbench.run import Run
from searchbench.solvers.proof import prove_state

GAMES = ("tic-tac-toe", "connect4:4x4", "connect4:5x4")
VARIANTS: dict[str, dict[str, Any]] = {
    "alpha-beta": {"method": "alphabeta"},
    "pns": {"method": "pns"},
    "dfpn": {"method": "dfpn"},
    "pns, mobility": {"method": "pns", "mobility": True},
}


def walk(state: Any, numbers: Any) -> int:
    """Play random games from the start; at each state play every move, evaluate it and take it back: what nodes cost."""
    out, inner = new_moves(), new_moves()
    nodes = 0
    digest = 0
    start(state)
    for number in numbers:
        if terminal(state) != UNDECIDED:
            start(state)
        count = moves(state, out)
        for place in range(count):
            play(state, out[place])
            nodes += 1
            digest ^= key(state)
            if terminal(state) == UNDECIDED and place == number % count:
                digest ^= moves(state, inner)
            unplay(state, out[place])
        play(state, out[number % count])
    return nodes + (digest & 1)


def nanoseconds(work: Callable[[], int]) -> tuple[float, int]:
    """Return the processor time for each node, and the nodes."""
    began = time.process_time_ns()
    nodes = work()
    return (time.process_time_ns() - began) / max(nodes, 1), nodes


def rules_alone(game: Game) -> float:
    """Return the nanoseconds that the rules take for a node."""
    rng = random.Random(1)
    numbers = np.array([rng.randrange(1 << 30) for _ in range(100_000)], np.int64)
    kernel = jit.bind(walk, game.names())
    state = np.zeros(game.width, game.dtype)
    kernel(state, numbers[:10])  # compile
    return nanoseconds(lambda: int(kernel(state, numbers)))[0]


def main() -> None:
    """Prove the start of each game by each method, and print what it took."""
    print("game          method         value       nodes  seconds  million nodes/s  ns/node  of which rules")
    for spec in sys.argv[1:] or GAMES:
        game = load(spec)
        rules = rules_alone(game)
        for name, options in VARIANTS.items():
            prove_state(game, nodes=10**9, evidence=False, run=Run(memory=1 << 30, threads=1), **options)  # compile
            found = {}

            def work(options: dict[str, Any] = options, found: dict[str, Any] = found) -> int:
                run = Run(memory=4 << 30, threads=1)
                found["proof"] = prove_state(game, evidence=False, run=run, **options)  # noqa: B023
                return int(found["proof"].nodes)

            each, nodes = nanoseconds(work)
            print(
                f"{spec:12}  {name:13}  {found['proof'].value:5}  {nodes:10,}  {nodes * each / 1e9:7.3f}  "
                f"{1e3 / each:15.2f}  {each:7.0f}  {rules:14.0f}"
            )


if __name__ == "__main__":
    main()
