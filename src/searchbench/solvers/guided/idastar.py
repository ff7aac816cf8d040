"""IDA*: depth-first searches below a bound that grows (Korf 1985; Gasser 1995, section 6.1).

The state is changed in place; the moves still to be tried lie on a stack. All that the kernel knows between two calls
stands in arrays, so it can stop after any number of nodes and go on later.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from functools import partial
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.line import Line
from searchbench.rules import (
    UNDECIDED,
    State,
    cost,
    dead,
    h_step,
    inverse,
    moves,
    new_moves,
    play,
    terminal,
    unplay,
)  # fmt: skip
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED, Task

STATUS, BOUND, NEXT, NODES, DEPTH, TOP, FRESH = range(7)
"""What the kernel notes: how the call ended, the bound, the smallest f above it, the nodes generated so far, the depth,
the height of the stack, and whether the state at hand is still to be expanded."""

MOVE, COST, H, BASE = range(4)
"""What stands on the stack for each move to be tried: the move, the cost of the path with it, and h after it. The path
has the same for each move that was played, and where on the stack the moves that follow it begin."""

NO_MOVE: Final = -(1 << 63)
"""What stands for the move to the start, and for the inverse of a move that has none: no game has this move."""
NEVER: Final = (1 << 63) - 1
"""The bound after the last one: no state was cut off."""


def push_moves(
    state: State, came: Any, bound: int, out: MutableSequence[int], tables: Any, stack: Any, top: int
) -> tuple[int, int, int]:
    """Put the moves that stay within the bound on the stack, the first one on top; `came` is the end of the path.

    Returns the new top, the number of nodes generated, and the smallest f above the bound.
    """
    back = inverse(came[MOVE]) if came[MOVE] != NO_MOVE else NO_MOVE
    if back == -1:
        back = NO_MOVE
    generated = 0
    cut = NEVER
    for index in range(moves(state, out) - 1, -1, -1):
        move = out[index]
        if move == back:
            continue
        generated += 1
        child_cost = came[COST] + cost(state, move)
        child_h = came[H] + h_step(state, move, tables)
        if child_cost + child_h <= bound:
            stack[top, MOVE] = move
            stack[top, COST] = child_cost
            stack[top, H] = child_h
            top += 1
        else:
            cut = min(cut, child_cost + child_h)
    return top, generated, cut


def search_below(state: State, tables: Any, path: Any, stack: Any, note: Any, stop: int) -> None:
    """Search on below the bound, from where `note` says, until a solved state, the end, `stop` nodes, or a full array."""
    out = new_moves()
    bound, smallest, nodes = note[BOUND], note[NEXT], note[NODES]
    depth, top, fresh = note[DEPTH], note[TOP], note[FRESH]
    status = PAUSED
    while True:
        if fresh:
            result = terminal(state)
            if result == 0:
                status = FOUND
                break
            if nodes >= stop:
                break
            if top + len(out) > len(stack) or depth + 1 >= len(path):
                status = FULL
                break
            fresh = 0
            if result == UNDECIDED and not dead(state, tables):
                top, generated, cut = push_moves(state, path[depth], bound, out, tables, stack, top)
                nodes += generated
                smallest = min(smallest, cut)
        if top > path[depth, BASE]:
            top -= 1
            play(state, stack[top, MOVE])
            depth += 1
            for column in range(BASE):
                path[depth, column] = stack[top, column]
            path[depth, BASE] = top
            fresh = 1
        elif depth > 0:
            unplay(state, path[depth, MOVE])
            depth -= 1
        else:
            status = EXHAUSTED
            break
    note[STATUS], note[NEXT], note[NODES] = status, smallest, nodes
    note[DEPTH], note[TOP], note[FRESH] = depth, top, fresh


def idastar(task: Task) -> Line:
    """Return a cheapest line; raise LimitReached, or Unsolvable where nothing was cut off by the bound.

    Where states recur, an unsolvable state of a finite game is searched for ever unless a limit is given: nothing tells
    depth-first search that it has seen all states. A* notices.
    """
    kernel = jit.bind(search_below, task.names)
    state = task.state()
    path = np.zeros((256, 4), np.int64)
    stack = np.zeros((1024, 3), np.int64)
    note = np.zeros(7, np.int64)
    path[0] = NO_MOVE, 0, task.bound(), 0
    note[BOUND], note[NEXT], note[NODES], note[FRESH] = path[0, H], NEVER, 1, 1
    while True:
        task.advance(kernel, (state, task.tables, path, stack), note, NODES)
        if note[STATUS] == FOUND:
            break
        if note[STATUS] == FULL:
            path, stack = _larger(task, path), _larger(task, stack)
        elif note[STATUS] == EXHAUSTED:
            if note[NEXT] == NEVER:
                raise task.unsolvable(int(note[NODES]))
            note[BOUND], note[NEXT], note[FRESH] = note[NEXT], NEVER, 1
        task.run.line(partial(_line_at, path, note))
        task.report(f"bound {note[BOUND]}", int(note[NODES]), int(note[BOUND]))
    depth = int(note[DEPTH])
    return task.line(path[1 : depth + 1, MOVE].tolist(), int(path[depth, COST]), int(note[NODES]), optimal=True)


def _line_at(path: Any, note: Any) -> list[int]:
    """Return the moves from the start to the state at hand."""
    moves: list[int] = path[1 : int(note[DEPTH]) + 1, MOVE].tolist()
    return moves


def _larger(task: Task, array: Any) -> Any:
    task.run.demand(3 * array.nbytes, f"the path of a search of {task.game}")
    return np.concatenate([array, np.zeros_like(array)])
