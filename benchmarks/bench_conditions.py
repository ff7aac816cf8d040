"""Conditions on positions: positions a second in blocks, beside a function of Python's own that asks the same.

python benchmarks/bench_conditions.py [GAME ...]

The bound is reading the cells: an unranking for each position, on one thread; the condition itself is a pass over a column.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import searchbench as sb

GAMES = ("sliding:3x4,half=yes", "corner-cube", "chess:KQK", "awari:8")
ALONE = 1 << 18
"""Positions that are asked one by one."""


def positions_a_second(count: Callable[[], int], positions: int) -> tuple[int, float]:
    """Return what is counted, the second time, and how many positions of so many a second of the processor."""
    count()
    begun = time.process_time()
    found = count()
    return found, positions / (time.process_time() - begun)


def measure(database: sb.Database) -> tuple[int, float, float]:
    """Return how many positions are found, and the positions a second in blocks and one by one."""
    found, together = positions_a_second(lambda: database.count(where="state[0] == 1"), database.states)
    interval = (0, min(ALONE, database.size))
    same, single = positions_a_second(
        lambda: database.count(None, interval, lambda position: position.state[0] == 1), database.count(None, interval)
    )
    assert same == database.count(None, interval, where="state[0] == 1")
    return found, together, single


def main() -> None:
    """Print a line for each game: the second of two runs, so that nothing is compiled."""
    print(f"{'game':22} {'positions':>12} {'found':>12} {'in blocks, M/CPU-s':>18} {'one by one':>10} {'times':>6}")
    for spec in sys.argv[1:] or GAMES:
        database = sb.solve(spec)
        found, together, single = measure(database)
        rates = f"{together / 1e6:18.2f} {single / 1e6:10.2f} {together / single:6.0f}"
        print(f"{spec:22} {database.states:12,} {found:12,} {rates}", flush=True)


if __name__ == "__main__":
    main()
