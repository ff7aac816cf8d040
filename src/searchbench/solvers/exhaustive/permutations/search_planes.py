"""Search any permutation game by streaming, in memory: two planes of depths modulo 3, the frontier, and the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.decisions import reduce_sum
from searchbench.exchange.vectors import Deal
from searchbench.jit import FIRST, STOP, PerThread
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints_of_vectors import load
from searchbench.solvers.exhaustive.permutations import planes
from searchbench.solvers.exhaustive.permutations.levels import FEW, TeamSize, bits_in, planes_of, share_bytes
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
        self.layout = plan.game.places, plan.word_bits
        self.deal = Deal(plan.words, plan.block_words)
        names = jit.Names({})
        self.advance = jit.bind(planes.advance, names)
        self.push = jit.bind(planes.push_wide, names)
        self.clear = jit.bind(planes.clear, names)
        self.vectors = {name: self.deal.vector() for name in ("frontier", "low", "high")}
        self.result = self.deal.vector()
        self.bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        self.deal.put_first(plan.bit(start), self.vectors["frontier"], self.vectors["low"])
        self.moves = moves_of(plan, None)
        self.step = max(1, min(64, plan.blocks // (8 * run.threads)))

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth; return how many there are, and their numbers if they are at most FEW."""
        vectors = self.vectors
        ones = np.uint64(self.plan.spread(1))
        found = Planes(vectors["frontier"], self.result, vectors["low"], vectors["high"], self.bits, ones)
        pushed = self._push_wide(found)
        count = self._advance(found, depth % 3 + 1, pushed)
        self.deal.renew(self.result)
        vectors["frontier"], self.result = self.result, vectors["frontier"]
        if count > FEW:
            return count, []
        return count, [self.plan.number(bit) for bit in bits_in(vectors["frontier"], self.deal)]

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the vectors from a working folder."""
        load(self.deal, work, self.vectors, self.run)
        self.deal.renew(self.vectors["frontier"])

    def _pieces(self) -> list[tuple[int, int]]:
        return self.deal.pieces(self.step)

    def _room(self) -> tuple[Any, Any]:
        """Return a thread's scratch memory: words, and the same as bytes."""
        work = np.zeros(self.plan.block_words, np.uint64)
        return work, work.view(np.uint8)

    def _push_wide(self, found: Planes) -> bool:
        pushes = [wide for wide in self.plan.wide_maps if wide.push]
        if not self.plan.wide_maps:
            return False
        pieces = self.deal.words(-(-self.plan.words // 64), kept=True)
        self.run.launch(self.clear, pieces, found.result, FIRST, STOP)
        self.deal.meet()

        def push(piece: tuple[int, int]) -> None:  # all maps while a piece lies in the cache
            for wide in pushes:
                self.push(found, *piece, self.plan.block_words, wide.base, wide.kind, wide.rows)

        self.run.map(push, self._pieces())
        self.deal.collect(found.result)
        return True

    def _advance(self, found: Planes, code: int, pushed: bool) -> int:
        place_bits = self.plan.word_bits.bit_length() - 1
        room = PerThread(self._room)
        counts = self.run.launch(
            self.advance, self._pieces(), found, found.frontier.view(np.uint8), room[0], room[1], FIRST, STOP,
            self.moves, self.plan.parity, place_bits, code, pushed,
        )  # fmt: skip
        return reduce_sum(counts)

    def codes(self, counts: Sequence[int]) -> PlaneCodes:
        """Return the codes of all states; of several ranks, on the first one."""
        plan = self.plan
        del self.result
        return PlaneCodes(*planes_of(self), {"all": counts}, plan.game.size, *self.layout)


def bytes_needed(plan: Plan) -> int:
    """Return the memory of a search in bytes."""
    return plan.table_bytes + 32 * plan.words


def bytes_on_rank(plan: Plan, size: TeamSize) -> int:
    """Return the memory of a search on each of the ranks, in bytes."""
    return plan.table_bytes + share_bytes(plan.words, size)
