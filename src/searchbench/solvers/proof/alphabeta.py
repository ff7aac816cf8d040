"""Search win, draw and loss by alpha-beta with a transposition table (Knuth and Moore 1975; Allis 1994, section 2.4).

The search keeps its own stack: it can stop after any move and resume later. This allows limits, progress and interruption,
and any depth. Every frame has a window; with the window (0, 1) the search answers "win or not", with (-1, 0) "loss or not".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.rules import UNDECIDED, canonical, moves, play, repetition, unplay
from searchbench.solvers.proof.budget import Budget, Steps, ended, nothing
from searchbench.solvers.proof.facts import NO_PLACE, fact_about, learn, lower_of, outcome_of, place_of, upper_of
from searchbench.solvers.proof.leaves import (
    UNKNOWN,
    USED,
    LeafDatabase,
    Leaves,
    assumptions_at,
    no_leaves,
    outcome_of_leaf,
)  # fmt: skip
from searchbench.solvers.proof.path import NEVER, Path, earlier, enter, leave, longer, new_path
from searchbench.solvers.proof.strategy_table import ABSENT, StrategyTable, larger, new_strategy_table, record, row_of
from searchbench.solvers.shared.transposition import Transpositions, grown, largest_size, probe

SLICE: Final = 1 << 18
"""Moves between two looks at the room of the table; the search can be stopped after each piece of a slice."""

# The columns of a frame.
ALPHA, BETA, BEST, PLACE, COUNT, NEXT, HINT, AT_LEAST, AT_MOST, SINCE = range(10)
_COLUMNS: Final = 10
# AT_LEAST and AT_MOST: the path dependence of "the value is at least BEST" and of "it is at most BEST".

# The places of `note`; BOOK is the depth whose states enter the book, -1: none.
DEPTH, NODES, VALUE, BOOK = range(4)

NOBODY: Final = -1
_NO_VALUE: Final = -2


class Stack(NamedTuple):
    """The current state, the path to it, a frame and a list of moves for each depth, and the leaves."""

    state: Any
    scratch: Any
    path: Path
    frames: Any
    moves: Any
    leaves: Leaves


class View(NamedTuple):
    """A state before its search: its value or UNDECIDED, the value's path dependence, and the place of the first move."""

    value: int
    path_dependence: int
    hint: int


def look(
    stack: Stack, depth: int, window: Any, table: Transpositions, strategy_table: StrategyTable, claimer: int
) -> View:
    """Look up the state at this depth in the rules, the tables and the path, for a window (alpha, beta).

    While evidence is gathered for the claimer (the player to move at depth 0 or 1), only the strategy table can confirm the
    claim; the transposition table can refute it.
    """
    alpha, beta = window
    result = outcome_of(stack.state)
    if result == UNDECIDED:
        result = outcome_of_leaf(stack.state, stack.scratch, depth, stack.leaves)
    if result != UNDECIDED:
        return View(result, NEVER, NO_PLACE)
    stack.path.keys[depth] = key(stack.state)
    fact = fact_about(table, stack.path.keys[depth], assumptions_at(stack.leaves, depth))
    claims = claimer != NOBODY and depth & 1 == claimer
    opposes = claimer != NOBODY and not claims
    if lower_of(fact) >= beta and not claims:
        return View(lower_of(fact), NEVER, NO_PLACE)
    if upper_of(fact) <= alpha and not opposes:
        return View(upper_of(fact), NEVER, NO_PLACE)
    if lower_of(fact) == upper_of(fact) and claimer == NOBODY:
        return View(lower_of(fact), NEVER, NO_PLACE)
    if claims and row_of(strategy_table, stack.path.keys[depth], stack.state) != ABSENT:
        return View(beta, NEVER, NO_PLACE)
    before = earlier(stack.path, depth)
    if before >= 0:
        return View(repetition(stack.state), before, NO_PLACE)
    return View(UNDECIDED, NEVER, place_of(fact))


def open_frame(stack: Stack, depth: int, window: Any, hint: int, nodes: int) -> None:
    """Begin the search of the state at this depth."""
    enter(stack.path, depth)
    frame = stack.frames[depth]
    frame[ALPHA], frame[BETA] = window
    frame[COUNT] = moves(stack.state, stack.moves[depth])
    frame[HINT] = hint if hint < frame[COUNT] else NO_PLACE
    frame[BEST] = _NO_VALUE if frame[COUNT] > 0 else 0
    frame[PLACE] = NO_PLACE
    frame[NEXT] = 0
    frame[AT_LEAST] = NEVER
    frame[AT_MOST] = NEVER
    frame[SINCE] = nodes


def next_place(frame: Any) -> int:
    """Return the place of the next move to search: first the hint, then the others in the game's order."""
    turn, hint = frame[NEXT], frame[HINT]
    if hint == NO_PLACE:
        return int(turn)
    return int(hint if turn == 0 else turn - 1 if turn <= hint else turn)


def take(frame: Any, place: int, value: int, at_least: int, at_most: int) -> None:
    """Update a frame by the value of a move, for the player to move, and the path dependence of its two bounds."""
    frame[AT_MOST] = min(frame[AT_MOST], at_most)
    if value > frame[BEST]:
        frame[BEST] = value
        frame[PLACE] = place
        frame[AT_LEAST] = at_least


def close_frame(
    stack: Stack,
    depth: int,
    table: Transpositions,
    strategy_table: StrategyTable,
    claimer: int,
    book: StrategyTable,
    note: Any,
) -> None:
    """End the search of the state at this depth; store the bounds that hold on every path."""
    leave(stack.path, depth)
    frame = stack.frames[depth]
    best = frame[BEST]
    if frame[AT_LEAST] >= depth:
        frame[AT_LEAST] = NEVER
    if frame[AT_MOST] >= depth:
        frame[AT_MOST] = NEVER
    lower = best if best > frame[ALPHA] and frame[AT_LEAST] == NEVER else -1
    upper = best if best < frame[BETA] and frame[AT_MOST] == NEVER else 1
    if lower > -1 or upper < 1:
        place = frame[PLACE] if lower > -1 else NO_PLACE
        known_for = assumptions_at(stack.leaves, depth)
        learn(table, stack.path.keys[depth], lower, upper, place, note[NODES] - frame[SINCE], known_for)
    if claimer != NOBODY and depth & 1 == claimer and lower >= frame[BETA] and frame[PLACE] != NO_PLACE:
        record(strategy_table, stack.path.keys[depth], stack.state, stack.moves[depth, frame[PLACE]])
    if depth == note[BOOK] and (lower >= frame[BETA] or upper <= frame[ALPHA]):
        for cell in range(len(stack.state)):
            stack.scratch[cell] = stack.state[cell]
        canonical(stack.scratch)
        record(book, stack.path.keys[depth], stack.scratch, 1 if lower >= frame[BETA] else 0)


def begin(stack: Stack, alpha: int, beta: int, table: Transpositions) -> None:
    """Open the frame of the root."""
    stack.path.keys[0] = key(stack.state)
    open_frame(stack, 0, (alpha, beta), place_of(probe(table, stack.path.keys[0])), 0)


def descend(
    stack: Stack,
    table: Transpositions,
    strategy_table: StrategyTable,
    claimer: int,
    book: StrategyTable,
    stop: int,
    note: Any,
) -> None:
    """Search until the root's frame is closed (note[DEPTH] is then -1), `stop` moves are played, or an array is full."""
    state, path = stack.state, stack.path
    depth = note[DEPTH]
    while strategy_table.rows[0] < len(strategy_table.moves) and book.rows[0] < len(book.moves):
        frame = stack.frames[depth]
        if frame[NEXT] == frame[COUNT] or frame[BEST] >= frame[BETA]:
            close_frame(stack, depth, table, strategy_table, claimer, book, note)
            depth -= 1
            if depth < 0:
                note[VALUE] = frame[BEST]
                break
            above = stack.frames[depth]
            place = next_place(above)
            above[NEXT] += 1
            unplay(state, stack.moves[depth, place])
            take(above, place, -frame[BEST], frame[AT_MOST], frame[AT_LEAST])
            continue
        if note[NODES] >= stop or depth + 1 == len(path.keys):
            break
        place = next_place(frame)
        play(state, stack.moves[depth, place])
        note[NODES] += 1
        window = (-frame[BETA], -max(frame[ALPHA], frame[BEST]))
        view = look(stack, depth + 1, window, table, strategy_table, claimer)
        if view.value != UNDECIDED:
            unplay(state, stack.moves[depth, place])
            take(frame, place, -view.value, view.path_dependence, view.path_dependence)
            frame[NEXT] += 1
        else:
            depth += 1
            open_frame(stack, depth, window, view.hint, note[NODES])
    note[DEPTH] = depth


class AlphaBetaSearch:
    """Search states of one game; searches share the transposition table, the strategy table and the count of nodes.

    `most_states` limits the states of the strategy table. Results at `book_depth` that hold on every path enter the book:
    states up to symmetry, and 1 for each that reaches the upper end of its window.
    """

    def __init__(
        self,
        game: Game,
        budget: Budget,
        table: Transpositions,
        table_memory: int,
        leaves: LeafDatabase | None = None,
        target: jit.Target = "cpu",
    ) -> None:
        self.game, self.budget, self.run, self.table, self.leaves = game, budget, budget.run, table, leaves
        names = game.names(target=target)
        self.names = names if leaves is None else names.with_(**leaves.names())
        self.largest = largest_size(table_memory)
        self.nodes = 0
        self.stage = "alpha-beta"
        self.strategy_table = new_strategy_table(game, 2)
        self.most_states = 0
        self.unknown = 0
        """The number of visits to leaves with an unknown outcome."""
        self.book = new_strategy_table(game, 2)
        self.book_depth = -1
        self.pause: Callable[[], None] = nothing
        """Called after each piece of a slice."""
        self._stack = self._new_stack(64)

    def _new_stack(self, depth: int) -> Stack:
        return Stack(
            np.zeros(self.game.width, self.game.dtype),
            np.zeros(self.game.width, self.game.dtype),
            new_path(depth),
            np.zeros((depth, _COLUMNS), np.int64),
            np.zeros((depth, max(self.game.max_moves, self.game.max_unmoves)), np.int64),
            no_leaves() if self.leaves is None else self.leaves.leaves(self.run).assuming(UNDECIDED),
        )

    def value(self, state: Any, alpha: int, beta: int, claimer: int = NOBODY, assumed: int = -1) -> int:
        """Return the outcome of a state that is not terminal, exact between alpha and beta, else a bound beyond one.

        For a claimer, fills the strategy table with the claimer's states that the proof needs. A leaf of another game with
        an unknown outcome counts as `assumed` for the player to move at the root.
        Raises LimitReached at the limit of nodes, or when the strategy table is too large.
        """
        return ended(self.steps(state, alpha, beta, claimer, assumed))

    def steps(self, state: Any, alpha: int, beta: int, claimer: int = NOBODY, assumed: int = -1) -> Steps[int]:
        """Search as `value` does, step by step."""
        if self.leaves is not None and not self.leaves.goes_on:
            self._stack = self._stack._replace(leaves=self._stack.leaves.assuming(assumed))
        stack = self._stack
        stack.state[:] = state
        stack.path.slots[:] = 0
        jit.bind(begin, self.names)(stack, alpha, beta, self.table)
        kernel = jit.bind(descend, self.names)
        note = np.array([0, 0, 0, self.book_depth], np.int64)
        end = SLICE
        while note[DEPTH] >= 0:
            before = int(note[NODES])
            repeated = int(self._stack.path.repetitions[0])
            stop = before + self.budget.piece(end - before)
            kernel(self._stack, self.table, self.strategy_table, claimer, self.book, stop, note)
            spent = int(note[NODES]) - before
            self.nodes += spent
            self.budget.spend(self.stage, spent, int(self._stack.path.repetitions[0]) - repeated)
            self.pause()
            yield
            if note[DEPTH] >= 0:
                self.budget.check()
                if self._enlarge(int(note[DEPTH])) or note[NODES] >= end:
                    end = int(note[NODES]) + SLICE
                    if self.table.crowded and len(self.table.keys) < self.largest:
                        self.table = grown(self.table, self.names)
        self.unknown += int(self._stack.leaves.note[UNKNOWN])
        return int(note[VALUE])

    @property
    def known_leaves(self) -> Leaves:
        """Return the leaves, with the assumption of the last search."""
        return self._stack.leaves

    def rest_on_assumptions(self) -> None:
        """Note that facts in the table may rest on assumptions about unknown leaves."""
        self._stack.leaves.note[USED] = 1

    def _enlarge(self, depth: int) -> bool:
        """Enlarge full arrays, or raise LimitReached; return whether any was full."""
        full = depth + 1 == len(self._stack.path.keys) or self.book.full or self.strategy_table.full
        if depth + 1 == len(self._stack.path.keys):
            stack = self._stack
            self.run.demand(3 * (stack.moves.nbytes + stack.frames.nbytes), f"a path of {depth:,} moves")
            self._stack = stack._replace(
                path=longer(stack.path),
                frames=np.concatenate([stack.frames, np.zeros_like(stack.frames)]),
                moves=np.concatenate([stack.moves, np.zeros_like(stack.moves)]),
            )
        if self.book.full:
            self.run.demand(3 * self.book.states.nbytes, f"a book of {self.book.filled:,} states")
            self.book = larger(self.book, self.game, self.names)
        if self.strategy_table.full:
            if 2 * len(self.strategy_table.moves) > self.most_states:
                raise LimitReached(f"{self.game}: the strategy needs more than {self.strategy_table.filled:,} states")
            self.strategy_table = larger(self.strategy_table, self.game, self.names)
        return full
