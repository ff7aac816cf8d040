"""Predict what a layered game takes: count its first layers by decision diagrams, and settle samples of them."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from searchbench.analyse.predict import format_seconds
from searchbench.game import Game
from searchbench.run import Run, format_memory
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers
from searchbench.solvers.exhaustive.diagrams.sweep import Sweep

SAMPLED: Final = 100_000_000
"""Positions that are settled as samples, about: a second."""
LONG_ENOUGH: Final = 0.01
"""Seconds of the processor that a layer's sample takes at least; few positions are settled again and again."""
LEAST_SHARE: Final = 0.01
"""A layer with a smaller share of all positions is left out."""


@dataclass(frozen=True)
class LayersPrediction:
    """The reachable and the undecided positions of the first layers, and what it took to find them.

    `index` are the bytes of the diagram and of what the sweep makes of it; `swept` the undecided positions that the sweep
    settles in a second of one core (0 for a puzzle).
    """

    game: str
    complete: bool
    reachable: tuple[int, ...]
    undecided: tuple[int, ...]
    cpu: float
    nodes: int
    index: int
    swept: float
    two_players: bool = True

    @property
    def planes(self) -> int:
        """Return the bytes of all values, two bits each."""
        return sum(self.undecided) // 4

    @property
    def resident(self) -> int:
        """Return the bytes that the sweep keeps in memory: the index, and the values of two layers, at most."""
        return self.index + max(sum(self.undecided[layer : layer + 2]) // 4 for layer in range(len(self.undecided)))

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as numbers."""
        return asdict(self) | {"planes": self.planes, "resident": self.resident}

    def __str__(self) -> str:
        which = "all" if self.complete else "the first"
        counted = (
            f"{self.game}: {which} {len(self.reachable)} layers, {sum(self.reachable):,} positions, of which "
            f"{sum(self.undecided):,} undecided, by {self.cpu:.1f} s of the processor; {self.nodes:,} nodes"
        )
        if not self.two_players:
            return f"{counted}. The sweep is for two players: a puzzle's layers are counted alone"
        seconds = format_seconds(sum(self.undecided) / self.swept)
        return (
            f"{counted}. The sweep over these layers takes about {seconds} of the processor more ({self.swept:,.0f} positions "
            f"a second), at most {format_memory(self.planes)} of values on disk, and "
            f"{format_memory(self.resident)} of memory for two layers and the index"
        )


def predict_layers(game: Game, most: int, run: Run | None = None) -> LayersPrediction:
    """Count the layers of a game up to `most` moves from its start. Raises BadRequest, BadGame and OutOfMemory."""
    with run or Run() as active:
        found = reachable_layers(game, active, most)
        nodes = len(found.diagram.nodes.masks) + len(found.diagram.nodes.leaf_masks)
        index = sum(array.nbytes for array in found.diagram.nodes)
        swept = 0.0
        if game.two_players:
            sweep = Sweep(found.diagram, Run(memory=active.memory, threads=1))
            index += sweep.nbytes
            swept = _speed(sweep)
    complete = len(found.reachable) <= most
    return LayersPrediction(
        str(game),
        complete,
        tuple(found.reachable),
        tuple(found.undecided),
        sum(found.seconds.values()),
        nodes,
        index,
        swept,
        game.two_players,
    )


def _speed(sweep: Sweep) -> float:
    """Return how many positions the sweep settles in a second of one core, on average over the layers that are not small."""
    diagram = sweep.diagram
    counts = np.array([diagram.count(layer) for layer in range(diagram.layers)], np.float64)
    layers = np.flatnonzero(counts >= LEAST_SHARE * counts.sum()).tolist()
    wanted = (SAMPLED * counts / counts.sum()).astype(np.int64) + 1
    sweep.settle_sample(layers[0], wanted[layers[0]])  # which may compile
    seconds = 0.0
    for layer in layers:
        settled, begun = 0, time.process_time()
        while (taken := time.process_time() - begun) < LONG_ENOUGH:
            settled += sweep.settle_sample(layer, wanted[layer])
        seconds += counts[layer] * taken / settled
    return float(counts[layers].sum() / seconds)
