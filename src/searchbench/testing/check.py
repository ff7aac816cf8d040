"""Check all laws: first the interpreted rules, then the compiled ones, then a solver's result against known figures."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from searchbench.errors import OutOfMemory, SearchBenchError, ValueOverflow
from searchbench.game import Game
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.testing import bounds, compiled, digits, images, moves, numbers, shortcuts, successions
from searchbench.testing.subject import Finding, Law, State, Subject, on_all_samples, raised
from searchbench.testing.sweep import sweep
from searchbench.values import Distance, ValueRule, value_rule

LOT: Final = 200
"""States checked in one lot,"""
LEAST: Final = 8
"""and the least number of them where a state takes long."""
SECONDS: Final = 2.5
"""Seconds for checks of further states, first interpreted, then again compiled."""
IN_VAIN: Final = 20
"""Stop after this many lots without a new state."""
SHOWN: Final = 3
"""States shown that break a law."""
SMALL: Final = 1_000_000
"""An index of up to this many numbers is solved, to compare with known figures."""
RULES: Final = (
    *moves.LAWS,
    *successions.LAWS,
    *numbers.LAWS,
    *shortcuts.LAWS,
    *bounds.LAWS,
    *images.LAWS,
    *digits.LAWS,
)
COMPARED: Final = {
    "admissible": bounds.admissible, "nothing-lost": bounds.nothing_lost, "told-solvable": bounds.told_solvable,
}  # fmt: skip
"""The laws on distances, by their names."""
LAWS: Final = (*(law.name for law in (*RULES, *compiled.LAWS)), *COMPARED, "known")
"""The names of all laws, in the order of the check."""


@dataclass(frozen=True)
class Broken:
    """A broken law: its name, a state that breaks it ("" if no single state does), and a message."""

    law: str
    state: str
    message: str

    def __str__(self) -> str:
        return f"{self.law}: {self.message}" + (f"\n    state: {self.state}" if self.state else "")


@dataclass(frozen=True)
class Check:
    """The outcome of a check: the `laws` checked, the `skipped` ones with the reason, and the `broken` ones.

    `states` is the number of states checked, `numbers` how many of the index's `size` numbers were among them; the laws of
    moves were checked on `swept` numbers (0: on the same). `notes` tell what no law forbids, and few games mean. True as a
    condition if no law is broken.
    """

    game: str
    laws: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    broken: tuple[Broken, ...]
    states: int
    numbers: int = 0
    size: int = 0
    swept: int = 0
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether no law is broken."""
        return not self.broken

    def __str__(self) -> str:
        names = dict.fromkeys(one.law for one in self.broken)
        head = f"{self.game}: {self._looked_at()}; {len(self.laws)} laws checked, {len(names)} broken"
        return "\n  ".join([head, *self._told(), *self.notes])

    def _told(self) -> Iterator[str]:
        """Yield each message once, with the states that it holds for; laws that the same findings break stand together."""
        findings: dict[str, dict[str, list[str]]] = {}
        for one in self.broken:
            findings.setdefault(one.law, {}).setdefault(one.message, []).append(one.state)
        alike: dict[str, list[str]] = {}
        for law, found in findings.items():
            alike.setdefault(repr(found), []).append(law)
        for laws in alike.values():
            for message, states in findings[laws[0]].items():
                yield "\n    state: ".join([f"{', '.join(laws)}: {message}", *filter(None, states)])

    def _looked_at(self) -> str:
        """Return a text with the number of states checked, and of all states."""
        states = f"{self.states:,} states"
        if not self.size:
            return f"{states} met in random play (no index says how many there are)"
        if self.numbers >= self.size:
            return f"{states}, all {self.size:,} numbers of the index"
        swept = "" if not self.swept else f", the laws of moves on {_of(self.swept, self.size)}"
        return f"{states}, {_of(self.numbers, self.size)} numbers of the index{swept}"


def _of(some: int, size: int) -> str:
    return f"all {size:,}" if some >= size else f"{some:,} of {size:,}"


def check_game(game: Game, samples: int | None = None, seed: int = 0, run: Run | None = None) -> Check:
    """Check that a game obeys the laws of the contract, on about `samples` states, the same ones for the same `seed`.

    Half of the states come from random play, half from random numbers (all numbers if there are at most 2000). By default
    the check takes some seconds, and checks the compiled laws of moves on further numbers, to find rare moves. An exception
    in the rules breaks a law. Rules that break a law are not compiled, because compiled code may write beyond its buffers.
    Small games that break no law are solved at the end, with `run`.
    """
    with run or Run() as active:
        lot = _first_lot(game) if samples is None else min(samples, LOT)
        work = _Work(Subject(game, lot, seed), active)
        for law in RULES:
            work.check(law)
        work.look_further(samples)
        for law in compiled.LAWS:
            work.check(law, "" if not work.broken else "the rules break other laws already")
        if samples is None:
            work.sweep(seed)
        work.compare_with_solution(active)
    return Check(
        str(game), tuple(work.laws), tuple(work.skipped), tuple(work.broken), work.states, work.numbers,
        work.subject.size, work.swept, tuple(_notes(work.subject)),
    )  # fmt: skip


def _notes(subject: Subject) -> Iterator[str]:
    """Yield what is strange about a game, and no law forbids; a rule that raises an exception has broken a law."""
    if subject.game.two_players or not len(subject.numbers) >= subject.size > 0:
        return
    with suppress(Exception):
        results = {subject.terminal(state) for state in subject.states} - {UNDECIDED}
        if results == {-1}:
            yield 'no state is solved, and some are lost (`terminal`): a game of two players says values = "outcome"'


def _first_lot(game: Game) -> int:
    """Return how many states to look at first: fewer where their successors' representatives take long to find."""
    try:
        if not game.has("canonical"):
            return LOT
        state = game.start()
        for _ in range(4):
            state = game.play(state, game.moves(state)[0])
        began = time.thread_time()
        game.canonical(state)
        once = time.thread_time() - began
    except Exception:  # a law will tell
        return LOT
    return max(LEAST, min(LOT, int(SECONDS / (2 * max(game.max_moves, 1) * max(once, 1e-9)))))


class _Work:
    def __init__(self, subject: Subject, run: Run) -> None:
        self.subject, self.run = subject, run
        self.states, self.numbers, self.swept = len(subject.states), len(subject.numbers), 0
        self.lot = max(LEAST, min(LOT, len(subject.states)))
        self.laws: list[str] = []
        self.skipped: list[tuple[str, str]] = []
        self.broken: list[Broken] = []

    def check(self, law: Law, obstacle: str = "") -> None:
        """Check a law, or record why it is skipped."""
        obstacle = self.subject.obstacle(law) or obstacle
        if obstacle:
            self.skipped.append((law.name, obstacle))
        else:
            self._find(law.name, law.breaks(self.subject))

    def look_further(self, samples: int | None) -> None:
        """Check the laws that hold so far on further samples: up to `samples`, or for some seconds."""
        first = self.subject.states, self.subject.numbers
        seen, begun = set(self.subject.states), time.thread_time()
        vain = 0
        while vain < IN_VAIN and (samples is None or self.states < samples):
            spent = time.thread_time() - begun
            if samples is None and spent >= SECONDS:
                break
            self.run.progress(f"{self.states:,} states", int(1000 * spent), int(1000 * SECONDS))
            lot = self.lot if samples is None else min(LOT, samples - self.states + 1)
            if not self.subject.draw(lot, seen):
                break
            before = len(seen)
            seen.update(self.subject.states)
            vain = 0 if len(seen) > before else vain + 1
            self.states, self.numbers = len(seen), self.numbers + len(self.subject.numbers)
            self._on_these(law for law in RULES if on_all_samples(law))
        self.subject.states, self.subject.numbers = first

    def _on_these(self, laws: Iterable[Law]) -> bool:
        """Check laws that hold so far on the drawn states; return whether one is broken."""
        before = len(self.broken)
        known = {one.law for one in self.broken}
        for law in laws:
            if not self.subject.obstacle(law) and law.name not in known:
                self.broken += self._shown(law.name, law.breaks(self.subject))
        return len(self.broken) > before

    def sweep(self, seed: int) -> None:
        """Check the compiled laws of moves on further numbers; the interpreted laws then explain the breaks."""
        subject = self.subject
        if (
            self.broken
            or not subject.game.has("rank", "unrank")
            or self.numbers >= subject.size
            or subject.has("blank")
        ):
            return
        self.run.progress("the laws of moves on many numbers", 0, 0)
        self.swept, found = sweep(subject, SECONDS, seed)
        if found:
            first = subject.states, subject.numbers
            subject.numbers, subject.states = found, [subject.unrank(number) for number in found]
            if not self._on_these(RULES):
                message = "a law of moves fails here, compiled; interpreted all of them hold"
                self.broken.append(Broken(compiled.LAWS[0].name, subject.text(subject.states[0]), message))
            subject.states, subject.numbers = first

    def compare_with_solution(self, run: Run) -> None:
        """Check the laws that need a solved game."""
        game = self.subject.game
        known = game.claimed("known")
        rule = value_rule(game.values)
        solved: dict[Any, Database] = {}
        for law, wanted, applies, reason in (
            ("admissible", Distance(), self.subject.has("h") and not game.two_players, "the game supplies no `h`"),
            (
                "nothing-lost",
                Distance(),
                not game.two_players and any(map(self.subject.has, bounds.LEAVING_OUT)),
                "the game leaves nothing out",
            ),
            (
                "told-solvable",
                Distance(),
                self.subject.has("solvable") and not game.two_players,
                "the game supplies no `solvable`",
            ),
            ("known", rule, bool(known), "`known` is empty"),
        ):
            obstacle = reason if not applies else self._obstacle()
            if not obstacle and wanted not in solved:
                try:
                    solved[wanted] = self._solved(wanted, run)
                except (OutOfMemory, ValueOverflow) as error:
                    obstacle = str(error)
                except SearchBenchError as error:
                    self._find(law, [(None, raised(error, self.subject.game))])
                    continue
            if obstacle:
                self.skipped.append((law, obstacle))
            elif law == "known":
                self._find(law, _differences(known, solved[wanted], run))
            else:
                self._find(law, COMPARED[law](self.subject, self.subject.states, self._distances(solved[wanted])))

    def _distances(self, database: Database) -> bounds.Distances:
        """Return the distances of the states that have a number."""
        subject = self.subject

        def distance(state: State) -> int | None:
            return None if subject.rank(subject.canonical(state)) == NOWHERE else database.probe(state)

        return distance

    def _solved(self, rule: ValueRule, run: Run) -> Database:
        """Solve the game, by the fixpoint where moves cost more than retrograde analysis takes."""
        game = self.subject.game
        try:
            return solve_states(game, rule, run=run, target=game.quickest_target)
        except ValueOverflow:
            return solve_states(game, rule, "fixpoint", run=run, target=game.quickest_target)

    def _obstacle(self) -> str:
        if self.broken:
            return "the rules break other laws already"
        if not self.subject.has("rank"):
            return "the game has no index at this size"
        if self.subject.has("repetition"):
            return "tables take endless play for a draw, and `repetition` tells its worth"
        return f"{self.subject.size:,} numbers are too many to solve on the way" if self.subject.size > SMALL else ""

    def _find(self, law: str, findings: Iterable[Finding]) -> None:
        """Record a law as checked, and the first states that break it."""
        self.laws.append(law)
        self.broken += self._shown(law, findings)

    def _shown(self, law: str, findings: Iterable[Finding]) -> list[Broken]:
        """Return the first states that break a law."""
        shown: list[Finding] = []
        try:
            shown.extend(islice(findings, SHOWN))
        except Exception as error:  # rules may raise anything
            shown.append((None, raised(error, self.subject.game)))
        return [Broken(law, self.subject.text(state), message) for state, message in shown]


def _differences(known: Mapping[str, Any], database: Database, run: Run) -> Iterator[Finding]:
    """Compare a solved game with its `known` figures; "reachable" is the number of states reachable from the start."""
    rule, game = database.rule, database.game
    counts = database.histogram()
    depths: list[Any] = [getattr(value, "depth", value) for value in counts if value is not None]
    found: dict[str, Any] = {
        "states": database.states,
        "deepest": max(depths, default=None),
        "start": rule.format(database.probe(game.start())),
        "histogram": {rule.format(value): count for value, count in counts.items() if value is not None},
    }
    if "reachable" in known:
        found["reachable"] = solve_states(game, solver="bfs", run=run, target=game.quickest_target).reachable
    for key, number in known.items():
        right = {str(value): count for value, count in number.items()} if key == "histogram" else number
        if key not in found:
            yield None, f"`known` has the key {key!r}; there are {', '.join(found)}, reachable"
        elif found[key] != right:
            yield None, f"{key} is {found[key]}, known is {right}"
