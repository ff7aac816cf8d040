"""Retrace a proof: a strategy that shows a bound, by the facts that a search has left.

The walk begins at the root and goes on after every reply. In a state of the claimer it takes a move after which the game is
over or a fact says that the opponent gets no more; of several, the one whose fact took the least work. Where no such fact is
left (tables replace what saved little), the state is searched again, depth first by proof numbers.

With SYMMETRIC_STATES the rows of the strategy are representatives of symmetric states.

Facts say what a state is worth, not in which order they were found. Where play must end, a walk in a circle therefore shows
nothing (`is_circular`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.proof import Strategy
from searchbench.rules import UNDECIDED, State, canonical, moves, new_moves, new_state, play, repetition, unplay
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.dfpn import DepthFirstProofNumberSearch
from searchbench.solvers.proof.facts import (
    ANY_LEAVES,
    NO_PLACE,
    SYMMETRIC_STATES,
    fact_about,
    outcome_of,
    shared_key,
    upper_of,
)
from searchbench.solvers.proof.strategy_table import (
    ABSENT,
    SMALLEST,
    StrategyTable,
    larger,
    new_strategy_table,
    record,
    row_of,
)
from searchbench.solvers.shared.transposition import (
    LARGEST_WORTH,
    WORTH_SHIFT,
    Transpositions,
    largest_size,
    new_transpositions,
)

SLICE: Final = 1 << 18
"""Moves between two reports, at which the walk can be stopped."""
_FIRST_NUMBERS: Final = 1 << 16
"""Most entries of the table of proof numbers at first: most parts that are searched again are small."""

# The places of a walk's `note`: the rows whose replies are covered, the moves tried, whether a reply leads to a row that is not
# later, and the moves at which the slice ends.
_DONE, _NODES, _BACK, _STOP = range(4)

# What `cover` returns: the state is covered; it has no known move and is in `missing`; a result contradicts the facts; the
# slice is over or the strategy table full.
COVERED, MISSING, CONTRADICTED, STOPPED = range(4)


class Walk(NamedTuple):
    """The strategy so far, the facts, the bound for the claimer, room for a state without a known move, and a note."""

    strategy_table: StrategyTable
    facts: Transpositions
    bound: int
    missing: Any
    note: Any


def best_move(state: State, out: Any, count: int, walk: Walk) -> int:
    """Return the place of a move that is known to keep the bound, that with the least work; NO_PLACE if there is none."""
    best, least = NO_PLACE, LARGEST_WORTH + 1
    for place in range(count):
        play(state, out[place])
        walk.note[_NODES] += 1
        result = outcome_of(state)
        fact = 0 if result != UNDECIDED else fact_about(walk.facts, shared_key(state), ANY_LEAVES)
        unplay(state, out[place])
        if result != UNDECIDED:
            if -result >= walk.bound:
                return place
        elif upper_of(fact) <= -walk.bound and fact >> WORTH_SHIFT < least:
            least = fact >> WORTH_SHIFT
            best = place
    return best


def copy(state: State, to: State) -> None:
    """Copy the state, or its representative where symmetric states are one."""
    for cell in range(len(state)):
        to[cell] = state[cell]
    if SYMMETRIC_STATES:
        canonical(to)


def cover(state: State, out: Any, walk: Walk) -> int:
    """See that a state with the claimer to move is over with the bound, or in the strategy table."""
    result = outcome_of(state)
    count = 0 if result != UNDECIDED else moves(state, out)
    if count == 0:
        return COVERED if (0 if result == UNDECIDED else result) >= walk.bound else CONTRADICTED
    strategy_table, note, code = walk.strategy_table, walk.note, key(state)
    row = row_of(strategy_table, code, state)
    if row != ABSENT:
        if row <= note[_DONE]:
            note[_BACK] = 1
        return COVERED
    if note[_NODES] >= note[_STOP] or strategy_table.rows[0] == len(strategy_table.moves):
        return STOPPED
    place = best_move(state, out, count, walk)
    if place == NO_PLACE:
        for cell in range(len(state)):
            walk.missing[cell] = state[cell]
        return MISSING
    record(strategy_table, code, state, out[place])
    return COVERED


def cover_replies(state: State, replies: Any, after: State, out: Any, walk: Walk) -> int:
    """See that the states after all replies are covered; `after`, `replies` and `out` are room for a state and for moves."""
    result = outcome_of(state)
    if result != UNDECIDED:
        return COVERED if -result >= walk.bound else CONTRADICTED
    count = moves(state, replies)
    if count == 0:
        return COVERED if walk.bound <= 0 else CONTRADICTED
    for place in range(count):
        play(state, replies[place])
        copy(state, after)
        unplay(state, replies[place])
        covered = cover(after, out, walk)
        if covered != COVERED:
            return covered
    return COVERED


def begin(root: State, claimer: int, walk: Walk) -> int:
    """See that the root is covered, where the claimer moves there (0), or all states after its moves (1)."""
    state, out, replies = new_state(), new_moves(), new_moves()
    copy(root, state)
    return cover(state, out, walk) if claimer == 0 else cover_replies(state, replies, new_state(), out, walk)


def follow(walk: Walk) -> int:
    """Cover the replies to the moves of all rows, in the order in which they were found."""
    state, after, out, replies = new_state(), new_state(), new_moves(), new_moves()
    strategy_table, note = walk.strategy_table, walk.note
    while note[_DONE] < strategy_table.rows[0]:
        row = note[_DONE]
        for cell in range(len(state)):
            state[cell] = strategy_table.states[row, cell]
        play(state, strategy_table.moves[row])
        covered = cover_replies(state, replies, after, out, walk)
        if covered != COVERED:
            return covered
        note[_DONE] += 1
    return COVERED


def record_move(strategy_table: StrategyTable, state: State, move: int) -> None:
    """Enter a state with its move."""
    record(strategy_table, key(state), state, move)


def ends_after(state: State, replies: Any, after: State, strategy_table: StrategyTable, ended: Any) -> bool:
    """Return whether play is known to end after every reply; `replies` and `after` are room for moves and a state."""
    if outcome_of(state) != UNDECIDED:
        return True
    for place in range(moves(state, replies)):
        play(state, replies[place])
        copy(state, after)
        unplay(state, replies[place])
        row = ABSENT if outcome_of(after) != UNDECIDED else row_of(strategy_table, key(after), after)
        if row != ABSENT and not ended[row]:
            return False
    return True


def is_circular(strategy_table: StrategyTable, bound: int, ended: Any) -> bool:
    """Return whether play by a strategy can come back to a state whose repetition is worth less than the bound.

    `ended` has a place for each row, all false: it becomes true where play is known to end.
    """
    state, after, replies = new_state(), new_state(), new_moves()
    left = strategy_table.rows[0]
    before = left + 1
    while 0 < left < before:
        before = left
        for place in range(strategy_table.rows[0]):
            row = strategy_table.rows[0] - 1 - place  # most replies lead to later rows
            if ended[row]:
                continue
            for cell in range(len(state)):
                state[cell] = strategy_table.states[row, cell]
            harmless = repetition(state) >= bound
            play(state, strategy_table.moves[row])
            if harmless or ends_after(state, replies, after, strategy_table, ended):
                ended[row] = True
                left -= 1
    return bool(left > 0)


class Retracing:
    """Retrace the proof that one player gets a bound from a root.

    `facts` may grow to `table_memory` bytes. `choices` fill slots of the kernels as they did for the search.
    """

    def __init__(
        self, game: Game, budget: Budget, facts: Transpositions, table_memory: int, most_states: int, stage: str,
        target: jit.Target = "cpu", choices: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.game, self.budget, self.most_states, self.stage = game, budget, most_states, stage
        self.names = game.names(target=target).with_(**choices)
        numbers = new_transpositions(min(_FIRST_NUMBERS, largest_size(table_memory)))
        self.search = DepthFirstProofNumberSearch(game, budget, facts, numbers, table_memory, target, choices, True)
        self.search.stage = f"{stage}, a part again"

    def strategy(self, root: Any, claimer: int, bound: int) -> Strategy | None:
        """Return the strategy of the player to move at the root (0) or the other (1); None if facts lead to none.

        Raises LimitReached.
        """
        note = np.zeros(4, np.int64)
        self.walk = Walk(new_strategy_table(self.game, SMALLEST), self.search.table, bound, root.copy(), note)
        kernel = jit.bind(follow, self.names)
        if not (self._covered(lambda walk: jit.bind(begin, self.names)(root, claimer, walk)) and self._covered(kernel)):
            return None
        found = self.walk.strategy_table
        if note[_BACK]:
            ended = np.zeros(found.filled, np.bool_)
            if jit.bind(is_circular, self.names)(found, bound, ended):
                return None
        return Strategy(found.states[: found.filled], found.moves[: found.filled])

    def _covered(self, kernel: Any) -> bool:
        """Run a kernel to its end; return false where a result contradicts the facts."""
        note = self.walk.note
        while True:
            before = int(note[_NODES])
            note[_STOP] = before + self.budget.piece(SLICE)
            status = kernel(self.walk)
            self.budget.spend(self.stage, int(note[_NODES]) - before, 0)
            if status in (COVERED, CONTRADICTED):
                return bool(status == COVERED)
            self.budget.check("the strategy is not complete")
            if self.walk.strategy_table.full:
                self._enlarge()
            if status == MISSING and not self._search_again():
                return False

    def _enlarge(self) -> None:
        old = self.walk.strategy_table
        if 2 * len(old.moves) > self.most_states:
            raise LimitReached(f"{self.game}: the strategy needs more than {old.filled:,} states")
        self.walk = self.walk._replace(strategy_table=larger(old, self.game, self.names))

    def _search_again(self) -> bool:
        """Search the missing state, and enter the move that keeps the bound; return whether there is one."""
        missing = self.walk.missing.copy()
        if not self.search.holds(missing, self.walk.bound):
            return False
        self.walk = self.walk._replace(facts=self.search.table)
        jit.bind(record_move, self.names)(self.walk.strategy_table, missing, self.search.proving_move)
        return True
