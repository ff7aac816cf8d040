"""IDA* that begins a round again and again with other orders of the moves (Junghanns and Schaeffer 2001, appendix A.11).

How long a solution takes depends much on which moves are tried first. So a round that finds nothing within some nodes is begun
again, its moves in another order, and each time chance has a larger part. Where that happens too often, the bound grows
although the round was never searched to the end: "double impatience".
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.line import Line
from searchbench.solvers.guided.choices import PARTS, SEED, SHARE
from searchbench.solvers.guided.depthfirst import NEVER, NODES, DepthFirst
from searchbench.solvers.guided.in_place import depth_first
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, Task


class RestartSchedule(NamedTuple):
    """Say after how many nodes a round begins again, and how often it does before the bound grows.

    Each time the bound grows so, the nodes are doubled: in the end every round is searched to its end.
    """

    nodes: int
    times: int
    seed: int = 0


def restarting(task: Task, schedule: RestartSchedule, step: int = 0) -> Line:
    """Return a line; a cheapest one where every round with a smaller bound was searched to the end.

    Raises LimitReached, or Unsolvable where nothing was cut off by the bound.
    """
    carried = task.carried(1)
    least = bound = task.bound(carried)
    search = depth_first(task, (), 0, bound, carried[0])
    search.note[NODES] = 1
    nodes, now = schedule.nodes, 0
    while True:
        above = NEVER
        for again in range(schedule.times + 1):
            now += 1
            task.chance[SEED], task.chance[SHARE] = schedule.seed + now, _share(again, schedule.times)
            search.begin(bound, now)
            status = _attempt(search, task, search.nodes + nodes, f"bound {bound}, time {again + 1}", least)
            if status == FOUND:
                moves, cost = search.line()
                return task.line(moves, cost, search.nodes, cost == least)
            above = min(above, search.next_bound)
            if status == EXHAUSTED:
                if search.complete:
                    raise task.unsolvable(search.nodes)
                least = search.next_bound
                break
        else:
            nodes *= 2
        bound = max(above if above < NEVER else 0, bound + max(1, step))
        task.report(f"bound {bound}", search.nodes, least)


def _share(again: int, times: int) -> int:
    """Return in how many of PARTS cases a move is moved: at first in none, in the end in all."""
    return PARTS * again // max(1, times)


def _attempt(search: DepthFirst, task: Task, stop: int, stage: str, least: int) -> int:
    """Search on until a solution, the end of the round, or `stop` nodes; return how that ended."""

    def advance(kernel: Any, arguments: tuple[Any, ...], note: Any, column: int) -> None:
        task.slices.advance(kernel, arguments, note, column, min(stop, task.nodes or stop))

    while search.go_on(advance) not in (FOUND, EXHAUSTED) and search.nodes < stop:
        task.run.line(search.path_moves)
        task.report(stage, search.nodes, least)
    return search.status
