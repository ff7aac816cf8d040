"""Search any permutation game by streaming, in memory: two planes of depths modulo 3, the frontier, and the next one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.run import Run
from searchbench.solvers.exhaustive.permutations import planes
from searchbench.solvers.exhaustive.permutations.levels import FEW, bits_in, load_copies
from searchbench.solvers.exhaustive.permutations.moves import moves_of
from searchbench.solvers.exhaustive.permutations.plan import Plan
from searchbench.solvers.exhaustive.permutations.planes import Planes
from searchbench.store.planes import PlaneCodes
from searchbench.store.working import WorkingFolder

Array = npt.NDArray[Any]


class PlaneSearch:
    """Search with two planes of depths modulo 3, the frontier, and the next frontier."""

    def __init__(self, plan: Plan, start: int, run: Run) -> None:
        self.plan, self.run = plan, run
        self.size = plan.game.size
        self.on_files, self.ahead = False, 0
        names = jit.Names({})
        self.advance = jit.bind(planes.advance, names)
        self.push = jit.bind(planes.push_wide, names)
        self.clear = jit.bind(planes.clear, names)
        self.vectors = {name: np.zeros(plan.words, np.uint64) for name in ("frontier", "low", "high")}
        self.result = np.zeros(plan.words, np.uint64)
        self.bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        bit = plan.bit(start)
        self.vectors["frontier"][bit >> 6] = self.vectors["low"][bit >> 6] = self.bits[bit & 63]
        self.moves = moves_of(plan, None)
        self.step = max(1, min(64, plan.blocks // (8 * run.threads)))
        self.local = threading.local()

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth; return how many there are, and their numbers if they are at most FEW."""
        vectors = self.vectors
        ones = np.uint64(self.plan.spread(1))
        found = Planes(vectors["frontier"], self.result, vectors["low"], vectors["high"], self.bits, ones)
        pushed = self._push_wide(found)
        count = sum(self.run.map(lambda first: self._advance(found, first, depth % 3 + 1, pushed), self._starts()))
        self.result, vectors["frontier"] = vectors["frontier"], self.result
        return count, [self.plan.number(bit) for bit in bits_in(vectors["frontier"])] if count <= FEW else []

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the vectors from a working folder."""
        load_copies(work, self.vectors, self.run)

    def _starts(self) -> range:
        return range(0, self.plan.blocks, self.step)

    def _push_wide(self, found: Planes) -> bool:
        pushes = [wide for wide in self.plan.wide_maps if wide.push]
        if not self.plan.wide_maps:
            return False
        piece = -(-self.plan.words // 64)
        self.run.map(
            lambda first: self.clear(found.result, first, min(first + piece, self.plan.words)),
            range(0, self.plan.words, piece),
        )

        def push(first: int) -> None:
            stop = min(first + self.step, self.plan.blocks)
            for wide in pushes:
                self.push(found, first, stop, self.plan.block_words, wide.base, wide.kind, wide.rows)

        self.run.map(push, self._starts())
        return True

    def _advance(self, found: Planes, first: int, code: int, pushed: bool) -> int:
        if not hasattr(self.local, "work"):
            self.local.work = np.zeros(self.plan.block_words, np.uint64)
        work = self.local.work
        stop = min(first + self.step, self.plan.blocks)
        place_bits = self.plan.word_bits.bit_length() - 1
        frontier_bytes = found.frontier.view(np.uint8)
        return int(
            self.advance(
                found, frontier_bytes, work, work.view(np.uint8), first, stop, self.moves, self.plan.parity, place_bits, code,
                pushed,
            )
        )  # fmt: skip

    def codes(self, counts: Sequence[int]) -> PlaneCodes:
        """Return the codes of all states."""
        plan, vectors = self.plan, self.vectors
        return PlaneCodes(
            vectors["low"], vectors["high"], {"all": counts}, plan.game.size, plan.game.places, plan.word_bits
        )  # fmt: skip


def bytes_needed(plan: Plan) -> int:
    """Return the memory of a search in bytes."""
    return plan.table_bytes + 32 * plan.words
