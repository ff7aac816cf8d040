"""Solve a layered game: its layers forwards, then their values backwards, in memory or layer by layer into a database."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from searchbench import jit
from searchbench.exchange.clock import Clock
from searchbench.exchange.decisions import end_if_asked, reduce_rows
from searchbench.exchange.ranks import ALONE, by_first, current, meet
from searchbench.exchange.shared_memory import SharedMemory
from searchbench.game import Game
from searchbench.index.diagram import Diagram, Nodes
from searchbench.index.protocol import Part, line_size
from searchbench.numbered import diagram_of, numbered
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.dealt import Dealt, empty_planes
from searchbench.solvers.exhaustive.diagrams.forward import Forward, Layers, digits_of
from searchbench.solvers.exhaustive.diagrams.hybrid import Hybrid, Sets, Values, Words, symbolic_first
from searchbench.solvers.exhaustive.diagrams.sweep import Sweep
from searchbench.store import Database, open_database
from searchbench.store.forms import TWO_BIT
from searchbench.store.growing import GrowingDatabase
from searchbench.store.header import DOCUMENT, is_begun
from searchbench.store.pairs import PairCodes, counts_of, set_pairs
from searchbench.store.working import working_folder
from searchbench.values import SWEEP, Ending

READ = 1 << 24
"""Positions read at a time."""


class Settles(Protocol):
    """Settle layer after layer; `nbytes` are the bytes that it takes besides the diagram and the planes."""

    nbytes: int

    def layer(self, layer: int, after: Any) -> Any:
        """Return the values of a layer from those of the next."""
        ...

    def words(self, layer: int, values: Any) -> Words:
        """Return the values of a layer as words."""
        ...


def solve_by_sweep(
    game: Game,
    run: Run,
    target: jit.Target = "cpu",
    symbolic: int | None = None,
    sweep: Callable[[Diagram], Settles] | None = None,
) -> Database:
    """Solve a game and return the database, in memory. Raises BadRequest, BadGame and OutOfMemory.

    `symbolic` begins with binary diagrams, until those of a layer have so many nodes; then MissingPackage is raised, too.
    `sweep` makes what settles the layers of a diagram, by default on the processor.
    """
    begun = time.process_time()
    layers = found_layers(game, run, target)
    diagram = layers.diagram
    settling: Settles = sweep(diagram) if sweep is not None else Settling(diagram, run, symbolic, target)
    all_planes = sum(_bytes(layer, diagram) for layer in range(diagram.layers))
    _demand(game, diagram, run, all_planes + settling.nbytes)
    planes = [empty_planes(0)] * diagram.layers
    values: Values = empty_planes(0)
    for layer in range(diagram.layers - 1, -1, -1):
        values = settling.layer(layer, values)
        planes[layer] = settling.words(layer, values)
        _tell(run, diagram, layer)
    made = numbered(game, diagram)
    codes = PairCodes(made.parts(), planes)
    return Database(made, Ending(), codes, _facts(layers, run) | {"cpu": round(time.process_time() - begun, 3)})


class Settling:
    """Settle layer after layer by the sweep, or by binary diagrams first, up to so many nodes of a layer's values.

    `nbytes` are the bytes that the sweep takes besides the diagram and the planes.
    """

    def __init__(self, diagram: Diagram, run: Run, symbolic: int | None, target: jit.Target = "cpu") -> None:
        self._hybrid = None if symbolic is None else Hybrid(diagram, run, symbolic_first(symbolic), target)
        self._sweep = Sweep(diagram, run, target) if self._hybrid is None else self._hybrid.sweep
        self.nbytes = self._sweep.nbytes
        self.dealt = self._sweep.dealt

    def layer(self, layer: int, after: Values) -> Values:
        """Return the values of a layer from those of the next."""
        if self._hybrid is not None:
            return self._hybrid.layer(layer, after)
        assert not isinstance(after, Sets)
        return self._sweep.layer(layer, after)

    def words(self, layer: int, values: Values) -> Words:
        """Return the values of a layer as words."""
        if self._hybrid is not None:
            return self._hybrid.words(layer, values)
        assert not isinstance(values, Sets)
        return values


def solve_into(
    game: Game, folder: Path, run: Run, command: str = "", symbolic: int | None = None, target: jit.Target = "cpu"
) -> Database:
    """Solve a game into a folder, layer by layer, and return the database opened.

    What is kept there already is not solved again. The layers that are reached are kept in the run's working folder.
    `symbolic` is that of `solve_by_sweep`. On several ranks all of them call this: the first one finds the layers, and all
    settle the pieces of each and write it.
    """
    clock = Clock()
    if (finished := _finished(game, folder)) is not None:
        return finished
    layers = found_layers(game, run, target)
    diagram = layers.diagram
    made = numbered(game, diagram)
    largest = max(_bytes(layer, diagram) + _bytes(layer + 1, diagram) for layer in range(diagram.layers))
    settling = Settling(diagram, run, symbolic, target)
    dealt = settling.dealt
    _demand(game, diagram, run, largest // dealt.near + settling.nbytes, dealt.near)
    parts = made.parts()
    with GrowingDatabase(folder, made, Ending(), command, TWO_BIT) as kept:
        before = {name: float(kept.facts.get(name, 0)) for name in ("cpu", "busiest")}
        after: Values = empty_planes(0)
        for layer in range(diagram.layers - 1, -1, -1):
            part = parts[layer]
            if part.name in kept.records:
                if layer == 0 or parts[layer - 1].name not in kept.records:
                    after = _planes_on_disk(kept, dealt, part)
                continue
            end_if_asked()
            after = settling.layer(layer, after)
            words = settling.words(layer, after)
            cpu = {name: round(before[name] + used, 3) for name, used in clock.used().items()}
            more = {"cpu": cpu["cpu"]} if current() is ALONE else {**cpu, "ranks": dealt.count}
            kept.add((part,), _OneLayer(parts, part, words), _facts(layers, run) | more)
            _tell(run, diagram, layer)
    return open_database(folder, game, Ending())


def _finished(game: Game, folder: Path) -> Database | None:
    """Return the database of a folder if it has all layers."""
    if not is_begun(folder) and (folder / DOCUMENT).exists():
        database = open_database(folder, game, Ending())
        diagram = diagram_of(database.game)
        if diagram is not None and len(database.parts) == diagram.layers:
            return database
        database.close()
    return None


class _OneLayer(PairCodes):
    """Read the codes of one part of a number line, which ranks count together."""

    def __init__(self, parts: Sequence[Part], part: Part, planes: Any) -> None:
        super().__init__([part], [planes])
        self._size = line_size(parts)

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        return self._size

    def _won_and_lost(self, part: Part) -> tuple[int, int]:
        ranks, words = current(), self._planes[part.name]
        step = 2 * -(-len(words) // (2 * ranks.count))
        won, lost = reduce_rows(np.array([counts_of(words[ranks.rank * step : (ranks.rank + 1) * step])])).tolist()
        return won, lost


def found_layers(game: Game, run: Run, target: jit.Target = "cpu") -> Layers:
    """Return the layers of a game; those of an interrupted run are gone on with. Raises OutOfMemory.

    Of several ranks the first one finds them, and each machine holds the diagram once.
    """
    digits = digits_of(game)
    found: list[Layers] = []

    def nodes() -> Nodes:
        with working_folder(game, SWEEP, run, Ending()) as folder:
            found.append(Forward(game, digits, run, target, folder).layers())
        return found[0].diagram.nodes

    held = SharedMemory().once(nodes)
    if current().count == 1:
        return found[0]

    def told() -> tuple[int, list[int], list[int], dict[str, float]]:
        one = found[0]
        return one.diagram.first_weight, one.reachable, one.undecided, one.seconds

    weight, reachable, undecided, seconds = by_first(told)
    return Layers(Diagram(digits, held, weight), reachable, undecided, seconds)


def _planes_on_disk(kept: GrowingDatabase, dealt: Dealt, part: Part) -> Any:
    """Return the words W and L of a layer that is kept, each read by one rank of a machine."""
    planes = dealt.planes(part.size)
    for first, codes in kept.read(part, READ, dealt.place, dealt.near):
        set_pairs(planes, first - part.start, codes)
    meet()
    return planes


def _bytes(layer: int, diagram: Diagram) -> int:
    return diagram.count(layer) // 4 + 64 if layer < diagram.layers else 0


def _demand(game: Game, diagram: Diagram, run: Run, needed: int, near: int = 1) -> None:
    nodes = sum(array.nbytes for array in diagram.nodes) // near
    run.demand(needed + nodes, f"solving {game} ({diagram.size:,} undecided positions) with {SWEEP}")


def _tell(run: Run, diagram: Diagram, layer: int) -> None:
    run.progress(f"layer {layer}", diagram.size - int(diagram.nodes.starts[layer]), diagram.size)


def _facts(layers: Layers, run: Run) -> dict[str, Any]:
    diagram = layers.diagram
    return {
        "solver": SWEEP,
        "levels": diagram.layers,
        **run.times,
        "threads": run.threads,
        "nodes": len(diagram.nodes.masks) + len(diagram.nodes.leaf_masks),
        "reachable_by_layer": layers.reachable,
        "undecided_by_layer": layers.undecided,
    }
