"""Search any game breadth first on bit vectors, at two bits a state or one (Edelkamp 2017, bitvector state space search).

Two-bit search ends with two planes: 0 not reached, else 1 + depth mod 3. It works with two more bit vectors, the frontier
and its successors. One-bit search has only the bits of the reached states. Where every move changes the result of
`alternates`, it expands the states of the two parities in turn, old ones again; otherwise (reachability) it expands all
states again until none is new. Both skip blocks of words that have gained nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange.decisions import gathered, reduce_any, reduce_max, reduce_rows, reduce_sum
from searchbench.exchange.vectors import Deal
from searchbench.game import Game
from searchbench.index.protocol import Part, line_size
from searchbench.jit import PIECE, PerThread, Rows, intervals, note_rows
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import start_number
from searchbench.solvers.exhaustive.bits import kernels
from searchbench.solvers.exhaustive.bits.kernels import ANY, BLOCK, SLOTS, Expansion, Pending, Planes, Vector
from searchbench.solvers.exhaustive.checkpoints_of_vectors import cut, load
from searchbench.store.bits import PIECE_WORDS, PackedBits
from searchbench.store.working import WorkingFolder
from searchbench.values import Depth

Array = npt.NDArray[Any]
BLOCK_BITS = 64 * BLOCK
FEW = 100
"""Layers of up to this many states are listed state by state."""


class Layers(NamedTuple):
    """The number of states of each depth, in all and by part; the planes; and the numbers of the states of small layers."""

    counts: list[int]
    parts: dict[str, list[int]]
    low: Array
    high: Array
    few: dict[int, list[int]]

    @property
    def record(self) -> dict[str, Any]:
        """Return the working folder's record: everything but the vectors."""
        return {
            "counts": self.counts, "parts": self.parts,
            "few": {str(depth): numbers for depth, numbers in self.few.items()},
        }  # fmt: skip

    @classmethod
    def of(cls, record: Mapping[str, Any], low: Array, high: Array) -> Layers:
        """Build layers from a record and the planes."""
        few = {int(depth): numbers for depth, numbers in record["few"].items()}
        return cls(
            list(record["counts"]), {name: list(counts) for name, counts in record["parts"].items()}, low, high, few
        )


class Reach(NamedTuple):
    """The bits of all reachable states, and the number of new ones in each round (the layers, in one-bit search)."""

    words: Array
    counts: list[int]


def words_for(numbers: int) -> int:
    """Return the number of words for `numbers` bits."""
    return -(-numbers // 64)


def blocks_for(words: int) -> int:
    """Return the number of blocks for `words` words."""
    return -(-words // BLOCK)


def two_bit_bytes(size: int) -> int:
    """Return the memory of two-bit search in bytes: four bit vectors, and two marks a block."""
    return 32 * words_for(size) + 2 * blocks_for(words_for(size))


def one_bit_bytes(size: int) -> int:
    """Return the memory of one-bit search and reachability in bytes: one bit vector; two marks and a count a block."""
    return 8 * words_for(size) + 4 * blocks_for(words_for(size))


class Expander:
    """Expand states on all threads, for all forms of the search."""

    def __init__(self, game: Game, run: Run, target: jit.Target) -> None:
        self.game, self.run = game, run
        self.names = game.names(Depth(), target)
        self.through_ends = not game.two_players
        self.by_number = game.has("successor_ranks") and not game.has("canonical")
        self.bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        self.first = start_number(game)
        self._expand = jit.bind(kernels.expand, self.names)
        self._pending = PerThread(lambda: Pending(np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.uint64)))

    def expand(self, source: Vector, target: Vector, parity: int = ANY, deal: Deal | None = None) -> None:
        """Set in `target` the bits of the successors of the states in the marked blocks of `source`. Raises BadRequest.

        With a deal, those of this rank's own blocks are meant.
        """
        pieces = self.pieces(len(source.marks), deal)
        which = Expansion(parity, self.through_ends, self.by_number)
        self._check(self.run.launch(self._expand, pieces, source, target, self.bits, self._pending, PIECE, which))

    def expand_packed(self, source: PackedBits, origin: int, target: Vector) -> None:
        """Do the same for packed bits, whose first one stands for the number `origin`."""
        marks = np.ones(blocks_for(PIECE_WORDS), np.uint8)
        which = Expansion(ANY, self.through_ends, self.by_number)

        def work(place: int) -> int:
            piece = Vector(source.words(place), marks, origin + 64 * PIECE_WORDS * place)
            pending, blocks = self._pending.of(place, place), (0, blocks_for(len(piece.words)))
            return int(self._expand(piece, target, self.bits, pending, blocks, which))

        self._check(self.run.map(work, source.filled))

    def _check(self, results: Sequence[int]) -> None:
        """Raise BadRequest if a kernel returned the number of a state with a successor outside the target."""
        number = reduce_max(results, -1)
        if number >= 0:
            raise astray(self.game, number)

    def pieces(self, blocks: int, deal: Deal | None = None) -> list[tuple[int, int]]:
        """Return intervals of `blocks` blocks for the threads to share, at least 32 a thread if there are enough blocks.

        With a deal, they are of this rank's own blocks.
        """
        step = max(1, blocks // (32 * self.run.threads * (deal.count if deal else 1)))
        return deal.pieces(step) if deal else intervals(0, blocks, step)

    def count(
        self, kernel: Any, blocks: int, parts: Sequence[Part], *arguments: Any, deal: Deal | None = None
    ) -> npt.NDArray[np.int64]:
        """Launch a kernel that counts by part over all blocks, or those that a deal gives this rank; return the sums.

        It takes the arguments, the blocks, the first numbers of the parts, and an array for the counts.
        """
        pieces = self.pieces(blocks, deal)
        counts = note_rows(len(pieces), len(parts))
        self.run.launch(kernel, pieces, *arguments, PIECE, starts_of(parts), Rows(counts))
        return reduce_rows(counts)


def astray(game: Game, number: int) -> BadRequest:
    """Return the error for a state with a successor outside the target."""
    text = game.format(game.unrank(number))
    return BadRequest(f"{game}: a move in {text!r} leads out of the index, or to a part that is not needed")


def in_order(parts: Sequence[Part]) -> list[Part]:
    """Return the parts in the order of their numbers."""
    return sorted(parts, key=lambda part: (part.start, part.stop))


def starts_of(parts: Sequence[Part]) -> npt.NDArray[np.int64]:
    """Return the first numbers of parts that are in order."""
    return np.array([part.start for part in parts], np.int64)


def numbers_in(vector: Vector) -> list[int]:
    """Return the numbers whose bits are set in the marked blocks of a vector with few bits."""
    found = []
    for block in np.flatnonzero(vector.marks).tolist():
        found += bits_in(vector.words[block * BLOCK : (block + 1) * BLOCK], vector.origin + block * BLOCK_BITS)
    return found


def bits_in(words: Array, first: int = 0) -> list[int]:
    """Return the places of the bits of sparse words, counted from `first`."""
    filled = np.flatnonzero(words)
    return [first + 64 * word + bit for word in filled.tolist() for bit in range(64) if int(words[word]) >> bit & 1]


Stop = Callable[[Layers, Vector], bool]
"""Called after each layer with the layers so far and with the layer's bits; returns whether to stop."""


def search_two_bit(
    game: Game, run: Run, target: jit.Target = "cpu", work: WorkingFolder | None = None, stop: Stop | None = None
) -> Layers:
    """Search from the start until a layer is empty or `stop` returns true; expand every state once.

    With a working folder, resume from the copy in it and save one to it at intervals. Ranks search together: each expands
    the states of its own blocks, and at the end the first one holds the planes whole (:mod:`searchbench.exchange.vectors`).
    """
    expander = Expander(game, run, target)
    parts = in_order(game.parts())
    size = line_size(parts)
    words = words_for(size)
    deal = Deal(words, BLOCK, shared=jit.backend(target).machine_code)  # others do not write to a word at the same time
    low, high, frontier, reached = (deal.vector() for _ in range(4))
    active, touched = np.zeros(deal.blocks, np.uint8), deal.marks()
    planes = Planes(low, high, frontier, active, reached, touched)
    source, found = Vector(frontier, active, 0), Vector(reached, touched, 0)
    closer = jit.bind(kernels.close, expander.names)
    kept = {"low": low, "high": high, "frontier": frontier}
    if work is not None and work.record:
        layers = Layers.of(work.record, low, high)
        load(deal, work, kept, run)
        active[:] = deal.mine
        expander.expand(source, found, deal=deal)
    else:
        layers = Layers([], {part.name: [] for part in parts}, low, high, {})
        deal.put_first(expander.first, reached)
        touched[(expander.first >> 6) // BLOCK] = 1
    while True:
        deal.collect(reached, touched)
        code = len(layers.counts) % 3 + 1
        new = expander.count(closer, len(active), parts, planes, expander.bits, code, deal=deal)
        total = int(new.sum())
        if not total:
            for plane in (low, high):
                deal.gather(plane)
            return layers
        if total <= FEW:
            layers.few[len(layers.counts)] = sorted(gathered(numbers_in(source)))
        layers.counts.append(total)
        for part, count in zip(parts, new.tolist(), strict=True):
            layers.parts[part.name].append(count)
        run.progress(f"depth {len(layers.counts) - 1}", sum(layers.counts), size)
        if stop is not None and stop(layers, source):
            return layers
        if work is not None and reduce_any([work.due]):
            work.commit(layers.record, cut(deal, kept), run)
        expander.expand(source, found, deal=deal)


def search_one_bit(
    game: Game, run: Run, alternating: bool, target: jit.Target = "cpu", work: WorkingFolder | None = None
) -> Reach:
    """Search from the start until a round finds no new state, with one bit a state.

    If `alternating`, a round expands only states whose `alternates` is that of its depth, and the counts are those of the
    layers. Old states are expanded again in blocks that gained states in the round before. With a working folder, resume
    from the copy in it and save one to it at intervals. Ranks search together: each expands the states of its own blocks,
    and at the end the first one holds all bits.
    """
    expander = Expander(game, run, target)
    size = line_size(game.parts())
    words = words_for(size)
    deal = Deal(words, BLOCK, shared=jit.backend(target).machine_code)  # others do not write to a word at the same time
    reached, touched = deal.vector(), deal.marks()
    active, held = np.zeros(deal.blocks, np.uint8), np.zeros(deal.blocks, np.int16)
    counter = jit.bind(kernels.count_new, expander.names)
    first_parity = int(game.call("alternates", game.unrank(expander.first))) if alternating else ANY
    kept = {"reached": reached}
    reach = Reach(reached, [])
    source, found = Vector(reached, active, 0), Vector(reached, touched, 0)

    def count_gained() -> int:
        pieces = expander.pieces(deal.blocks, deal)
        return reduce_sum(run.launch(counter, pieces, source, held, PIECE))

    def expand() -> None:
        parity = (first_parity + len(reach.counts) + 1) % 2 if alternating else ANY
        expander.expand(source, found, parity, deal)

    if work is not None and work.record:
        load(deal, work, kept, run)
        reach.counts.extend(work.record["counts"])
        active[:] = deal.mine
        count_gained()  # which is not new
        expand()
    else:
        deal.put_first(expander.first, reached)
        touched[(expander.first >> 6) // BLOCK] = 1
    while True:
        deal.collect(reached, touched)
        active[:] = deal.mine & (touched != 0)
        deal.clear(touched)
        new = count_gained()
        if not new:
            deal.gather(reached)
            return reach
        reach.counts.append(new)
        run.progress(f"round {len(reach.counts) - 1}", sum(reach.counts), size)
        if work is not None and reduce_any([work.due]):
            work.commit({"counts": reach.counts}, cut(deal, kept), run)
        expand()


def put(vector: Vector, number: int) -> None:
    """Set the bit of a number and mark its block."""
    bit = number - vector.origin
    vector.words[bit >> 6] |= np.uint64(1 << (bit & 63))
    vector.marks[(bit >> 6) // BLOCK] = 1


def part_counts(expander: Expander, vector: Vector, parts: Sequence[Part]) -> list[int]:
    """Count the bits of a vector in each part; the parts are in order and cover the vector."""
    counter = jit.bind(kernels.count_parts, expander.names)
    found: list[int] = expander.count(counter, len(vector.marks), parts, vector, expander.bits).tolist()
    return found
