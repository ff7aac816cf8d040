"""Errors that name what was asked, where, and what would be right; each knows its exit code."""

from __future__ import annotations


class SearchBenchError(Exception):
    """Report a failure that the user can act upon."""

    exit_code = 30


class UnknownGame(SearchBenchError):
    """Report a game that cannot be found, or parameters that it does not take."""


class BadState(SearchBenchError):
    """Report notation or numbers that are no state of the game."""


class BadMove(SearchBenchError):
    """Report a move that is not legal in the state it was asked for."""


class BadRequest(SearchBenchError):
    """Report a query, option or combination that cannot be answered."""


class UnknownName(BadRequest):
    """Report a name of a database, part or task that there is not."""


class MissingRule(SearchBenchError):
    """Report that a solver needs a function which the game's rules do not supply."""

    def __init__(self, kernel: str, rule: str) -> None:
        super().__init__(f"{kernel} needs `{rule}`, which the game's rules() does not supply")
        self.kernel = kernel
        self.rule = rule


class BrokenRule(SearchBenchError):
    """Report rules that contradict themselves in the middle of a search (`searchbench check` tells more)."""


class NoFixpoint(SearchBenchError):
    """Report that a value rule has no fixpoint on this game: its values change for ever."""

    exit_code = 10


class ValueOverflow(SearchBenchError):
    """Report a value that the widest storage of its rule cannot hold."""

    exit_code = 20


class OutOfMemory(SearchBenchError):
    """Report a memory budget that is too small, with the figure that is needed, before anything starts."""

    exit_code = 20


class LimitReached(SearchBenchError):
    """Report a search that stopped at its node, depth or time limit; `bound` is the best bound so far, if there is one."""

    exit_code = 20

    def __init__(self, message: str, bound: int | None = None, nodes: int = 0, states: int = 0) -> None:
        super().__init__(message)
        self.bound = bound
        self.nodes = nodes
        self.states = states


class Unsolvable(SearchBenchError):
    """Report a state from which no solved state can be reached: all that follow it were seen, or the rules know it."""

    exit_code = 10

    def __init__(self, message: str, nodes: int = 0, states: int = 0) -> None:
        super().__init__(message)
        self.nodes = nodes
        self.states = states


class Exhausted(Unsolvable):
    """Report that nothing is left to be searched, where what was left out may have lost the solutions."""

    exit_code = 20


class DamagedData(SearchBenchError):
    """Report a file that is truncated, altered, of another version, or not a database at all."""

    exit_code = 40


class StaleDatabase(DamagedData):
    """Report a database that was made by other rules than the game has now."""
