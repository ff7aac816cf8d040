"""Predict the cost of solving a game before it starts: time, memory and disk (after Gasser 1995, section 4.2).

The time is that of the processor: each number is given a first code (`initialise`), each state that gets a value is expanded
once, and each of its neighbours gets a request: numbers * initialise + states * (expand + edges * apply) + numbers * passes *
scan. The times are measured with the solver's kernels on samples; how many states get a value, and after how many passes,
is the guess of a model (:mod:`searchbench.analyse.shares`). The memory is reckoned as the solver does; of the disk, a bound.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from searchbench import jit
from searchbench.analyse.samples import STRATEGIES, Rates, Sampler
from searchbench.analyse.shares import NONE, Around, Shares, around, levels_to_reach, look_around, outcome_shares
from searchbench.configuration import configured
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.run import Run, format_memory
from searchbench.solvers.exhaustive import budget, edges, fixpoint, scores, worklist
from searchbench.solvers.exhaustive.budget import Sizes
from searchbench.solvers.exhaustive.by_rows import Rows, goes_by_rows, rows_of, with_depths
from searchbench.solvers.exhaustive.choice import VALUES, Choice, chosen
from searchbench.solvers.exhaustive.configuration import METHODS
from searchbench.solvers.exhaustive.diagrams.listing import TooMany
from searchbench.solvers.exhaustive.diagrams.reached import reached_game
from searchbench.solvers.exhaustive.groups import Group, groups_in_order
from searchbench.solvers.exhaustive.parts import needed_groups
from searchbench.values import BFS, RETROGRADE, SWEEP, ValueRule

WORTH_IT: Final = 1_000_000
"""How many numbers a game has at least for which a prediction is worth its time."""
LISTED: Final = 2_000_000
"""How many states that are reached a prediction lists: some seconds of work."""
MEAGRE: Final = 0.05
"""Where the model decides a smaller share than this of a group with cycles, it cannot be believed: all positions are reckoned."""
SWEEPS_WITH_LISTS: Final = 4
"""As many sweeps that play all moves out take as long as all of those that read lists, with a worklist."""
ASKED: Final = 256
"""Of how many sampled states it is asked whether they can be solved at all."""


@dataclass(frozen=True)
class GroupPrediction:
    """Hold the cost of a group of parts: its numbers, how many are positions, how many of them are expanded, its levels.

    `rates` are the measurements, `cpu` the seconds of the processor, `most` those if every position is expanded.
    """

    name: str
    numbers: int
    positions: int
    expanded: int
    levels: int
    rates: Rates
    cpu: float
    most: float


@dataclass(frozen=True)
class Prediction:
    """Hold the cost of solving a game: group by group, and the bytes of memory and, at most, of disk.

    `note` names the assumptions.
    """

    game: str
    solver: str
    rule: str
    threads: int
    groups: tuple[GroupPrediction, ...]
    memory: int
    disk: int
    note: str = ""

    @property
    def numbers(self) -> int:
        """Return how many numbers are solved."""
        return sum(group.numbers for group in self.groups)

    @property
    def cpu(self) -> float:
        """Return the seconds of the processor."""
        return sum(group.cpu for group in self.groups)

    @property
    def most(self) -> float:
        """Return the seconds of the processor if every position is expanded."""
        return sum(group.most for group in self.groups)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as numbers and text."""
        groups = [asdict(group) | {"rates": group.rates._asdict()} for group in self.groups]
        return asdict(self) | {"groups": groups, "numbers": self.numbers, "cpu": self.cpu, "most": self.most}

    def __str__(self) -> str:
        line = (
            f"{self.game}: {self.numbers:,} numbers by {self.solver}: about {format_seconds(self.cpu)} of the processor, "
            f"at most {format_seconds(self.most)}, on {self.threads} threads; {format_memory(self.memory)} of memory; "
            f"at most {format_memory(self.disk)} of disk"
        )
        return "\n  ".join([line, *([self.note] if self.note else [])])


SHOWN: Final = 4
"""Of how many groups the names are told."""


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def format_seconds(seconds: float) -> str:
    """Return a time as a person reads it, with two digits that count."""
    if seconds >= 7200:
        return f"{seconds / 3600:.1f} hours"
    if seconds >= 120:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds:.{0 if seconds >= 10 else 1 if seconds >= 1 else 2}f} s"


def predict(
    game: Game,
    solver: str | None = None,
    parts: str | Iterable[str] | None = None,
    rule: str | ValueRule | None = None,
    run: Run | None = None,
    index: str | None = None,
) -> Prediction:
    """Predict the cost of solving a game, or some of its parts with those that they need.

    The options are those of `solve`; breadth-first search is predicted in the form "values". With the index "reached" the
    states are listed first, up to LISTED. Raises BadRequest and MissingRule for a game that cannot be solved that way.
    """
    if index is not None:
        configured(METHODS, RETROGRADE if solver is None else solver, {"index": index})
        with run or Run() as active:
            return _predict_reached(game, solver, parts, rule, active)
    if not game.has("unrank") and not game.has("blank"):
        raise BadRequest(
            f"{game} numbers no states at this size: predict with the index `reached` lists those that moves reach"
        )
    if game.has("blank"):
        raise BadRequest(f"{game}: only retrograde, fixpoint and bfs in the form 'values' are predicted")
    if parts is not None and solver == BFS:
        raise BadRequest("solver 'bfs' searches the whole game: it takes no parts")
    choice = chosen(game, rule, solver, by_parts=parts is not None)
    if choice.solver == SWEEP:
        raise BadRequest(
            f"{game}: what {SWEEP!r} takes depends on its layers: say how many are to be counted, --layers 12"
        )
    if VALUES not in choice.rule.forms and choice.solver == BFS:
        raise BadRequest(f"{game}: of breadth-first search, only the form {VALUES!r} is predicted")
    with run or Run() as active:
        told = Predicting(game, choice.rule, choice.solver, active, parts).prediction()
        rows = rows_for(game, choice, parts, active)
    if rows is None:
        return told
    return replace(told, note=f"{told.note}; {note_of_rows(rows, with_depths(rows.memory, told.numbers), rows.memory)}")


def rows_for(game: Game, choice: Choice, parts: str | Iterable[str] | None, run: Run) -> Rows | None:
    """Return how `solve` moves the rows of a game; None where it goes state by state."""
    return rows_of(game, run) if parts is None and goes_by_rows(game, choice) else None


def note_of_rows(rows: Rows, memory: int, depths: int) -> str:
    """Return what to say of a game whose rows are moved: the memory for whole values, and that for depths alone."""
    return (
        "`solve` moves whole rows of states of this game, in a small part of this time, with "
        f"{format_memory(memory)} of memory, and `--solver bfs --form {rows.by}`, which keeps depths modulo 3 or 4, with "
        f"{format_memory(depths)}"
    )


def _predict_reached(
    game: Game, solver: str | None, parts: str | Iterable[str] | None, rule: str | ValueRule | None, run: Run
) -> Prediction:
    """Predict the cost of solving a game whose states are numbered by what moves reach, the listing with it."""
    begun = time.process_time()
    try:
        numbered = reached_game(game, run, LISTED)
    except TooMany as found:
        raise BadRequest(f"{found}: a prediction lists no more, and how many there are is not known without") from None
    listed = f"{numbered.parts()[-1].stop:,} states were listed first, in {format_seconds(time.process_time() - begun)}"
    told = predict(numbered, solver, parts, rule, run)
    return replace(
        told, note="; ".join([f"{listed} of the processor, which is not counted", *filter(None, [told.note])])
    )


def predict_at_once(
    game: Game,
    solver: str | None = None,
    parts: str | Iterable[str] | None = None,
    rule: str | ValueRule | None = None,
    form: str | None = None,
    run: Run | None = None,
) -> Prediction | None:
    """Predict as `predict` does, but only where it is worth it and nothing must be compiled for it; else return None.

    Without the kernel that the model needs, every position is taken to be expanded.
    """
    size = line_size(game.parts())
    if size < WORTH_IT or game.has("blank"):
        return None
    try:
        choice = chosen(game, rule, solver, form if solver == BFS else None, parts is not None)
    except BadRequest:
        return None  # solving says why
    if choice.solver == SWEEP:
        return None
    names = game.names(choice.rule)
    if (choice.solver == BFS and form != VALUES) or jit.missing(look_around, names):
        return None
    if parts is None and goes_by_rows(game, choice):
        return None  # far less than is reckoned here
    predicting = Predicting(game, choice.rule, choice.solver, run or Run(), parts)
    kernels = {kernel for group in predicting.groups for kernel in STRATEGIES[predicting.strategy(group)]}
    if any(jit.missing(kernel, names) or not jit.is_kept(kernel, names) for kernel in kernels):
        return None
    predicting.models = jit.is_kept(look_around, names)
    return predicting.prediction()


class Predicting:
    """Measure and reckon, group by group."""

    def __init__(self, game: Game, rule: ValueRule, solver: str, run: Run, parts: str | Iterable[str] | None) -> None:
        self.game, self.rule, self.solver, self.run = game, rule, solver, run
        self.by_parts = parts is not None
        self.parts = list(game.parts())
        if solver == "bfs":
            self.groups = [Group(tuple(self.parts), tuple(self.parts))]
        else:
            self.groups = groups_in_order(self.parts) if parts is None else needed_groups(game, parts)
        self.sampler = Sampler(game, rule)
        self.shares: dict[str, Shares] = {}
        self.moves: dict[str, float] = {}
        self.models = True
        self.assumed: dict[str, list[str]] = {}

    def prediction(self) -> Prediction:
        """Predict group after group."""
        groups = tuple(self._group(group) for group in self.groups)
        numbers = sum(group.numbers for group in groups)
        return Prediction(
            str(self.game), self.solver, self.rule.name, self.run.threads, groups, self._memory(),
            numbers * self.sampler.codes.itemsize, self._note(),
        )  # fmt: skip

    def _group(self, group: Group) -> GroupPrediction:
        numbers = sum(part.size for part in group.parts)
        rates = self._rates(group)
        positions = round(numbers * rates.positions)
        expanded, levels = self._expanded(group, positions) if self.models else (positions, 1)
        passes = levels if self.solver != "fixpoint" else 0
        sweeps = self._sweeps(group, positions, levels)
        once = numbers * (rates.initialise + rates.finish + passes * rates.scan)
        each = sweeps * (rates.expand + rates.edges * rates.apply)
        cpu, most = once + expanded * each, once + positions * each
        return GroupPrediction(group.name, numbers, positions, expanded, levels, rates, cpu, most)

    def _sweeps(self, group: Group, positions: int, levels: int) -> int:
        """Return how many sweeps that play all moves out take as long as those of the forward fixpoint."""
        if self.solver != "fixpoint" or not group.needs_itself:
            return 1
        lists = round(positions * self.moves.get(group.name, self.game.max_moves)) * worklist.BYTES_OF_A_MOVE
        return min(levels, SWEEPS_WITH_LISTS) if lists <= min(edges.LIST_MEMORY, self.run.memory) else levels

    def strategy(self, group: Group) -> str:
        """Return the name of the way in which a group is solved."""
        if self.solver == "bfs":
            return "breadth first"
        if self.solver == "fixpoint" or not group.needs_itself:
            return "forwards"
        return "points" if self.rule.points else "backwards"

    def _rates(self, group: Group) -> Rates:
        strategy = self.strategy(group)
        if strategy == "breadth first":
            return self.sampler.breadth_first(group)
        if strategy == "forwards":
            return self.sampler.forwards(group)
        if strategy == "points":
            return self.sampler.points(group)
        leaves = group.needs_others or not self.game.closed
        return self.sampler.backwards(group, self.rule.counts or leaves, leaves)

    def _expanded(self, group: Group, positions: int) -> tuple[int, int]:
        """Return how many positions are expanded, and after how many levels it is over."""
        seen = around(self.sampler, self.sampler.runs(group))
        self.moves[group.name] = len(seen.targets) / max(1, int((seen.results != NONE).sum()))
        if self.rule.outcomes:
            shares, levels = outcome_shares(seen, group.parts, self.shares, self.parts)
            self.shares |= shares
            if self.solver == "fixpoint" or not group.needs_itself:
                return positions, levels
            total = sum(part.size for part in group.parts)
            share = sum((shares[part.name].won + shares[part.name].lost) * part.size / total for part in group.parts)
            if share < MEAGRE:
                # If moves led anywhere so few would stay few; but lost states have neighbours that are won (chess endings).
                self._assume("every position gets a value and is expanded", group)
                return positions, levels
            self._assume(
                "moves lead anywhere in a part, as if by chance, which decides how many positions get a value", group
            )
            return round(positions * share), levels
        if self.rule.points:
            if self.solver == "fixpoint" and group.needs_itself:
                self._assume("one sweep is enough: how many points take on cycles is not predicted", group)
            return positions, 1
        self._assume("every position gets a value and is expanded, but for those that `solvable` excludes", group)
        reachable = round(positions * self._solvable(seen))
        return reachable, levels_to_reach(seen, reachable)

    def _assume(self, what: str, group: Group) -> None:
        """Note an assumption of the prediction of a group."""
        self.assumed.setdefault(what, []).append(group.name)

    def _note(self) -> str:
        """Return the assumptions, each with its groups where these are not all."""
        told = []
        for what, names in self.assumed.items():
            some = f" ({_listed(names)})" if len(names) < len(self.groups) else ""
            told.append(what + some)
        if not self.models:
            told.append("every position gets a value and is expanded")
        return "; ".join(["it assumes that other numbers take as long as those sampled", *told])

    def _solvable(self, seen: Around) -> float:
        """Return the share of sampled positions that are not known to be beyond solving."""
        if not self.game.has("solvable"):
            return 1.0
        numbers = seen.numbers[seen.results != NONE]
        some = numbers[:: max(1, len(numbers) // ASKED)].tolist()
        return sum(bool(self.game.call("solvable", self.game.unrank(number))) for number in some) / max(1, len(some))

    def _memory(self) -> int:
        """Return the memory that the solver asks for, with nothing in files."""
        if not self.by_parts:
            whole = line_size(self.parts)
            return self._bytes(self.groups, whole, whole)
        sizes = []
        for group in self.groups:
            names = {need for part in group.parts for need in (part.name, *part.needs)}
            codes = sum(part.size for part in self.parts if part.name in names)
            sizes.append(self._bytes([group], sum(part.size for part in group.parts), codes))
        return max(sizes)

    def _bytes(self, groups: list[Group], numbers: int, codes: int) -> int:
        counts = max(map(scores.bytes_needed, groups)) if self.rule.points else 0
        line = line_size(self.parts)
        sizes = Sizes(line, numbers, codes, self.sampler.codes.itemsize, counts)
        if self.solver == "fixpoint":
            return fixpoint.bytes_needed(sizes.bytes, self.rule)
        return budget.in_memory(self.game, sizes, self.run)
