"""Predict what a layered game takes: count its first layers by decision diagrams."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from searchbench.game import Game
from searchbench.run import Run, format_memory
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers
from searchbench.solvers.exhaustive.diagrams.sweep import Sweep

SWEPT: Final = 70_000_000
"""Positions that the sweep settles in a second of one core, at least, on boards of lines (docs/decision-diagrams.md)."""


@dataclass(frozen=True)
class LayersPrediction:
    """The reachable and the undecided positions of the first layers, and what it took to find them.

    `index` are the bytes of the diagram and of what the sweep makes of it.
    """

    game: str
    complete: bool
    reachable: tuple[int, ...]
    undecided: tuple[int, ...]
    cpu: float
    nodes: int
    index: int
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
        seconds = sum(self.undecided) / SWEPT
        return (
            f"{counted}. The sweep over these layers takes at most about {seconds:.0f} s more, {format_memory(self.planes)} of "
            f"values on disk, and {format_memory(self.resident)} of memory for two layers and the index"
        )


def predict_layers(game: Game, most: int, run: Run | None = None) -> LayersPrediction:
    """Count the layers of a game up to `most` moves from its start. Raises BadRequest, BadGame and OutOfMemory."""
    with run or Run() as active:
        found = reachable_layers(game, active, most)
        nodes = len(found.diagram.nodes.masks) + len(found.diagram.nodes.leaf_masks)
        index = sum(array.nbytes for array in found.diagram.nodes)
        if game.two_players:
            index += Sweep(found.diagram, active).nbytes
    complete = len(found.reachable) <= most
    return LayersPrediction(
        str(game),
        complete,
        tuple(found.reachable),
        tuple(found.undecided),
        sum(found.seconds.values()),
        nodes,
        index,
        game.two_players,
    )
