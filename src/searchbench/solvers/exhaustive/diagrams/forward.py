"""The layers of a game, forwards: which positions moves reach, counted, and numbered by a diagram."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import log2
from typing import Any, Final

from searchbench import jit
from searchbench.errors import BadGame, BadRequest, OutOfMemory
from searchbench.game import Game
from searchbench.index.diagram import Diagram
from searchbench.index.digits import Digits, table_faults
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.flatten import Flattener
from searchbench.solvers.exhaustive.diagrams.symbolic import Symbolic, TablesFull, capacity_within
from searchbench.store.working import WorkingFolder

SHARE: Final = 0.5
"""Part of the memory budget for the tables of binary diagrams."""
LEAST: Final = 1 << 20
GROWTH: Final = 4
"""Tables that are full are replaced by tables with so many times as many nodes."""


def first_capacity(digits: Digits) -> int:
    """Return for how many nodes the tables have room at first: with the root of the number of all contents, then its 4th root."""
    bits = sum(log2(sum(content is not None for content in digit.contents)) for digit in digits.digits)
    return int(min(1 << 27, max(LEAST, 2 ** (min(bits, 30) / 2 + max(0, bits - 30) / 4 + 10))))


@dataclass
class Layers:
    """The reachable layers of a game: `reachable` and `undecided` positions of each, and the diagram of the undecided ones.

    A layer whose positions are all decided is counted as reachable, and is none of the diagram's.
    """

    diagram: Diagram
    reachable: list[int]
    undecided: list[int]
    seconds: dict[str, float] = field(default_factory=dict)


def digits_of(game: Game) -> Digits:
    """Return the digits of a game, their tables checked. Raises BadRequest where it tells none, and BadGame."""
    told = game.digits()
    if told is None:
        raise BadRequest(f"{game} tells no `digits`, from which diagrams of its positions would be made")
    for fault in table_faults(told, game.width):
        raise BadGame(f"{game}: digits(): {fault}; `searchbench check` tells more")
    return told


def reachable_layers(game: Game, run: Run | None = None, most: int | None = None, target: jit.Target = "cpu") -> Layers:
    """Return the layers of a game that are reached from its start, at most `most` moves from it.

    Raises BadRequest for a game without `digits`, MissingPackage without OxiDD, and OutOfMemory.
    """
    digits = digits_of(game)
    with run or Run() as active:
        return Forward(game, digits, active, target).layers(most)


class Forward:
    """Find layer after layer; a `folder` keeps those that are found, and is gone on with."""

    def __init__(
        self, game: Game, digits: Digits, run: Run, target: jit.Target = "cpu", folder: WorkingFolder | None = None
    ) -> None:
        start = digits.codes(game.start())
        if start is None:
            raise BadGame(f"{game}: digits() has no codes for the start")
        self.game, self.digits, self.run, self.folder, self.start = game, digits, run, folder, start
        self.most = max(LEAST, capacity_within(int(SHARE * run.memory)))
        self.first_weight = digits.weight(start)
        self.flattener = Flattener(digits, target)
        self.reachable = [1]
        self.undecided: list[Any] = []
        self.seconds = {"forward": 0.0, "flatten": 0.0}

    def layers(self, most: int | None = None) -> Layers:
        """Return the layers up to `most` moves, all of them by default."""
        if not self._restore():
            begun = time.process_time()
            self._begin(min(self.most, first_capacity(self.digits)))
            self.seconds["forward"] += time.process_time() - begun
            while (most is None or len(self.reachable) <= most) and self._next():
                if self.folder is not None and self.folder.due:
                    self._keep(complete=False)
            if self.folder is not None and most is None:
                self._keep(complete=True)
        begun = time.process_time()
        diagram = self.flattener.diagram(self.first_weight)
        self.seconds["flatten"] += time.process_time() - begun
        undecided = [diagram.count(layer) for layer in range(diagram.layers)]
        return Layers(diagram, self.reachable, undecided + [0] * (len(self.reachable) - len(undecided)), self.seconds)

    def _begin(self, capacity: int) -> None:
        """Make tables with the newest layer that was found, or with the start."""
        self.undecided = []
        self.symbolic = Symbolic(self.digits, capacity)
        if not self.flattener.roots:
            self.undecided = [self.symbolic.position(self.start)]
            self._flatten()
            return
        layer = len(self.flattener.roots) - 1
        whole, parts = self.symbolic.of_layer(self.flattener.diagram(self.first_weight), layer)
        _, binary = self.symbolic.read(whole)
        known = [(digit, node, self.symbolic.number_of(positions)) for digit, node, positions in parts]
        self.flattener.forget(known, len(binary.low))
        self.undecided = [whole]

    def _next(self) -> bool:
        """Find the next layer; return whether it has undecided positions."""
        begun = time.process_time()
        while True:
            try:
                undecided = self._step()
                break
            except TablesFull:
                self._make_room()
        self.seconds["forward"] += time.process_time() - begun
        if undecided is None:
            return False
        self.undecided.append(undecided)
        self._flatten()
        return True

    def _step(self) -> Any:
        """Return the undecided positions of the next layer, None if there are none; note how many are reachable."""
        layer = len(self.reachable)
        reached = self.symbolic.successors(self.undecided[-1], layer - 1)
        size = self.symbolic.count(reached)
        if size == 0:
            return None
        undecided: Any = self.symbolic.undecided(reached, layer)
        del reached
        self.reachable.append(size)
        self.symbolic.collect()
        self.run.progress(f"layer {layer}: {size:,} positions", layer, 0)
        return undecided if undecided.satisfiable() else None

    def _make_room(self) -> None:
        """Go on in larger tables, or without the layers before the last. Raises OutOfMemory."""
        capacity = min(self.most, GROWTH * self.symbolic.capacity)
        if capacity == self.symbolic.capacity and len(self.undecided) == 1:
            if self.folder is not None:
                self._keep(complete=False)
            raise OutOfMemory(
                f"layer {len(self.reachable)} of {self.game} needs more than {capacity:,} nodes of decision diagrams: "
                "give a larger --memory"
            )
        del self.symbolic
        self._begin(capacity)

    def _flatten(self) -> None:
        begun = time.process_time()
        self.flattener.add(*self.symbolic.read(self.undecided[-1]), self.symbolic.first_variable)
        self.seconds["flatten"] += time.process_time() - begun

    def _keep(self, complete: bool) -> None:
        """Keep the layers in the working folder."""
        assert self.folder is not None
        arrays = {name: array.reshape(-1) for name, array in self.flattener.arrays().items()}
        self.folder.commit({"reachable": self.reachable, "complete": complete}, arrays, self.run)

    def _restore(self) -> bool:
        """Take the layers that an earlier run has kept; return whether they are all."""
        if self.folder is None or not self.folder.record:
            return False
        self.flattener.restore({name: self.folder.copy_of(name, self.run) for name in sorted(self.folder.copies)})
        self.reachable = list(self.folder.record["reachable"])
        return bool(self.folder.record["complete"])
