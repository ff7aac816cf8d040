"""IDA*: depth-first searches below a bound that grows (Korf 1985; Gasser 1995, section 6.1).

With a `step` the bound grows by at least so much, and the cheapest line is then found by branch and bound (the method DF of
Berliner and Goetsch 1984). With a folder for its work, a search that was stopped goes on with the trees that were not done.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from searchbench import jit
from searchbench.errors import DamagedData, LimitReached
from searchbench.line import Line
from searchbench.solvers.guided.depthfirst import NEVER, NODES
from searchbench.solvers.guided.in_place import depth_first, search_kind
from searchbench.solvers.guided.region import Region, Round
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, Task
from searchbench.store.working import WorkingFolder, discard, working_folder

LONG: Final = 300_000
"""After how many nodes the next round is worth the work of sharing it out."""


def idastar(task: Task, step: int = 0) -> Line:
    """Return a cheapest line; raise LimitReached, or Unsolvable where nothing was cut off by the bound.

    Where states recur, an unsolvable state of a finite game is searched for ever unless a limit is given or all states are
    kept: nothing else tells depth-first search that it has seen them. A* notices. Neither the line nor the number of nodes
    depends on the number of threads; with a table of states there is only one. A limit that is reached after a line was
    found returns it, without the claim that it is a cheapest one.
    """
    search = _Deepening(task, step)
    if task.run.work is None:
        return search.line()
    with working_folder(task.game, _description(task, step), task.run) as folder:
        assert folder is not None
        found = search.line_kept_in(folder)
    discard(task.run.work)
    return found


class _Deepening:
    """Hold how far a search is: the round, its bound, the least cost that is possible, and the best line so far."""

    def __init__(self, task: Task, step: int) -> None:
        self.task, self.step = task, step
        carried = task.carried(1)
        self.least = self.bound = task.bound(carried)
        self.search = depth_first(task, (), 0, self.bound, carried[0])
        self.search.note[NODES] = 1
        self.region: Region | None = None
        self.best: Line | None = None
        self.now = 0

    def line(self) -> Line:
        """Search round by round until the end."""
        alone = self.task.remembers or self.task.exhausts or self.task.run.threads == 1
        while True:
            if self.region is None and not alone and self.search.nodes > LONG:
                self.region = Region(self.task, self.search.nodes)
            line = self.round()
            if line is not None:
                return line

    def round(self) -> Line | None:
        """Search below one bound; return the line if that was the last time, else make the next bound."""
        task, region = self.task, self.region
        self.now += 1
        try:
            outcome = self._alone() if region is None else region.search(self.bound, self.least, self.now)
        except LimitReached as limit:
            if self.best is None:
                raise
            return task.line(self.best.moves, self.best.cost, limit.nodes, False, limit.states)
        kept = self.search.states
        if outcome.line is not None:
            moves, cost = outcome.line
            self.best = task.line(moves, cost, outcome.nodes, cost == self.least, kept)
            self.bound = cost - 1
            return self.best if cost == self.least else None
        if self.best is not None:
            return task.line(self.best.moves, self.best.cost, outcome.nodes, True, kept)
        if outcome.next_bound == NEVER:
            raise task.unsolvable(outcome.nodes, kept)
        self.least = outcome.next_bound
        self.bound = max(self.least, self.bound + self.step)
        task.report(f"bound {self.bound}", outcome.nodes, self.least, kept)
        return None

    def _alone(self) -> Round:
        """Search below the bound on this thread."""
        search, task = self.search, self.task
        search.begin(self.bound, self.now)
        while search.go_on(task.advance) not in (FOUND, EXHAUSTED):
            task.run.line(search.path_moves)
            task.report(f"bound {self.bound}", search.nodes, self.least, search.states)
        if search.status == FOUND:
            return Round(search.nodes, search.next_bound, search.line())
        return Round(search.nodes, NEVER if search.complete else search.next_bound, None)

    # --- a search that can be stopped --------------------------------------------------------------------------------

    def line_kept_in(self, folder: WorkingFolder) -> Line:
        """Search in trees from the beginning, and keep which of them are done."""
        self.region = Region(self.task, 1)
        if folder.record:
            self._resume(folder)
        region = self.region
        region.keep = lambda: self._commit(folder) if folder.due else None
        try:
            while True:
                line = self.round()
                if line is not None:
                    return line
        finally:
            self._commit(folder)

    def _commit(self, folder: WorkingFolder) -> None:
        assert self.region is not None
        folder.commit(
            {
                "now": self.now, "bound": self.bound, "least": self.least, "nodes": self.region.nodes,
                "done": [[place, *found] for place, found in self.region.done.items()],
                "best": None if self.best is None else [list(self.best.moves), self.best.cost],
            }
        )  # fmt: skip

    def _resume(self, folder: WorkingFolder) -> None:
        assert self.region is not None
        record = folder.record
        try:
            self.now, self.bound, self.least = (int(record[name]) for name in ("now", "bound", "least"))
            self.region.nodes = int(record["nodes"])
            self.region.done = {int(place): (int(nodes), int(above)) for place, nodes, above in record["done"]}
            best = record["best"]
            self.best = (
                None if best is None else self.task.line([int(move) for move in best[0]], int(best[1]), 0, False)
            )
            sound = set(self.region.done) <= set(self.region.searches)
        except (KeyError, TypeError, ValueError, IndexError):
            sound = False
        if not sound:
            raise DamagedData(f"{folder.path} holds no record of such a search: remove the folder and begin again")


def _description(task: Task, step: int) -> str:
    """Return what tells a search from others: the state, the step, the rules and the bound as they are compiled, its tables."""
    tables = 0
    for table in task.tables:
        tables = crc32(memoryview(table).cast("B") if table.flags.c_contiguous else table.tobytes(), tables)
    rules = jit.fingerprint(search_kind(task.names).function, task.names)
    return f"idastar from {task.game.format(task.start)}, step {step}, rules {rules}, tables {tables:08x}"
