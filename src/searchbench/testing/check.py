"""Check all laws: first the rules alone, interpreted; then compiled; then what a solver finds against what is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from searchbench.errors import OutOfMemory, SearchBenchError
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.testing import bounds, compiled, images, moves, numbers, shortcuts, successions
from searchbench.testing.subject import Finding, Law, Subject, raised
from searchbench.values import Distance, value_rule

SHOWN: Final = 3
"""How many states are shown that break a law."""
SMALL: Final = 1_000_000
"""An index of at most so many numbers is solved, to compare with what is known."""
RULES: Final = (*moves.LAWS, *successions.LAWS, *numbers.LAWS, *shortcuts.LAWS, *bounds.LAWS, *images.LAWS)
LAWS: Final = (*(law.name for law in (*RULES, *compiled.LAWS)), "admissible", "nothing-lost", "known")
"""The names of all laws, in the order in which they are checked."""


@dataclass(frozen=True)
class Broken:
    """Say which law is broken, by which state, and how; `state` is "" where no single state shows it."""

    law: str
    state: str
    message: str

    def __str__(self) -> str:
        return f"{self.law}: {self.message}" + (f"\n    state: {self.state}" if self.state else "")


@dataclass(frozen=True)
class Check:
    """Hold the outcome of a check: `laws` that were checked, `skipped` ones with the reason, and what is `broken`.

    True as a condition when nothing is broken.
    """

    game: str
    laws: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    broken: tuple[Broken, ...]
    states: int

    def __bool__(self) -> bool:
        """Tell whether no law is broken."""
        return not self.broken

    def __str__(self) -> str:
        names = dict.fromkeys(one.law for one in self.broken)
        head = f"{self.game}: {self.states} states, {len(self.laws)} laws checked, {len(names)} broken"
        return "\n  ".join([head, *map(str, self.broken)])


def check_game(game: Game, samples: int = 200, seed: int = 0, run: Run | None = None) -> Check:
    """Check that a game keeps the laws of the contract, on about `samples` states, the same ones for the same `seed`.

    Half of the states are met in random play, half are drawn by number (all of them where there are at most 2000). The
    rules may raise anything: that breaks a law. Rules that break a law are not compiled, as compiled code does not look
    whether it writes beyond its buffers; small games that break none are solved in the end, with `run`.
    """
    work = _Work(Subject(game, samples, seed))
    for law in RULES:
        work.check(law)
    for law in compiled.LAWS:
        work.check(law, "" if not work.broken else "the rules break other laws already")
    with run or Run() as active:
        work.compare_with_solution(active)
    return Check(str(game), tuple(work.laws), tuple(work.skipped), tuple(work.broken), len(work.subject.states))


class _Work:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.laws: list[str] = []
        self.skipped: list[tuple[str, str]] = []
        self.broken: list[Broken] = []

    def check(self, law: Law, obstacle: str = "") -> None:
        """Check a law, or say why not."""
        obstacle = self.subject.obstacle(law) or obstacle
        if obstacle:
            self.skipped.append((law.name, obstacle))
        else:
            self._find(law.name, law.breaks(self.subject))

    def compare_with_solution(self, run: Run) -> None:
        """Check the laws that need a solved game."""
        game = self.subject.game
        known = game.known()
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
            ("known", rule, bool(known), "`known` is empty"),
        ):
            obstacle = reason if not applies else self._obstacle()
            if not obstacle and wanted not in solved:
                try:
                    solved[wanted] = solve_states(game, wanted, run=run)
                except OutOfMemory as error:
                    obstacle = str(error)
                except SearchBenchError as error:
                    self._find(law, [(None, raised(error))])
                    continue
            if obstacle:
                self.skipped.append((law, obstacle))
            elif law == "known":
                self._find(law, _differences(known, solved[wanted], run))
            elif law == "nothing-lost":
                self._find(law, bounds.nothing_lost(self.subject, solved[wanted]))
            else:
                self._find(law, bounds.admissible(self.subject, solved[wanted]))

    def _obstacle(self) -> str:
        if self.broken:
            return "the rules break other laws already"
        if not self.subject.has("rank"):
            return "the game has no index at this size"
        return f"{self.subject.size:,} numbers are too many to solve on the way" if self.subject.size > SMALL else ""

    def _find(self, law: str, findings: Iterable[Finding]) -> None:
        """Note a law as checked, and the first states that break it."""
        self.laws.append(law)
        shown: list[Finding] = []
        try:
            shown.extend(islice(findings, SHOWN))
        except Exception as error:  # rules may raise anything
            shown.append((None, raised(error)))
        self.broken += [Broken(law, self.subject.text(state), message) for state, message in shown]


def _differences(known: Mapping[str, Any], database: Database, run: Run) -> Iterator[Finding]:
    """Compare a solved game with the numbers that it carries; "reachable" counts what the start can reach."""
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
        found["reachable"] = solve_states(game, solver="bfs", run=run).reachable
    for key, number in known.items():
        right = {str(value): count for value, count in number.items()} if key == "histogram" else number
        if key not in found:
            yield None, f"`known` has the key {key!r}; there are {', '.join(found)}, reachable"
        elif found[key] != right:
            yield None, f"{key} is {found[key]}, known is {right}"
