"""Search a product index breadth first, each row by one thread (Korf 1997; Edelkamp 2017, two-bit search).

Every state has two bits, in two planes: 0 not reached, else 1 + depth mod 3. The frontier and the next frontier are bit
vectors of their own. A row is filled forwards, by expanding the frontier in its source rows, or backwards, by looking for
a predecessor of each unreached state, whichever takes fewer steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.decisions import reduce_sum
from searchbench.exchange.vectors import Deal
from searchbench.index.product_moves import ProductMoves
from searchbench.jit import FIRST, STOP, PerThread
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints_of_vectors import load
from searchbench.solvers.exhaustive.permutations.levels import FEW, TeamSize, bits_in, planes_of, share_bytes
from searchbench.solvers.exhaustive.products import kernels
from searchbench.solvers.exhaustive.products.kernels import Room, Tables, Vectors
from searchbench.store.planes import PlaneCodes
from searchbench.store.working import WorkingFolder

Array = npt.NDArray[Any]
WEIGHT: Final = 300
"""The time to look at a predecessor, in hundredths of the time to move a state."""
EIGHT_BYTES: Final = 0x0102040810204080
"""Multiplied by eight bytes that are 0 or 1, gathers their bits in the highest byte."""


def bytes_needed(moves: ProductMoves) -> int:
    """Return the memory of a search in bytes, with the existing tables of `moves`."""
    return 4 * 8 * _vector_words(moves) + _beside(moves)


def bytes_on_rank(moves: ProductMoves, size: TeamSize) -> int:
    """Return the memory of a search on each of the ranks, in bytes."""
    return _beside(moves) + share_bytes(_vector_words(moves), size)


def _vector_words(moves: ProductMoves) -> int:
    return int(moves.rows.shape[0] * _words(moves.columns.shape[1]))


def _beside(moves: ProductMoves) -> int:
    """Return the bytes of the tables, and of the counts of the rows."""
    tables = 2 * moves.rows.nbytes + moves.actions.nbytes + 4 * moves.columns.size + moves.columns.nbytes
    return int(8 * moves.rows.shape[0] + tables)


class ProductSearch:
    """Search with two planes of depths modulo 3, the frontier, and the next frontier. The moves must be one to one."""

    def __init__(self, moves: ProductMoves, start: int, run: Run, weight: int = WEIGHT) -> None:
        rows, self.columns = moves.rows.shape[0], moves.columns.shape[1]
        words = _words(self.columns)
        self.run, self.size = run, moves.size
        self.on_files, self.ahead = False, 0
        self.deal = Deal(rows * words, words)
        names = jit.Names({})
        self.advance, self.count_rows = jit.bind(kernels.advance, names), jit.bind(kernels.count_rows, names)
        self.tables = _tables(moves, words, weight)
        self.layout = self.columns, 64 * words
        self.vectors: dict[str, Array] = {name: self.deal.vector() for name in ("frontier", "low", "high")}
        self.vectors["counts"] = self.deal.entries(rows, np.int32)
        self.new: Array = self.deal.vector()
        self.new_counts: Array = self.deal.entries(rows, np.int32)
        row, column = divmod(start, self.columns)
        self.vectors["counts"][row] = 1  # by all ranks
        self.deal.put_first(row * self.layout[1] + column, self.vectors["frontier"], self.vectors["low"])
        self.step = max(1, min(512, rows // (8 * run.threads)))

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth; return how many there are, and their numbers if they are at most FEW."""
        kept = self.vectors
        rows = len(self.new_counts)
        frontier, new, low, high = (
            words.reshape(rows, -1) for words in (kept["frontier"], self.new, kept["low"], kept["high"])
        )
        vectors = Vectors(frontier, kept["counts"], new, self.new_counts, low, high)
        new_bytes = new.view(np.uint8)
        pieces = self.deal.pieces(self.step)
        counts = self.run.launch(
            self.advance, pieces, vectors, new_bytes, self.tables, PerThread(self._room), FIRST, STOP, depth % 3 + 1
        )
        count = reduce_sum(counts)
        self._spread(self.new, self.new_counts)
        self.new, kept["frontier"] = kept["frontier"], self.new
        self.new_counts, kept["counts"] = kept["counts"], self.new_counts
        if count > FEW:
            return count, []
        places = (divmod(bit, self.layout[1]) for bit in bits_in(kept["frontier"], self.deal))
        return count, [row * self.columns + column for row, column in places]

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the vectors from a working folder."""
        load(self.deal, work, self.vectors, self.run)
        self._spread(self.vectors["frontier"], self.vectors["counts"])

    def _spread(self, frontier: Array, counts: Array) -> None:
        """Let all machines have the rows of a frontier that this rank has found, and count those of ranks elsewhere."""
        self.deal.renew(frontier)
        if self.deal.kept:
            self.run.launch(self.count_rows, self.deal.kept, frontier.reshape(len(counts), -1), counts, FIRST, STOP)
        self.deal.meet()

    def codes(self, counts: Sequence[int]) -> PlaneCodes:
        """Return the codes of all states; of several ranks, on the first one."""
        del self.new
        return PlaneCodes(*planes_of(self), {"all": counts}, self.size, *self.layout)

    def _room(self) -> Room:
        """Allocate the buffers of a thread."""
        reached = np.zeros(self.layout[1], np.uint8)
        left = np.zeros(self.layout[1] // 64, np.uint64)
        return Room(
            reached, reached.view(np.uint64), left, np.uint64(0), np.uint64(1), np.uint64(EIGHT_BYTES), np.uint64(56)
        )  # fmt: skip


def _words(columns: int) -> int:
    return -(-columns // 64)


def _tables(moves: ProductMoves, words: int, weight: int) -> Tables:
    rows, columns = moves.rows.shape[0], moves.columns.shape[1]
    sources = np.zeros_like(moves.rows)
    for move, after in enumerate(moves.rows.T):
        sources[after, move] = np.arange(rows, dtype=sources.dtype)
    after = moves.columns.astype(np.uint16)
    before = np.zeros_like(after)
    for action, images in enumerate(after):
        before[action, images] = np.arange(columns, dtype=np.uint16)
    mask = np.full(words, (1 << 64) - 1, np.uint64)
    mask[-1] = np.uint64((1 << (columns - 64 * (words - 1))) - 1)
    return Tables(sources, moves.actions.astype(np.uint16), after, before, mask, weight)
