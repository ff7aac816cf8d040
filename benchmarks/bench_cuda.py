"""Time breadth-first search on a device against the processor: seconds, states a second, and whether the codes agree.

    python benchmarks/bench_cuda.py [--device cuda:0] [GAME ...]

The first run compiles; the second one is timed. Sizes are for a real device: the simulator (NUMBA_ENABLE_CUDASIM=1) takes
games of a few hundred states, such as pancake:5.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import searchbench as sb

GAMES = ("pancake:10", "sliding:3,3", "peg-solitaire:triangle", "frogs-and-toads:3", "pancake:11", "sliding:3,4")


def timed(spec: str, device: str | None) -> tuple[float, sb.Database]:
    """Return the seconds of the second run, and its database."""
    for _ in range(2):
        began = time.perf_counter()
        database = sb.solve(spec, solver="bfs", form="two-bit", device=device)
        seconds = time.perf_counter() - began
    return seconds, database


def main() -> None:
    """Solve each game on the device and by the processor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--device", default="cuda:0")
    asked = parser.parse_args()
    print(f"{'game':28} {'states':>15} {'device, s':>10} {'states/s':>14} {'processor, s':>13} {'times':>6}  codes")
    for spec in asked.games:
        there, theirs = timed(spec, asked.device)
        here, mine = timed(spec, None)
        same = all(
            np.array_equal(theirs.codes[part.start : part.stop], mine.codes[part.start : part.stop])
            for part in mine.game.parts()
        )
        speed = theirs.reachable / there
        told = "the same" if same else "NOT THE SAME"
        print(f"{spec:28} {theirs.states:15,} {there:10.3f} {speed:14,.0f} {here:13.3f} {here / there:6.2f}  {told}")


if __name__ == "__main__":
    main()
