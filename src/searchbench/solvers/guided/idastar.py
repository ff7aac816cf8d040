"""IDA*: depth-first searches below a bound that grows (Korf 1985; Gasser 1995, section 6.1)."""

from __future__ import annotations

from typing import Final

from searchbench.line import Line
from searchbench.solvers.guided.depthfirst import NEVER, NODES, DepthFirst
from searchbench.solvers.guided.region import Region, Round
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, Task

LONG: Final = 300_000
"""After how many nodes the next round is worth the work of sharing it out."""


def idastar(task: Task) -> Line:
    """Return a cheapest line; raise LimitReached, or Unsolvable where nothing was cut off by the bound.

    Where states recur, an unsolvable state of a finite game is searched for ever unless a limit is given: nothing tells
    depth-first search that it has seen all states. A* notices. Neither the line nor the number of nodes depends on the
    number of threads; with a transposition table there is only one.
    """
    carried = task.carried(1)
    bound = task.bound(carried)
    search = DepthFirst(task, (), 0, bound, carried[0])
    search.note[NODES] = 1
    region: Region | None = None
    now = 0
    while True:
        now += 1
        if region is None and task.run.threads > 1 and not task.remembers and search.nodes > LONG:
            region = Region(task, search.nodes)
        outcome = _round(task, search, bound, now) if region is None else region.search(bound, now)
        if outcome.line is not None:
            return task.line(*outcome.line, outcome.nodes, optimal=True)
        if outcome.next_bound == NEVER:
            raise task.unsolvable(outcome.nodes)
        bound = outcome.next_bound
        task.report(f"bound {bound}", outcome.nodes, bound)


def _round(task: Task, search: DepthFirst, bound: int, now: int) -> Round:
    """Search below one bound on this thread."""
    search.begin(bound, now)
    while search.go_on(task.advance) not in (FOUND, EXHAUSTED):
        task.run.line(search.path_moves)
        task.report(f"bound {bound}", search.nodes, bound)
    return Round(search.nodes, search.next_bound, search.line() if search.status == FOUND else None)
