"""Search one ply deeper at a time by alpha-beta, with estimates at the horizon (Allis 1994, section 2.4.3).

Each iteration searches all lines up to its depth. Finished games and leaves of a database have outcomes there, all other
states at the horizon the game's `evaluate`. A root value of WON or -WON is therefore proved, any other is a guess. Moves that
the game calls urgent come first, and before them those of the best line of the iteration before. A table of results is optional.

As the thesis does, an iteration counts only the states at its own depth. Repetition is not looked for: a win or a loss takes no
repetition, and lines that come back to a state end at the horizon like others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.hashing import key, mix
from searchbench.rules import UNDECIDED, moves, play, unplay
from searchbench.run import Run
from searchbench.slots import constant
from searchbench.solvers.proof.contract import evaluate, urgency
from searchbench.solvers.proof.facts import outcome_of
from searchbench.solvers.proof.leaves import LeafDatabase, Leaves, no_leaves, outcome_of_leaf

WON: Final = 1 << 14
"""The value of a won state for the player to move; estimates are smaller."""
LOST_DRAWS: Final = -WON
"""The value of a draw for the player to move at the root where the question is whether she wins."""
LONGEST: Final = 200
"""The most plies of a line."""
SLICE: Final = 1 << 20
"""Moves played between two reports, at which the search can be stopped."""

RESULTS_KEPT: Final = constant("RESULTS_KEPT", False)
"""Whether a table keeps the results of states."""
_EVER: Final = (1 << 15) - 1
"""The depth of a result that no deeper search changes."""

# The columns of a frame: its window, the best value, its moves and how many are searched, and whether the line of the
# iteration before leads to it.
ALPHA, BETA, BEST, COUNT, NEXT, ON_LINE = range(6)
# The places of `note`: the current depth, the horizon, states counted and moves played, the root's value, that of a draw.
DEPTH, HORIZON, NODES, PLAYED, VALUE, DRAW = range(6)


class Results(NamedTuple):
    """One place for each remainder of a hash: a state, who moves in it (depth & 1), the depth below it (-1: empty), bounds."""

    states: Any
    sides: Any
    depths: Any
    lower: Any
    upper: Any


class Stack(NamedTuple):
    """The current state, a frame and moves for each depth, the best lines from there, and the line of the iteration before."""

    state: Any
    scratch: Any
    frames: Any
    moves: Any
    lines: Any
    lengths: Any
    before: Any
    leaves: Leaves
    note: Any


def decided(stack: Stack, depth: int) -> int:
    """Return the value of a finished game or of a leaf for the player to move, else UNDECIDED."""
    outcome = outcome_of(stack.state)
    if outcome == UNDECIDED:
        outcome = outcome_of_leaf(stack.state, stack.scratch, depth, stack.leaves)
    return UNDECIDED if outcome == UNDECIDED else value_of(stack, outcome, depth)


def value_of(stack: Stack, outcome: int, depth: int) -> int:
    """Return the value of an outcome for the player to move at a depth."""
    if outcome == 0:
        return int(-stack.note[DRAW] if depth & 1 else stack.note[DRAW])
    return WON if outcome > 0 else -WON


def place_in(results: Results, stack: Stack, depth: int) -> int:
    """Return the place of the current state."""
    return int(mix(key(stack.state) ^ (depth & 1)) % len(results.depths))


def is_at(results: Results, place: int, stack: Stack, depth: int) -> bool:
    """Tell whether a place has the current state."""
    if results.depths[place] < 0 or results.sides[place] != depth & 1:
        return False
    for cell in range(len(stack.state)):
        if results.states[place, cell] != stack.state[cell]:
            return False
    return True


def look(stack: Stack, results: Results, depth: int) -> int:
    """Return the value of the current state if it needs no search, else UNDECIDED; its frame has the window, to be narrowed."""
    note, frame = stack.note, stack.frames[depth]
    if depth == note[HORIZON]:
        note[NODES] += 1
    value = decided(stack, depth)
    if value != UNDECIDED:
        return value
    if depth == note[HORIZON]:
        return evaluate(stack.state)
    if RESULTS_KEPT:
        place = place_in(results, stack, depth)
        if is_at(results, place, stack, depth) and results.depths[place] >= note[HORIZON] - depth:
            lower, upper = int(results.lower[place]), int(results.upper[place])
            if lower >= frame[BETA] or lower == upper:
                return lower
            if upper <= frame[ALPHA]:
                return upper
            frame[ALPHA] = max(frame[ALPHA], lower)
            frame[BETA] = min(frame[BETA], upper)
    return UNDECIDED


def keep(stack: Stack, results: Results, depth: int) -> None:
    """Keep the result of the current state; of two states in one place, that with the deeper search stays."""
    frame = stack.frames[depth]
    best = frame[BEST]
    lower = best if best > frame[ALPHA] else -WON
    upper = best if best < frame[BETA] else WON
    below = stack.note[HORIZON] - depth
    if lower == WON or upper == -WON:
        below = _EVER
    place = place_in(results, stack, depth)
    if results.depths[place] > below and not is_at(results, place, stack, depth):
        return
    for cell in range(len(stack.state)):
        results.states[place, cell] = stack.state[cell]
    results.sides[place] = depth & 1
    results.depths[place] = below
    results.lower[place] = lower
    results.upper[place] = upper


def open_frame(stack: Stack, depth: int, on_line: bool) -> None:
    """Begin the search of the current state: sort its moves."""
    frame, out = stack.frames[depth], stack.moves[depth]
    count = moves(stack.state, out)
    frame[COUNT], frame[NEXT] = count, 0
    frame[BEST] = -WON - 1 if count > 0 else value_of(stack, 0, depth)
    stack.lengths[depth] = 0
    for last in range(1, count):
        move = out[last]
        wanted = urgency(stack.state, move)
        place = last
        while place > 0 and urgency(stack.state, out[place - 1]) < wanted:
            out[place] = out[place - 1]
            place -= 1
        out[place] = move
    frame[ON_LINE] = 0
    if on_line and stack.before[depth] >= 0:
        for place in range(count):
            if out[place] == stack.before[depth]:
                frame[ON_LINE] = 1
                for later in range(place, 0, -1):
                    out[later] = out[later - 1]
                out[0] = stack.before[depth]
                break


def take(stack: Stack, depth: int, value: int) -> None:
    """Update a frame by the value of the next move, for the player to move; the best line below it is at `depth` + 1."""
    frame = stack.frames[depth]
    if value > frame[BEST]:
        frame[BEST] = value
        length = stack.lengths[depth + 1]
        stack.lines[depth, 0] = stack.moves[depth, frame[NEXT]]
        for place in range(length):
            stack.lines[depth, place + 1] = stack.lines[depth + 1, place]
        stack.lengths[depth] = length + 1
    frame[NEXT] += 1


def begin(stack: Stack, horizon: int) -> None:
    """Open the root for an iteration."""
    stack.note[DEPTH] = 0
    stack.note[HORIZON] = horizon
    stack.frames[0, ALPHA], stack.frames[0, BETA] = -WON, WON
    open_frame(stack, 0, True)


def iterate(stack: Stack, results: Results, most: int, stop: int) -> None:
    """Search until the root is closed (note[DEPTH] is then -1), `most` states are counted, or `stop` moves are played."""
    state, note = stack.state, stack.note
    depth = note[DEPTH]
    while note[NODES] < most and note[PLAYED] < stop:
        frame = stack.frames[depth]
        if frame[NEXT] == frame[COUNT] or frame[BEST] >= frame[BETA]:
            if RESULTS_KEPT:
                keep(stack, results, depth)
            value = frame[BEST]
            depth -= 1
            if depth < 0:
                note[VALUE] = value
                break
            unplay(state, stack.moves[depth, stack.frames[depth, NEXT]])
            take(stack, depth, -value)
            continue
        play(state, stack.moves[depth, frame[NEXT]])
        note[PLAYED] += 1
        below = stack.frames[depth + 1]
        below[ALPHA], below[BETA] = -frame[BETA], -max(frame[ALPHA], frame[BEST])
        value = look(stack, results, depth + 1)
        if value == UNDECIDED:
            on_line = frame[ON_LINE] != 0 and frame[NEXT] == 0
            depth += 1
            open_frame(stack, depth, on_line)
        else:
            unplay(state, stack.moves[depth, frame[NEXT]])
            stack.lengths[depth + 1] = 0
            take(stack, depth, -value)
    note[DEPTH] = depth


@dataclass(frozen=True)
class Deepened:
    """The result of the last complete iteration: its depth, the root's value for the player to move, and the best line.

    `nodes` counts the states at the horizons of all iterations, the one cut short included. If no iteration was complete, the
    depth is 0, the value 0 and the line empty.
    """

    value: int
    depth: int
    line: tuple[int, ...]
    nodes: int

    @property
    def solved(self) -> bool:
        """Return whether the value is proved."""
        return abs(self.value) == WON


class DeepeningSearch:
    """Search states of one game; `entries` is the size of the table of results, 0 for none.

    `draw` is the value of a draw for the player to move at the root: LOST_DRAWS asks whether she wins, 0 distinguishes
    three outcomes.
    """

    def __init__(
        self, game: Game, leaves: LeafDatabase | None = None, entries: int = 0, draw: int = LOST_DRAWS,
        run: Run | None = None, target: jit.Target = "cpu",
    ) -> None:  # fmt: skip
        self.game, self.run, self.entries = game, run or Run(threads=1), entries
        names = game.names(target=target).with_(RESULTS_KEPT=entries > 0)
        self.names = names if leaves is None else names.with_(**leaves.names())
        size = max(entries, 1)
        self.results = Results(
            np.zeros((size, game.width), game.dtype), np.zeros(size, np.int8), np.full(size, -1, np.int16),
            np.zeros(size, np.int16), np.zeros(size, np.int16),
        )  # fmt: skip
        widest = max(game.max_moves, 1)
        self.stack = Stack(
            np.zeros(game.width, game.dtype), np.zeros(game.width, game.dtype), np.zeros((LONGEST + 2, 6), np.int64),
            np.zeros((LONGEST + 2, widest), np.int64), np.zeros((LONGEST + 2, LONGEST + 3), np.int64),
            np.zeros(LONGEST + 2, np.int64), np.full(LONGEST + 2, -1, np.int64),
            no_leaves() if leaves is None else leaves.leaves(self.run).assuming(UNDECIDED),
            np.array([0, 0, 0, 0, 0, draw], np.int64),
        )  # fmt: skip

    def search(self, state: Sequence[int], nodes: int, depth: int = LONGEST, without: Collection[int] = ()) -> Deepened:
        """Search a state that is not finished until it is solved, `nodes` are counted, or `depth` is reached.

        The moves `without` are not played at the root.
        """
        stack, note = self.stack, self.stack.note
        stack.state[:] = state
        stack.before[:] = -1
        self.results.depths[:] = -1
        note[NODES] = note[PLAYED] = 0
        found = Deepened(0, 0, (), 0)
        for horizon in range(1, min(depth, LONGEST) + 1):
            jit.bind(begin, self.names)(stack, horizon)
            self._leave_out(without)
            kernel = jit.bind(iterate, self.names)
            while note[DEPTH] >= 0 and note[NODES] < nodes:
                kernel(stack, self.results, nodes, int(note[PLAYED]) + SLICE)
                self.run.progress(f"alpha-beta, depth {horizon}", int(note[NODES]), nodes)
            if note[DEPTH] >= 0:
                break
            line = stack.lines[0, : stack.lengths[0]]
            stack.before[:] = -1
            stack.before[: len(line)] = line
            found = Deepened(int(note[VALUE]), horizon, tuple(int(move) for move in line), int(note[NODES]))
            if found.solved or note[NODES] >= nodes:
                break
        return Deepened(found.value, found.depth, found.line, int(note[NODES]))

    def _leave_out(self, without: Collection[int]) -> None:
        frame, out = self.stack.frames[0], self.stack.moves[0]
        left = [move for move in out[: frame[COUNT]].tolist() if move not in without]
        out[: len(left)] = left
        frame[COUNT] = len(left)
