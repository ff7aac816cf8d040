"""Breadth-first search on a device whose memory is too small for it: block by block, with transfers beside the work.

The planes of the depths and the frontier lie in the processor's memory. The device holds a *window* of the successors' bits
and two *lanes* with room for a block each: while one expands or closes its block, the other one's travels. A level goes over
the windows, and for each over all blocks that have states, so the work grows with the number of windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.jit import Device
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.kernels import BLOCK, Planes, Vector
from searchbench.solvers.exhaustive.bits.search import Layers, bits_in, blocks_for, words_for
from searchbench.solvers.exhaustive.device import kernels
from searchbench.solvers.exhaustive.device.search import Expanding, begun, note_layer, small_bytes
from searchbench.store.working import WorkingFolder

LANES = 2
_LANE_WORD = 8 * 3
"""Bytes of a lane on the device for each word of a block: the planes and the frontier."""


class Sizes(NamedTuple):
    """Say how many words a window and a block have: whole blocks of marks."""

    window: int
    block: int


def least_bytes(game: Game) -> int:
    """Return the least memory of a device with which a game can be searched."""
    return small_bytes(game) + BLOCK * (8 + LANES * _LANE_WORD) + 2 * BLOCK


def sizes_within(game: Game, memory: int) -> Sizes:
    """Return the sizes of windows and blocks that take so much of a device's memory: a quarter is for the lanes."""
    words = words_for(line_size(game.parts()))
    room = memory - small_bytes(game) - 2 * BLOCK
    block = max(1, room // 4 // (LANES * _LANE_WORD * BLOCK)) * BLOCK
    block = min(block, blocks_for(words) * BLOCK)
    window = max(1, (room - LANES * _LANE_WORD * block - blocks_for(block)) // (8 * BLOCK + 1)) * BLOCK
    return Sizes(min(window, blocks_for(words) * BLOCK), block)


class _Lane:
    """Hold a stream, its room on the device, and memory of the processor from which the device can read."""

    def __init__(self, device: Device, block: int) -> None:
        self.stream = device.lane()
        self.low, self.high, self.frontier = (device.room(block, np.uint64) for _ in range(3))
        self.held = [self.stream.locked(block, np.uint64) for _ in range(3)]
        self.fetched: tuple[int, int] | None = None

    def send(self, place: int, values: npt.NDArray[Any], array: Any) -> None:
        """Send a block."""
        held = self.held[place][: len(values)]
        held[:] = values
        self.stream.send(held, array)


class BlockSearch:
    """Search a game in windows and blocks."""

    def __init__(self, game: Game, run: Run, device: Device, sizes: Sizes, layers: Layers, frontier: Any) -> None:
        self.search = Expanding(game, run, device)
        self.device, self.sizes, self.layers, self.frontier = device, sizes, layers, frontier
        self.next = np.zeros_like(frontier)
        self.reached = self.search.zeros(sizes.window, np.uint64)
        self.touched = self.search.zeros(blocks_for(sizes.window), np.uint8)
        self.marks = self.search.zeros(blocks_for(sizes.block), np.uint8)
        self.lanes = [_Lane(device, sizes.block) for _ in range(LANES)]

    def level(self, first: bool) -> bool:
        """Find the states of one more depth, at the beginning the start; return whether there are any."""
        for start in range(0, self.search.words, self.sizes.window):
            stop = min(start + self.sizes.window, self.search.words)
            self.search.clear(self.reached)
            self.search.clear(self.touched)
            target = Vector(self.reached, self.touched, 64 * start)
            if not first:
                self._expand_into(target)
            elif start <= self.search.first >> 6 < stop:
                self.search.put(target, self.search.first)
            self._close(start, stop)
        self.frontier, self.next = self.next, self.frontier
        return note_layer(self.layers, self.search.counted(), self.search, lambda _count: bits_in(self.frontier))

    def _blocks(self, start: int, stop: int) -> Iterator[tuple[_Lane, int, int]]:
        """Yield the blocks of an interval of words, each with a lane whose last work is done."""
        for place, first in enumerate(range(start, stop, self.sizes.block)):
            lane = self.lanes[place % LANES]
            lane.stream.wait()
            self._take(lane)
            yield lane, first, min(first + self.sizes.block, stop)
        for lane in self.lanes:
            lane.stream.wait()
            self._take(lane)

    def _expand_into(self, target: Vector) -> None:
        self.search.clear(self.marks, 1)
        for lane, first, stop in self._blocks(0, self.search.words):
            if not self.frontier[first:stop].any():
                continue
            lane.send(2, self.frontier[first:stop], lane.frontier)
            with lane.stream():
                self.search.expand(Vector(lane.frontier[: stop - first], self.marks, 64 * first), target)

    def _close(self, begin: int, end: int) -> None:
        """Close the words of the window begin .. end - 1."""
        code, search, layers = len(self.layers.counts) % 3 + 1, self.search, self.layers
        for lane, first, stop in self._blocks(begin, end):
            for place, (plane, array) in enumerate(((layers.low, lane.low), (layers.high, lane.high))):
                lane.send(place, plane[first:stop], array)
            window, blocks = (
                slice(first - begin, stop - begin),
                slice((first - begin) // BLOCK, blocks_for(stop - begin)),
            )
            reached, touched = self.reached[window], self.touched[blocks]
            planes = Planes(lane.low, lane.high, lane.frontier, self.marks, reached, touched)
            with lane.stream():
                search.run_each(
                    kernels.close, stop - first, planes, search.bits, code, 64 * first, search.starts, search.counts
                )
            for held, array in zip(lane.held, (lane.low, lane.high, lane.frontier), strict=True):
                lane.stream.fetch(array, held[: stop - first])
            lane.fetched = first, stop

    def _take(self, lane: _Lane) -> None:
        """Copy what a lane has fetched to its place."""
        if lane.fetched is not None:
            first, stop = lane.fetched
            for held, vector in zip(lane.held, (self.layers.low, self.layers.high, self.next), strict=True):
                vector[first:stop] = held[: stop - first]
            lane.fetched = None


def search_in_blocks(game: Game, run: Run, device: Device, work: WorkingFolder | None = None) -> Layers:
    """Search from the start until a layer is empty, block by block. A working folder is used as by the search in memory."""
    layers, kept, resumed = begun(game, run, work)
    search = BlockSearch(game, run, device, sizes_within(game, device.memory), layers, kept["frontier"])
    first = not resumed
    while search.level(first):
        first = False
        if work is not None and work.due:
            work.commit(layers.record, {**kept, "frontier": search.frontier}, run)
    return layers
