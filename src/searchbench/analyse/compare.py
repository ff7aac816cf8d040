"""Compare configurations of guided search: each searches the same states, under the same limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from searchbench.configuration import configured, read_configuration
from searchbench.errors import BadRequest, Exhausted, LimitReached, OutOfMemory, Unsolvable
from searchbench.game import Game
from searchbench.heuristics import heuristic
from searchbench.run import Limits, Run
from searchbench.solvers.guided import METHODS, Attempt, Guided, search_levels, search_many

Search = Callable[[int | None, Guided, Run, Limits], Iterable[Attempt]]
"""Search so many of the states, all where that is None, by a configuration."""


@dataclass(frozen=True)
class Contestant:
    """Hold a configuration of guided search; `text` is how it was asked for."""

    text: str
    configuration: Guided


@dataclass(frozen=True)
class Result:
    """Hold the results of one configuration over a set of states."""

    configuration: str
    attempts: tuple[Attempt, ...]

    @property
    def solved(self) -> int:
        """Return how many states were solved."""
        return sum(attempt.line is not None for attempt in self.attempts)

    @property
    def cost(self) -> int:
        """Return the total cost of the lines."""
        return sum(attempt.line.cost for attempt in self.attempts if attempt.line is not None)

    @property
    def nodes(self) -> int:
        """Return the nodes of all searches, also of those that failed."""
        return sum(attempt.nodes for attempt in self.attempts)

    @property
    def efforts(self) -> list[int]:
        """Return the nodes that each solved state took, in ascending order."""
        return sorted(attempt.nodes for attempt in self.attempts if attempt.line is not None)

    @property
    def unsolvable(self) -> int:
        """Return how many states were found to have no solution, not counting searches that left out moves."""
        errors = [attempt.error for attempt in self.attempts]
        return sum(isinstance(error, Unsolvable) and not isinstance(error, Exhausted) for error in errors)

    @property
    def refused(self) -> list[str]:
        """Return why levels could not be searched: those that cannot be read."""
        ends = (Unsolvable, LimitReached, OutOfMemory)
        return [str(one.error) for one in self.attempts if one.error is not None and not isinstance(one.error, ends)]

    @property
    def seconds(self) -> float:
        """Return the seconds of all searches, each by its own clock."""
        return sum(attempt.seconds for attempt in self.attempts)

    def as_dict(self) -> dict[str, Any]:
        """Return the sums by name."""
        return {
            "configuration": self.configuration,
            "solved": self.solved,
            "unsolvable": self.unsolvable,
            "refused": self.refused,
            "tried": len(self.attempts),
            "cost": self.cost,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "efforts": self.efforts,
        }


def contestant(game: Game, text: str, abstractions: Sequence[str | Game] | None = None) -> Contestant:
    """Return the configuration that a text such as "idastar h=linear-conflict order=bound" names. Raises BadRequest.

    `abstractions` are games of pattern databases whose files have moved.
    """
    kind, options = read_configuration(METHODS, text)
    try:
        if "h" in options:
            options["h"] = heuristic(game, options["h"], abstractions)
        return Contestant(text, configured(METHODS, kind.method, options))
    except BadRequest as error:
        raise BadRequest(f"configuration {text!r}: {error}") from None


def compare(
    game: Game, states: Sequence[Sequence[int]], contestants: Sequence[Contestant], run: Run, limits: Limits
) -> Iterator[Result]:
    """Yield the results of each configuration; one node of the first state comes first, so that compiling does not count."""
    return _compared(lambda most, *how: search_many(game, states[:most], *how), contestants, run, limits)


def compare_on_levels(
    games: Sequence[Game], contestants: Sequence[Contestant], run: Run, limits: Limits
) -> Iterator[Result]:
    """Yield the same for the starts of some levels."""
    return _compared(lambda most, *how: search_levels(games[:most], *how), contestants, run, limits)


def _compared(search: Search, contestants: Sequence[Contestant], run: Run, limits: Limits) -> Iterator[Result]:
    with run:
        for one in contestants:
            own = Run(memory=run.memory, threads=run.threads, report=run.report)
            for _ in search(1, one.configuration, Run(memory=run.memory, threads=1), Limits(1)):
                pass
            yield Result(one.text, tuple(search(None, one.configuration, own, limits)))
