"""Solve a puzzle in steps: a database for each, upper bounds for all states, and lines for one (Gasser 1995, 6.5 and 6.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from searchbench.abstraction import Subgoal
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Game, Position
from searchbench.line import Line
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database, open_database


@dataclass(frozen=True)
class Step:
    """Hold a step: its game, the distances of its states, and their summary."""

    game: Subgoal
    database: Database

    @cached_property
    def histogram(self) -> dict[int, int]:
        """Return how many states are at each distance. Raises BadRequest where the step cannot always be done."""
        found = self.database.histogram()
        if None in found:
            raise BadRequest(f"{self.game}: {found[None]:,} states lead to none in which the step is done")
        return dict(sorted(found.items()))

    @property
    def states(self) -> int:
        """Return the number of states."""
        return sum(self.histogram.values())

    @property
    def average(self) -> float:
        """Return the mean distance."""
        return sum(distance * count for distance, count in self.histogram.items()) / self.states

    @property
    def longest(self) -> int:
        """Return the largest distance."""
        return max(self.histogram)

    @cached_property
    def longest_entered(self) -> int:
        """Return the largest distance of a state in which a step before can have ended."""
        for distance in sorted(self.histogram, reverse=True):
            if any(self.game.entered(self.game.unrank(number)) for number in self.database.select(distance)):
                return distance
        return 0


@dataclass(frozen=True)
class Subgoals:
    """Hold the steps that lead to the goal of a game, one after the other."""

    game: Game
    steps: tuple[Step, ...]

    @property
    def longest(self) -> int:
        """Return the sum of the steps' largest distances."""
        return sum(step.longest for step in self.steps)

    @property
    def average(self) -> float:
        """Return the sum of the steps' mean distances."""
        return sum(step.average for step in self.steps)

    @cached_property
    def bound(self) -> int:
        """Return how many moves the steps take at most: all but the first that takes any begin where another can have ended."""
        first, *others = self.steps
        anywhere, entered = 0, 0
        for step in reversed(others):
            anywhere = max(step.longest + entered, anywhere)
            entered += step.longest_entered
        anywhere = max(first.longest + entered, anywhere)  # no step ends where the first one begins
        return anywhere

    def line(self, state: Any = None) -> Line:
        """Return a line from a state to the solved one, step by step. Raises BadRequest and Unsolvable."""
        now = list(self.game.position(state).state)
        start, moves = tuple(now), []
        for step in self.steps:
            here = step.game.seen(now)
            for move in step.database.line(Position(step.game, tuple(here))).moves:
                moves.append(step.game.original_move(move))
                now = self.game.play(now, moves[-1])
        complete = self.game.terminal(now) == 0
        return Line(self.game, start, tuple(moves), len(moves), optimal=False, complete=complete)


def solve_subgoals(
    game: str | Game, steps: Sequence[str], run: Run | None = None, folder: str | Path | None = None
) -> Subgoals:
    """Solve a puzzle in steps, each of which brings some pieces home and leaves alone the pieces that are home already.

    Each step names its pieces in the game's notation, such as "12-13-14-15". The databases of the steps are kept in `folder`,
    and opened where they are there. Raises BadRequest and OutOfMemory.
    """
    with run or Run() as active:
        game = load(game)
        found: list[Step] = []
        for one in subgoals_of(game, steps):
            active.progress(f"step {len(found) + 1} of {len(steps)}: {one}", len(found), len(steps))
            found.append(Step(one, _database(one, active, folder)))
        return Subgoals(game, tuple(found))


def subgoals_of(game: Game, steps: Sequence[str]) -> list[Subgoal]:
    """Return the games of the steps."""
    if not steps:
        raise BadRequest(f"{game}: no steps; name the pieces that each brings home")
    return list(game.subgoals(steps))


def _database(game: Subgoal, run: Run, folder: str | Path | None) -> Database:
    """Return the database of a step, from its folder if it is there."""
    place = None if folder is None else Path(folder) / f"{game.spec.replace(':', '_').replace(',', '_')}.db"
    if place is not None and place.exists():
        return open_database(place, game)
    alone = Run(memory=run.memory, threads=run.threads, report=run.report)
    database = solve_states(game, run=alone, target=game.quickest_target)
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        database.save(place, f"searchbench solve {game.spec}", mapped=True)
    return database
