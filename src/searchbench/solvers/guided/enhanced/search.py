"""Enhanced IDA*: a search whose enhancements and their controls are data (Junghanns and Schaeffer 2001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from searchbench import jit
from searchbench.configuration import option
from searchbench.errors import BadRequest, Exhausted
from searchbench.game import Game
from searchbench.inherited import why_left_out
from searchbench.line import Line
from searchbench.run import Run
from searchbench.solvers.guided.configuration import Guided
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE, estimate
from searchbench.solvers.guided.enhanced.controls import (
    FRAME,
    Controls,
    Enhancement,
    Restarts,
    Scout,
    Sound,
    Table,
    chosen_controls,
)
from searchbench.solvers.guided.enhanced.kernel import (
    BY_BOUND,
    CHANCE,
    COLUMNS,
    COST,
    DEPTH,
    ENTRY_BYTES,
    EXCEEDED,
    EXTRA,
    KEY,
    LARGEST,
    MOVE,
    NO_TABLE,
    NODES,
    NOTES,
    SEED,
    STATUS,
    STEP,
    THRESHOLD,
    deepen,
    new_memory,
)
from searchbench.solvers.guided.enhancements import Functions, listed
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, Task

ROWS: Final = 1 << 11
"""Room for a path, in moves,"""
MOVES: Final = 1 << 17
"""and for the moves of its rows; it grows where more is needed."""
AHEAD: Final = -1
"""How a round ended that the scout has found a line in."""
FRUITLESS: Final = 8
"""Rounds in a row that end with no bound above the threshold, after which nothing is left of a search that leaves moves out."""


class EnhancedGame(Protocol):
    """What a game supplies for the search: records of its own enhancements, versions, and the functions of the contract."""

    known: tuple[type[Enhancement], ...]
    versions: Mapping[str, tuple[str, ...]]
    scouting: tuple[str, ...]
    """The enhancements that a scout has besides the sound ones,"""
    scouting_control: str
    """and the changes of its control records, which those that are asked for come after."""
    step: int

    def names(self) -> Mapping[str, Any]:
        """Return the functions of the contract."""
        ...

    def work(self, start: Sequence[int], controls: Controls, rows: int) -> Any:
        """Return the named tuple of arrays for a search from a state, with room for so many rows."""
        ...

    def prepare(self, work: Any, controls: Controls, names: jit.Names) -> None:
        """Work out what takes the bound of the start, which stands in the arrays."""
        ...

    def reload(self, work: Any, start: Sequence[int]) -> None:
        """Set the position back to the start; what was learnt stays."""
        ...

    def adopt(self, work: Any, controls: Controls) -> None:
        """Take over other controls; what was learnt stays."""
        ...

    def lengthened(self, work: Any, rows: int) -> Any:
        """Return the arrays with room for so many rows; what was learnt stays."""
        ...

    def steps(self, start: Sequence[int], moves: Sequence[int]) -> list[int]:
        """Return the moves of the game that moves of the search stand for."""
        ...


@dataclass(frozen=True, kw_only=True)
class Enhanced(Guided):
    """Find a line by IDA* with a list of enhancements; a cheapest one where all of them are sound."""

    method = "enhanced"
    orders = ()

    version: str = option("", "a list of enhancements by its name, R0 to R11; the last one by default", metavar="NAME")
    control: str = option(
        "", "change control records: NAME=NUMBER such as `table.bits=20`, with commas between them", metavar="CHANGES"
    )
    optimal: bool = option(False, "use all enhancements that keep cheapest lines, and refuse others", "flag")

    def switches(self, game: Game) -> Functions:
        """Replace none of the game's functions."""
        return {}

    def controls(self, game: Game) -> Controls:
        """Return the control records. Raises BadRequest, which lists the choices."""
        rules = _enhanced(game)
        last = list(rules.versions)[-1]
        if self.version and self.version not in rules.versions:
            raise BadRequest(f"version {self.version!r}: {game} has {', '.join(rules.versions)}")
        names = rules.versions[self.version or last]
        if self.optimal and not self.version:
            names = tuple(record.name for record in _known(rules) if issubclass(record, Sound))
        found = chosen_controls(_known(rules), (*names, *listed(self.use)), listed(self.without), self.control)
        asked = "optimal" if self.optimal else "scout"
        if (self.optimal or "scout" in found.used) and not found.sound:
            raise BadRequest(
                f"{asked}: {', '.join(found.unsound)} may lose a cheapest line: leave them out with `without`"
            )
        return found

    def search(self, task: Task) -> Line:
        """Return a line. Raises Unsolvable and LimitReached."""
        if self.h is not None or self.order or self.entries:
            raise BadRequest(
                "enhanced: heuristic, order and entries are those of the game; use version, use and without"
            )
        controls = self.controls(task.game)
        _demand_tables(task.run, _table_bits(controls), 2 if "scout" in controls.used else 1)
        return _Deepening(task, controls, self._scout(task, controls)).line()

    def _scout(self, task: Task, controls: Controls) -> _Deepening | None:
        """Return the search that goes ahead of one whose enhancements are sound, with the same control records."""
        if "scout" not in controls.used:
            return None
        rules = _enhanced(task.game)
        names = (*controls.used, *rules.scouting)
        changes = f"{rules.scouting_control},{self.control}"
        return _Deepening(task, chosen_controls(_known(rules), names, listed(self.without), changes))


def _enhanced(game: Game) -> EnhancedGame:
    found: EnhancedGame | None = game.claimed("enhanced")
    if found is None:
        raise BadRequest(
            f"method enhanced: {game} supplies no functions for it; idastar searches every puzzle{why_left_out(game, 'enhanced')}"
        )
    return found


def _known(rules: EnhancedGame) -> tuple[type[Enhancement], ...]:
    return (*FRAME, *rules.known)


def _demand_tables(run: Run, bits: int, count: int) -> None:
    """Refuse tables of more than the memory budget; tell how large they may be."""
    fitting = max(1, (run.memory // count // ENTRY_BYTES).bit_length() - 1)
    tables = (
        f"a transposition table of 2^{bits} entries" if count == 1 else f"two transposition tables of 2^{bits} entries"
    )
    run.demand(count * ENTRY_BYTES << bits, tables, f"a smaller table, such as table.bits={fitting}")


def _table_bits(controls: Controls) -> int:
    """Return the binary logarithm of the entries of the transposition table; without one it is a token."""
    table = controls.used.get("table")
    return table.bits if isinstance(table, Table) else NO_TABLE


class _Deepening:
    """Hold a search between two calls of the kernel."""

    def __init__(self, task: Task, controls: Controls, scout: _Deepening | None = None) -> None:
        self.task, self.controls, self.scout = task, controls, scout
        self.asked, self.without = list(controls.used), ""
        self.rules = _enhanced(task.game)
        self.names = jit.Names(dict(self.rules.names()), task.names.target, None)
        self.memory = new_memory(_table_bits(controls), ROWS, MOVES)
        self.vector = controls.vector()
        self.work = self.rules.work(task.start, controls, ROWS)
        self.note = np.zeros(NOTES, np.int64)
        self.note[STEP] = self.rules.step
        self.kernel = jit.bind(deepen, self.names)
        self.grown = self.least = 0
        self.due = self.tries = self.turn = self.scouted = 0

    def line(self) -> Line:
        """Search until the end; where nothing is left, again with fewer moves left out."""
        self._prepare()
        if self.least >= INFEASIBLE:
            raise self.task.unsolvable(1)
        if self.scout is not None:
            self.scout._prepare()
        while (found := self._deepened()) is None:
            fewer = self.controls.with_fewer_cuts()
            if fewer is None:
                raise self._nothing_left()
            self._adopt(fewer)
        return found

    def _prepare(self) -> None:
        """Work out the bound of the start, and what takes it."""
        self.least = int(jit.bind(estimate, self.names)(self.work, 0, 0))
        if self.least < INFEASIBLE:
            self.rules.prepare(self.work, self.controls, self.names)

    def _adopt(self, controls: Controls) -> None:
        """Take over controls that leave fewer moves out: bounds in the table hold no longer."""
        self.without = ", without " + " and ".join(name for name in self.asked if name not in controls.used)
        self.controls = controls
        self.vector = controls.vector()
        self.rules.adopt(self.work, controls)
        self.memory.words[:] = 0
        self.grown = 0

    def _deepened(self) -> Line | None:
        """Search with larger and larger thresholds; return None where moves were left out, and nothing is left."""
        task, note = self.task, self.note
        note[THRESHOLD] = self.least
        restarts = self.controls.used.get("restarts")
        times = fruitless = 0
        while True:
            budget = restarts.budget << self._impatience if isinstance(restarts, Restarts) else 0
            self.due = self.tries = self.turn = 0
            ended = self._round(budget, times)
            if ended == AHEAD and self.scout is not None:
                return self.scout._line(cheapest=True)
            if ended == FOUND:
                return self._line(cheapest=self.controls.sound)
            if ended == EXHAUSTED and note[EXCEEDED] == 0:
                if self.controls.sound:
                    raise task.unsolvable(self.nodes)
                return None
            if ended == EXHAUSTED and not self.controls.sound:  # what is left out stays so, whatever the threshold
                fruitless = 0 if note[EXCEEDED] & BY_BOUND else fruitless + 1
                if fruitless >= FRUITLESS:
                    return None
            times += 1
            if ended == EXHAUSTED or (isinstance(restarts, Restarts) and times > restarts.times):
                times = 0
                self.grown += 1
                note[THRESHOLD] += note[STEP] * (1 + self._impatience)
                if ended == EXHAUSTED and self.controls.sound:
                    self.least = max(self.least, int(note[THRESHOLD]))
            self._report()

    def _report(self) -> None:
        """Tell how far the search is. Raises LimitReached."""
        self.task.report(f"bound {self.note[THRESHOLD]}{self.without}", self.nodes, self.least)

    @property
    def _impatience(self) -> int:
        """Return how often the budget of restarts has doubled, and by how many steps more than one the bound grows."""
        return self.grown // 2 if "restarts" in self.controls.used else 0

    def _round(self, budget: int, times: int) -> int:
        """Search below the threshold, at most `budget` nodes (0: no limit); return how that ended."""
        note, task = self.note, self.task
        self._make_room()
        memory = self.memory
        self.rules.reload(self.work, task.start)
        memory.on_path[:] = 0
        memory.path[0] = 0
        memory.path[:, KEY] = -1
        note[DEPTH], note[EXCEEDED], note[CHANCE], note[SEED] = 0, 0, times, 1000 * self.grown + times
        end = self.nodes + budget if budget else 0
        while True:
            if self._found_ahead():
                return AHEAD
            stop = min(filter(None, (end, self.due)), default=0)
            task.advance(self._call, (stop,), note, NODES)
            if note[STATUS] in (FOUND, EXHAUSTED):
                return int(note[STATUS])
            if note[STATUS] == FULL:
                moves = self.memory.moves
                self.memory = self.memory._replace(moves=np.concatenate([moves, np.zeros_like(moves)]))
            self._report()
            if end and self.nodes >= end:
                return FULL

    def _found_ahead(self) -> bool:
        """Let the scout search within the bound, which is proved, if it is its turn; tell whether it finds a line."""
        scout, settings = self.scout, self.controls.used.get("scout")
        if scout is None or not isinstance(settings, Scout) or self.nodes < self.due:
            return False
        scout.least = self.least
        for counter in (NODES, EXTRA, THRESHOLD):
            scout.note[counter] = self.note[counter]
        saved = self.nodes - 2 * self.scouted
        ended = scout._round(max(settings.budget, self.turn, saved, 1), self.tries)
        spent = scout.nodes - self.nodes
        for counter in (NODES, EXTRA):
            self.note[counter] = scout.note[counter]
        self.tries, self.turn, self.scouted = self.tries + 1, 2 * spent, self.scouted + spent
        self.due = 2 * self.scouted + self.turn if ended == FULL else LARGEST
        return ended == FOUND

    def _make_room(self) -> None:
        """Make room for the longest path below the threshold, where each move costs one at least."""
        rows = int(self.note[THRESHOLD]) + 3
        if rows > len(self.memory.path):
            rows += rows // 2
            self.memory = self.memory._replace(path=np.zeros((rows, COLUMNS), np.int64))
            self.work = self.rules.lengthened(self.work, rows)

    def _call(self, end: int, note: Any, until: int) -> None:
        total = until + int(note[EXTRA])
        if self.task.nodes:
            total = min(total, self.task.nodes)
        self.kernel(self.work, self.vector, self.memory, note, min(total, end) if end else total)

    @property
    def nodes(self) -> int:
        """Return the nodes of both kinds."""
        return int(self.note[NODES] + self.note[EXTRA])

    def _line(self, cheapest: bool) -> Line:
        path = self.memory.path[: int(self.note[DEPTH]) + 1]
        moves = self.rules.steps(self.task.start, path[1:, MOVE].tolist())
        return self.task.line(moves, int(path[-1, COST]), self.nodes, cheapest)

    def _nothing_left(self) -> Exception:
        return Exhausted(
            f"{self.task.game}: no solution in all that was not left out ({self.nodes:,} nodes); with some of "
            f"{', '.join(self.controls.unsound)} given as --without less is left out",
            self.nodes,
        )
