"""Compare configurations of guided search: each searches the same states, under the same limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from searchbench.errors import BadRequest, Unsolvable
from searchbench.game import Game
from searchbench.heuristics import heuristic
from searchbench.run import Run
from searchbench.solvers.guided import METHODS, Attempt, Heuristic, search_many

WHOLE: Final = ("automaton", "entries", "step", "restarts", "impatience", "seed")
OPTIONS: Final = ("h", "order", "table", "replacement", "weight", "by", "use", "without", *WHOLE)
"""What may stand behind the method in the text of a configuration."""


@dataclass(frozen=True)
class Configuration:
    """Hold a method with its switches; `text` is what was asked for."""

    text: str
    method: str
    h: Heuristic | None
    options: dict[str, Any]


@dataclass(frozen=True)
class Result:
    """Hold what one configuration came to over a set of states."""

    configuration: str
    attempts: tuple[Attempt, ...]

    @property
    def solved(self) -> int:
        """Return how many states were solved."""
        return sum(attempt.line is not None for attempt in self.attempts)

    @property
    def cost(self) -> int:
        """Return what the lines cost together."""
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
        """Return how many states were found to have no solution."""
        return sum(isinstance(attempt.error, Unsolvable) for attempt in self.attempts)

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
            "tried": len(self.attempts),
            "cost": self.cost,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "efforts": self.efforts,
        }


def configuration(game: Game, text: str, abstractions: Sequence[str | Game] | None = None) -> Configuration:
    """Return what a text such as "idastar h=linear-conflict order=bound" means. Raises BadRequest.

    `abstractions` are games of pattern databases whose files have moved.
    """
    method, *words = text.split()
    options: dict[str, Any] = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or key not in OPTIONS or not value:
            raise BadRequest(
                f"configuration {text!r}: {word!r}: expected {', '.join(f'{name}=...' for name in OPTIONS)}"
            )
        options[key] = value
    if method not in METHODS:
        raise BadRequest(f"configuration {text!r}: unknown method {method!r}: there are {', '.join(METHODS)}")
    if "weight" in options:
        options["weight"] = _number(text, options["weight"])
    for key in set(WHOLE) & options.keys():
        options[key] = _whole(text, key, options[key])
    name = options.pop("h", None)
    return Configuration(text, method, heuristic(game, name, abstractions) if name is not None else None, options)


def compare(
    game: Game, states: Sequence[Sequence[int]], configurations: Sequence[Configuration], run: Run, **limits: Any
) -> Iterator[Result]:
    """Yield what each configuration comes to; one node of the first state comes first, so that compiling does not count."""
    with run:
        for one in configurations:
            own = Run(memory=run.memory, threads=run.threads, report=run.report)
            for _ in search_many(
                game, states[:1], one.method, Run(memory=run.memory, threads=1), one.h, **{**one.options, "nodes": 1}
            ):
                pass
            found = search_many(game, states, one.method, own, one.h, **{**one.options, **limits})
            yield Result(one.text, tuple(found))


def _number(text: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise BadRequest(f"configuration {text!r}: weight={value}: expected a number") from None


def _whole(text: str, key: str, value: str) -> int:
    if not value.isdecimal():
        raise BadRequest(f"configuration {text!r}: {key}={value}: expected a whole number")
    return int(value)
