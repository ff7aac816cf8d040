"""Breadth-first search over rows: level by level, each block of numbers by one thread (Edelkamp 2017, two-bit search).

Every state has two bits, in two planes: 0 not reached, else 1 + depth mod 3. A third bit vector holds the frontier, and
a fourth what is new, unless every move changes the parity of the place: then frontier and new states share one, as they
never have places of the same parity. Blocks write only to themselves, so no bit is lost; only wide moves need to.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.run import Run
from searchbench.solvers.exhaustive.rows import kernels
from searchbench.solvers.exhaustive.rows.kernels import Moves, Planes
from searchbench.solvers.exhaustive.rows.plan import Plan, RowMap

Array = npt.NDArray[Any]
ALL_BITS = (1 << 64) - 1


FEW = 100
"""Of a layer with no more states than this, the numbers are listed."""


class Layers(NamedTuple):
    """Hold what a search found: how many states each depth has, the planes of the depths, and the numbers of small layers."""

    counts: list[int]
    low: Array
    high: Array
    few: dict[int, list[int]]


def bytes_needed(plan: Plan) -> int:
    """Return the memory that a search takes."""
    return 8 * plan.words * (3 if plan.game.alternates else 4) + plan.table_bytes


def search_rows(plan: Plan, start: int, run: Run) -> Layers:
    """Search from the state with the number `start` (row * places + place) until nothing is new."""
    search = _Search(plan, start, run)
    while search.next_level():
        run.progress(f"depth {len(search.counts) - 1}", sum(search.counts), plan.game.size)
    return Layers(search.counts, search.planes.low, search.planes.high, search.few)


class _Search:
    def __init__(self, plan: Plan, start: int, run: Run) -> None:
        self.plan, self.run = plan, run
        self.shared = plan.game.alternates
        names = jit.Names({})
        self.advance = jit.bind(kernels.advance, names)
        self.push = jit.bind(kernels.push_wide, names)
        self.clear = jit.bind(kernels.clear, names)
        frontier, low, high = (np.zeros(plan.words, np.uint64) for _ in range(3))
        result = frontier if self.shared else np.zeros(plan.words, np.uint64)
        bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        self.planes = Planes(frontier, result, low, high, bits, np.uint64(plan.spread(1)))
        row, place = divmod(start, plan.game.places)
        bit = row * plan.word_bits + place
        frontier[bit >> 6] = low[bit >> 6] = bits[bit & 63]
        self.even = plan.spread(sum(1 << place for place in range(0, plan.game.places, 2)))
        self.frontier_parity = place & 1
        self.moves = [_moves(plan, parity) for parity in (0, 1)] if self.shared else [_moves(plan, None)]
        self.counts = [1]
        self.few = {0: [start]}
        self.step = max(1, min(64, plan.blocks // (8 * run.threads)))
        self.local = threading.local()

    def next_level(self) -> bool:
        """Search one level deeper; return whether anything was new."""
        code = len(self.counts) % 3 + 1
        keep = 0
        moves = self.moves[0]
        if self.shared:
            keep = self.even if self.frontier_parity == 0 else ALL_BITS ^ self.even
            moves = self.moves[self.frontier_parity]
        pushed = self._push_wide()
        count = sum(self.run.map(lambda first: self._advance(first, moves, code, keep, pushed), self._starts()))
        if not count:
            return False
        self.counts.append(count)
        self.frontier_parity ^= 1
        if not self.shared:
            self.planes = self.planes._replace(frontier=self.planes.result, result=self.planes.frontier)
        if count <= FEW:
            self.few[len(self.counts) - 1] = self._frontier_numbers()
        return True

    def _frontier_numbers(self) -> list[int]:
        """Return the numbers of the frontier's states."""
        wanted = ALL_BITS
        if self.shared:
            wanted = self.even if self.frontier_parity == 0 else ALL_BITS ^ self.even
        words = np.flatnonzero(self.planes.frontier & np.uint64(wanted))
        bits = (
            (64 * word + bit, int(self.planes.frontier[word]) & wanted) for word in words.tolist() for bit in range(64)
        )
        found = (divmod(bit, self.plan.word_bits) for bit, word in bits if word >> (bit & 63) & 1)
        return [row * self.plan.game.places + place for row, place in found]

    def _starts(self) -> range:
        return range(0, self.plan.blocks, self.step)

    def _push_wide(self) -> bool:
        pushes = [wide for wide in self.plan.wide_maps if wide.push]
        if not self.plan.wide_maps:
            return False
        piece = -(-self.plan.words // 64)
        self.run.map(
            lambda first: self.clear(self.planes.result, first, min(first + piece, self.plan.words)),
            range(0, self.plan.words, piece),
        )

        def push(first: int) -> None:
            stop = min(first + self.step, self.plan.blocks)
            for wide in pushes:
                self.push(self.planes, first, stop, self.plan.block_words, wide.base, wide.kind, wide.rows)

        self.run.map(push, self._starts())
        return True

    def _advance(self, first: int, moves: Moves, code: int, keep: int, pushed: bool) -> int:
        if not hasattr(self.local, "work"):
            self.local.work = np.zeros(self.plan.block_words, np.uint64)
        work = self.local.work
        stop = min(first + self.step, self.plan.blocks)
        place_bits = self.plan.word_bits.bit_length() - 1
        frontier_bytes = self.planes.frontier.view(np.uint8)
        return int(
            self.advance(
                self.planes, frontier_bytes, work, work.view(np.uint8), first, stop, moves, self.plan.parity,
                place_bits, code, np.uint64(keep), pushed,
            )
        )  # fmt: skip


def _moves(plan: Plan, parity: int | None) -> Moves:
    """Return a plan's moves as arrays; with a parity, only what starts from places of that parity."""
    wanted = ALL_BITS
    if parity is not None:
        wanted = plan.spread(sum(1 << place for place in range(parity, plan.game.places, 2)))
    shifts = [(mask & wanted, distance) for distance, mask in plan.shifts if mask & wanted]
    rows = [row for row in plan.row_maps if row.bits == 64 and (parity is None or row.origin % 2 == parity)]
    byte_rows = [row for row in plan.row_maps if row.bits == 8]
    pulls = [wide for wide in plan.wide_maps if not wide.push]
    offsets = np.cumsum([0, *(len(wide.rows) for wide in pulls)])
    blocks, numbers = plan.blocks, plan.block_rows
    return Moves(
        shift_mask=np.array([mask for mask, _ in shifts], np.uint64),
        shift_distance=np.array([abs(distance) for _, distance in shifts], np.uint64),
        shift_up=np.array([distance > 0 for _, distance in shifts], np.bool_),
        row_origin=np.array([row.origin for row in rows], np.uint64),
        row_target=np.array([row.target for row in rows], np.uint64),
        row_length=np.array([row.length for row in rows], np.int64),
        row_begin=_begins(rows),
        row_source=_joined(rows),
        byte_length=np.array([row.length for row in byte_rows], np.int64),
        byte_begin=_begins(byte_rows),
        byte_source=_joined(byte_rows),
        local_mask=np.uint64(plan.local.mask & wanted),
        local_first=plan.local.first,
        local_target=plan.local.targets,
        local_table=plan.local.tables,
        pull_base=np.array([wide.base for wide in pulls], np.int64).reshape(len(pulls), blocks),
        pull_kind=np.array(
            [wide.kind + offset for wide, offset in zip(pulls, offsets, strict=False)], np.int32
        ).reshape(len(pulls), blocks),
        pull_row=np.concatenate([np.zeros((0, numbers), np.int32), *(wide.rows for wide in pulls)]),
    )


def _begins(maps: list[RowMap]) -> Array:
    return np.cumsum([0, *(len(row_map.source) for row_map in maps)]).astype(np.int64)


def _joined(maps: list[RowMap]) -> Array:
    return np.concatenate([np.zeros(0, np.int32), *(row_map.source for row_map in maps)])
