"""Rows on games for points: awari by the number of stones, and dots and boxes (Gasser 1995, section 1.2; Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, Final

from searchbench.catalogue import load
from searchbench.reproduce.row import Cost, Measured, Row, forget_peak, peak_memory
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

PITS: Final = 12


def _solve(spec: str, run: Run) -> tuple[Database, Cost]:
    forget_peak()
    solved = solve_states(load(spec), run=Run(memory=run.memory, threads=run.threads, report=run.report))
    return solved, Cost(spec, solved.states, solved.facts["seconds"], solved.facts["memory"], peak_memory())


def awari(stones: int) -> Callable[[Run], Measured]:
    """Return the measurement of all positions with at most `stones` stones, verified forwards."""

    def measure(run: Run) -> Measured:
        solved, cost = _solve(f"awari:{stones}", run)
        return Measured({"positions": solved.states, "verified": bool(solved.verify())}, [cost])

    return measure


def all_awari(stones: int) -> dict[str, Any]:
    """Return the expected figures: the number of ways to put at most `stones` stones into twelve pits."""
    return {"positions": comb(stones + PITS, PITS), "verified": True}


def solved_games(run: Run) -> Measured:
    """Return won, drawn and lost positions of awari by the number of stones, and the scores of empty boards of dots."""
    solved, cost = _solve("awari:7", run)
    found: dict[str, Any] = {"awari": {}, "dots and boxes": {}}
    for stones in range(1, 8):
        counts = [0, 0, 0]
        for score, count in solved.histogram(str(stones)).items():
            counts[1 - (score > 0) + (score < 0)] += count
        found["awari"][stones] = counts
    costs = [cost]
    for board in EMPTY:
        solved, cost = _solve(f"dots-and-boxes:{board}", run)
        found["dots and boxes"][board] = solved.probe()
        costs.append(cost)
    return Measured(found, costs)


AWARI: Final = {
    1: [5, 0, 7], 2: [25, 13, 40], 3: [123, 63, 178], 4: [580, 143, 642], 5: [2165, 0, 2203], 6: [5698, 1548, 5130],
    7: [14921, 4487, 12416],
}  # fmt: skip
EMPTY: Final = {"1x1": -1, "1x2": 0, "1x3": -1, "1x4": 0, "2x2": 2, "2x3": -2, "3x3": -3}
VERIFIED: Final = "every value is verified forwards by the rules alone; the paper gives no values"

ROWS = [
    Row("G30", "awari: every position with at most 14 stones", "Gasser 1995, section 1.2", all_awari(14), awari(14),
        note=f"the paper has 22 stones, see G30-22; {VERIFIED}"),
    Row("G30-20", "awari: every position with at most 20 stones", "Gasser 1995, section 1.2", all_awari(20), awari(20),
        note=VERIFIED, long=True),
    Row("G30-22", "awari: every position with at most 22 stones", "Gasser 1995, section 1.2", all_awari(22), awari(22),
        note=f"the paper says 5.5 * 10^8 positions; {VERIFIED}", long=True),
    Row(
        "E14",
        "awari and dots and boxes as hashed games: values",
        "Edelkamp 2017, other games",
        {"awari": AWARI, "dots and boxes": EMPTY},
        solved_games,
        note="the paper names the games and gives no values. Those here were found by other programs: won, drawn and lost "
        "positions for each number of stones, and the boxes that the first player gets more than the second",
    ),
]  # fmt: skip
