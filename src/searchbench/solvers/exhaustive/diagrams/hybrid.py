"""Values of each layer by binary diagrams, or by the sweep: Edelkamp's hybrid, and the same rule turned round.

Edelkamp (2017) goes backwards by diagrams until those of the values outgrow the memory, then position by position. The sweep
is far quicker and takes two bits a position, so the other rule is to go by diagrams only where these bits have no room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.diagram import Diagram
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.backward import capacity_for
from searchbench.solvers.exhaustive.diagrams.dealt import empty_planes
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers
from searchbench.solvers.exhaustive.diagrams.handover import subset_of, words_of
from searchbench.solvers.exhaustive.diagrams.sweep import Sweep
from searchbench.solvers.exhaustive.diagrams.symbolic import Symbolic, TablesFull
from searchbench.store.pairs import counts_of

ORDERS: Final = ("symbolic", "sweep")


class Sets(NamedTuple):
    """The positions of a layer, and those of them that are won and lost, as binary diagrams."""

    here: Any
    won: Any
    lost: Any

    @property
    def nodes(self) -> int:
        """Return the nodes of the values."""
        return int(self.won.node_count() + self.lost.node_count())


Words = npt.NDArray[np.uint64]
Values = Words | Sets
"""The values of a layer: words W and L by turns, or binary diagrams."""
Rule = Callable[[int, Values], bool]
"""Tells whether a layer goes by diagrams, from its number and the values of the next layer."""


class HybridLayer(NamedTuple):
    """How many positions of a layer are reachable, undecided, won, drawn and lost; and how that was found: a word of ORDERS."""

    reachable: int
    undecided: int
    won: int
    drawn: int
    lost: int
    way: str


class Hybrid:
    """Settle layers by binary diagrams while a rule says so, else by the sweep, and hand values from one to the other.

    Raises MissingPackage where OxiDD is not installed.
    """

    def __init__(self, diagram: Diagram, run: Run, rule: Rule, target: jit.Target = "cpu") -> None:
        self.diagram, self.rule, self._target = diagram, rule, target
        self.sweep = Sweep(diagram, run, target)
        self._symbolic = Symbolic(diagram.digits, capacity_for(diagram.digits, run))

    def layer(self, layer: int, after: Values) -> Values:
        """Return the values of a layer from those of the next; by the sweep where the tables of diagrams are full."""
        if self.rule(layer, after):
            try:
                return self._by_diagrams(layer, after)
            except TablesFull:
                self._symbolic.collect()
        return self.sweep.layer(layer, self.words(layer + 1, after))

    def _by_diagrams(self, layer: int, after: Values) -> Sets:
        there = self.sets(layer + 1, after)
        here = self._positions(layer)
        found = Sets(here, *self._symbolic.values(here, layer, *there))
        self._symbolic.collect()
        return found

    def _positions(self, layer: int) -> Any:
        nodes = self.diagram.nodes
        return self._symbolic.of_nodes(nodes._asdict(), int(nodes.roots[layer]))

    def sets(self, layer: int, values: Values) -> Sets:
        """Return the values of a layer as binary diagrams. Raises TablesFull."""
        if isinstance(values, Sets):
            return values
        if layer == self.diagram.layers:
            return Sets(*(self._symbolic.empty,) * 3)
        subsets = (subset_of(self.diagram, layer, values, which, self._target) for which in range(2))
        return Sets(self._positions(layer), *(self._symbolic.of_nodes(arrays, root) for arrays, root in subsets))

    def words(self, layer: int, values: Values) -> Words:
        """Return the values of a layer as words."""
        if not isinstance(values, Sets):
            return values
        if layer == self.diagram.layers:
            return empty_planes(0)
        binary, (won, lost) = self._symbolic.binary_nodes((values.won, values.lost))
        return words_of(self.diagram, layer, binary, won, lost, self._target)

    def counts(self, layer: int, values: Values) -> tuple[int, int, int]:
        """Return how many positions of a layer are won, drawn and lost."""
        if isinstance(values, Sets):
            won, lost = self._symbolic.count(values.won), self._symbolic.count(values.lost)
        else:
            won, lost = counts_of(values)
        return won, self.diagram.count(layer) - won - lost, lost


def symbolic_first(nodes: int) -> Rule:
    """Return Edelkamp's rule: by diagrams from the last layer on, until the values of one have more nodes than that."""
    swept = False

    def rule(layer: int, after: Values) -> bool:
        nonlocal swept
        swept = swept or (isinstance(after, Sets) and after.nodes > nodes)
        return not swept

    return rule


def symbolic_where_large(diagram: Diagram, memory: int) -> Rule:
    """Return the rule turned round: by diagrams only where two layers' words take more than so many bytes."""

    def rule(layer: int, after: Values) -> bool:
        sizes = [diagram.count(one) for one in (layer, layer + 1) if one < diagram.layers]
        return sum(size // 4 for size in sizes) > memory

    return rule


def hybrid_counts(
    game: Game, run: Run, prefer: str = "sweep", nodes: int = 0, memory: int | None = None, target: jit.Target = "cpu"
) -> list[HybridLayer]:
    """Return the counts of each layer of a game, each found by diagrams or by the sweep.

    Prefer "symbolic": by diagrams until the values of a layer have more than `nodes` nodes. Prefer "sweep": by diagrams where
    words take more than `memory` bytes, by default the run's. Raises BadRequest, BadGame, MissingPackage and OutOfMemory.
    """
    if prefer not in ORDERS:
        raise BadRequest(f"prefer {prefer!r}: expected {' or '.join(ORDERS)}")
    with run as active:
        layers = reachable_layers(game, active, target=target)
        diagram = layers.diagram
        room = active.memory if memory is None else memory
        rule = symbolic_first(nodes) if prefer == "symbolic" else symbolic_where_large(diagram, room)
        hybrid = Hybrid(diagram, active, rule, target)
        found = list(_settled(hybrid, active))[::-1]
    found += [((0, 0, 0), "sweep")] * (len(layers.reachable) - len(found))
    return [
        HybridLayer(reached, sum(counts), *counts, way)
        for reached, (counts, way) in zip(layers.reachable, found, strict=True)
    ]


def _settled(hybrid: Hybrid, run: Run) -> Iterator[tuple[tuple[int, int, int], str]]:
    """Yield the counts of each layer and how they were found, the last layer first."""
    values: Values = empty_planes(0)
    for layer in range(hybrid.diagram.layers - 1, -1, -1):
        values = hybrid.layer(layer, values)
        run.progress(f"layer {layer}", hybrid.diagram.layers - layer, hybrid.diagram.layers)
        yield hybrid.counts(layer, values), ORDERS[not isinstance(values, Sets)]
