"""IDA* on several threads: the states around the start are expanded once, and the trees below them are shared out.

The trees stand in the order in which one thread comes to them. What is found in the first of them counts, and the nodes
up to there: so neither the line nor the number of nodes depends on the threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.rules import UNDECIDED, State, terminal
from searchbench.solvers.guided.contract import dead
from searchbench.solvers.guided.depthfirst import COST, MOVE, NEVER, NO_MOVE, H, push_moves
from searchbench.solvers.guided.in_place import depth_first
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, Task

TREES: Final = 400
"""The region grows level by level until it has so many trees: they differ much in size."""
LEVELS: Final = 64
"""The region has no more levels: where states have hardly more than one successor, it would never have so many trees."""


class Round(NamedTuple):
    """Hold the result of a round: the nodes generated so far, the next bound, and the moves and the cost of a solution."""

    nodes: int
    next_bound: int
    line: tuple[list[int], int] | None


def expandable(state: State, tables: Any) -> bool:
    """Tell whether a state is to be expanded."""
    return terminal(state) == UNDECIDED and not dead(state, tables)


class Node(NamedTuple):
    """Hold a state of the region: the moves to it, its cost and h, f of the states on the way to it, and the carried data."""

    moves: tuple[int, ...]
    cost: int
    h: int
    path: tuple[int, ...]
    carried: Any
    generated: int = -1
    """How many successors it has, -1 at the edge of the region."""
    is_leaf: bool = False
    """Tells that it is known not to be expandable."""

    def first_above(self, bound: int) -> int | None:
        """Return the first f on the way that is above the bound, where depth-first search would turn back."""
        return next((f for f in self.path if f > bound), None)


class TreeSplitting:
    """Hold the region, in the order of depth-first search, and the search of each tree at its edge.

    `nodes` were generated before. The states that are inside are expanded anew by every thread's count, as one thread would.
    """

    def __init__(self, task: Task, nodes: int) -> None:
        self.task = task
        self.nodes = nodes
        self.names = task.names
        self.lock = threading.Lock()
        carried = task.carried(1)
        self.order = [Node((), 0, task.bound(carried), (), carried[0])]
        size = -1
        for _ in range(LEVELS):
            if size == len(self.order) or sum(node.generated < 0 for node in self.order) >= TREES:
                break
            size = len(self.order)
            self.order = [found for node in self.order for found in self._expanded(node)]
        self.done: dict[int, tuple[int, int]] = {}
        """The trees that were searched to the end in this round: their nodes, and the smallest f above the bound."""
        self.keep: Callable[[], None] = _keep_nothing
        """Called, one thread at a time, when a tree was searched to the end."""
        self.searches = {
            place: depth_first(task, node.moves, node.cost, node.h, node.carried)
            for place, node in enumerate(self.order)
            if node.generated < 0
        }
        self.slices = {place: task.new_slices() for place in self.searches}

    def search(self, bound: int, least: int, now: int) -> Round:
        """Search below one bound on all threads, where a solution costs at least `least`. Raises LimitReached.

        Trees that are `done` already are left out.
        """
        above = {place: node.first_above(bound) for place, node in enumerate(self.order)}
        jobs = [place for place in self.searches if above[place] is None and place not in self.done]
        self.first_found, self.bound, self.over = len(self.order), bound, False
        self.spent = sum(nodes for nodes, _ in self.done.values())
        before = {place: self.searches[place].nodes for place in jobs}
        try:
            self.task.run.map(lambda place: self._search_tree(place, now), jobs)
        except BaseException:  # an interrupt, say: the other threads end after their slices
            self.over = True
            raise
        if self.over:
            self.task.report(f"bound {bound}", self.nodes + self.spent, least)
        for place, node in enumerate(self.order[: self.first_found + 1]):
            if above[place] is None:
                if node.generated >= 0:
                    self.nodes += node.generated
                else:
                    search = self.searches[place]
                    self.nodes += self.done[place][0] if place in self.done else search.nodes - before[place]
        done, self.done = self.done, {}
        if self.first_found < len(self.order):
            return Round(self.nodes, NEVER, self.searches[self.first_found].line())
        cut = [f for f in above.values() if f is not None]
        return Round(self.nodes, min([*cut, *(next_bound for _, next_bound in done.values())], default=NEVER), None)

    def _search_tree(self, place: int, now: int) -> None:
        """Search one tree to the end, unless a solution is found in an earlier one, or a limit is reached."""
        search = self.searches[place]
        search.begin(self.bound, now)
        status, first = -1, search.nodes

        def advance(kernel: Any, arguments: tuple[Any, ...], note: Any, column: int) -> None:
            left = self.task.nodes - self.nodes - self.spent
            end = int(note[column]) + max(1, left) if self.task.nodes else 0
            self.slices[place].advance(kernel, arguments, note, column, end)

        while status not in (FOUND, EXHAUSTED) and not self.over and place < self.first_found:
            before = search.nodes
            status = search.go_on(advance)
            with self.lock:
                self.spent += search.nodes - before
                self.over = self.over or self.task.is_over(self.nodes + self.spent)
                self.task.run.progress(f"bound {self.bound}", self.nodes + self.spent, self.task.nodes)
        with self.lock:
            if status == FOUND:
                self.first_found = min(self.first_found, place)
            elif status == EXHAUSTED:
                self.done[place] = search.nodes - first, search.next_bound
                self.keep()

    def _expanded(self, node: Node) -> list[Node]:
        """Return a node and its successors, as depth-first search comes to them; itself alone where it has none."""
        if node.generated >= 0 or node.is_leaf:
            return [node]
        state = self.task.state(node.moves)
        if not jit.bind(expandable, self.names)(state, self.task.tables):
            return [node._replace(is_leaf=True)]
        out: Any = self.names["new_moves"]()
        stack, carried = np.zeros((len(out) + 1, 3), np.int64), self.task.carried(len(out) + 1)
        stack[0] = node.moves[-1] if node.moves else NO_MOVE, node.cost, node.h
        carried[0] = node.carried
        expand = jit.bind(push_moves, self.names)
        top, generated, _ = expand(
            state,
            0,
            NEVER,
            out,
            self.task.tables,
            stack,
            carried,
            self.task.kept,
            self.task.chance,
            self.task.transitions,
        )
        found = [node._replace(generated=int(generated))]
        for row in range(int(top) - 1, 0, -1):
            move, cost, bound = (int(stack[row, column]) for column in (MOVE, COST, H))
            found.append(Node((*node.moves, move), cost, bound, (*node.path, cost + bound), carried[row].copy()))
        return found


def _keep_nothing() -> None:
    """Keep no record."""
