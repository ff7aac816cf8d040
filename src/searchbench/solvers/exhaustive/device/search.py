"""Breadth-first search of any game on a device, at two bits a state or one: a thread unranks, moves and ranks one state.

The search is that of :mod:`searchbench.solvers.exhaustive.bits.search`, level by level, on vectors in the device's memory
(Edelkamp 2017, sections on bitvector state space search on the GPU). The processor sees counts of states alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.game import Game
from searchbench.index.protocol import Part, line_size
from searchbench.jit import Device
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.solvers.exhaustive.bits.kernels import ANY, BLOCK, Expansion, Planes, Vector
from searchbench.solvers.exhaustive.bits.search import (
    FEW,
    Layers,
    Reach,
    astray,
    blocks_for,
    in_order,
    starts_of,
    two_bit_bytes,
    words_for,
)
from searchbench.solvers.exhaustive.device import kernels
from searchbench.solvers.exhaustive.device.threads import Threads
from searchbench.store.working import WorkingFolder
from searchbench.values import Depth

Array = npt.NDArray[Any]
SPARSE: Final = 8
"""A layer of fewer than one number in SPARSE is listed: else most threads of a group would wait for one that has a state."""
NOTES = 16
"""Bytes of a part's count on the device, and of what else is small."""


class Expanding(Threads):
    """Expand states on a device, for all forms of the search."""

    def __init__(self, game: Game, run: Run, device: Device) -> None:
        super().__init__(run, device, game.names(Depth(), device.target))
        self.game = game
        self.parts: list[Part] = in_order(game.parts())
        self.size = line_size(self.parts)
        self.words = words_for(self.size)
        self.through_ends = not game.two_players
        self.by_number = game.has("successor_ranks") and not game.has("canonical")
        self.first = numbered(game, game.rank(game.canonical(game.start())))
        self.bits = device.array(np.uint64(1) << np.arange(64, dtype=np.uint64))
        self.starts = device.array(starts_of(self.parts))
        self.counts = device.array(np.zeros(len(self.parts), np.int64))
        self._astray = device.array(np.zeros(1, np.int64))

    def expand(self, source: Vector, target: Vector, parity: int = ANY) -> None:
        """Set in `target` the bits of the successors of the states of `source`, whose blocks are marked."""
        count = min(64 * len(source.words), self.size - source.origin)
        which = Expansion(parity, self.through_ends, self.by_number)
        self.run_each(kernels.expand, count, source, target, self.bits, which, self._astray, self.size)

    def expand_few(self, words: Any, target: Vector) -> None:
        """Do the same for all states of sparse words: they are listed, so that all threads have one."""
        which = Expansion(ANY, self.through_ends, self.by_number)
        strips = -(-len(words) // kernels.STRIP)
        found = self.listed(strips, kernels.count_strip, kernels.scatter_strip, words, self.bits)
        self.run_each(kernels.expand_listed, len(found), found, target, self.bits, which, self._astray, self.size)

    def counted(self) -> npt.NDArray[np.int64]:
        """Return the counts by part, which begin at 0 again. Raises BadRequest where a state's successor had no place."""
        found = self.device.read(self.counts)
        outside = int(self.device.read(self._astray)[0])
        if outside:
            raise astray(self.game, outside - 1)
        self.clear(self.counts)
        return found

    def few(self, words: Any, origin: int, count: int) -> list[int]:
        """Return the numbers of the bits of a vector that has `count` of them."""
        found = self.zeros(count, np.int64)
        self.run_each(kernels.list_bits, len(words), words, self.bits, origin, found, self.zeros(count, np.int64))
        return sorted(self.device.read(found).tolist())

    def put(self, vector: Vector, number: int) -> None:
        """Set the bit of a number and mark its block."""
        self.run_each(put, 1, vector, self.bits, number)


def put(_place: int, vector: Vector, bits: Any, number: int) -> None:
    """Set the bit of a number and mark its block."""
    bit = number - vector.origin
    vector.words[bit >> 6] |= bits[bit & 63]
    vector.marks[(bit >> 6) // BLOCK] = 1


def small_bytes(game: Game) -> int:
    """Return the memory of what is small: counts, marks of one block, and the numbers of a small layer."""
    return NOTES * (len(game.parts()) + FEW + 64)


def listing_bytes(words: int, count: int) -> int:
    """Return the memory of a list of so many states, and of the counts of strips, in bytes."""
    return 8 * count + 16 * (-(-words // kernels.STRIP)) + 4096


def begun(game: Game, run: Run, work: WorkingFolder | None) -> tuple[Layers, dict[str, Array], bool]:
    """Return the layers, the vectors that checkpoints keep, and whether both are those of a working folder, or empty."""
    words = words_for(line_size(game.parts()))
    kept = {name: np.zeros(words, np.uint64) for name in ("low", "high", "frontier")}
    if work is None or not work.record:
        return (
            Layers([], {part.name: [] for part in in_order(game.parts())}, kept["low"], kept["high"], {}),
            kept,
            False,
        )
    for name, vector in kept.items():
        work.load(name, vector, run)
    return Layers.of(work.record, kept["low"], kept["high"]), kept, True


def search_two_bit(game: Game, run: Run, device: Device, work: WorkingFolder | None = None) -> Layers:
    """Search from the start until a layer is empty; every state is expanded once.

    With a working folder, resume from the copy in it, which the processor's search may have made, and save one at intervals.
    """
    search = Expanding(game, run, device)
    layers, kept, resumed = begun(game, run, work)
    low, high, frontier = (device.array(vector) for vector in kept.values())
    reached = search.zeros(search.words, np.uint64)
    active, touched = (search.zeros(blocks_for(search.words), np.uint8) for _ in range(2))
    planes = Planes(low, high, frontier, active, reached, touched)
    source, found = Vector(frontier, active, 0), Vector(reached, touched, 0)

    def fetch() -> None:
        for vector, held in zip(kept.values(), (low, high, frontier), strict=True):
            vector[:] = device.read(held)

    spare = device.memory - two_bit_bytes(search.size) - small_bytes(game)

    def expand() -> None:
        count = layers.counts[-1]
        if count < search.size // SPARSE and listing_bytes(search.words, count) <= spare:
            search.expand_few(frontier, found)
        else:
            search.expand(source, found)

    if resumed:
        search.clear(active, 1)
        expand()
    else:
        search.put(found, search.first)
    while True:
        search.clear(active)
        code = len(layers.counts) % 3 + 1
        search.run_each(kernels.close, search.words, planes, search.bits, code, 0, search.starts, search.counts)
        search.clear(touched)
        if not note_layer(layers, search.counted(), search, lambda count: search.few(frontier, 0, count)):
            fetch()
            return layers
        if work is not None and work.due:
            fetch()
            work.commit(layers.record, kept, run)
        expand()


def note_layer(layers: Layers, new: npt.NDArray[np.int64], search: Expanding, listed: Any) -> bool:
    """Add a layer with so many new states in each part; return whether there are any. `listed` gives their numbers."""
    total = int(new.sum())
    if not total:
        return False
    if total <= FEW:
        layers.few[len(layers.counts)] = listed(total)
    layers.counts.append(total)
    for part, count in zip(search.parts, new.tolist(), strict=True):
        layers.parts[part.name].append(count)
    search.run.progress(f"depth {len(layers.counts) - 1}", sum(layers.counts), search.size)
    return True


def search_one_bit(game: Game, run: Run, device: Device, alternating: bool) -> tuple[Reach, Sequence[int]]:
    """Search from the start until a round finds no new state, with one bit a state; return the counts by part, too.

    If `alternating`, a round expands the states whose `alternates` is that of its depth, and the counts are those of the
    layers; old states are expanded again in blocks that gained states in the round before.
    """
    search = Expanding(game, run, device)
    words = search.zeros(search.words, np.uint64)
    active, touched = (search.zeros(blocks_for(search.words), np.uint8) for _ in range(2))
    first_parity = int(game.call("alternates", game.unrank(search.first))) if alternating else ANY
    counts: list[int] = []
    search.put(Vector(words, touched, 0), search.first)
    while True:
        search.run_each(
            kernels.count_words, search.words, Vector(words, touched, 0), search.bits, search.starts, search.counts
        )
        by_part = search.counted()
        new = int(by_part.sum()) - sum(counts)
        if not new:
            return Reach(device.read(words), counts), by_part.tolist()
        counts.append(new)
        run.progress(f"round {len(counts) - 1}", sum(counts), search.size)
        active, touched = touched, active
        search.clear(touched)
        parity = (first_parity + len(counts) + 1) % 2 if alternating else ANY
        search.expand(Vector(words, active, 0), Vector(words, touched, 0), parity)
