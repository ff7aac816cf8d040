"""Predict what the sweep over layers takes on several ranks, from the layers that are counted.

The first rank finds the layers. Every machine gets their diagram, one after the other. Then all ranks settle each layer, and
each sends the words of its pieces to every other, before the next begins. All are taken to have equal work, and a machine each.
"""

from __future__ import annotations

import numpy as np

from searchbench.analyse.diagrams import LayersPrediction, predict_layers
from searchbench.analyse.scaling import (
    RanksPrediction,
    Scaling,
    checked_ranks,
    least_ranks,
    network_of,
    round_seconds,
    scaled,
)
from searchbench.errors import BadRequest
from searchbench.exchange.simulated import Network
from searchbench.game import Game
from searchbench.run import Run
from searchbench.values import SWEEP
from searchbench.values.ending import Ending


def predict_sweep_on_ranks(
    game: Game, most: int, ranks: int, run: Run | None = None, network: str | Network = "10GB/s"
) -> RanksPrediction:
    """Predict the sweep over the layers up to `most` moves from a game's start, by ranks with the memory and threads of `run`.

    Raises BadRequest, BadGame and OutOfMemory as `predict_layers` does, which counts the layers here.
    """
    checked_ranks(ranks)
    network = network_of(network)
    if not game.two_players:
        raise BadRequest(f"{game}: the sweep is for games of two players, and this is a puzzle")
    run = run or Run()
    return sweep_on_ranks(predict_layers(game, most, Run(threads=run.threads)), ranks, run, network)


def sweep_on_ranks(layers: LayersPrediction, ranks: int, run: Run, network: Network) -> RanksPrediction:
    """Reckon from layers that are counted what the sweep over them takes on ranks."""

    def cost(count: int) -> Scaling:
        seconds = layers.cpu + (count - 1) * layers.index / network.bandwidth
        for positions in layers.undecided:
            settle = positions / (layers.swept * count * run.threads)
            seconds += round_seconds(network, np.full(count, settle), 0.0, positions / 4 / count)
        traffic = (count - 1) * (layers.index + layers.planes)
        return Scaling(count, seconds, traffic, layers.resident)

    scaling, stops = scaled(cost, ranks)
    which = "all" if layers.complete else "the first"
    note = (
        f"{which} {len(layers.undecided)} layers, which the first rank finds in {layers.cpu:.1f} s; every machine holds the "
        "index and two layers; all ranks have equal work, and a machine each"
    )
    return RanksPrediction(
        layers.game, SWEEP, Ending().name, ranks, run.threads, run.memory, network.bandwidth, network.delay,
        sum(layers.undecided), cost(ranks), layers.planes, least_ranks(lambda count: layers.resident, run.memory), stops,
        scaling, note,
    )  # fmt: skip
