"""IDA*: depth-first searches below a bound that grows (Korf 1985; Gasser 1995, section 6.1).

With a `step` the bound grows by at least so much, and the cheapest line is then found by branch and bound (the method DF of
Berliner and Goetsch 1984).
"""

from __future__ import annotations

from typing import Final

from searchbench.errors import LimitReached
from searchbench.line import Line
from searchbench.solvers.guided.depthfirst import NEVER, NODES, DepthFirst
from searchbench.solvers.guided.region import Region, Round
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, Task

LONG: Final = 300_000
"""After how many nodes the next round is worth the work of sharing it out."""


def idastar(task: Task, step: int = 0) -> Line:
    """Return a cheapest line; raise LimitReached, or Unsolvable where nothing was cut off by the bound.

    Where states recur, an unsolvable state of a finite game is searched for ever unless a limit is given or all states are
    kept: nothing else tells depth-first search that it has seen them. A* notices. Neither the line nor the number of nodes
    depends on the number of threads; with a table of states there is only one. A limit that is reached after a line was
    found returns it, without the claim that it is a cheapest one.
    """
    carried = task.carried(1)
    least = bound = task.bound(carried)
    search = DepthFirst(task, (), 0, bound, carried[0])
    search.note[NODES] = 1
    region: Region | None = None
    best: Line | None = None
    now = 0
    while True:
        now += 1
        alone = task.remembers or task.exhausts or task.run.threads == 1
        if region is None and not alone and search.nodes > LONG:
            region = Region(task, search.nodes)
        try:
            outcome = _round(task, search, bound, least, now) if region is None else region.search(bound, least, now)
        except LimitReached as limit:
            if best is None:
                raise
            return task.line(best.moves, best.cost, limit.nodes, False, limit.states)
        if outcome.line is not None:
            moves, cost = outcome.line
            best = task.line(moves, cost, outcome.nodes, cost == least, search.states)
            if cost == least:
                return best
            bound = cost - 1
            continue
        if best is not None:
            return task.line(best.moves, best.cost, outcome.nodes, True, search.states)
        if outcome.next_bound == NEVER:
            raise task.unsolvable(outcome.nodes, search.states)
        least = outcome.next_bound
        bound = max(least, bound + step)
        task.report(f"bound {bound}", outcome.nodes, least, search.states)


def _round(task: Task, search: DepthFirst, bound: int, least: int, now: int) -> Round:
    """Search below one bound on this thread."""
    search.begin(bound, now)
    while search.go_on(task.advance) not in (FOUND, EXHAUSTED):
        task.run.line(search.path_moves)
        task.report(f"bound {bound}", search.nodes, least, search.states)
    if search.status == FOUND:
        return Round(search.nodes, search.next_bound, search.line())
    return Round(search.nodes, NEVER if search.complete else search.next_bound, None)
