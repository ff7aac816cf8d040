"""Predict what a layered game takes: count its first layers by decision diagrams."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from searchbench.game import Game
from searchbench.run import Run, format_memory
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers

SWEPT: Final = 20_000_000
"""Positions that the sweep settles in a second of one core, at least (docs/benchmarks.md)."""


@dataclass(frozen=True)
class LayersPrediction:
    """The reachable and the undecided positions of the first layers, and what it took to find them."""

    game: str
    complete: bool
    reachable: tuple[int, ...]
    undecided: tuple[int, ...]
    cpu: float
    nodes: int
    two_players: bool = True

    @property
    def planes(self) -> int:
        """Return the bytes of all values, two bits each."""
        return sum(self.undecided) // 4

    @property
    def resident(self) -> int:
        """Return the bytes of the values of two layers that follow each other, the most of all."""
        return max(sum(self.undecided[layer : layer + 2]) // 4 for layer in range(len(self.undecided)))

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
            f"values on disk, and {format_memory(self.resident)} for two layers in memory"
        )


def predict_layers(game: Game, most: int, run: Run | None = None) -> LayersPrediction:
    """Count the layers of a game up to `most` moves from its start. Raises BadRequest, BadGame and OutOfMemory."""
    found = reachable_layers(game, run, most)
    nodes = len(found.diagram.nodes.masks) + len(found.diagram.nodes.leaf_masks)
    complete = len(found.reachable) <= most
    return LayersPrediction(
        str(game),
        complete,
        tuple(found.reachable),
        tuple(found.undecided),
        sum(found.seconds.values()),
        nodes,
        game.two_players,
    )
