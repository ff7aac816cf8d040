"""Search permutation games whose elements have two sides, as burnt pancakes do, by streaming.

A row holds the 2^n orientations of the elements of one sequence: bit ``row * 2^n + sides``. A move sends a row to a row.
Within it, the move exchanges and inverts bits of the bits' numbers: a few exchanges of parts of words, for all 2^n states
at once. So the search ranks one sequence for 2^n states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange.decisions import reduce_sum
from searchbench.exchange.vectors import Deal
from searchbench.index.contract import rank, unrank
from searchbench.index.permutation import LexicographicPermutation
from searchbench.index.sequence import Rearrangement, Sequences
from searchbench.jit import FIRST, STOP, PerThread, popcount
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints_of_vectors import load
from searchbench.solvers.exhaustive.permutations.levels import FEW, TeamSize, bits_in, planes_of, share_bytes
from searchbench.store.planes import PlaneCodes
from searchbench.store.working import WorkingFolder

Array = npt.NDArray[Any]
WORD_BITS = 6
"""A word holds 2^6 bits: the lowest six bits of a bit's number are its place in the word."""
LARGEST = 11
"""Most elements: the search handles a whole row of 2^n bits at once."""
EXCHANGE, CROSS, WORDS, INVERT, INVERT_WORDS = range(5)
"""Steps: exchange two low bits of the numbers; a low and a high one; two high ones; invert a low bit; a high one."""


class Steps(NamedTuple):
    """The steps of all moves: those of move m are begin[m] .. begin[m + 1] - 1."""

    begin: Any
    kind: Any
    shift: Any
    mask: Any
    low: Any
    high: Any


class Planes(NamedTuple):
    """The bit vectors: the frontier, the next frontier (`result`), and the two planes of the depths."""

    frontier: Any
    result: Any
    low: Any
    high: Any


class SignedPlan:
    """The action of the moves on rows. Raises BadRequest where rows do not serve the game."""

    def __init__(self, game: Sequences) -> None:
        if not WORD_BITS <= game.n <= LARGEST or game.even:
            raise BadRequest(f"sequences of {game.n} elements with two sides: streaming takes {WORD_BITS} to {LARGEST}")
        self.game = game
        self.row_words = 1 << (game.n - WORD_BITS)
        self.rows = game.rows
        self.words = self.rows * self.row_words
        self.orders = np.array([move.inverse.order for move in game.moves], np.int64)
        told = [_steps(move) for move in game.moves]
        flat = [_step(kind, one, other) for steps in told for kind, one, other in steps]
        self.steps = Steps(
            np.cumsum([0, *map(len, told)]).astype(np.int64),
            np.array([step[0] for step in flat], np.int64),
            np.array([step[1] for step in flat], np.uint64),
            np.array([step[2] for step in flat], np.uint64),
            np.array([step[3] for step in flat], np.int64),
            np.array([step[4] for step in flat], np.int64),
        )


def _steps(move: Rearrangement) -> list[tuple[int, int, int]]:
    """Return a move's steps on the bits of a bit's number: (EXCHANGE, one, other) and (INVERT, bit, 0).

    The side of the first element is the highest bit. Element i comes from order[i], so bit n - 1 - i takes the value of
    bit n - 1 - order[i].
    """
    n = len(move.order)
    come_from = [n - 1 - move.order[n - 1 - bit] for bit in range(n)]
    steps = []
    now = list(range(n))  # the old bit that each bit holds so far
    for bit in range(n):
        other = now.index(come_from[bit])
        if other != bit:
            steps.append((EXCHANGE, bit, other))
            now[bit], now[other] = now[other], now[bit]
    return steps + [(INVERT, n - 1 - place, 0) for place in move.turned]


def _step(kind: int, one: int, other: int) -> tuple[int, int, int, int, int]:
    """Return a step in the form that kernels take: its kind, shift, mask, and the bits of the words' numbers."""
    low, high = min(one, other), max(one, other)
    if kind == INVERT:
        if one < WORD_BITS:
            return INVERT, 1 << one, _mask(one, 0), 0, 0
        return INVERT_WORDS, 0, 0, 0, 1 << (one - WORD_BITS)
    if high < WORD_BITS:
        return EXCHANGE, (1 << high) - (1 << low), _mask(low, 1) & _mask(high, 0), 0, 0
    if low < WORD_BITS:
        return CROSS, 1 << low, _mask(low, 0), 0, 1 << (high - WORD_BITS)
    return WORDS, 0, 0, 1 << (low - WORD_BITS), 1 << (high - WORD_BITS)


def _mask(bit: int, value: int) -> int:
    """Return the bits of a word whose numbers have the value `value` in the bit `bit`."""
    return sum(1 << place for place in range(64) if place >> bit & 1 == value)


def turn(row: Any, steps: Steps, first: int, stop: int) -> None:
    """Apply the steps first .. stop - 1 of a move to a row."""
    words = len(row)
    for step in range(first, stop):
        kind, shift, mask = steps.kind[step], steps.shift[step], steps.mask[step]
        low, high = steps.low[step], steps.high[step]
        if kind == EXCHANGE:
            for word in range(words):
                apart = ((row[word] >> shift) ^ row[word]) & mask
                row[word] ^= apart ^ (apart << shift)
        elif kind == INVERT:
            for word in range(words):
                row[word] = ((row[word] >> shift) & mask) | ((row[word] & mask) << shift)
        elif kind == CROSS:
            for word in range(words):
                if word & high == 0:
                    apart = ((row[word] >> shift) ^ row[word | high]) & mask
                    row[word | high] ^= apart
                    row[word] ^= apart << shift
        else:
            for word in range(words):
                if word & high == 0 and word & low == low:  # low is 0 for INVERT_WORDS
                    other = (word | high) ^ low
                    row[word], row[other] = row[other], row[word]


def advance(
    planes: Planes, first: int, stop: int, orders: Any, steps: Steps, code: int, sequence: Any, before: Any, row: Any
) -> int:
    """Find the new states of the rows first .. stop - 1, write their depth's code, 1 to 3, and return their number.

    `sequence` and `before` have room for a sequence, `row` for a row. Skips rows whose states are all reached.
    """
    words = len(row)
    count = 0
    for target in range(first, stop):
        start = target * words
        low, high = planes.low[start : start + words], planes.high[start : start + words]
        result = planes.result[start : start + words]
        missing = False
        for word in range(words):
            result[word] = 0
            if ~(low[word] | high[word]) != 0:
                missing = True
        if not missing:
            continue
        unrank(target, sequence)
        for move in range(len(orders)):
            for place in range(orders.shape[1]):
                before[place] = sequence[orders[move, place]]
            source = rank(before) * words
            if copy(planes.frontier[source : source + words], row):
                turn(row, steps, steps.begin[move], steps.begin[move + 1])
                for word in range(words):
                    result[word] |= row[word]
        count += close(result, low, high, code)
    return count


def copy(come: Any, row: Any) -> bool:
    """Copy a row; return whether it has any bit."""
    some = False
    for word in range(len(row)):
        row[word] = come[word]
        if come[word] != 0:
            some = True
    return some


def close(result: Any, low: Any, high: Any, code: int) -> int:
    """Clear the reached states in a row's result, and write the code of the others; return their number."""
    count = 0
    for word in range(len(result)):
        new = result[word] & ~(low[word] | high[word])
        result[word] = new
        count += popcount(new)
        if code & 1:
            low[word] |= new
        if code & 2:
            high[word] |= new
    return count


class SignedSearch:
    """Search with two planes of depths modulo 3, the frontier, and the next frontier."""

    def __init__(self, plan: SignedPlan, start: int, run: Run) -> None:
        self.plan, self.run = plan, run
        self.size = plan.game.size
        self.on_files, self.ahead = False, 0
        self.layout = 1, 1
        self.deal = Deal(plan.words, plan.words // plan.rows)
        rank_sequence, unrank_sequence = LexicographicPermutation(plan.game.n).functions()
        self.advance = jit.bind(advance, jit.Names({"rank": rank_sequence, "unrank": unrank_sequence}))
        self.vectors = {name: self.deal.vector() for name in ("frontier", "low", "high")}
        self.result = self.deal.vector()
        self.deal.put_first(start, self.vectors["frontier"], self.vectors["low"])

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth; return how many there are, and their numbers if they are at most FEW."""
        vectors, plan = self.vectors, self.plan
        planes = Planes(vectors["frontier"], self.result, vectors["low"], vectors["high"])
        step = max(1, min(4096, plan.rows // (8 * self.run.threads)))
        room = PerThread(self._room)
        counts = self.run.launch(
            self.advance, self.deal.pieces(step), planes, FIRST, STOP, plan.orders, plan.steps, depth % 3 + 1,
            room[0], room[1], room[2],
        )  # fmt: skip
        count = reduce_sum(counts)
        self.deal.renew(self.result)
        vectors["frontier"], self.result = self.result, vectors["frontier"]
        return count, bits_in(vectors["frontier"], self.deal) if count <= FEW else []

    def _room(self) -> tuple[Any, Any, Any]:
        """Return a thread's scratch memory."""
        sequence, before = (np.zeros(self.plan.game.n, np.int64) for _ in range(2))
        return sequence, before, np.zeros(self.plan.row_words, np.uint64)

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the vectors from a working folder."""
        load(self.deal, work, self.vectors, self.run)
        self.deal.renew(self.vectors["frontier"])

    def codes(self, counts: Sequence[int]) -> PlaneCodes:
        """Return the codes of all states; of several ranks, on the first one."""
        del self.result
        return PlaneCodes(*planes_of(self), {"all": counts}, self.plan.game.size)


def bytes_needed(plan: SignedPlan) -> int:
    """Return the memory of a search in bytes."""
    return 32 * plan.words


def bytes_on_rank(plan: SignedPlan, size: TeamSize) -> int:
    """Return the memory of a search on each of the ranks, in bytes."""
    return share_bytes(plan.words, size)
