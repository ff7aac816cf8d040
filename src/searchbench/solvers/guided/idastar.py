"""IDA*: depth-first searches below a bound that grows (Korf 1985; Gasser 1995, section 6.1).

The state is changed in place; the moves still to be tried lie on a stack. All that the kernel knows between two calls
stands in arrays, so it can stop after any number of nodes and go on later.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.jit import borrowed, inlined
from searchbench.line import Line
from searchbench.rules import (
    UNDECIDED,
    State,
    cost,
    dead,
    h_next,
    inverse,
    moves,
    new_moves,
    play,
    sorts,
    terminal,
    unplay,
)  # fmt: skip
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED, Task

STATUS, BOUND, NEXT, NODES, DEPTH, FRESH = range(6)
"""What the kernel notes: how the call ended, the bound, the smallest f above it, the nodes generated so far, the depth,
and whether the state at hand is still to be expanded."""

MOVE, COST, H = range(3)
"""What stands on the stack for each move that was or is to be tried: the move, the cost of the path with it, and h after it.
The array `carried` has a row for each row of the stack."""

AT, BASE = range(2)
"""What the path has for each depth: the row of the stack that is tried, and the last one to be tried. The rows above the one
that is tried belong to deeper states."""

NO_MOVE: Final = -(1 << 63)
"""What stands for the move to the start, and for the inverse of a move that has none: no game has this move."""
NEVER: Final = (1 << 63) - 1
"""The bound after the last one: no state was cut off."""


def sink(first: int, place: int, stack: Any, carried: Any) -> None:
    """Bring the move at `place` below those of a smaller f, down to the row `first`: the smallest f is to be tried first."""
    while place > first and bound_of(stack, place - 1) < bound_of(stack, place):
        for array in (stack, carried):
            for column in range(array.shape[1]):
                kept = array[place, column]
                array[place, column] = array[place - 1, column]
                array[place - 1, column] = kept
        place -= 1


@inlined
def bound_of(stack: Any, row: int) -> int:
    """Return f of a move on the stack."""
    return stack[row, COST] + stack[row, H]  # type: ignore[no-any-return]


@inlined
def push_moves(
    state: State, row: int, bound: int, out: MutableSequence[int], tables: Any, stack: Any, carried: Any
) -> tuple[int, int, int]:
    """Put the moves that stay within the bound on the stack above `row`, the end of the path, the first one on top.

    Returns the new top, the number of nodes generated, and the smallest f above the bound.
    """
    back = inverse(stack[row, MOVE]) if stack[row, MOVE] != NO_MOVE else NO_MOVE
    if back == -1:
        back = NO_MOVE
    generated = 0
    cut = NEVER
    top = row + 1
    for index in range(moves(state, out) - 1, -1, -1):
        move = out[index]
        if move == back:
            continue
        generated += 1
        child_cost = stack[row, COST] + cost(state, move)
        child_h = h_next(state, move, tables, stack[row, H], carried, row, top)
        if child_cost + child_h <= bound:
            stack[top, MOVE] = move
            stack[top, COST] = child_cost
            stack[top, H] = child_h
            if sorts():
                sink(row + 1, top, stack, carried)
            top += 1
        else:
            cut = min(cut, child_cost + child_h)
    return top, generated, cut


def search_below(state: State, tables: Any, path: Any, stack: Any, carried: Any, note: Any, stop: int) -> None:
    """Search on below the bound, from where `note` says, until a solved state, the end, `stop` nodes, or a full array."""
    state, tables, path = borrowed(state), borrowed(tables), borrowed(path)
    stack, carried, out = borrowed(stack), borrowed(carried), new_moves()
    bound, smallest, nodes = note[BOUND], note[NEXT], note[NODES]
    depth, fresh = note[DEPTH], note[FRESH]
    status = PAUSED
    while True:
        if fresh:
            result = terminal(state)
            if result == 0:
                status = FOUND
                break
            if nodes >= stop:
                break
            row = path[depth, AT]
            if row + len(out) + 1 > len(stack) or depth + 1 >= len(path):
                status = FULL
                break
            fresh = 0
            top = row + 1
            if result == UNDECIDED and not dead(state, tables):
                top, generated, cut = push_moves(state, row, bound, out, tables, stack, carried)
                nodes += generated
                smallest = min(smallest, cut)
            path[depth + 1, AT] = top
            path[depth + 1, BASE] = row + 1
        if path[depth + 1, AT] > path[depth + 1, BASE]:
            depth += 1
            row = path[depth, AT] - 1
            path[depth, AT] = row
            play(state, stack[row, MOVE])
            fresh = 1
        elif depth > 0:
            unplay(state, stack[path[depth, AT], MOVE])
            depth -= 1
        else:
            status = EXHAUSTED
            break
    note[STATUS], note[NEXT], note[NODES] = status, smallest, nodes
    note[DEPTH], note[FRESH] = depth, fresh


def idastar(task: Task) -> Line:
    """Return a cheapest line; raise LimitReached, or Unsolvable where nothing was cut off by the bound.

    Where states recur, an unsolvable state of a finite game is searched for ever unless a limit is given: nothing tells
    depth-first search that it has seen all states. A* notices.
    """
    kernel = jit.bind(search_below, task.names)
    state = task.state()
    path = np.zeros((256, 2), np.int64)
    stack = np.zeros((1024, 3), np.int64)
    carried = task.carried(len(stack))
    note = np.zeros(6, np.int64)
    stack[0] = NO_MOVE, 0, task.bound(carried)
    note[BOUND], note[NEXT], note[NODES], note[FRESH] = stack[0, H], NEVER, 1, 1
    while True:
        task.advance(kernel, (state, task.tables, path, stack, carried), note, NODES)
        if note[STATUS] == FOUND:
            break
        if note[STATUS] == FULL:
            path, stack, carried = (_larger(task, array) for array in (path, stack, carried))
        elif note[STATUS] == EXHAUSTED:
            if note[NEXT] == NEVER:
                raise task.unsolvable(int(note[NODES]))
            note[BOUND], note[NEXT], note[FRESH] = note[NEXT], NEVER, 1
        task.report(f"bound {note[BOUND]}", int(note[NODES]), int(note[BOUND]))
    rows = path[1 : int(note[DEPTH]) + 1, AT]
    total = int(stack[path[int(note[DEPTH]), AT], COST])
    return task.line(stack[rows, MOVE].tolist(), total, int(note[NODES]), optimal=True)


def _larger(task: Task, array: Any) -> Any:
    task.run.demand(3 * array.nbytes, f"the path of a search of {task.game}")
    return np.concatenate([array, np.zeros_like(array)])
