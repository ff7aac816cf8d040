"""Prove that a puzzle in two steps takes at most so many moves from any state, by detours in the first step (Gasser 1995, 6.5).

Where the shortest ways through the first step lead to too long a second one, longer ways are tried: they end elsewhere. All
states that look alike in the first step have the same ways through it, so they are looked at together; the rest of
their pieces arrives in another order.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.analyse.orders import Kinds, kinds_of, order_of, orders, rank_order, reorder, unrank_order
from searchbench.analyse.subgoals import Subgoals
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.index.contract import rank
from searchbench.rules import UNDECIDED, State, inverse, moves, new_moves, new_state, play, solvable, terminal, unplay
from searchbench.run import Run
from searchbench.store.working import WorkingFolder, discard, working_folder

WAYS: Final = 1 << 12
"""How many ways are found at a time."""
DETOUR: Final = 16
"""By how many moves a way may be longer than the shortest, by default."""
FAR: Final = 1 << 20
"""What the second step takes where it cannot be done."""
NO_MOVE: Final = -(1 << 62)

BLOCK: Final = 64
"""How many patterns are shared out among the threads at a time."""
RECORDED: Final = ("distance", "number", "patterns", "states", "ways")
"""What is kept of unfinished work, with the open states: where to go on, and the counts."""

DEPTH, FOUND = range(2)
"""What `ways` notes between two calls: the depth, -1 at the end, and the number of ways in the last call."""


def ways(state: State, codes: Any, length: int, tried: Any, way: Any, found: Any, note: Any) -> None:
    """Write ways of just `length` moves that end where the step is done for the first time, as many as there is room for.

    `codes` are the distances and 1; `tried` and `way` hold the moves of each depth, `note` where the search is.
    """
    depth, count = note[DEPTH], 0
    out = new_moves()
    while depth >= 0 and count < len(found):
        if tried[depth, 0] < 0:  # the state is new
            tried[depth, 0] = 0
            if depth == length or terminal(state) != UNDECIDED:
                if depth == length and terminal(state) == 0:
                    for step in range(length):
                        found[count, step] = way[step]
                    count += 1
            else:
                back = inverse(way[depth - 1]) if depth > 0 else NO_MOVE
                for index in range(moves(state, out)):
                    move = out[index]
                    if back != -1 and move == back:
                        continue
                    play(state, move)
                    code = codes[rank(state)]
                    if code != 0 and code <= length - depth:
                        tried[depth, 0] += 1
                        tried[depth, tried[depth, 0]] = move
                    unplay(state, move)
        if tried[depth, 0] > 0:
            way[depth] = tried[depth, tried[depth, 0]]
            tried[depth, 0] -= 1
            play(state, way[depth])
            depth += 1
            tried[depth, 0] = -1
        else:
            depth -= 1
            if depth >= 0:
                unplay(state, way[depth])
    note[DEPTH], note[FOUND] = depth, count


def endings(
    start: State, move_of: Any, found: Any, count: int, length: int, kinds: Kinds, changes: Any, ends: Any
) -> None:
    """Write for each way the order in which it leaves the pieces that had the order 0, and a key of the pattern at its end."""
    state, filled = new_state(), np.zeros(len(kinds.first), np.int64)
    none = np.zeros(len(kinds.pieces), np.int64)
    unrank_order(0, none, kinds)
    for one in range(count):
        for cell in range(len(state)):
            state[cell] = start[cell]
        for step in range(length):
            play(state, move_of[found[one, step]])
        order_of(state, changes[one], filled, kinds)
        reorder(state, none, filled, kinds)
        ends[one] = key(state)


def strike(waiting: Any, count: int, by: Any, after: Any, left: int, kinds: Kinds) -> int:
    """Keep those of the waiting orders for which a way that changes orders so leaves more than `left` moves; return how many.

    `after` has the moves that the second step takes for each order there, FAR where it cannot be done.
    """
    length = len(kinds.pieces)
    order, changed = np.zeros(length, np.int64), np.zeros(length, np.int64)
    kept = 0
    for at in range(count):
        unrank_order(waiting[at], order, kinds)
        for kind in range(len(kinds.first) - 1):
            for place in range(kinds.first[kind], kinds.first[kind + 1]):
                changed[place] = order[kinds.first[kind] + by[place]]
        rest = after[rank_order(changed, kinds)]
        if rest > left:
            waiting[kept] = waiting[at]
            kept += 1
    return kept


def keep_solvable(waiting: Any, count: int, start: State, kinds: Kinds) -> int:
    """Keep those of the waiting orders in which the puzzle can be solved, as far as its rules say; return how many."""
    state, order, filled = new_state(), np.zeros(len(kinds.pieces), np.int64), np.zeros(len(kinds.first), np.int64)
    kept = 0
    for at in range(count):
        for cell in range(len(state)):
            state[cell] = start[cell]
        unrank_order(waiting[at], order, kinds)
        reorder(state, order, filled, kinds)
        if solvable(state):
            waiting[kept] = waiting[at]
            kept += 1
    return kept


@dataclass(frozen=True)
class Detours:
    """Hold the result of the proof: `open` are states for which no way of at most `limit` moves was found.

    `patterns` are the states of the first step from which the steps can take more than the limit, `states` those of the
    puzzle that do by the first of the shortest ways, `ways` all the ways that were looked at.
    """

    game: Game
    limit: int
    patterns: int
    states: int
    ways: int
    open: tuple[tuple[int, ...], ...]
    seconds: float

    @property
    def proved(self) -> bool:
        """Tell whether every state takes at most `limit` moves."""
        return not self.open


class Looked(NamedTuple):
    """Hold the result of one pattern: the states that the first way does not suffice for, the ways, and the open states."""

    states: int
    ways: int
    open: list[tuple[int, ...]]


def prove_limit(
    chain: Subgoals, limit: int, run: Run | None = None, detour: int = DETOUR, target: jit.Target = "cpu"
) -> Detours:
    """Look for a way of at most `limit` moves from every state, through two steps of which the first may take a detour.

    A detour is longer than the shortest way by at most `detour` moves. With the run's `work`, a stopped analysis goes on. Raises
    BadRequest where the chain has not two steps, or the limit is one that the second step alone exceeds.
    """
    with run or Run() as active:
        proof = _Proof(chain, limit, detour, active, target)
        with working_folder(
            proof.first.game, f"at most {limit} moves, detours of {detour}, then {proof.last.game}", active
        ) as work:
            found = proof.result(work)
        if active.work is not None:
            discard(active.work)
        return found


class _Proof:
    def __init__(self, chain: Subgoals, limit: int, detour: int, run: Run, target: jit.Target) -> None:
        if len(chain.steps) != 2:
            raise BadRequest(f"{len(chain.steps)} steps: detours are looked for where there are two")
        self.game, (self.first, self.last) = chain.game, chain.steps
        if limit < self.last.longest:
            raise BadRequest(f"limit {limit}: the second step alone takes up to {self.last.longest} moves")
        if self.first.database.modulus or self.first.database.dtype != np.uint8:
            raise BadRequest(f"{self.first.database!r}: expected distances of one byte")
        self.limit, self.detour, self.run = limit, detour, run
        self.kinds = kinds_of(self.first.game.kinds())
        step, original = self.first.game.names(target=target), self.game.names(target=target)
        self.search, self.endings = jit.bind(ways, step), jit.bind(endings, original)
        self.keep_solvable = jit.bind(keep_solvable, original)
        self.strike = jit.bind(strike, jit.Names({}, target))
        self.new_state = step["new_state"]
        self.lock = threading.Lock()
        self.after: dict[int, Any] = {}
        """What the second step takes for each order, by the key of the pattern at its beginning."""
        self.move_of: Any = np.zeros(0, np.int64)
        """The move of the puzzle that each move of the first step is."""

    def result(self, work: WorkingFolder | None) -> Detours:
        """Look at every pattern from which the steps can take too long, the most distant first."""
        record = work.record if work is not None else {}
        at, number, patterns, states, count = (int(record.get(name, 0)) for name in RECORDED)
        left = [tuple(map(int, state)) for state in record.get("open", ())]
        for distance in range(at or self.first.longest, max(0, self.limit - self.last.longest_entered), -1):
            looked = partial(self._looked, distance)
            numbers = self.first.database.select(
                distance, (number, self.first.database.size) if distance == at else None
            )
            while block := list(islice(numbers, BLOCK)):
                for one in self.run.map(looked, block):
                    states, count = states + one.states, count + one.ways
                    left += one.open
                patterns += len(block)
                self.run.progress(f"{distance} moves in the first step", patterns, 0)
                if work is not None and work.due:
                    kept = zip(RECORDED, (distance, block[-1] + 1, patterns, states, count), strict=True)
                    work.commit({**dict(kept), "open": left})
        return Detours(self.game, self.limit, patterns, states, count, tuple(left), self.run.seconds)

    def _looked(self, distance: int, number: int) -> Looked:
        """Look at the states that look like a pattern."""
        pattern = self.first.game.unrank(number)
        start = self._ordered(self.first.game.original_state(pattern), 0)
        waiting = np.arange(orders(self.kinds), dtype=np.int64)
        count, states, ways = len(waiting), 0, 0
        for length in range(distance, min(distance + self.detour, self.limit) + 1):
            for found in self._ways(pattern, length):
                if ways == 0:
                    count = self._strike(start, found[:1], length, waiting, count)
                    states = count = self._solvable(start, waiting, count)
                ways += len(found)
                count = self._strike(start, found, length, waiting, count)
                if count == 0:
                    return Looked(states, ways, [])
        if ways == 0:  # the shortest way is too long
            states = count = self._solvable(start, waiting, count)
        return Looked(states, ways, [tuple(self._ordered(start, int(order))) for order in waiting[:count]])

    def _ways(self, pattern: list[int], length: int) -> Iterator[Any]:
        """Yield the ways of just so many moves, some at a time."""
        state = np.array(self.new_state())
        state[:] = pattern
        tried = np.full((length + 1, self.first.game.max_moves + 1), -1, np.int64)
        way, note, found = np.zeros(length + 1, np.int64), np.zeros(2, np.int64), np.zeros((WAYS, length), np.int64)
        while note[DEPTH] >= 0:
            self.search(state, self.first.database.codes, length, tried, way, found, note)
            if note[FOUND]:
                yield found[: int(note[FOUND])]

    def _strike(self, start: list[int], found: Any, length: int, waiting: Any, count: int) -> int:
        """Strike out the orders that some of the ways suffice for; return how many wait on."""
        changes, ends = np.zeros((len(found), len(self.kinds.pieces)), np.int64), np.zeros(len(found), np.int64)
        board = np.array(start, self.game.dtype)
        self.endings(board, self._moves_of(found), found, len(found), length, self.kinds, changes, ends)
        for change, end, way in zip(changes, ends.tolist(), found, strict=True):
            if count:
                count = int(
                    self.strike(
                        waiting, count, change, self._moves_after(end, start, way), self.limit - length, self.kinds
                    )
                )
        return count

    def _solvable(self, start: list[int], waiting: Any, count: int) -> int:
        """Keep the orders in which the puzzle can be solved; return how many."""
        return int(self.keep_solvable(waiting, count, np.array(start, self.game.dtype), self.kinds))

    def _moves_of(self, found: Any) -> Any:
        """Return which move of the puzzle each move is, for those of some ways at least."""
        with self.lock:
            most = int(found.max())
            if most >= len(self.move_of):
                self.move_of = np.concatenate([self.move_of, np.full(most + 1 - len(self.move_of), NO_MOVE)])
            for move in np.unique(found):
                if self.move_of[move] == NO_MOVE:
                    self.move_of[move] = self.first.game.original_move(int(move))
            return self.move_of

    def _moves_after(self, end: int, start: list[int], way: Any) -> Any:
        """Return the length of the second step for each order where a way ends, in the pattern with the key `end`."""
        with self.lock:
            if end not in self.after:
                state = start
                for move in way:
                    state = self.game.play(state, int(self.move_of[move]))
                found = np.full(orders(self.kinds), FAR, np.int64)
                for order in range(len(found)):
                    number = self.last.game.rank(self.last.game.seen(self._ordered(state, order)))
                    code = self.last.database.code(number)
                    if code:
                        found[order] = code - 1
                self.after[end] = found
            return self.after[end]

    def _ordered(self, state: list[int], number: int) -> list[int]:
        """Return a state with its pieces in another order."""
        order, filled = np.zeros(len(self.kinds.pieces), np.int64), np.zeros(len(self.kinds.first), np.int64)
        unrank_order(number, order, self.kinds)
        other = list(state)
        reorder(other, order, filled, self.kinds)
        return [int(cell) for cell in other]
