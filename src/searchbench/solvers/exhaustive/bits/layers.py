"""Breadth-first search of a game whose parts are layers: a move always leads to a part one deeper (Edelkamp 2017).

So in peg solitaire the number of pegs tells the depth. One bit a state is enough, and only the layer that is written is
held as bits: the others are packed, and unpacked piece by piece when they are expanded.
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

PACKED_SHARE = 8
"""Packed layers are first taken to need this part of what they need as bits; what they do need is asked for as it grows."""


class LayerSearch(NamedTuple):
    """Hold what a search by layers found: how many states each depth has, and the codes of all states."""

    counts: list[int]
    codes: BitCodes


def layers_of(parts: Sequence[Part], first: int) -> list[list[Part]]:
    """Return the parts of each depth, from that of the number `first` on; others cannot be reached. Raises BadRequest.

    Every way from the first part to another one, by the parts that parts need, must be of the same length.
    """
    by_name = {part.name: part for part in parts}
    home = next(part for part in parts if part.start <= first < part.stop)
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
    """Return the memory that a search should take: the largest layer as bits, and all of them packed."""
    sizes = [8 * _words(*_hull(layer)) for layer in layers]
    return max(sizes) + sum(sizes) // PACKED_SHARE


def search_layers(game: Game, run: Run, target: jit.Target = "cpu", deepest: int | None = None) -> LayerSearch:
    """Search layer by layer, down to the depth `deepest`. Raises OutOfMemory where layers cannot be packed as was hoped."""
    expander = Expander(game, run, target)
    parts = in_order(game.parts())
    layers = layers_of(parts, expander.first)
    kept: dict[str, Layer] = {}
    counts: list[int] = []
    packed = 0
    window = _window(layers[0])
    put(window, expander.first)
    for depth, layer in enumerate(layers):
        held = part_counts(expander, window, layer)
        if not sum(held):
            break
        counts.append(sum(held))
        run.progress(f"depth {depth}", depth + 1, len(layers))
        origin, bits = window.origin, PackedBits.of(window.words, run.map)
        packed += bits.nbytes
        for part, count in zip(layer, held, strict=True):
            kept[part.name] = Layer(bits, origin, 1 + depth, count)
        if depth == deepest:
            break
        deeper = layers[depth + 1] if depth + 1 < len(layers) else []
        run.demand(packed + 8 * _words(*_hull(deeper)), f"depth {depth + 1} of {game}")
        window = _window([])  # so that the old one is gone before there is a new one
        window = _window(deeper)
        expander.expand_packed(bits, origin, window)
    return LayerSearch(counts, BitCodes(parts, [kept.get(part.name) for part in parts]))


def _hull(layer: Sequence[Part]) -> tuple[int, int]:
    """Return the first number of all parts of a layer, and the number after the last."""
    return min((part.start for part in layer), default=0), max((part.stop for part in layer), default=0)


def _words(first: int, stop: int) -> int:
    return words_for(stop - first)


def _window(layer: Sequence[Part]) -> Vector:
    """Return an empty vector for the numbers of a layer."""
    first, stop = _hull(layer)
    words: Any = np.zeros(_words(first, stop), np.uint64)
    return Vector(words, np.zeros(blocks_for(len(words)), np.uint8), first)
