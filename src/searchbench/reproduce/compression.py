"""Rows on compressed forms of databases: Gasser 1995, sections 2.5, 4.4 and 5.5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from searchbench.analyse.compression import measure
from searchbench.catalogue import load
from searchbench.reproduce.morris import ALONE, GAME, both_ways
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states

FORM, CODEC = "filled", "zstd:19"
FACTORS: Final = {
    "3-3": 2.85, "4-3": 12.00, "4-4": 100.39, "5-3": 26.05, "5-4": 32.22, "6-3": 26.13, "5-5": 62.04, "6-4": 5.35,
    "7-3": 5.10, "6-5": 7.86, "7-4": 4.82, "8-3": 5.45, "6-6": 7.33, "7-5": 5.26, "8-4": 12.89, "9-3": 7.79, "7-6": 3.97,
    "8-5": 10.28, "9-4": 16.29, "7-7": 3.32, "8-6": 5.92, "9-5": 12.05, "8-7": 3.68, "9-6": 7.63, "8-8": 3.60, "9-7": 4.93,
    "9-8": 4.44, "9-9": 10.20,
}  # fmt: skip


def factors(run: Run, parts: Sequence[str]) -> dict[str, float]:
    """Return the compression factors of the databases of parts, against a byte a number, with every value kept."""
    own = Run(memory=run.memory, threads=run.threads, report=run.report)
    found = {}
    with TemporaryDirectory(prefix="searchbench-") as scratch:
        folder = run.work if run.work is not None else Path(scratch) / GAME
        others = [name for name in parts if name != ALONE]
        database = solve_parts(load(GAME), others, folder, run=own) if others else None
        for name in parts:
            solved = database if name != ALONE else None
            whole = solved or solve_states(load("morris:3,3"), run=own)
            (kept,) = measure(whole, [FORM], [CODEC], both_ways(name), probes=1)
            found[name] = round(kept.whole.factor, 2)
    return found


def no_smaller(paper: dict[str, float], measured: dict[str, float]) -> Verdict:
    """Judge factors: none may be smaller than the paper's."""
    return "better" if all(measured[name] >= factor for name, factor in paper.items()) else "differs"


def best_moves(run: Run) -> dict[str, Any]:
    """Return whether the 8-puzzle takes less room as best moves than as values, and gives the same values."""
    return _compared("sliding:3x3", "best-move", run)


def left_out(run: Run) -> dict[str, Any]:
    """Return the same for every fourth value and for one parity, of the 8-puzzle and of morris with three men each."""
    return {
        f"{game} {form}": _compared(game, form, run)
        for game, form in (("sliding:3x3", "every:4"), ("sliding:3x3", "parity"), ("morris:3,3", "every:4"))
    }


def _compared(game: str, form: str, run: Run) -> dict[str, Any]:
    right = solve_states(load(game), run=Run(memory=run.memory, threads=run.threads))
    values, reduced = (kept.whole.bytes for kept in measure(right, ["values", form], [CODEC], probes=1))
    with TemporaryDirectory(prefix="searchbench-") as scratch, right.convert(Path(scratch) / "kept.db", form) as kept:
        wrong = int(np.count_nonzero(kept.codes != right.codes))
    return {"smaller": reduced < values, "wrong values": wrong}


_SMALLER: Final = {"smaller": True, "wrong values": 0}
ROWS = [
    Row(
        "G8",
        "Nine Men's Morris: compression factors, against a byte for each number of the index",
        "Gasser 1995, sections 4.4 and 5.5",
        FACTORS,
        factors,
        no_smaller,
        note="the form 'filled', which keeps every value, by zstd at level 19 in chunks of 65,536 numbers. Of the "
        "parts up to 6-5, 7-3, 7-4, 8-3 and 9-3 the paper's factor is the larger one in two, 6-5 (7.86, here 6.88) and 7-4 "
        "(4.82, here 4.04)",
        parts=("3-3", "4-3", "4-4", "5-3"),
    ),
    Row(
        "G9",
        "8-puzzle: best moves take less room than values, and give the same values",
        "Gasser 1995, sections 2.5 and 5.5",
        _SMALLER,
        best_moves,
    ),
    Row(
        "G10",
        "every fourth value, or one parity: the same values from a smaller database",
        "Gasser 1995, section 5.5",
        dict.fromkeys(("sliding:3x3 every:4", "sliding:3x3 parity", "morris:3,3 every:4"), _SMALLER),
        left_out,
    ),
]
