"""Check every value of a database by the rules only, one move ahead; no solver, no move backwards.

Verification restates the claims of each shipped value rule (:mod:`searchbench.verify.value_claims`), and compares the value of
every position with the value that its successors imply. Where consistent values could still be wrong, it also traces them
to the ends of the game (:mod:`searchbench.verify.ground`) or to the start (:mod:`searchbench.verify.depth`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange.space import release, untouched
from searchbench.game import Game
from searchbench.index.protocol import Part, leads_on, part_names
from searchbench.run import Run
from searchbench.store.codes import count_codes
from searchbench.values import Ending, ValueRule
from searchbench.verify import bound, check, ground
from searchbench.verify.depth import check_depths
from searchbench.verify.layers import are_layers, verify_layers
from searchbench.verify.modulo import EVEN, NOT_SEEN, check_level
from searchbench.verify.passes import Passes, count_equal, numbers_where
from searchbench.verify.record import VerificationRecord, verification_record
from searchbench.verify.report import Report, fault_of, wrong_counts
from searchbench.verify.value_claims import claims_of
from searchbench.verify.won import endings_of_bits

if TYPE_CHECKING:
    from searchbench.store import Database

READ: Final = 1 << 24
"""Codes read at a time."""
NO_DEPTHS: Final = (
    "depths are not kept, so not checked: wins and losses that support only each other on a cycle would not be noticed"
)
UNBOUNDED: Final = int(np.iinfo(np.int64).min)


def verify_database(
    database: Database,
    run: Run | None = None,
    limit: int = 100,
    target: jit.Target = "cpu",
    work: Path | None = None,
    parts: str | None = None,
) -> Report:
    """Check every value of a database and report the faults, at most `limit` of them in words.

    `parts`, names separated by commas, restricts the check to the values of these parts, on disk: outcomes, or values whose
    parts lead on. `work` is a folder that records the progress, so that a stopped verification resumes; only for a database
    on disk whose values follow from the successors' values.

    In memory are all codes, and a byte for each where values must be grounded; for outcomes on disk, only the codes of one
    part and its needs; for depths whose parts are layers, only the bits of two layers. Raises OutOfMemory, MissingRule,
    BadRequest for parts that cannot be checked alone, and DamagedData for a database on disk that has been altered.
    """
    chosen = None if parts is None else _chosen(database, parts)
    with run or Run() as active:
        if not database.rule.tells_losses:
            if work is not None:
                raise BadRequest(f"{work}: a database of won states is checked in one go: there is no work to keep")
            return verify_won(database, active, limit, target)
        if are_layers(database):
            if work is not None:
                raise BadRequest(f"{work}: layers are followed from the start, in one go: there is no work to keep")
            return verify_layers(database, active, limit, target)
        with verification_record(database, work, whole=chosen is None) as record:
            return _Verification(database, active, limit, target, record, chosen=chosen).report()


def _chosen(database: Database, parts: str) -> list[Part]:
    """Return the parts with these names. Raises BadRequest."""
    if not _goes_by_parts(database):
        raise BadRequest(
            f"{database}: only outcomes on disk, and values whose parts lead on, are checked part by part; leave the parts out"
        )
    by_name = {part.name: part for part in database.parts}
    names = part_names(parts, database.parts)
    if unknown := [name for name in names if name not in by_name]:
        raise BadRequest(f"{database} has no part {unknown[0]!r}; the parts are {', '.join(by_name)}")
    return [part for part in database.parts if part.name in names]


def _goes_by_parts(database: Database) -> bool:
    """Return whether one part and its needs in memory are enough: outcomes need no grounding, nor do moves that lead on."""
    return database.path is not None and (database.rule.outcomes or _leads_on(database))


def _leads_on(database: Database) -> bool:
    """Return whether values follow from those of later parts alone, so that none can support itself."""
    return claims_of(database.rule) is not None and not database.rule.from_start and leads_on(database.parts)


def least_weight(rule: ValueRule) -> int:
    """Return the least weight that a move may have."""
    return UNBOUNDED if rule.least_weight is None else rule.least_weight


class Findings(NamedTuple):
    """The numbers with a fault, in order; the parts whose header has wrong counts; and the report."""

    numbers: npt.NDArray[np.int64]
    miscounted: tuple[str, ...]
    report: Report


def find_faults(database: Database, run: Run, limit: int = 100, target: jit.Target = "cpu") -> Findings:
    """Check every value as `verify_database` does, and return all faults, at most `limit` of them in words.

    The values must be whole. Raises OutOfMemory, and DamagedData for a database on disk that has been altered.
    """
    verification = _Verification(database, run, limit, target, VerificationRecord(None, {}), every=True)
    report = verification.report()
    return Findings(np.unique(verification.passes.rows()[:, 0]), tuple(verification.miscounted), report)


def verify_won(database: Database, run: Run, limit: int, target: jit.Target) -> Report:
    """Check the endings that follow from the bits `won` of the successors."""
    size = sum(part.size for part in database.parts)
    run.demand(size * 2, f"verifying {database.game} ({size:,} numbers)")
    endings = endings_of_bits(database, run, claim_names(database.game, Ending(), target))
    table = type(database)(database.game, Ending(), endings, parts=database.parts)
    report = _Verification(table, run, limit, target, VerificationRecord(None, {})).report()
    held = [count_codes(database.read(part, part.start, part.stop)) for part in database.parts]
    miscounts = wrong_counts(database, database.parts, held)
    return replace(
        report, rule=database.rule.name, count=report.count + len(miscounts), faults=(*report.faults, *miscounts)
    )


def _with_needs(database: Database, part: Part) -> list[Part]:
    return [part, *(one for one in database.parts if one.name in part.needs and one != part)]


class _Verification:
    def __init__(
        self, database: Database, run: Run, limit: int, target: jit.Target, record: VerificationRecord, every: bool = False,
        chosen: Sequence[Part] | None = None,
    ) -> None:  # fmt: skip
        self.part_by_part = _goes_by_parts(database)
        self.parts = database.parts if chosen is None else chosen
        largest = max(sum(one.size for one in _with_needs(database, part)) for part in self.parts)
        size = largest if self.part_by_part else sum(part.size for part in database.parts)
        run.demand(size * (database.dtype.itemsize + 1), f"verifying {database.game} ({size:,} numbers at a time)")
        self.game, self.rule = database.game, database.rule
        self.run, self.limit = run, limit
        self.record = record
        self.database = database
        self.codes = untouched(database.size, database.dtype) if self.part_by_part else database.codes
        self.present: set[Part] = set()
        self.held: dict[str, dict[int, int]] = {}
        self.illegal = database.illegal
        self.names = claim_names(self.game, self.rule, target)
        self.passes = Passes(self.parts, run, None if every else limit)
        self.levels: list[list[int]] = []
        self.miscounted: list[str] = []

    def report(self) -> Report:
        note = ""
        if self.game.has("blank"):
            self._check_bounds()
        elif self.database.modulus or (self.rule.from_start and not self.rule.has_lines):
            self._check_levels()
        elif self.rule.from_start:
            self._check_depths()
        else:
            self._check_values()
            if claims_of(self.rule) is None:
                note = f"{self.rule.name} is a user-defined rule: each value follows from its successors' by that rule"
            elif leads_on(self.database.parts):
                pass  # no value can support itself, and where parts came one by one, others are not in memory any more
            elif not self.rule.has_lines:
                note = NO_DEPTHS
            elif self.passes.count == 0:
                self._check_grounds()
        faults = [fault_of(self.database, *found) for found in self.passes.rows()[: self.limit].tolist()]
        held = [self._held(place) for place in range(len(self.parts))]
        miscounts = wrong_counts(self.database, self.parts, held)
        self.miscounted = [
            part.name for part, found in zip(self.parts, held, strict=True) if found != self.database.part_counts(part)
        ]
        self.passes.count += len(miscounts)
        faults += miscounts
        return Report(str(self.game), self.rule.name, self.passes.states, self.passes.count, tuple(faults), note)

    # --- passes over the table ---------------------------------------------------------------------------------------

    def _check_values(self) -> None:
        own = claims_of(self.rule) is None
        working = own and "finish" in self.rule.rules(self.game.max_moves)
        least = least_weight(self.rule)
        kernel = jit.bind(check.check_block, self.names)

        def work(first: int, stop: int, faults: Any, note: Any) -> None:
            revalue = self.rule.revalues_terminals
            kernel(self.codes, self.illegal, first, stop, working, revalue, least, faults, note)

        for part in self.parts:
            if self.part_by_part:
                self._bring(_with_needs(self.database, part))
                self.held[part.name] = count_codes(self.codes[part.start : part.stop])
            self.passes.check_part(
                "checking values" if len(self.parts) == 1 else f"checking {part.name}", work, part, self.record
            )

    def _bring(self, parts: list[Part]) -> None:
        """Load the codes of these parts, and unload all others."""
        for part in self.present - set(parts):
            release(self.codes, part.start, part.stop)
        for part in set(parts) - self.present:
            for first in range(part.start, part.stop, READ):
                stop = min(first + READ, part.stop)
                self.codes[first:stop] = self.database.read(part, first, stop)
        self.present = set(parts)

    def _check_depths(self) -> None:
        led_to = np.zeros(len(self.codes), np.int8)
        kernel = jit.bind(check_depths, self.names)
        marked = any(self.illegal in self.database.part_counts(part) for part in self.parts)
        through_ends = not self.game.two_players

        def work(first: int, stop: int, faults: Any, note: Any) -> None:
            kernel(self.codes, self.illegal, first, stop, marked, through_ends, led_to, faults, note)

        self.passes.check("checking depths", work)
        start = self.game.rank(self.game.start())
        if self.codes[start] != 1:
            self.passes.add(np.array([start]), check.UNREACHED)
        led_to[start] = 1

        def unsupported(block: slice) -> Any:
            codes = self.codes[block]
            return (codes != 0) & (codes != self.illegal) & (led_to[block] == 0)

        self.passes.add(numbers_where(len(led_to), unsupported), check.UNSUPPORTED)

    def _check_bounds(self) -> None:
        """Compare each bound with the least cost of the states that share the number, computed independently."""
        places = self.game.places
        size = len(self.codes) * (places + self.codes.itemsize)
        self.run.demand(size, f"verifying {self.game}, {places} states to a number,")
        costs = np.zeros(len(self.codes) * places, self.codes.dtype)
        follow = jit.bind(bound.follow_moves, self.names)
        costs[jit.bind(bound.first_state, self.names)(places)] = now = 1
        while count_equal(costs, now):
            while follow(costs, places, now):
                pass
            self.run.progress(f"checking cost {now - 1}", now, 0)
            now += 1
        shared = costs.reshape(-1, places)

        def least(numbers: Any) -> Any:
            found = np.where(shared[numbers] == 0, self.illegal, shared[numbers]).min(axis=1)
            return np.where(found == self.illegal, 0, found)

        self.passes.states += len(self.codes)
        wrong = numbers_where(len(self.codes), lambda block: least(block) != self.codes[block])
        self.passes.add(wrong, check.IMPLIED, least(wrong))

    def _check_levels(self) -> None:
        """Follow the codes level by level from the start: depths modulo 3, or reached states only."""
        modulus = self.database.modulus
        marks = np.zeros(len(self.codes), np.int8)
        kernel = jit.bind(check_level, self.names)
        through_ends = not self.game.two_players
        start = self.game.rank(self.game.start())
        if self.codes[start] != 1:
            self.passes.add(np.array([start]), check.UNREACHED)
        marks[start] = now = EVEN
        while any(level := [count_equal(marks[part.start : part.stop], now) for part in self.parts]):
            depth = len(self.levels)
            codes = (1 + (depth + 1) % modulus, depth + 2) if modulus else (1, 1)

            def work(first: int, stop: int, faults: Any, note: Any, now: int = now, next_codes: Any = codes) -> None:
                kernel(self.codes, first, stop, now, *next_codes, through_ends, modulus > 0, marks, faults, note)

            self.passes.check(f"checking depth {depth}", work)
            self.levels.append(level)
            now = EVEN + EVEN + 1 - now
        unseen = numbers_where(len(marks), lambda block: (self.codes[block] != 0) & (marks[block] == NOT_SEEN))
        self.passes.add(unseen, check.UNSUPPORTED)
        self.passes.states += count_equal(self.codes, 0)

    # --- grounds -----------------------------------------------------------------------------------------------------

    def _check_grounds(self) -> None:
        if self.rule.points:
            circular, undecided = ground.circular_points(self.codes, self.illegal, self.parts, self._until_stable)
            self.passes.add(circular, check.CIRCULAR)
            self.passes.add(undecided, check.OPEN)
        elif self.rule.least_weight == 0 and self.passes.free:
            circular = ground.circular_distances(self.codes, self.illegal, self.parts, self._until_stable)
            self.passes.add(circular, check.CIRCULAR)

    def _until_stable(self, kernel: Callable[..., None], parts: Sequence[Part], marks: Any) -> None:
        """Sweep over some parts, forwards and backwards in turn, until no mark changes."""
        bound = jit.bind(kernel, self.names)
        backwards = False

        def job(interval: tuple[int, int]) -> int:
            note = np.zeros(1, np.int64)
            bound(self.codes, self.illegal, *interval, backwards, marks, note)
            return int(note[0])

        while sum(self.passes.over("tracing values", parts, job, backwards)):
            backwards = not backwards

    def _held(self, place: int) -> dict[int, int]:
        """Return the count of each code in a part; for depths modulo 3, as counted level by level."""
        part = self.parts[place]
        if part.name in self.held:
            return self.held[part.name]
        codes = self.codes[part.start : part.stop]
        if not self.database.modulus:
            return count_codes(codes)
        found = {0: count_equal(codes, 0)}
        found |= {1 + depth: level[place] for depth, level in enumerate(self.levels)}
        return {code: count for code, count in found.items() if count}


@lru_cache(maxsize=64)
def claim_names(game: Game, rule: ValueRule, target: jit.Target) -> jit.Names:
    """Return the names of a game, with the claims of a shipped rule instead of the rule's functions."""
    names = game.names(rule, target)
    claims = claims_of(rule)
    return names if claims is None else names.with_(**claims)
