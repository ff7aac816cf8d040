"""Search arrangements of equal pieces by streaming, each tile of a matrix by one thread (Edelkamp 2017, two-bit search).

Every state has two bits, in two planes: 0 not reached, else 1 + depth mod 3; a third bit vector holds successors. The
frontier is all states with the code of the depth: those three, six, ... levels back have no new successors. A level passes
over the vectors twice, first with tiles of whole tails, then with tiles of whole heads. A tile reads the planes and writes
only to itself, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from searchbench import jit
from searchbench.exchange.decisions import reduce_sum
from searchbench.exchange.vectors import Deal
from searchbench.jit import PIECE, PerThread, Rows, note_rows
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints_of_vectors import load
from searchbench.solvers.exhaustive.multisets import kernels
from searchbench.solvers.exhaustive.multisets.kernels import Level, Planes, Room
from searchbench.solvers.exhaustive.multisets.plan import LINE_BITS, Plan
from searchbench.solvers.exhaustive.multisets.words import Array
from searchbench.solvers.exhaustive.permutations.levels import FEW
from searchbench.store.planes import PlaneCodes
from searchbench.store.working import WorkingFolder

ALL_BITS: Final = (1 << 64) - 1
CHUNK: Final = 64
"""Lines pulled together: they stay in a core's first-level cache."""
MOST_TASKS: Final = 16
"""Most tiles that a thread takes at a time."""


def bytes_needed(plan: Plan, threads: int) -> int:
    """Return the memory of a search in bytes."""
    vector = 8 * _words(plan)
    room = LINE_BITS // 8 * (plan.most_lines + CHUNK)
    return 3 * vector + plan.table_bytes + threads * room


class MultisetSearch:
    """Search with two planes of depths modulo 3, and a vector of successors."""

    def __init__(self, plan: Plan, start: int, run: Run) -> None:
        self.plan, self.run = plan, run
        self.size = plan.game.size
        self.on_files, self.ahead = False, 0
        self.layout = plan.game.places, plan.word_bits
        self.deal = Deal(_words(plan), _words(plan))
        names = jit.Names({})
        self.pull_tails = jit.bind(kernels.pull_tails, names)
        self.close_heads = jit.bind(kernels.close_heads, names)
        self.lane = np.dtype(f"u{plan.word_bits // 8}")
        self.vectors = {name: np.zeros(_words(plan), np.uint64) for name in ("low", "high")}
        self.result = np.zeros(_words(plan), np.uint64)
        row, place = divmod(start, plan.game.places)
        self.vectors["low"].view(self.lane)[row] = 1 << place
        self.by_head = self._tasks(np.diff(plan.matrices.begin))
        self.by_tail = self._tasks(plan.matrices.columns)

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth; return how many there are, and their numbers if they are at most FEW."""
        plan = self.plan
        frontier = (depth - 1) % 3 + 1
        flip_low, flip_high = (np.uint64(0 if frontier & bit else ALL_BITS) for bit in (1, 2))
        zero, one, all_places = np.uint64(0), np.uint64(1), np.uint64((1 << plan.game.places) - 1)
        level = Level(flip_low, flip_high, depth % 3 + 1, plan.game.places, all_places, zero, one)
        low, high, result = (
            vector.view(self.lane) for vector in (self.vectors["low"], self.vectors["high"], self.result)
        )
        planes = Planes(low, high, result)

        room = PerThread(self._room)
        found = note_rows(len(self.by_tail), 1 + FEW)
        self.run.launch(
            self.pull_tails, self.by_head, planes, plan.matrices, plan.tail_moves, plan.crossing, level, room, PIECE
        )
        self.run.launch(
            self.close_heads, self.by_tail, planes, plan.matrices, plan.head_moves, level, room, PIECE, Rows(found)
        )
        count = reduce_sum(found[:, 0])
        return count, sorted(number for one in found for number in one[1 : 1 + one[0]].tolist()) if count <= FEW else []

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the planes from a working folder."""
        load(self.deal, work, self.vectors, self.run)

    def codes(self, counts: Sequence[int]) -> PlaneCodes:
        """Return the codes of all states."""
        game = self.plan.game
        low, high = self.vectors["low"], self.vectors["high"]
        return PlaneCodes(low, high, {"all": counts}, game.size, *self.layout)

    def _tasks(self, lines: Array) -> list[Array]:
        """Return the tiles, (class, first line) each, in small lists; `lines` is the number of lines of each class."""
        tasks = np.array(
            [(kind, first) for kind, count in enumerate(lines.tolist()) for first in range(0, count, self.plan.lanes)]
        )
        step = max(1, min(MOST_TASKS, len(tasks) // (8 * self.run.threads)))
        return [tasks[first : first + step] for first in range(0, len(tasks), step)]

    def _room(self) -> Room:
        """Allocate the buffers of a thread."""
        tile, chunk = (_lines(count) for count in (self.plan.most_lines, CHUNK))
        opens = np.zeros(-(-self.plan.most_lines // CHUNK), np.uint64)
        return Room(tile, tile.view(self.lane), chunk, chunk.view(self.lane), opens)


def _words(plan: Plan) -> int:
    return -(-plan.game.rows * plan.word_bits // 64)


def _lines(count: int) -> Array:
    """Allocate `count` lines, aligned to cache lines."""
    bytes_in_line = LINE_BITS // 8
    memory = np.zeros((count + 1) * bytes_in_line, np.uint8)
    first = -memory.ctypes.data % bytes_in_line
    return memory[first : first + count * bytes_in_line].view(np.uint64).reshape(count, -1)
