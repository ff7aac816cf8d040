"""Values by decision diagrams alone: a set of won and one of lost positions for each layer (Edelkamp 2017).

Diagrams of values are larger than those of layers, so this is the slow twin of the sweep; it needs no room for each position.
"""

from __future__ import annotations

from collections.abc import Iterator

from searchbench.errors import OutOfMemory
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.forward import SHARE, Layers, digits_of, first_capacity, reachable_layers
from searchbench.solvers.exhaustive.diagrams.symbolic import Symbolic, TablesFull, capacity_within


def symbolic_counts(game: Game, run: Run) -> tuple[Layers, list[tuple[int, int, int]]]:
    """Return the layers of a game, and how many undecided positions of each are won, drawn and lost for the player to move.

    Raises BadRequest for a game without `digits`, MissingPackage without OxiDD, and OutOfMemory.
    """
    layers = reachable_layers(game, run)
    digits = digits_of(game)
    capacity = min(capacity_within(int(SHARE * run.memory)), 4 * first_capacity(digits))
    try:
        counts = list(_backwards(Symbolic(digits, capacity), layers))
    except TablesFull:
        raise OutOfMemory(
            f"{game}: the values of a layer need more than {capacity:,} nodes of decision diagrams: the sweep needs none"
        ) from None
    return layers, counts[::-1]


def _backwards(symbolic: Symbolic, layers: Layers) -> Iterator[tuple[int, int, int]]:
    """Yield won, drawn and lost of each layer, the last one first."""
    there = won_there = lost_there = symbolic.empty
    for layer in range(layers.diagram.layers - 1, -1, -1):
        here, _ = symbolic.of_layer(layers.diagram, layer)
        won, lost = symbolic.values(here, layer, there, won_there, lost_there)
        sizes = symbolic.count(won), symbolic.count(lost)
        yield sizes[0], layers.undecided[layer] - sum(sizes), sizes[1]
        there, won_there, lost_there = here, won, lost
        del here, won, lost
        symbolic.collect()
