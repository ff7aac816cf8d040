"""Depth-first search that keeps no rows of successors: a move is played as soon as its bound allows it, and taken back.

It serves searches that try the moves in the order of the rules, keep no states, and whose heuristic carries nothing along a
path and fetches nothing ahead: then no successor needs to be known before the one that is tried. It visits the same states
in the same order as `depthfirst.search_below`, and counts the same nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.jit import inlined, unowned, unsigned
from searchbench.rules import UNDECIDED, Move, State, cost, follows, inverse, moves, play, terminal, unplay
from searchbench.solvers.guided.choices import NONE, choices
from searchbench.solvers.guided.contract import (
    CLOSED_LIST,
    FSM_PRUNING,
    H_PREFETCHES,
    H_STATE_SIZE,
    ORDER_BY_H,
    RANDOM_ORDER,
    TRANSPOSITION_TABLE,
    dead,
    h_update,
)
from searchbench.solvers.guided.depthfirst import (
    BOUND,
    COST,
    DEPTH,
    MOVE,
    NEXT,
    NO_MOVE,
    NODES,
    STATUS,
    DepthFirst,
    H,
    StackSearch,
    fsm_next,
)  # fmt: skip
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED, Task

PLACE, END, BACK, AT, LIST = range(3, 8)
"""What stands in `path[depth]` beside MOVE, COST and H: the column of the next move, the column behind the last one, the move
that leads back, where the automaton of moves is, and from LIST on the moves themselves."""

NEEDS_ROWS: Final = (ORDER_BY_H, TRANSPOSITION_TABLE, CLOSED_LIST, RANDOM_ORDER, H_PREFETCHES, H_STATE_SIZE)
"""What needs to know successors, or where they lie, before the first of them is tried."""


SKIPPED: Final = -1
"""In the place of where the automaton goes: the move is not tried."""


@inlined
def step(path: Any, transitions: Any, depth: int, place: int, move: Move, back: Move) -> int:
    """Return where the automaton goes with the move in the column `place`, 0 where there is none, or SKIPPED."""
    if FSM_PRUNING:  # which knows the move back, too
        return fsm_next(transitions, path[unsigned(depth), AT], place - LIST)
    if move == back and back != -1:  # where no inverse is known, -1 may be a move
        return SKIPPED
    if path[unsigned(depth), MOVE] == NO_MOVE or follows(path[unsigned(depth), MOVE], move):
        return 0
    return SKIPPED


def untried(path: Any, transitions: Any, depth: int) -> int:
    """Return how many moves of the states on the path are still to be tried: they are generated as well."""
    count = 0
    for above in range(depth):
        for place in range(path[above, PLACE], path[above, END]):
            count += step(path, transitions, above, place, path[above, place], path[above, BACK]) != SKIPPED
    return count


def search_in_place(state: State, tables: Any, path: Any, carried: Any, transitions: Any, note: Any, stop: int) -> None:
    """Search on below the bound, from where `note` says, until a solved state, the end, `stop` nodes, or a full array.

    `path` is int64 [depths, LIST + the largest number of moves].
    """
    state, tables, path = unowned(state), unowned(tables), unowned(path)
    carried, transitions, note = unowned(carried), unowned(transitions), unowned(note)
    bound, smallest, nodes, depth = note[BOUND], note[NEXT], note[NODES], note[DEPTH]
    spent, bounded = path[depth, COST], path[depth, H]
    previous = path[depth, MOVE]
    back = inverse(previous) if previous != NO_MOVE else NO_MOVE
    last = len(path) - 1
    status = PAUSED
    while status == PAUSED:
        result = terminal(state)
        if result == 0:
            status = FOUND
            nodes += untried(path, transitions, depth)
            break
        if (nodes >= stop) | (depth >= last):  # one jump for both
            status = PAUSED if nodes >= stop else FULL
            break
        place, end = LIST, LIST
        if result == UNDECIDED and not dead(state, tables):
            if FSM_PRUNING:  # the automaton knows moves by their places
                end += moves(state, path[unsigned(depth)][LIST:])
            else:
                previous = path[unsigned(depth), MOVE]
                end += choices(state, NONE if previous == NO_MOVE else previous, path[unsigned(depth)][LIST:], tables)
        while True:
            if place < end:
                move = path[unsigned(depth), unsigned(place)]
                place += 1
                ahead = step(path, transitions, depth, place - 1, move, back)
                if ahead == SKIPPED:
                    continue
                nodes += 1
                spent_after = spent + cost(state, move)
                bounded_after = h_update(state, move, tables, bounded, bound - spent_after, carried, 0, 1)
                if spent_after + bounded_after > bound:
                    smallest = min(smallest, spent_after + bounded_after)
                    continue
                play(state, move)
                path[unsigned(depth), COST], path[unsigned(depth), H] = spent, bounded
                path[unsigned(depth), PLACE], path[unsigned(depth), END], path[unsigned(depth), BACK] = (
                    place,
                    end,
                    back,
                )
                if FSM_PRUNING:
                    path[unsigned(depth + 1), AT] = ahead
                depth += 1
                path[unsigned(depth), MOVE] = move
                spent, bounded, back = spent_after, bounded_after, inverse(move)
                break
            if depth == 0:
                status = EXHAUSTED
                break
            unplay(state, path[unsigned(depth), MOVE])
            depth -= 1
            spent, bounded = path[unsigned(depth), COST], path[unsigned(depth), H]
            place, end, back = path[unsigned(depth), PLACE], path[unsigned(depth), END], path[unsigned(depth), BACK]
    path[depth, COST], path[depth, H] = spent, bounded
    note[STATUS], note[NEXT], note[NODES], note[DEPTH] = status, smallest, nodes, depth


class InPlaceSearch(DepthFirst):
    """Search depth-first without rows of successors."""

    function = staticmethod(search_in_place)

    def __init__(self, task: Task, moves: Sequence[int], cost: int, h: int, carried: Any) -> None:
        super().__init__(task, moves, cost, h)
        self.path = np.zeros((256, LIST + len(task.names["new_moves"]())), np.int64)
        self.carried = np.zeros((2, 0), np.int64)
        self.path[0, : H + 1] = self.root
        if task.automaton is not None:
            self.path[0, AT] = carried[-1]

    def arguments(self) -> tuple[Any, ...]:
        """Return the data of the kernel."""
        return self.state, self.task.tables, self.path, self.carried, self.task.transitions

    def grow(self) -> None:
        """Make room for a longer path."""
        self.path = self.larger(self.path)

    def path_rows(self) -> Any:
        """Return MOVE, COST and H of the states on the path."""
        return self.path[: int(self.note[DEPTH]) + 1, : H + 1]


def depth_first(task: Task, moves: Sequence[int], cost: int, h: int, carried: Any) -> DepthFirst:
    """Return the quickest search that can do all that is asked."""
    return search_kind(task.names)(task, moves, cost, h, carried)


def search_kind(names: jit.Names) -> type[InPlaceSearch] | type[StackSearch]:
    """Return the kind of search that serves rules and options."""
    needs = any(names.constant(flag) for flag in NEEDS_ROWS)
    return StackSearch if needs else InPlaceSearch
