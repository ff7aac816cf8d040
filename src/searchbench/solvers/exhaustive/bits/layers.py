"""Search games whose parts are layers breadth first: every move leads to a part one deeper (Edelkamp 2017).

In peg solitaire, for instance, the number of pegs gives the depth. One bit a state is enough. Only the layer under
construction is a bit vector: the others are packed, and unpacked piece by piece for expansion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.kernels import Vector
from searchbench.solvers.exhaustive.bits.search import (
    Expander,
    blocks_for,
    in_order,
    part_counts,
    put,
    words_for,
)  # fmt: skip
from searchbench.store.bits import BitCodes, Layer, PackedBits
from searchbench.store.working import WorkingFolder

PACKED_SHARE = 8
"""Estimated compression: packed layers take 1 / PACKED_SHARE of their bits. The search checks the true size per depth."""


class LayerSearch(NamedTuple):
    """The result of a search by layers: the number of states of each depth, and the codes of all states."""

    counts: list[int]
    codes: BitCodes


def layers_of(parts: Sequence[Part], first: int) -> list[list[Part]]:
    """Return the parts of each depth, beginning with the part of the number `first`; omit unreachable parts.

    Raises BadRequest unless all paths from the first part to another one, along `Part.needs`, have the same length.
    """
    by_name = {part.name: part for part in parts}
    home = next((part for part in parts if part.start <= first < part.stop), None)
    if home is None:
        raise BadRequest("the start has no number in the index, and breadth-first search begins there")
    depth_of = {home.name: 0}
    layers = [[home]]
    while layers[-1]:
        deeper: dict[str, Part] = {}
        for part in layers[-1]:
            for need in part.needs:
                if depth_of.setdefault(need, len(layers)) != len(layers):
                    raise BadRequest(
                        f"the parts are no layers: {part.name!r} at depth {len(layers) - 1} needs {need!r} at depth "
                        f"{depth_of[need]}; the form layers is for games whose every move leads one part deeper"
                    )
                deeper[need] = by_name[need]
        layers.append(in_order(list(deeper.values())))
    return layers[:-1]


def layer_bytes(layers: Sequence[Sequence[Part]]) -> int:
    """Estimate the memory of a search in bytes: the largest layer as bits, and all layers packed."""
    sizes = [8 * _words(*_hull(layer)) for layer in layers]
    return max(sizes) + sum(sizes) // PACKED_SHARE


def search_layers(
    game: Game,
    run: Run,
    target: jit.Target = "cpu",
    deepest: int | None = None,
    work: WorkingFolder | None = None,
) -> LayerSearch:
    """Search layer by layer, down to the depth `deepest` if given.

    With a working folder, resume from the layers in it and save the layers to it at intervals. Raises OutOfMemory if
    layers compress worse than `layer_bytes` estimates.
    """
    expander = Expander(game, run, target)
    parts = in_order(game.parts())
    layers = [*layers_of(parts, expander.first), []]  # an empty one at the end: every search ends there
    found = _Found.of(work) if work is not None and work.record else _Found([], [])
    while not found.counts or len(found.counts) - 1 != deepest:
        depth = len(found.counts)
        if work is not None and found.counts and work.due:
            found.keep(work, run)
        packed = sum(bits.nbytes for bits in found.packed)
        run.demand(packed + 8 * _words(*_hull(layers[depth])), f"depth {depth} of {game}")
        held, bits = _next_layer(expander, layers, found)
        if not sum(held):
            break
        found.counts.append(held)
        found.packed.append(bits)
        run.progress(f"depth {depth}", depth + 1, len(layers) - 1)
    kept = {
        part.name: Layer(bits, _hull(layers[depth])[0], 1 + depth, count)
        for depth, (bits, counts) in enumerate(zip(found.packed, found.counts, strict=True))
        for part, count in zip(layers[depth], counts, strict=True)
    }
    codes = BitCodes(parts, [kept.get(part.name) for part in parts])
    return LayerSearch([sum(held) for held in found.counts], codes)


def _next_layer(expander: Expander, layers: Sequence[Sequence[Part]], found: _Found) -> tuple[list[int], PackedBits]:
    """Return the number of states in each part of the next layer, and the layer's packed bits."""
    depth = len(found.packed)
    window = _window(layers[depth])
    if depth:
        expander.expand_packed(found.packed[-1], _hull(layers[depth - 1])[0], window)
    else:
        put(window, expander.first)
    held = part_counts(expander, window, layers[depth]) if layers[depth] else []
    return held, PackedBits.of(window.words, expander.run.map)


class _Found(NamedTuple):
    """The layers found so far: the number of states in each of their parts, and their bits."""

    counts: list[list[int]]
    packed: list[PackedBits]

    @classmethod
    def of(cls, work: WorkingFolder) -> _Found:
        """Load the layers of a working folder."""
        counts = [list(held) for held in work.record["counts"]]
        packed = [
            PackedBits.of_flat(*(work.copy_of(f"{name}-{depth}") for name in ("pieces", "lengths")))
            for depth in range(len(counts))
        ]
        return cls(counts, packed)

    def keep(self, work: WorkingFolder, run: Run) -> None:
        """Save to a working folder the layers that it does not have."""
        fresh = {
            f"{name}-{depth}": array
            for depth, bits in enumerate(self.packed)
            if f"pieces-{depth}" not in work.copies
            for name, array in bits.flat().items()
        }
        work.commit({"counts": self.counts}, fresh, run, still=work.copies)


def _hull(layer: Sequence[Part]) -> tuple[int, int]:
    """Return the first number of a layer and the number after its last."""
    return min((part.start for part in layer), default=0), max((part.stop for part in layer), default=0)


def _words(first: int, stop: int) -> int:
    return words_for(stop - first)


def _window(layer: Sequence[Part]) -> Vector:
    """Return an empty vector for the numbers of a layer."""
    first, stop = _hull(layer)
    words: Any = np.zeros(_words(first, stop), np.uint64)
    return Vector(words, np.zeros(blocks_for(len(words)), np.uint8), first)
