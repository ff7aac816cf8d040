"""Depth-first search below a bound, the inner loop of IDA* (Korf 1985; Gasser 1995, section 6.1).

The state is changed in place; the moves that were or are to be tried lie on a stack. All that the kernel knows between two
calls stands in arrays, so it can stop after any number of nodes and go on later.
This kernel serves every configuration; `in_place.search_in_place` is quicker where no successor need be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from searchbench import jit
from searchbench.hashing import key, mix
from searchbench.jit import inlined, unowned, unsigned
from searchbench.rules import UNDECIDED, State, cost, follows, inverse, moves, new_moves, play, terminal, unplay
from searchbench.solvers.guided.choices import choices, scatter
from searchbench.solvers.guided.contract import (
    CLOSED_LIST,
    FSM_PRUNING,
    H_PREFETCHES,
    H_STATE_SIZE,
    ORDER_BY_H,
    RANDOM_ORDER,
    TRANSPOSITION_TABLE,
    dead,
    h_prefetch,
    h_update,
)
from searchbench.solvers.guided.kept import PENDING, USED, Kept, note_cut, note_expanded
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED, Task
from searchbench.solvers.shared.transposition import LARGEST_WORTH, WORTH_SHIFT, Transpositions, probe, store

STATUS, BOUND, NEXT, NODES, DEPTH, ROUND = range(6)
"""What the kernel notes: how the call ended, the bound, the smallest f above it, the nodes generated so far, the depth, and
the number of the round, which is another for each bound."""

ROUNDS: Final = (1 << WORTH_SHIFT) - 1
"""The bits of a word of the transposition table that tell the round."""

MOVE, COST, H = range(3)
"""What stands on the stack for each move that was or is to be tried: the move, the cost of the path with it, and h after it.
The array `carried` has a row for each row of the stack; in its last column the automaton of moves is carried, if there is one.
`path[depth]` is the row of the state at each depth. Above it are those of its moves that are still to be tried, then, above
the one that is tried, those of the next state."""

NO_MOVE: Final = -(1 << 63)
"""What stands for the move to the start, and for the inverse of a move that has none: no game has this move."""
NEVER: Final = (1 << 63) - 1
"""The bound after the last one: no state was cut off."""


@inlined
def columns() -> int:
    """Return how many columns `carried` has."""
    return int(H_STATE_SIZE + 1 if FSM_PRUNING else H_STATE_SIZE)


@inlined
def sink(first: int, place: int, stack: Any, carried: Any) -> None:
    """Bring the move at `place` below those of a smaller f, down to the row `first`: the smallest f is to be tried first."""
    while place > first and bound_of(stack, place - 1) < bound_of(stack, place):
        for column in (MOVE, COST, H):
            exchange(stack, place, column)
        for column in range(columns()):
            exchange(carried, place, column)
        place -= 1


@inlined
def exchange(array: Any, place: int, column: int) -> None:
    """Exchange the entries of two adjacent rows in a column."""
    kept = array[unsigned(place), unsigned(column)]
    array[unsigned(place), unsigned(column)] = array[unsigned(place - 1), unsigned(column)]
    array[unsigned(place - 1), unsigned(column)] = kept


@inlined
def bound_of(stack: Any, row: int) -> int:
    """Return f of a move on the stack."""
    return int(stack[unsigned(row), COST] + stack[unsigned(row), H])


@inlined
def fsm_next(transitions: Any, at: int, place: int) -> int:
    """Return where the automaton goes from `at` with the move at a place of `moves`, or -1: the move is not tried."""
    return int(transitions[unsigned(at + place)])


@inlined
def push_moves(
    state: State, row: int, bound: int, out: MutableSequence[int], tables: Any, stack: Any, carried: Any, kept: Kept,
    chance: Any, transitions: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Put the moves that stay within the bound on the stack above `row`, the end of the path, the first one on top.

    Returns the new top, the number of nodes generated, and the smallest f above the bound.
    """
    back = inverse(stack[unsigned(row), MOVE]) if stack[unsigned(row), MOVE] != NO_MOVE else NO_MOVE
    if back == -1:
        back = NO_MOVE
    previous = (
        -1
        if TRANSPOSITION_TABLE or CLOSED_LIST or stack[unsigned(row), MOVE] == NO_MOVE
        else stack[unsigned(row), MOVE]
    )
    ordered = previous != -1
    count = (
        moves(state, out) if FSM_PRUNING else choices(state, previous, out, tables)
    )  # the automaton knows moves by their places
    if RANDOM_ORDER:
        scatter(state, out, count, chance)
    generated = 0
    cut = NEVER
    top = end = row + 1
    for index in range(count - 1, -1, -1):
        move = out[unsigned(index)]
        if FSM_PRUNING:  # which knows the move back, too
            ahead = fsm_next(transitions, carried[unsigned(row), H_STATE_SIZE], index)
            if ahead < 0:
                continue
            carried[unsigned(end), H_STATE_SIZE] = ahead
        elif move == back or (ordered and not follows(previous, move)):
            continue
        generated += 1
        stack[unsigned(end), MOVE] = move
        if H_PREFETCHES:
            h_prefetch(state, move, tables, carried, row, end)
            end += 1
        else:
            top, cut = push(state, row, end, top, bound, cut, tables, stack, carried, kept)
            end = top
    if H_PREFETCHES:
        for place in range(row + 1, end):
            top, cut = push(state, row, place, top, bound, cut, tables, stack, carried, kept)
    return top, generated, cut


@inlined
def push(
    state: State,
    row: int,
    place: int,
    top: int,
    bound: int,
    cut: int,
    tables: Any,
    stack: Any,
    carried: Any,
    kept: Kept,
) -> tuple[int, int]:
    """Put the move at `place` on top of the stack if it stays within the bound; return the new top and the smallest f above."""
    move = stack[unsigned(place), MOVE]
    child_cost = stack[unsigned(row), COST] + cost(state, move)
    child_h = h_update(state, move, tables, stack[unsigned(row), H], bound - child_cost, carried, row, place)
    if child_cost + child_h > bound:
        if CLOSED_LIST:
            play(state, move)
            note_cut(kept, key(state))
            unplay(state, move)
        return top, min(cut, child_cost + child_h)
    if place != top:
        stack[unsigned(top), MOVE] = move
        for column in range(columns()):
            carried[unsigned(top), unsigned(column)] = carried[unsigned(place), unsigned(column)]
    stack[unsigned(top), COST] = child_cost
    stack[unsigned(top), H] = child_h
    if ORDER_BY_H:
        sink(row + 1, top, stack, carried)
    return top + 1, cut


def search_below(
    state: State,
    tables: Any,
    path: Any,
    stack: Any,
    carried: Any,
    seen: Transpositions,
    kept: Kept,
    chance: Any,
    transitions: Any,
    note: Any,
    stop: int,
) -> None:
    """Search on below the bound, from where `note` says, until a solved state, the end, `stop` nodes, or a full array."""
    state, tables, path, stack, carried = (
        unowned(state), unowned(tables), unowned(path), unowned(stack), unowned(carried)
    )  # fmt: skip
    seen, kept, chance, note, out = unowned(seen), unowned(kept), unowned(chance), unowned(note), new_moves()
    transitions = unowned(transitions)
    bound, smallest, nodes = note[BOUND], note[NEXT], note[NODES]
    depth = note[DEPTH]
    row = path[depth]
    top = row + 1
    fresh = True
    status = PAUSED
    while True:
        if fresh:
            result = terminal(state)
            if result == 0:
                status = FOUND
                break
            if nodes >= stop:
                break
            if row + len(out) + 1 > len(stack) or depth + 1 >= len(path):
                status = FULL
                break
            fresh = False
            top = row + 1
            wanted = True
            if CLOSED_LIST:
                wanted = note_expanded(kept, key(state), bound - stack[unsigned(row), COST], note[ROUND])
            wanted = wanted and result == UNDECIDED and not dead(state, tables)
            if wanted and TRANSPOSITION_TABLE:
                # What is tried below a state depends on the automaton: to it, the same state elsewhere is another one.
                code = mix(key(state) ^ carried[unsigned(row), H_STATE_SIZE]) if FSM_PRUNING else key(state)
                wanted = is_new(seen, code, bound - stack[unsigned(row), COST], note[ROUND])
            if wanted:
                top, generated, cut = push_moves(
                    state, row, bound, out, tables, stack, carried, kept, chance, transitions
                )
                nodes += generated
                smallest = min(smallest, cut)
        if top > row + 1:
            path[unsigned(depth)] = row
            depth += 1
            row = top - 1
            play(state, stack[unsigned(row), MOVE])
            fresh = True
        elif depth > 0:
            unplay(state, stack[unsigned(row), MOVE])
            top = row
            depth -= 1
            row = path[unsigned(depth)]
        else:
            status = EXHAUSTED
            break
    path[depth] = row
    note[STATUS], note[NEXT], note[NODES], note[DEPTH] = status, smallest, nodes, depth


def is_new(seen: Transpositions, key: int, left: int, now: int) -> bool:
    """Tell whether a state was not yet expanded in this round with as much left below the bound; note that it is now.

    What was expanded with as much left led to every solution that is within the bound from here, also by way of the state
    before this one, which was on the path then.
    """
    if left > LARGEST_WORTH:
        return True
    word = probe(seen, key)
    if word != 0 and word & ROUNDS == now and word >> WORTH_SHIFT >= left:
        return False
    store(seen, key, left << WORTH_SHIFT | now)
    return True


class DepthFirst(ABC):
    """Search the states below one state, again and again with a larger bound.

    `moves` lead to that state from the start of the task, at a cost; `h` is its bound.
    """

    function: ClassVar[Callable[..., None]]
    """The kernel."""

    def __init__(self, task: Task, moves: Sequence[int], cost: int, h: int) -> None:
        self.task = task
        self.kernel = jit.bind(type(self).function, task.names)
        self.moves = tuple(moves)
        self.state = task.state(self.moves)
        self.root = moves[-1] if moves else NO_MOVE, cost, h
        self.note = np.zeros(6, np.int64)
        self.note[NEXT] = h + cost

    @abstractmethod
    def arguments(self) -> tuple[Any, ...]:
        """Return the data of the kernel."""

    @abstractmethod
    def grow(self) -> None:
        """Make room for a longer path."""

    @abstractmethod
    def path_rows(self) -> Any:
        """Return MOVE, COST and H of the states on the path."""

    @property
    def nodes(self) -> int:
        """Return how many nodes were generated."""
        return int(self.note[NODES])

    @property
    def next_bound(self) -> int:
        """Return the smallest f that was above the bound, NEVER if nothing was cut off."""
        return int(self.note[NEXT])

    @property
    def complete(self) -> bool:
        """Tell whether a round that ended without a solution has shown that there is none: no state is left to be seen."""
        return self.next_bound == NEVER or (self.task.exhausts and int(self.task.kept.counts[PENDING]) == 0)

    @property
    def states(self) -> int:
        """Return how many different states are known, 0 where nobody counts."""
        return int(self.task.kept.counts[USED])

    @property
    def status(self) -> int:
        """Return how the last call of the kernel ended."""
        return int(self.note[STATUS])

    def begin(self, bound: int, now: int) -> None:
        """Begin again at the top with another bound, in the round `now`."""
        if self.note[DEPTH] > 0:
            self.state = self.task.state(self.moves)
            self.note[DEPTH] = 0
        self.note[BOUND], self.note[NEXT], self.note[ROUND] = bound, NEVER, now & ROUNDS

    def go_on(self, advance: Callable[[Any, tuple[Any, ...], Any, int], None]) -> int:
        """Search for a while and return how that ended; `advance` calls the kernel, and says how long."""
        advance(self.kernel, self.arguments(), self.note, NODES)
        if self.status == FULL:
            self.grow()
        return self.status

    def path_moves(self) -> list[int]:
        """Return the moves from the start of the task to the state at hand."""
        return [*self.moves, *self.path_rows()[1:, MOVE].tolist()]

    def line(self) -> tuple[list[int], int]:
        """Return the moves to the solved state that was found, from the start of the task, and their cost."""
        return self.path_moves(), int(self.path_rows()[-1, COST])

    def larger(self, array: Any) -> Any:
        """Return an array with twice the room. Raises OutOfMemory."""
        self.task.run.demand(3 * array.nbytes, f"the path of a search of {self.task.game}")
        return np.concatenate([array, np.zeros_like(array)])


class StackSearch(DepthFirst):
    """Search depth-first with all successors of the states on the path on a stack; `carried` is the row of the first state."""

    function = staticmethod(search_below)

    def __init__(self, task: Task, moves: Sequence[int], cost: int, h: int, carried: Any) -> None:
        super().__init__(task, moves, cost, h)
        self.path = np.zeros(256, np.int64)
        self.stack = np.zeros((1024, 3), np.int64)
        self.carried = task.carried(len(self.stack))
        self.stack[0] = self.root
        self.carried[0] = carried

    def arguments(self) -> tuple[Any, ...]:
        """Return the data of the kernel."""
        task = self.task
        return (
            self.state,
            task.tables,
            self.path,
            self.stack,
            self.carried,
            task.seen,
            task.kept,
            task.chance,
            task.transitions,
        )

    def grow(self) -> None:
        """Make room for a longer path."""
        self.path, self.stack, self.carried = map(self.larger, (self.path, self.stack, self.carried))

    def path_rows(self) -> Any:
        """Return MOVE, COST and H of the states on the path."""
        return self.stack[self.path[: int(self.note[DEPTH]) + 1]]
