"""Breadth-first search over rows: level by level, each block of numbers by one thread (Edelkamp 2017, bitvector search).

Where every move changes the parity of the place, two bit vectors are enough (:mod:`.alternating`), in memory or in files.
Other games take four: two planes of depths modulo 3, the frontier, and what is new (:mod:`.planes`). Blocks write only to
themselves, so no bit is lost; only wide moves need to take care.

With a working folder a search can be killed at any time and goes on later: from the last copy of its vectors, or, where
they are files, from the level at which it was.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.run import Run
from searchbench.solvers.exhaustive.rows import alternating, planes
from searchbench.solvers.exhaustive.rows.alternating import Level, Vectors
from searchbench.solvers.exhaustive.rows.kernels import Moves
from searchbench.solvers.exhaustive.rows.plan import Plan, RowMap
from searchbench.solvers.exhaustive.rows.planes import Planes
from searchbench.store.planes import AlternatingCodes, PlaneCodes
from searchbench.store.working import WorkingFolder, release

Array = npt.NDArray[Any]
ALL_BITS: Final = (1 << 64) - 1
FEW: Final = 100
"""Of a layer with no more states than this, the numbers are listed."""
IN_PLACE: Final = "in place"
"""How the record of a working folder calls vectors that are files."""
LEAST_BUDGET: Final = 4 << 20
"""What a search on files takes at least, beside its tables."""


class Layers(NamedTuple):
    """Hold what a search found: how many states each depth has, the numbers of small layers, and all codes."""

    counts: list[int]
    few: dict[int, list[int]]
    codes: PlaneCodes | AlternatingCodes


class Search(Protocol):
    """Search a level at a time; `vectors` are all that has to be kept to go on."""

    plan: Plan
    vectors: dict[str, Array]

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find what has this depth; return how much it is, and if that is little the numbers of the bits."""
        ...

    def codes(self, counts: Sequence[int]) -> PlaneCodes | AlternatingCodes:
        """Return the codes of all states."""
        ...


def in_two_vectors(plan: Plan) -> bool:
    """Tell whether two bit vectors are enough."""
    return plan.game.alternates and not plan.wide_maps


def vector_bytes(plan: Plan) -> int:
    """Return the memory of the bit vectors."""
    return 8 * plan.words * (2 if in_two_vectors(plan) else 4)


def bytes_needed(plan: Plan, on_files: bool = False) -> int:
    """Return the memory that a search takes."""
    return plan.table_bytes + (LEAST_BUDGET if on_files else vector_bytes(plan))


def search_rows(plan: Plan, start: int, run: Run, work: WorkingFolder | None = None) -> Layers:
    """Search from the state with the number `start` (row * places + place) until nothing is new.

    With a working folder it goes on from what it finds there, keeps copies of its vectors there from time to time, and has
    the vectors themselves there if they do not fit into the memory, and two are enough.
    """
    counts, few = [1], {0: [start]}
    search: Search
    if in_two_vectors(plan):
        search = AlternatingSearch(plan, start, run, work)
        counts, few, ahead = search.counts, search.few, search.ahead
    else:
        search, ahead = PlaneSearch(plan, start, run), 0
        if work is not None and work.record:
            counts, few = recalled(work)
            for name, vector in search.vectors.items():
                work.load(name, vector, run)
    while True:
        run.progress(f"depth {len(counts) - 1}", sum(counts), plan.game.size)
        count, bits = search.level(len(counts))
        if ahead + count == 0:
            return Layers(counts, few, search.codes(counts))
        if len(bits) == ahead + count:
            few[len(counts)] = sorted(_numbers(plan, bits))
        counts.append(ahead + count)
        ahead = 0
        if work is not None:
            keep(work, search, counts, few, run)


def keep(work: WorkingFolder, search: Search, counts: list[int], few: dict[int, list[int]], run: Run) -> None:
    """Commit a level that is done: at once where the vectors are files, else with copies of them when it is time."""
    record = {"counts": counts, "few": {str(depth): numbers for depth, numbers in few.items()}}
    if isinstance(search, AlternatingSearch) and search.on_files:
        work.commit({**record, IN_PLACE: True})
    elif work.due:
        run.progress(f"depth {len(counts) - 1}, keeping a copy", sum(counts), search.plan.game.size)
        work.commit(record, search.vectors, run)


def recalled(work: WorkingFolder) -> tuple[list[int], dict[int, list[int]]]:
    """Return the counts and the small layers of a record."""
    return work.record["counts"], {int(depth): numbers for depth, numbers in work.record["few"].items()}


def _numbers(plan: Plan, bits: Sequence[int]) -> list[int]:
    """Return the numbers of the states that bits of the vectors stand for."""
    found = (divmod(bit, plan.word_bits) for bit in bits)
    return [row * plan.game.places + place for row, place in found]


class AlternatingSearch:
    """Search with two bit vectors, in memory or in the files of a working folder."""

    def __init__(self, plan: Plan, start: int, run: Run, work: WorkingFolder | None) -> None:
        self.plan, self.run = plan, run
        self.on_files = work is not None and bytes_needed(plan) > run.memory
        self.vectors = {
            name: work.in_place(name, np.uint64, plan.words) if work and self.on_files else np.zeros(plan.words, np.uint64)
            for name in ("reached", "second")
        }  # fmt: skip
        names = jit.Names({})
        self.advance = jit.bind(alternating.advance, names)
        self.count_bits = jit.bind(alternating.count_bits, names)
        self.start_parity = start % plan.game.places & 1
        self.ones = np.uint64(plan.spread(1))
        self.bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        self.even = plan.spread(sum(1 << place for place in range(0, plan.game.places, 2)))
        self.moves = [_moves(plan, parity) for parity in (0, 1)]
        self.fresh = np.zeros(plan.blocks, np.uint8)
        self.counts, self.few, self.ahead = [1], {0: [start]}, 0
        if work is not None and work.record:
            self._resume(work)
        self.step = self._blocks_at_a_time()
        self.untouched = 0
        self.local = threading.local()
        if not (work is not None and work.record):
            row, place = divmod(start, plan.game.places)
            bit = row * plan.word_bits + place
            self.vectors["second"][bit >> 6] = self.bits[bit & 63]  # as if something led to it
            self.fresh[(bit >> 6) // plan.block_words] = 1
            self.level(0)

    def _resume(self, work: WorkingFolder) -> None:
        """Go on where the record says; a level that was cut short has left states that are ahead of it."""
        self.counts, self.few = recalled(work)
        if not work.record.get(IN_PLACE):
            for name, vector in self.vectors.items():
                work.load(name, vector, self.run)
        elif not self.on_files:
            for name, vector in self.vectors.items():
                vector[:] = work.in_place(name, np.uint64, self.plan.words)
        self.fresh[:] = 1
        pieces = range(0, self.plan.words, 1 << 20)
        found = sum(
            self.run.map(lambda first: int(self.count_bits(self.vectors["reached"], first, first + (1 << 20))), pieces)
        )
        self.ahead = found - sum(self.counts)
        self._release()

    def _blocks_at_a_time(self) -> int:
        step = max(1, min(64, self.plan.blocks // (8 * self.run.threads)))
        if not self.on_files:
            return step
        return max(1, min(step, self._budget() // (4 * self.run.threads * self._touched_by_block())))

    def _budget(self) -> int:
        return max(LEAST_BUDGET, self.run.memory - self.plan.table_bytes)

    def _touched_by_block(self) -> int:
        """Return the bytes of the vectors that a block needs: its own, and those where its rows come from."""
        return 16 * self.plan.block_words * (1 + max(len(moves.row_length) for moves in self.moves))

    def _release(self) -> None:
        if self.on_files:
            for vector in self.vectors.values():
                release(vector, 0, len(vector))

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find what has this depth; return how much it is, and if that is little the numbers of the bits."""
        plan = self.plan
        parity = (depth + self.start_parity) & 1
        level = Level(
            flip=np.uint64(0 if (depth - 1) >> 1 & 1 else ALL_BITS),
            wanted=np.uint64(self.even if parity == 0 else ALL_BITS ^ self.even),
            second=np.uint64(ALL_BITS if depth >> 1 & 1 else 0),
        )
        next_fresh = np.ones_like(self.fresh) if self.ahead else np.zeros_like(self.fresh)
        vectors = Vectors(
            self.vectors["reached"], self.vectors["second"], self.bits, self.ones, self.fresh, next_fresh
        )  # fmt: skip
        place_bits = plan.word_bits.bit_length() - 1

        def work(first: int) -> tuple[int, list[int]]:
            if not hasattr(self.local, "work"):
                self.local.work, self.local.coming = (np.zeros(plan.block_words, np.uint64) for _ in range(2))
            stop = min(first + self.step, plan.blocks)
            notes = np.zeros(FEW + 1, np.int64)
            count = self.advance(
                vectors, self.local.work, self.local.coming, first, stop, self.moves[1 - parity], self.moves[parity],
                plan.parity, place_bits, level, notes,
            )  # fmt: skip
            self._make_room(stop - first)
            return int(count), notes[1 : 1 + notes[0]].tolist()

        results = self.run.map(work, range(0, plan.blocks, self.step))
        self.fresh, self.ahead = next_fresh, 0
        count = sum(found for found, _ in results)
        return count, [bit for _, bits in results for bit in bits] if count <= FEW else []

    def _make_room(self, blocks: int) -> None:
        """Give memory of the vectors back where they are files, before it is more than the budget."""
        if not self.on_files:
            return
        self.untouched += blocks * self._touched_by_block()
        if 2 * self.untouched > self._budget():
            self.untouched = 0
            self._release()

    def codes(self, counts: Sequence[int]) -> AlternatingCodes:
        """Return the codes of all states."""
        plan = self.plan
        return AlternatingCodes(
            self.vectors["reached"], self.vectors["second"], counts, plan.game.size, plan.game.places, plan.word_bits,
            self.start_parity,
        )  # fmt: skip


class PlaneSearch:
    """Search with two planes of depths modulo 3, a frontier, and what is new."""

    def __init__(self, plan: Plan, start: int, run: Run) -> None:
        self.plan, self.run = plan, run
        names = jit.Names({})
        self.advance = jit.bind(planes.advance, names)
        self.push = jit.bind(planes.push_wide, names)
        self.clear = jit.bind(planes.clear, names)
        self.vectors = {name: np.zeros(plan.words, np.uint64) for name in ("frontier", "low", "high")}
        self.result = np.zeros(plan.words, np.uint64)
        self.bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
        row, place = divmod(start, plan.game.places)
        bit = row * plan.word_bits + place
        self.vectors["frontier"][bit >> 6] = self.vectors["low"][bit >> 6] = self.bits[bit & 63]
        self.moves = _moves(plan, None)
        self.step = max(1, min(64, plan.blocks // (8 * run.threads)))
        self.local = threading.local()

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find what has this depth; return how much it is, and if that is little the numbers of the bits."""
        vectors = self.vectors
        ones = np.uint64(self.plan.spread(1))
        found = Planes(vectors["frontier"], self.result, vectors["low"], vectors["high"], self.bits, ones)
        pushed = self._push_wide(found)
        count = sum(self.run.map(lambda first: self._advance(found, first, depth % 3 + 1, pushed), self._starts()))
        self.result, vectors["frontier"] = vectors["frontier"], self.result
        return count, _bits_in(vectors["frontier"]) if count <= FEW else []

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


def _bits_in(words: Array) -> list[int]:
    """Return where the bits of a thinly set vector are."""
    filled = np.flatnonzero(words)
    return [64 * word + bit for word in filled.tolist() for bit in range(64) if int(words[word]) >> bit & 1]


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
