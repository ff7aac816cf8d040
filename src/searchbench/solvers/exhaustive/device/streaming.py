"""Breadth-first search on a device by moving whole rows of numbers, for games that tell their moves as rearrangements.

The plan is the processor's (:mod:`searchbench.solvers.exhaustive.permutations.plan`), and so are the codes. What differs: the
frontier has a vector of its own, and moves are pulled wherever their tables lead backwards, so that each word is
written by one thread.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from searchbench.game import Game
from searchbench.index import Sequences
from searchbench.jit import Device
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.solvers.exhaustive.device import kernels, row_kernels
from searchbench.solvers.exhaustive.device.row_kernels import FACTOR_BITS, Layout, Level, Pulls, Vectors
from searchbench.solvers.exhaustive.device.threads import Threads
from searchbench.solvers.exhaustive.permutations.levels import FEW, Layers
from searchbench.solvers.exhaustive.permutations.moves import ALL_BITS, moves_of
from searchbench.solvers.exhaustive.permutations.plan import BLOCK, Plan, RowMap, word_bits_of
from searchbench.store.planes import AlternatingCodes, PlaneCodes

COUNTERS: Final = 1 << 14
"""Counters of new states: many, so that few threads wait for each other."""


def served(game: Game) -> Sequences | None:
    """Return how a game tells its moves, if streaming on a device serves it; else None."""
    told: Sequences | None = game.claimed("sequences")
    if told is None or not told.reversible or told.two_sided or told.pieces or told.n < BLOCK:
        return None
    return told


def least_bytes(told: Sequences) -> int:
    """Return the memory of the vectors alone, in bytes."""
    return 32 * told.rows * word_bits_of(told) // 64


def bytes_needed(plan: Plan) -> int:
    """Return the memory of a search on the device, in bytes: four vectors, tables, marks and counts."""
    local = plan.local.tables.nbytes if plan.game.places == 1 else 0  # once more, as maps
    units = sum(4 * plan.words // min(rows.length, plan.block_words) for rows in plan.row_maps if rows.bits == 64)
    return 32 * plan.words + plan.table_bytes + local + units + 24 * plan.blocks + 8 * COUNTERS + (1 << 16)


class RowSearch(Threads):
    """Search with four vectors on a device: two planes of depths, the frontier, and the next frontier."""

    def __init__(self, plan: Plan, start: int, run: Run, device: Device) -> None:
        super().__init__(run, device)
        self.plan, self.start = plan, start
        frontier, result, low, high = (self.zeros(plan.words, np.uint64) for _ in range(4))
        active, touched, needs = (self.zeros(plan.blocks, np.uint8) for _ in range(3))
        counts, bits = self.zeros(COUNTERS, np.int64), device.array(np.uint64(1) << np.arange(64, dtype=np.uint64))
        self.vectors = Vectors(frontier, result, low, high, active, touched, needs, counts, bits)
        ones = np.uint64(plan.spread(1))
        row = np.uint64((1 << plan.word_bits) - 1)
        self.layout = Layout(plan.block_words, plan.word_bits.bit_length() - 1, ones, row)
        self.even = plan.spread(sum(1 << place for place in range(0, plan.game.places, 2)))
        self.pulls = [self._pulls(parity) for parity in ((0, 1) if plan.alternates else (None,))]
        self.pushes = [tuple(map(device.array, one)) for one in self._pushed()]

    def _pulls(self, parity: int | None) -> Pulls:
        """Return the moves from places of that parity, all without one, on the device."""
        plan, moves = self.plan, moves_of(self.plan, parity)
        rows = [one for one in plan.row_maps if one.bits == 64 and (parity is None or one.origin % 2 == parity)]
        units = [min(one.length, plan.block_words) for one in rows]
        sources = [_units(one, unit, plan) for one, unit in zip(rows, units, strict=True)]
        # In a game of one place each local move is pushed: a table's rows lie too far apart for neighbouring threads.
        local = [one for one in plan.local.back if parity is None or one[0] % 2 == parity] if plan.word_bits > 1 else []
        whole = np.int64
        made = Pulls(
            moves.shift_mask, moves.shift_distance, moves.shift_up,
            moves.row_origin, moves.row_target,
            unit_words=np.array(units, whole),
            unit_count=np.array([plan.block_words // unit for unit in units], whole),
            unit_factor=np.array([-(-(1 << FACTOR_BITS) // unit) for unit in units], whole),
            unit_begin=np.cumsum([0, *map(len, sources)]).astype(whole),
            unit_source=np.concatenate([np.zeros(0, np.int32), *sources]),
            byte_length=moves.byte_length, byte_begin=moves.byte_begin, byte_source=moves.byte_source,
            local=np.array(local, whole).reshape(len(local), 3), tables=plan.local.tables, parity=plan.parity,
            wide_base=moves.pull_base, wide_kind=moves.pull_kind, wide_row=moves.pull_row,
        )  # fmt: skip
        return Pulls(*map(self.device.array, made))

    def _pushed(self) -> list[tuple[Any, Any, Any]]:
        """Return base, kind and rows of the moves whose successors are marked one by one."""
        plan = self.plan
        found = [(wide.base, wide.kind, wide.rows) for wide in plan.wide_maps if wide.push]
        if plan.word_bits == 1:
            base = plan.block_rows * np.arange(plan.blocks, dtype=np.int64)
            kind = plan.parity.astype(np.int32) if plan.half == 2 else np.zeros(plan.blocks, np.int32)
            found += [(base, kind, plan.local.tables[:, table]) for table in range(len(plan.local.back))]
        return found

    def search(self) -> Layers:
        """Search from the start until a level has no new state."""
        plan = self.plan
        bit = plan.bit(self.start)
        for vector in (self.vectors.frontier, self.vectors.low):
            self.run_each(put, 1, vector, self.vectors.bits, bit)
        self.run_each(mark, 1, self.vectors.active, (bit >> 6) // plan.block_words)
        counts, few = [1], {0: [self.start]}
        while True:
            self.run.progress(f"depth {len(counts) - 1}", sum(counts), plan.game.size)
            count = self._level(len(counts))
            if not count:
                return Layers(counts, few, self._codes(counts))
            if count <= FEW:
                few[len(counts)] = self._few(count)
            counts.append(count)

    def _level(self, depth: int) -> int:
        """Find the states of this depth; return how many there are."""
        vectors = self.vectors
        pushed, pulls = bool(self.pushes), self.pulls[0]
        level = Level(np.uint64(ALL_BITS), depth % 3 + 1, False, pushed, self.plan.game.places == 1)
        if self.plan.alternates:
            parity = (depth + self._start_parity) & 1
            wanted = self.even if parity == 0 else ALL_BITS ^ self.even
            level = Level(np.uint64(wanted), 1 + (depth & 2), True, pushed, False)
            pulls = self.pulls[1 - parity]
        self.clear(vectors.counts)
        if self.pushes:
            self.clear(vectors.result)
            for base, kind, rows in self.pushes:
                self.run_each(row_kernels.push, self.plan.words, vectors, base, kind, rows, self.plan.block_words)
        self.run_each(row_kernels.plan_block, self.plan.blocks, vectors, pulls, level)
        self.run_each(row_kernels.advance, self.plan.words, vectors, self.layout, pulls, level)
        self.vectors = vectors._replace(
            frontier=vectors.result, result=vectors.frontier, active=vectors.touched, touched=vectors.active
        )
        return int(self.device.read(vectors.counts).sum())

    @property
    def _start_parity(self) -> int:
        return self.start % self.plan.game.places & 1

    def _few(self, count: int) -> list[int]:
        found, used = self.zeros(count, np.int64), self.zeros(count, np.int64)
        self.run_each(kernels.list_bits, self.plan.words, self.vectors.frontier, self.vectors.bits, 0, found, used)
        return sorted(map(self.plan.number, self.device.read(found).tolist()))

    def _codes(self, counts: list[int]) -> AlternatingCodes | PlaneCodes:
        plan = self.plan
        low, high = self.device.read(self.vectors.low), self.device.read(self.vectors.high)
        if plan.alternates:
            return AlternatingCodes(
                low, high, counts, plan.game.size, plan.game.places, plan.word_bits, self._start_parity
            )
        return PlaneCodes(low, high, {"all": counts}, plan.game.size, plan.game.places, plan.word_bits)


def _units(rows: RowMap, unit: int, plan: Plan) -> Any:
    """Return for each unit of words which unit it comes from."""
    each = rows.length // unit  # a row has so many units
    sources = rows.source.astype(np.int32)[:, None] * each + np.arange(each, dtype=np.int32)
    windows = plan.words // (unit * sources.size)
    return (np.arange(windows, dtype=np.int32)[:, None] * sources.size + sources.reshape(-1)).reshape(-1)


def put(_place: int, words: Any, bits: Any, bit: int) -> None:
    """Set a bit."""
    words[bit >> 6] |= bits[bit & 63]


def mark(_place: int, marks: Any, block: int) -> None:
    """Mark a block."""
    marks[block] = 1


def search_rows(game: Game, plan: Plan, run: Run, device: Device) -> Layers:
    """Search a game on a device, by a plan whose bytes it has."""
    return RowSearch(plan, numbered(game, game.rank(game.start())), run, device).search()
