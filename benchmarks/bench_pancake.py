"""Measure IDA* on random stacks of pancakes with the gap heuristic (Helmert 2010); name the sizes: 20 30 40 50."""

from __future__ import annotations

import random
import sys
import time
from statistics import mean, median

import searchbench as sb

STACKS = 20


def main() -> None:
    """Search the stacks and print a row for each size."""
    print("pancakes  mean cost  over the gaps  median nodes  median CPU ms  largest")
    for size in map(int, sys.argv[1:] or ("20", "30", "40", "50")):
        game, chance = sb.load(f"pancake:{size}"), random.Random(size)
        sb.search(game, list(reversed(range(size))), "idastar", order="bound", target="cpu")  # compiled for this size
        costs, over, nodes, times = [], [], [], []
        for _ in range(STACKS):
            stack = list(range(size))
            chance.shuffle(stack)
            began = time.process_time()
            line = sb.search(game, stack, "idastar", order="bound", target="cpu")
            times.append(1000 * (time.process_time() - began))
            assert not line.verify()
            costs.append(line.cost)
            over.append(line.cost - game.call("h", stack, None))
            nodes.append(line.nodes)
        print(
            f"{size:8}  {mean(costs):9.2f}  {mean(over):13.2f}  {median(nodes):12,.0f}  {median(times):13.1f}  {max(times):7.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
