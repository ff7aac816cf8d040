"""IDA*: depth-first searches below a bound that grows (Korf 1985; Gasser 1995, section 6.1).

With a `step` the bound grows by at least so much, and the cheapest line is then found by branch and bound (the method DF of
Berliner and Goetsch 1984). With a folder for its work, a search that was stopped goes on with the trees that were not done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from searchbench import jit
from searchbench.configuration import option
from searchbench.errors import BadRequest, DamagedData, LimitReached
from searchbench.game import Game
from searchbench.line import Line
from searchbench.run import Run, parse_memory
from searchbench.solvers.guided.automaton import Automaton, automaton, usual_automaton
from searchbench.solvers.guided.configuration import Guided, seed_option
from searchbench.solvers.guided.contract import ORDER_BY_PRIORITY
from searchbench.solvers.guided.depthfirst import NEVER, NODES
from searchbench.solvers.guided.enhancements import ORDERS, Functions, cuts_moves
from searchbench.solvers.guided.in_place import depth_first, search_kind
from searchbench.solvers.guided.restarts import RestartSchedule, restarting
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, Task
from searchbench.solvers.guided.tree_splitting import Round, TreeSplitting
from searchbench.solvers.shared.transposition import (
    ENTRY_BYTES,
    SMALLEST,
    Scheme,
    Transpositions,
    largest_size,
    new_transpositions,
)
from searchbench.store.working import WorkingFolder, discard, working_folder

LONG: Final = 0.1
"""After a round of so many seconds the next one is worth the work of sharing it out, some hundredths of a second."""

IMPATIENCE: Final = 8
"""How often a round begins again before the bound grows, where restarts are asked for."""
TWO_LEVEL: Final = "two-level"


@dataclass(frozen=True, kw_only=True)
class IDAStar(Guided):
    """Find a cheapest line by depth-first searches below a bound that grows; without a table on all threads of the run.

    It goes on in the folder `Run.work` where it was stopped, unless it has a table, keeps states or restarts. With `restarts`
    lines may come sooner, and are cheapest ones where they claim to be.
    """

    method = "idastar"
    orders = ORDERS

    table: str | int = option(
        0,
        "the memory of a transposition table: a state is expanded again only with more left below the bound",
        metavar="SIZE",
    )
    replacement: Scheme = option(
        TWO_LEVEL,
        "entries that a full table keeps: `two-level`, those that save most work and the newest; `always`, the newest",
        metavar="NAME",
    )
    automaton: int | None = option(
        None,
        "so many moves: sequences up to that length are not tried where another does the same; 0 for none. By default as many "
        "as are compared in some tenths of a second (for a cube in seconds, once), where moves are rearrangements, no states are "
        "kept and nothing else leaves moves out",
        "whole",
        metavar="MOVES",
        least=0,
    )
    step: int = option(
        0, "the bound grows by at least so much; branch and bound then finds a cheapest line", "whole", least=0
    )
    restarts: int = option(
        0,
        "begin a round again after so many nodes, its moves in another order",
        "whole",
        metavar="NODES",
        least=1,
    )
    impatience: int = option(
        IMPATIENCE, "after so many restarts the bound grows; 8 by default", "whole", metavar="TIMES", least=0
    )
    seed: int = seed_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        room = parse_memory(self.table)
        if room and room < 2 * SMALLEST * ENTRY_BYTES:
            raise BadRequest(f"a transposition table of {room} bytes: expected at least {2 * SMALLEST * ENTRY_BYTES}")
        if self.replacement != TWO_LEVEL and not room:
            raise BadRequest(
                f"replacement {self.replacement!r}: there is no transposition table; give it memory with table"
            )
        if room and self.entries:
            raise BadRequest(
                "table and entries: idastar has a transposition table, or keeps all states; give one of them"
            )
        if self.step < 0:
            raise BadRequest(f"step {self.step}: expected 0 or more")
        if self.automaton and (self.entries or self.order == "priority"):
            raise BadRequest("automaton: idastar combines it neither with entries nor with order priority")
        self._check_restarts()

    def _check_restarts(self) -> None:
        if self.restarts < 0 or self.impatience < 0:
            raise BadRequest(f"restarts after {self.restarts} nodes, {self.impatience} times: expected 0 or more")
        if not self.restarts and (self.impatience, self.seed) != (IMPATIENCE, 0):
            raise BadRequest("impatience and seed are for restarts: say after how many nodes with restarts")
        if self.restarts and (self.automaton or self.entries):
            raise BadRequest("restarts: not with an automaton, entries or a folder for unfinished work")

    def search(self, task: Task) -> Line:
        """Return a cheapest line; with restarts perhaps another, sooner."""
        if self.restarts:
            return restarting(task, RestartSchedule(self.restarts, self.impatience, self.seed), self.step)
        return idastar(task, self.step)

    @property
    def resumable(self) -> bool:
        """Tell whether nothing but the trees that are done needs to be known to go on."""
        return not (parse_memory(self.table) or self.entries or self.restarts)

    def switches(self, game: Game) -> Functions:
        """Return the functions that replace the game's own. Raises BadRequest for one that the game does not supply."""
        found = super().switches(game)
        found |= {"TRANSPOSITION_TABLE": True} if parse_memory(self.table) else {}
        found |= {"CLOSED_LIST": True} if self.entries else {}
        return found | ({"RANDOM_ORDER": True} if self.restarts else {})

    def superfluous(self, game: Game, names: jit.Names, start: Sequence[int]) -> Automaton | None:
        """Return the automaton that is asked for, else the usual one where no move is left out because of others.

        What keeps states, or tries moves in an order of its own, does without unless told: an automaton lets one of
        several paths pass, which another cut could close.
        """
        if self.automaton is not None:
            return automaton(game, self.automaton) if self.automaton else None
        if parse_memory(self.table) or self.entries or self.restarts:
            return None
        own = game.names(target=names.target)
        replaced = any(names.get(name) is not own.get(name) for name in ("moves", "play", "cost"))
        if replaced or names.constant(ORDER_BY_PRIORITY) or cuts_moves(names):
            return None
        found = usual_automaton(game)
        return found if found is not None and tuple(game.moves(start)) in found.situations else None

    def transpositions(self, run: Run) -> Transpositions:
        """Return the transposition table, or a token one. Raises OutOfMemory."""
        room = parse_memory(self.table)
        run.demand(room, "the transposition table", "a smaller table")
        return new_transpositions(largest_size(room) if room else 2, self.replacement)


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
        self.splitting: TreeSplitting | None = None
        self.best: Line | None = None
        self.now = 0

    def line(self) -> Line:
        """Search round by round until the end."""
        alone = self.task.remembers or self.task.exhausts or self.task.run.threads == 1
        took = 0.0
        while True:
            if self.splitting is None and not alone and took >= LONG:
                self.splitting = TreeSplitting(self.task, self.search.nodes)
            began = self.task.run.seconds
            line = self.round()
            if line is not None:
                return line
            took = self.task.run.seconds - began

    def round(self) -> Line | None:
        """Search below one bound; return the line if that was the last time, else make the next bound."""
        task, region = self.task, self.splitting
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
        self.splitting = TreeSplitting(self.task, 1)
        if folder.record:
            self._resume(folder)
        region = self.splitting
        region.keep = lambda: self._commit(folder) if folder.overdue else None
        try:
            while True:
                line = self.round()
                if line is not None:
                    return line
        finally:
            with region.lock:  # after an interrupt other threads may still be at work
                self._commit(folder)

    def _commit(self, folder: WorkingFolder) -> None:
        assert self.splitting is not None
        folder.commit(
            {
                "now": self.now, "bound": self.bound, "least": self.least, "nodes": self.splitting.nodes,
                "done": [[place, *found] for place, found in self.splitting.done.items()],
                "best": None if self.best is None else [list(self.best.moves), self.best.cost],
            }
        )  # fmt: skip
        folder.settled()  # an interrupt is kept at once

    def _resume(self, folder: WorkingFolder) -> None:
        assert self.splitting is not None
        record = folder.record
        try:
            self.now, self.bound, self.least = (int(record[name]) for name in ("now", "bound", "least"))
            self.splitting.nodes = int(record["nodes"])
            self.splitting.done = {int(place): (int(nodes), int(above)) for place, nodes, above in record["done"]}
            best = record["best"]
            self.best = (
                None if best is None else self.task.line([int(move) for move in best[0]], int(best[1]), 0, False)
            )
            sound = set(self.splitting.done) <= set(self.splitting.searches)
        except (KeyError, TypeError, ValueError, IndexError):
            sound = False
        if not sound:
            raise DamagedData(f"{folder.path} holds no record of such a search: remove the folder and begin again")


def _description(task: Task, step: int) -> str:
    """Return the identity of a search: the state, the step, the rules and the bound as they are compiled, its tables."""
    tables = 0
    for table in task.tables:
        tables = crc32(memoryview(table).cast("B") if table.flags.c_contiguous else table.tobytes(), tables)
    rules = jit.fingerprint(search_kind(task.names).function, task.names)
    paths = crc32(task.transitions.tobytes())
    told = f"idastar from {task.game.format(task.start)}, step {step}, rules {rules}, tables {tables:08x}"
    return f"{told}, automaton {paths:08x}"
