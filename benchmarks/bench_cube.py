"""Measure IDA* on Rubik's cube with pattern databases: nodes and CPU seconds for random turns of each length.

searchbench solve rubik-pattern:corners --solver bfs --form two-bit --mapped --to corners.db
searchbench solve rubik-pattern:UR-UF-UL-UB-FR-FL --solver bfs --form two-bit --mapped --to a.db
searchbench solve rubik-pattern:DR-DF-DL-DB-BL-BR --solver bfs --form two-bit --mapped --to b.db
python benchmarks/bench_cube.py corners.db,a.db,b.db,images:1 12 13 14
"""

from __future__ import annotations

import random
import sys
import time

import searchbench as sb

CUBES = 3
"""How many cubes of each length; the first one of all is searched once more, as the kernels are compiled for it."""


def random_turns(game: sb.Game, length: int, chance: random.Random) -> list[int]:
    """Return a state after random turns, none of which another order or fewer turns make superfluous."""
    state, before = game.start(), -1
    while length:
        move = chance.choice(game.moves(state))
        if before < 0 or game.call("follows", before, move):
            state, before, length = game.play(state, move), move, length - 1
    return state


def main() -> None:
    """Search the cubes and print a row for each."""
    game, chance = sb.load("rubik"), random.Random(1997)
    bound = sb.heuristic(game, sys.argv[1])
    sb.search(game, random_turns(game, 5, chance), "idastar", h=bound, target="cpu")
    print("turns  cost  bound          nodes  CPU s  million nodes/s")
    for length in map(int, sys.argv[2:] or ("12", "13")):
        for _ in range(CUBES):
            state = random_turns(game, length, chance)
            began = time.process_time()
            line = sb.search(game, state, "idastar", h=bound, target="cpu")
            seconds = time.process_time() - began
            assert not line.verify()
            print(
                f"{length:5}  {line.cost:4}  {bound.bound(state):5}  {line.nodes:13,}  {seconds:5.2f}  "  # type: ignore[union-attr]
                f"{line.nodes / seconds / 1e6:15.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
