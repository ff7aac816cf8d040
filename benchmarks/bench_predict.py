"""Compare what `predict` says with what `solve` takes: seconds of the processor, games and groups of parts.

python benchmarks/bench_predict.py [GAME[=SOLVER] | GAME@PARTS]...
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from searchbench.analyse.predict import Prediction, predict
from searchbench.catalogue import load
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states

CASES = ("sliding:3x3", "pancake:10", "pancake:10=bfs", "corner-cube=bfs", "awari:12", "morris@4-4,5-3,5-4,6-3")

Row = tuple[str, float, float, float]


def rows(case: str) -> Iterator[Row]:
    """Yield the name, what is predicted, at least and at most, and what was measured."""
    whole, _, parts = case.partition("@")
    spec, _, solver = whole.partition("=")
    game, run = load(spec), Run(threads=2)
    prediction = predict(game, solver or None, parts or None, run=run)
    if parts:
        yield from measured_parts(prediction, spec, parts)
        return
    form = "values" if solver == "bfs" else None
    for _ in range(2):  # the first time it is compiled
        begun = time.process_time()
        solve_states(game, solver=solver or None, run=Run(threads=2), form=form)
    yield case, prediction.cpu, prediction.most, time.process_time() - begun


def measured_parts(prediction: Prediction, spec: str, parts: str) -> Iterator[Row]:
    """Yield the same for each group of parts, writing it to disk included."""
    with tempfile.TemporaryDirectory() as folder:
        database = solve_parts(load(spec), parts, Path(folder) / "x.db", run=Run(threads=2))
        told = database.facts["groups"]
        for group in prediction.groups:
            yield f"{spec} {group.name}", group.cpu, group.most, told[group.name]["cpu"]


print(f"{'':28} {'CPU s':>9} {'at most':>9} {'measured':>9} {'ratio':>6}")
for one in sys.argv[1:] or CASES:
    for name, cpu, most, seconds in rows(one):
        print(f"{name:28} {cpu:9.2f} {most:9.2f} {seconds:9.2f} {cpu / max(seconds, 1e-9):6.2f}", flush=True)
