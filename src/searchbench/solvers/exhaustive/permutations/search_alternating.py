"""Search games whose every move changes the parity of the place by streaming, in memory or on files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.decisions import gathered, reduce_sum
from searchbench.exchange.space import rest
from searchbench.exchange.vectors import Deal
from searchbench.jit import FIRST, STOP, PerThread, Rows, note_rows
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints_of_vectors import load
from searchbench.solvers.exhaustive.permutations import alternating
from searchbench.solvers.exhaustive.permutations.alternating import Level, Vectors
from searchbench.solvers.exhaustive.permutations.levels import FEW, TeamSize, share_bytes
from searchbench.solvers.exhaustive.permutations.moves import ALL_BITS, moves_of
from searchbench.solvers.exhaustive.permutations.plan import Plan
from searchbench.store.planes import AlternatingCodes
from searchbench.store.working import WorkingFolder

Array = npt.NDArray[Any]
VECTORS: Final = ("reached", "second")
LEAST_BUDGET: Final = 4 << 20
"""Least memory of a search on files, in bytes, in addition to its tables."""


class AlternatingSearch:
    """Search with two bit vectors, in memory or in the files of a working folder."""

    def __init__(self, plan: Plan, start: int, run: Run, work: WorkingFolder | None) -> None:
        self.plan, self.run = plan, run
        self.size = plan.game.size
        self.layout = plan.game.places, plan.word_bits
        self.deal = Deal(plan.words, plan.block_words)
        self.on_files = work is not None and self.deal.count == 1 and bytes_needed(plan) > run.memory
        self.vectors = {
            name: work.in_place(name, np.uint64, plan.words) if work and self.on_files else self.deal.vector()
            for name in VECTORS
        }  # fmt: skip
        names = jit.Names({})
        self.advance = jit.bind(alternating.advance, names)
        self.mark_again = jit.bind(alternating.mark_again, names)
        self.take_frontier = jit.bind(alternating.take_frontier, names)
        self.put_frontier = jit.bind(alternating.put_frontier, names)
        self.count_bits = jit.bind(alternating.count_bits, names)
        self.start_parity = start % plan.game.places & 1
        self.ones = np.uint64(plan.spread(1))
        self.bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        self.even = plan.spread(sum(1 << place for place in range(0, plan.game.places, 2)))
        self.moves = [moves_of(plan, parity) for parity in (0, 1)]
        self.fresh, self.next_fresh = self.deal.marks(), self.deal.marks()
        self.ahead = 0
        self.cut_short = False
        self.lane = np.dtype(f"u{max(1, plan.word_bits // 8)}")
        self.step = self._blocks_at_a_time()
        self.untouched = 0
        if not (work is not None and work.record):
            bit = plan.bit(start)
            self.deal.put_first(bit, self.vectors["second"])  # the mark of a successor
            self.fresh[(bit >> 6) // plan.block_words] = 1
            self.level(0)

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the vectors from a working folder, and count the states that an interrupted level has already found."""
        if work.copies:
            load(self.deal, work, self.vectors, self.run)
            for name in VECTORS:
                self.deal.spread(self.vectors[name], np.ones(self.plan.blocks, np.uint8))
        elif not self.on_files:
            for name, vector in self.vectors.items():
                vector[:] = work.in_place(name, np.uint64, self.plan.words)
        self.cut_short = not work.copies
        self.fresh[:] = 1
        piece = 1 << 20
        vector = self.vectors["reached"]
        counts = self.run.launch(self.count_bits, self.deal.words(piece), vector, FIRST, STOP)
        self.ahead = reduce_sum(counts) - reached
        self._release()

    def _blocks_at_a_time(self) -> int:
        step = max(1, min(64, self.plan.blocks // (8 * self.run.threads)))
        if not self.on_files:
            return step
        return max(1, min(step, self._budget() // (4 * self.run.threads * self._touched_by_block())))

    def _budget(self) -> int:
        return max(LEAST_BUDGET, self.run.memory - self.plan.table_bytes)

    def _touched_by_block(self) -> int:
        """Return the bytes of the vectors that a block needs: its own, and those of the sources of its rows."""
        return 16 * self.plan.block_words * (1 + max(len(moves.row_length) for moves in self.moves))

    def _release(self) -> None:
        if self.on_files:
            for vector in self.vectors.values():
                rest(vector, 0, len(vector))

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth; return how many are new, and their numbers if they are at most FEW."""
        plan = self.plan
        parity = (depth + self.start_parity) & 1
        level = Level(
            flip=np.uint64(0 if (depth - 1) >> 1 & 1 else ALL_BITS),
            wanted=np.uint64(self.even if parity == 0 else ALL_BITS ^ self.even),
            second=np.uint64(ALL_BITS if depth >> 1 & 1 else 0),
        )
        self.deal.clear(self.next_fresh)
        if self.ahead:
            self.next_fresh[:] = 1
        vectors = Vectors(
            self.vectors["reached"], self.vectors["second"], self.bits, self.ones, self.fresh, self.next_fresh
        )  # fmt: skip
        place_bits = plan.word_bits.bit_length() - 1

        pieces = self.deal.pieces(self.step)
        rooms = PerThread(self._room)
        room = [rooms[place] for place in range(4)]
        if self.cut_short:
            self.run.launch(
                self.mark_again, pieces, vectors, *room, FIRST, STOP, self.moves[1 - parity], plan.parity, place_bits, level,
                after=self._make_room,
            )  # fmt: skip
            self.cut_short = False
        notes = note_rows(len(pieces), FEW + 1)
        counts = self.run.launch(
            self.advance, pieces, vectors, *room, FIRST, STOP, self.moves[1 - parity], self.moves[parity], plan.parity,
            place_bits, level, Rows(notes), after=self._make_room,
        )  # fmt: skip
        self._spread(vectors, level)
        self.fresh, self.next_fresh, self.ahead = self.next_fresh, self.fresh, 0
        count = reduce_sum(counts)
        if count > FEW:
            return count, []
        return count, gathered([plan.number(bit) for note in notes for bit in note[1 : 1 + note[0]].tolist()])

    def _spread(self, vectors: Vectors, level: Level) -> None:
        """Let all ranks have the new states of the blocks that this one has changed."""

        def take(blocks: Array, rows: Array) -> None:
            self.take_frontier(vectors, blocks, rows, level)

        def put(blocks: Array, rows: Array) -> None:
            self.put_frontier(vectors, blocks, rows, level)

        self.deal.spread_by(vectors.next_fresh, take, put)

    def _room(self) -> tuple[Array, Array, Array, Array]:
        """Allocate the buffers of a thread: two blocks of words, and views of both as lanes."""
        work, coming = (np.zeros(self.plan.block_words, np.uint64) for _ in range(2))
        return work, coming, work.view(self.lane), coming.view(self.lane)

    def _make_room(self, piece: tuple[int, int]) -> None:
        """Release mapped pages of vectors on files before they exceed the budget."""
        if not self.on_files:
            return
        self.untouched += (piece[1] - piece[0]) * self._touched_by_block()
        if 2 * self.untouched > self._budget():
            self.untouched = 0
            self._release()

    def codes(self, counts: Sequence[int]) -> AlternatingCodes:
        """Return the codes of all states."""
        plan = self.plan
        return AlternatingCodes(
            self.vectors["reached"], self.vectors["second"], counts, plan.game.size, *self.layout, self.start_parity
        )  # fmt: skip


def bytes_needed(plan: Plan) -> int:
    """Return the memory of a search with its vectors in memory, in bytes."""
    return plan.table_bytes + 16 * plan.words


def bytes_needed_on_files(plan: Plan) -> int:
    """Return the least memory of a search with its vectors on files, in bytes."""
    return plan.table_bytes + LEAST_BUDGET


def bytes_on_rank(plan: Plan, size: TeamSize) -> int:
    """Return the memory of a search on each of the ranks, in bytes."""
    return plan.table_bytes + share_bytes(plan.words, size, vectors=2)
