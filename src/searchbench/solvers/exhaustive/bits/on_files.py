"""Search any game breadth first at two bits a state, with the bit vectors and the requests of a level in files.

A level has two phases. The first expands the frontier: it puts the numbers of the successors into buckets, one for each
block of numbers, and appends the buckets to files. The second applies each bucket to its block: the new states become
the block's part of the next frontier and enter the two planes of the depths. In memory are one block per thread and the
ends of the buckets. (Delayed duplicate detection: Gasser 1995, section 3.5, and Edelkamp 2017.)

The search can be killed at any time. The record gives the level and the phase. An interrupted expansion starts again. For
each block, the journal tells whether its part of the next frontier is written (it is then right, even if the planes are
half updated) and whether the planes are written, too.
"""

from __future__ import annotations

import threading
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import DamagedData
from searchbench.exchange.files import LEAST_ROOM, MOST_BLOCK_BITS, FileBuckets, Requests, add_place
from searchbench.exchange.space import rest
from searchbench.game import Game
from searchbench.index.contract import successor_ranks
from searchbench.index.protocol import line_size
from searchbench.jit import trailing_zeros
from searchbench.rules import new_moves, new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.kernels import (
    ANY,
    Expansion,
    Vector,
    count_parts,
    goes_by_number,
    successor_numbers,
)
from searchbench.solvers.exhaustive.bits.search import (
    FEW,
    Expander,
    Layers,
    astray,
    bits_in,
    blocks_for,
    in_order,
    starts_of,
    words_for,
)
from searchbench.store.working import WorkingFolder

Array = npt.NDArray[Any]
LEAST_MEMORY: Final = 4 << 20
"""Least memory of a search on files, in bytes."""
LEAST_BLOCK_BITS: Final = 12
EXPAND, APPLY = "expand", "apply"
TODO, FOUND, SETTLED = range(3)
"""A block's state in the journal: nothing done, its part of the next frontier written, its planes written, too."""
PIECE: Final = 1 << 16
"""Requests read at a time."""


def emit(
    words: Any, bits: Any, first: int, stop: int, size: int, which: Expansion, block_bits: int, requests: Requests
) -> int:  # fmt: skip
    """Put into buckets the successors of those states first .. stop - 1 whose bits are set.

    Return `stop`; or the first state not expanded, if a bucket might overflow; or -1 - number, if a successor of the
    state `number` lies outside the index.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    before, plain = -1, goes_by_number(which)
    for word in range(first >> 6, (stop + 63) >> 6):
        left = words[word]
        while left != 0:
            number = 64 * word + trailing_zeros(left)
            left &= left - bits[0]
            if number < first:
                continue
            if plain:
                count = successor_ranks(number, state, out, numbers)
            else:
                count = successor_numbers(number, before, state, scratch, out, numbers, which)
                before = -1 if which.by_number else number
            room = len(out)
            for step in range(count):
                if numbers[step] < 0:
                    continue
                if numbers[step] >= size:
                    return -1 - number
                room = min(room, add_place(requests, numbers[step], block_bits))
            if room < len(out):
                return number + 1
    return stop


def mark(places: Any, words: Any, bits: Any) -> None:
    """Set the bits at these places."""
    for index in range(len(places)):
        words[places[index] >> 6] |= bits[places[index] & 63]


def keep_new(reached: Any, low: Any, high: Any) -> bool:
    """Clear the bits in `reached` of states that have a code; return whether any bit remains."""
    found = False
    for word in range(len(reached)):
        new = reached[word] & ~(low[word] | high[word])
        reached[word] = new
        if new != 0:
            found = True
    return found


def settle(new: Any, low: Any, high: Any, code: int) -> None:
    """Write the code of the depth, 1 to 3, for the new states into the planes; idempotent."""
    if code & 1:
        for word in range(len(new)):
            low[word] |= new[word]
    if code & 2:
        for word in range(len(new)):
            high[word] |= new[word]


class Shares(NamedTuple):
    """The division of memory: log2 of the numbers in a block, the number of blocks, and a bucket's waiting requests."""

    block_bits: int
    blocks: int
    room: int


def shares(size: int, threads: int, reserve: int, memory: int, block_bits: int = 0) -> Shares:
    """Divide a budget in bytes: half for the blocks at work (bits and file reads), half for waiting requests.

    A resumed search passes its `block_bits`; 0 chooses them.
    """
    each = max(memory, LEAST_MEMORY) // (2 * threads)
    block_bits = block_bits or min(MOST_BLOCK_BITS, max(LEAST_BLOCK_BITS, (2 * each).bit_length() - 1))
    blocks = max(1, -(-size >> block_bits))
    return Shares(block_bits, blocks, max(LEAST_ROOM, 2 * reserve, each // (4 * blocks)))


def search_on_files(game: Game, run: Run, work: WorkingFolder, target: jit.Target = "cpu") -> Layers:
    """Search from the start until a level has no new state, with vectors and buckets in the working folder."""
    search = _Search(game, run, work, target)
    while search.next_level():
        counts = search.record["counts"]
        run.progress(f"depth {len(counts) - 1}", sum(counts), search.size)
    return search.layers()


class _Search:
    def __init__(self, game: Game, run: Run, work: WorkingFolder, target: jit.Target) -> None:
        self.expander = Expander(game, run, target)
        self.run, self.work = run, work
        self.parts = in_order(game.parts())
        self.size = line_size(self.parts)
        self.reserve = game.max_moves
        kept = work.record.get("block_bits", 0)
        self.shares = shares(self.size, run.threads, self.reserve, run.memory, kept)
        names = self.expander.names
        self.emit, self.mark = jit.bind(emit, names), jit.bind(mark, names)
        self.keep_new, self.settle = jit.bind(keep_new, names), jit.bind(settle, names)
        self.count_parts = jit.bind(count_parts, names)
        words = words_for(self.size)
        self.planes = [work.in_place(name, np.uint64, words) for name in ("low", "high")]
        self.frontiers = [work.in_place(f"frontier-{place}", np.uint64, words) for place in (0, 1)]
        self.filled = [work.in_place(f"filled-{place}", np.uint8, self.shares.blocks) for place in (0, 1)]
        self.journal = work.in_place("journal", np.uint8, self.shares.blocks)
        self.buckets = FileBuckets(work.path, self.shares.blocks)
        self.local = threading.local()
        self.writers: list[Requests] = []
        if work.record:
            self.record = dict(work.record)
        else:
            self._begin()

    def _begin(self) -> None:
        """Write the start as the only request of depth 0."""
        first = self.expander.first
        self.buckets.clear()
        requests = self._requests()
        add_place(requests, first, self.shares.block_bits)
        self.buckets.flush(requests)
        self.record = {"counts": [], "parts": {part.name: [] for part in self.parts}, "few": {}}
        self._commit(APPLY)

    def _commit(self, phase: str) -> None:
        layout = {"block_bits": self.shares.block_bits, "phase": phase}
        self.record = {**self.record, **layout, "requests": self.buckets.sizes() if phase == APPLY else []}
        self.work.commit(self.record)

    def next_level(self) -> bool:
        """Finish the level that the record names; return whether it has new states."""
        depth = len(self.record["counts"])
        if self.record["phase"] == EXPAND:
            self._expand(depth)
        elif self.record["requests"] != self.buckets.sizes():
            raise DamagedData(f"{self.work.path}: buckets are missing or cut short: remove the folder and begin again")
        self._apply(depth)
        new = self._count(depth)
        if not sum(new):
            return False
        self.record["counts"].append(sum(new))
        for part, count in zip(self.parts, new, strict=True):
            self.record["parts"][part.name].append(count)
        self._commit(EXPAND)
        return True

    # --- the two phases ----------------------------------------------------------------------------------------------

    def _requests(self) -> Requests:
        """Return this thread's buffer of requests."""
        if not hasattr(self.local, "requests"):
            blocks, room = self.shares.blocks, self.shares.room
            self.local.requests = Requests(np.zeros((blocks, room), np.uint32), np.zeros(blocks, np.int64))
            self.writers.append(self.local.requests)
        requests: Requests = self.local.requests
        return requests

    def _expand(self, depth: int) -> None:
        """Fill the buckets with the successors of the frontier, which has the depth before."""
        self.buckets.clear()
        self.journal[:] = TODO
        frontier, filled = self.frontiers[(depth - 1) & 1], self.filled[(depth - 1) & 1]
        which = Expansion(ANY, self.expander.through_ends, self.expander.by_number)
        step = 1 << max(LEAST_BLOCK_BITS, min(self.shares.block_bits, 20))
        pieces = [first for first in range(0, self.size, step) if filled[first >> self.shares.block_bits]]

        def work(first: int) -> None:
            requests = self._requests()
            stop = min(first + step, self.size)
            done = first
            while done < stop:
                done = int(
                    self.emit(
                        frontier, self.expander.bits, done, stop, self.size, which, self.shares.block_bits, requests
                    )
                )
                if done < 0:
                    raise astray(self.expander.game, -1 - done)
                # Also at the end of a piece: a thread carries its waiting requests over to the next one.
                self.buckets.flush(requests, self.shares.room // 2)
            rest(frontier, first >> 6, stop >> 6)

        self.run.map(work, pieces)
        for requests in self.writers:
            self.buckets.flush(requests)
        self._commit(APPLY)

    def _apply(self, depth: int) -> None:
        """Apply each bucket to its block."""
        code = depth % 3 + 1
        frontier, filled = self.frontiers[depth & 1], self.filled[depth & 1]
        requested = self.record["requests"]

        def work(block: int) -> None:
            first = block << self.shares.block_bits
            words = slice(first >> 6, words_for(min(first + (1 << self.shares.block_bits), self.size)))
            new, low, high = frontier[words], self.planes[0][words], self.planes[1][words]
            if self.journal[block] == TODO:
                if requested[block]:
                    reached = np.zeros(len(new), np.uint64)
                    for places in self.buckets.read(block, PIECE):
                        self.mark(places, reached, self.expander.bits)
                    found = self.keep_new(reached, low, high)
                    new[:] = reached
                    filled[block] = found
                elif filled[block]:
                    new[:] = 0
                    filled[block] = 0
                self.journal[block] = FOUND
            if self.journal[block] == FOUND:
                if filled[block]:
                    self.settle(new, low, high, code)
                self.journal[block] = SETTLED
            for vector in (frontier, *self.planes):
                rest(vector, words.start, words.stop)

        self.run.map(work, range(self.shares.blocks))

    def _count(self, depth: int) -> list[int]:
        """Count the new frontier by part; list its states if they are no more than FEW."""
        frontier, filled = self.frontiers[depth & 1], self.filled[depth & 1]
        starts = starts_of(self.parts)
        counts = np.zeros(len(self.parts), np.int64)
        some: list[int] = []
        for block in np.flatnonzero(filled).tolist():
            first = block << self.shares.block_bits
            words = frontier[first >> 6 : words_for(min(first + (1 << self.shares.block_bits), self.size))]
            vector = Vector(words, filled[:0], first)
            self.count_parts(vector, self.expander.bits, (0, blocks_for(len(words))), starts, counts)
            if counts.sum() <= FEW:
                some += bits_in(words, first)
            rest(frontier, first >> 6, (first >> 6) + len(words))
        if 0 < counts.sum() <= FEW:
            self.record["few"][str(depth)] = some
        found: list[int] = counts.tolist()
        return found

    def layers(self) -> Layers:
        """Return the layers; the planes stay in the files."""
        self.buckets.clear()
        return Layers.of(self.record, *self.planes)
