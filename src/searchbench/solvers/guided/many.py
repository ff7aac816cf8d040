"""Search many states one after the other, or several at a time, with the results in order."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from searchbench.errors import BadRequest, LimitReached, OutOfMemory, SearchBenchError, Unsolvable
from searchbench.game import Game
from searchbench.line import Line
from searchbench.run import Limits, Run
from searchbench.solvers.guided.configuration import Guided
from searchbench.solvers.guided.search import search_state, settled


@dataclass(frozen=True)
class Attempt:
    """Hold the result of the search of one state: a line, or the error that ended it; `bound` is the least it can cost."""

    state: tuple[int, ...]
    line: Line | None
    error: SearchBenchError | None
    bound: int | None
    nodes: int
    seconds: float
    kept: int = 0
    """How many different states the search has kept, 0 where it did not count them."""
    processor_seconds: float = 0.0
    """The time that the thread of the search has worked, compilation included."""


def search_many(
    game: Game,
    states: Sequence[Sequence[int]],
    configuration: Guided | str | None = None,
    run: Run | None = None,
    limits: Limits | None = None,
    **options: Any,
) -> Iterator[Attempt]:
    """Yield the result of each state, in order; the configuration, the limits and `options` are those of `search_state`.

    Each thread of the run searches a state of its own, with its share of the memory. A state that cannot be solved, or at
    which a limit of nodes, time or memory is reached, does not end the others; bad states and options do.
    """
    chosen, limits = settled(game, configuration, limits, options)
    with run or Run() as active:
        found = active.each(lambda state: _attempt(game, state, chosen, active, limits), states)
        for done, attempt in enumerate(found, 1):
            yield attempt
            active.progress("searching", done, len(states))


def search_levels(
    games: Sequence[Game], configuration: Guided | str | None = None, run: Run | None = None,
    limits: Limits | None = None, **options: Any,
) -> Iterator[Attempt]:  # fmt: skip
    """Yield the result of each game's start, in order, as `search_many` does for the states of one game.

    A level that cannot be read or searched is an attempt with an error: it does not end the others.
    """
    with run or Run() as active:

        def search(game: Game) -> Attempt:
            try:
                chosen, own = settled(game, configuration, limits, options)
                return _attempt(game, game.start(), chosen, active, own)
            except SearchBenchError as error:
                return Attempt((), None, _alone(error), None, 0, 0.0)

        for done, attempt in enumerate(active.each(search, games), 1):
            yield attempt
            active.progress("searching", done, len(games))


def _attempt(game: Game, state: Sequence[int], configuration: Guided, run: Run, limits: Limits) -> Attempt:
    def go_on(_stage: str, _done: int, _total: int) -> None:
        if run.stopped:  # a thread of its own would search on up to its limit
            raise KeyboardInterrupt

    own = Run(memory=run.memory // run.threads, threads=1, report=go_on)
    began = time.thread_time()
    try:
        line = search_state(game, state, configuration, own, limits)
    except (LimitReached, OutOfMemory, Unsolvable) as error:
        bound, nodes = getattr(error, "bound", None), getattr(error, "nodes", 0)
        spent = time.thread_time() - began
        return Attempt(tuple(state), None, _alone(error), bound, nodes, own.seconds, getattr(error, "states", 0), spent)
    bound = line.cost if line.optimal else None
    spent = time.thread_time() - began
    return Attempt(tuple(state), line, None, bound, line.nodes, line.seconds, line.nodes_kept, spent)


def _alone(error: SearchBenchError) -> SearchBenchError:
    """Return an error without the frames that it went through: they hold the arrays of its search for as long as it is kept."""
    error.__traceback__ = error.__cause__ = error.__context__ = None
    return error


def read_states(game: Game, text: str, source: str) -> list[list[int]]:
    """Return the states in a text, one to a line; empty lines and comments after a # do not count.

    Raises BadState or BadRequest with the number of the line, before anything is searched.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        notation = line.partition("#")[0].strip()
        if not notation:
            continue
        try:
            found.append(game.read(notation))
        except SearchBenchError as error:
            raise type(error)(f"{source}, line {number}: {error}") from None
    if not found:
        raise BadRequest(f"{source} holds no state: expected one on each line")
    return found
