"""Layers and values by binary decision diagrams alone: sets of won and of lost positions for each layer (Edelkamp 2017).

Diagrams of values are larger than those of layers, so this is the slow twin of the sweep, with which it shares no code but
the game's digits; it needs no room for each position.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from searchbench.errors import BadGame, OutOfMemory
from searchbench.game import Game
from searchbench.index.digits import Digits
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.forward import digits_of
from searchbench.solvers.exhaustive.diagrams.symbolic import (
    SHARE,
    Symbolic,
    TablesFull,
    capacity_within,
    first_capacity,
)


class LayerCounts(NamedTuple):
    """How many positions of a layer are reachable; and undecided, and of these won, drawn and lost for the player to move."""

    reachable: int
    undecided: int
    won: int
    drawn: int
    lost: int


def symbolic_counts(game: Game, run: Run) -> list[LayerCounts]:
    """Return the counts of each layer of a game.

    Raises BadRequest for a game without `digits`, MissingPackage without OxiDD, and OutOfMemory.
    """
    digits = digits_of(game)
    start = digits.codes(game.start())
    if start is None:
        raise BadGame(f"{game}: digits() has no codes for the start")
    capacity = capacity_for(digits, run)
    symbolic = Symbolic(digits, capacity)
    try:
        reachable, layers = _layers(symbolic, start)
        values = list(_values(symbolic, layers))[::-1]
    except TablesFull:
        raise OutOfMemory(
            f"{game}: the positions of a layer, or their values, need more than {capacity:,} nodes of binary decision "
            "diagrams: the sweep needs none"
        ) from None
    values += [(0, 0, 0)] * (len(reachable) - len(values))
    return [LayerCounts(size, sum(counts), *counts) for size, counts in zip(reachable, values, strict=True)]


def capacity_for(digits: Digits, run: Run) -> int:
    """Return how many nodes the tables of binary diagrams have in a run."""
    return min(capacity_within(int(SHARE * run.memory)), 4 * first_capacity(digits))


def _layers(symbolic: Symbolic, start: tuple[int, ...]) -> tuple[list[int], list[Any]]:
    """Return the number of reachable positions of each layer, and the undecided ones of each that has some."""
    reachable, layers = [1], [symbolic.position(start)]
    while True:
        reached = symbolic.successors(layers[-1], len(layers) - 1)
        size = symbolic.count(reached)
        if size == 0:
            return reachable, layers
        reachable.append(size)
        undecided = symbolic.undecided(reached, len(layers))
        del reached
        if not undecided.satisfiable():
            return reachable, layers
        layers.append(undecided)
        symbolic.collect()


def _values(symbolic: Symbolic, layers: list[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield won, drawn and lost of each layer, the last one first; take the layers off the list."""
    there = won_there = lost_there = symbolic.empty
    while layers:
        here = layers.pop()
        won, lost = symbolic.values(here, len(layers), there, won_there, lost_there)
        sizes = symbolic.count(won), symbolic.count(lost)
        yield sizes[0], symbolic.count(here) - sum(sizes), sizes[1]
        there, won_there, lost_there = here, won, lost
        del here, won, lost
        symbolic.collect()
