"""Random tiny games on several ranks, in simulation, and on a simulated device: against the naive solver."""

from __future__ import annotations

import os
import random
import tempfile

if __name__ == "__main__":  # before Numba is imported
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
from pathlib import Path
from typing import Any

import searchbench as sb
from searchbench.errors import SearchBenchError
from searchbench.exchange import shards
from searchbench.exchange.simulated import Fuzz, play
from searchbench.run import Run
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.together import solve_together
from stop_combinations import compared, lists_of_scores
from written_games import by_hand, drawn, load


def ranks(seed: Any, told: Any) -> Any:
    """Solve a game on simulated ranks."""
    chance = random.Random(seed)
    game = drawn(chance, None, chance.choice((4, 12, 20)))
    solver = chance.choice((None, "retrograde", "fixpoint", "bfs", "bfs"))
    options = {}
    if solver == "bfs":
        form = chance.choice((None, "values", "two-bit"))
        if form:
            options["form"] = form
    elif chance.random() < 0.4:
        options["parts"] = "all"
    count = chance.choice((1, 2, 3, 4, 7))
    machines = chance.choices(range(chance.choice((1, 2, 3))), k=count)
    with tempfile.TemporaryDirectory() as where, lists_of_scores(seed):
        folder = Path(where)
        loaded = load(game, folder)

        def be(_rank: Any) -> Any:
            run = Run(memory=64 << 20, threads=1, checkpoint_interval=0.0)
            return solve_together(requested(loaded, None, solver, folder / "db", options), run, "", "interpreted")

        try:
            found, _ = play(count, be, Fuzz(seed), machines)
        except SearchBenchError as e:
            told["refused " + type(e).__name__ + str(e).split(":Tiny")[-1][:80]] += 1
            return
        told[f"ranks {solver} {options}"] += 1
        yield from (f"{count} ranks {solver} {options}: {fault}" for fault in compared(game, found[0]))


def device(seed: Any, told: Any) -> Any:
    """Solve a game on a simulated device."""
    chance = random.Random(seed)
    game = drawn(chance, chance.choice(("distance", "outcome")), chance.choice((4, 8)))
    if game.values == "score":
        return
    solver = chance.choice(("retrograde", "retrograde", "bfs"))
    options = {}
    if solver == "bfs":
        form = chance.choice((None, "two-bit", "reachability"))
        if form:
            options["form"] = form
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        loaded = load(game, folder)
        try:
            db = sb.solve(
                loaded,
                None,
                solver,
                folder / "db",
                device=chance.choice(("cuda:0", "cuda:0,100kB")),
                threads=1,
                memory="64MB",
                **options,
            )
        except SearchBenchError as e:
            told["refused " + type(e).__name__ + str(e).split(":Tiny")[-1][:80]] += 1
            return
        told[f"device {solver} {options}"] += 1
        yield from (f"device {solver} {options}: {fault}" for fault in compared(game, db))


AREAS = {"ranks": ranks, "device": device}
if __name__ == "__main__":
    shards.SMALL = 0  # ranks share small groups, too
    by_hand(AREAS)
