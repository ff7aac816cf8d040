"""Errors that name what was asked, where, and what would be right; each knows its exit code."""

from __future__ import annotations

import inspect
import traceback
import types
from pathlib import Path
from typing import Any


class SearchBenchError(Exception):
    """Report a failure that the user can act upon."""

    exit_code = 30


class UnknownGame(SearchBenchError):
    """Report a game that cannot be found, or parameters that it does not take."""


class BadGame(SearchBenchError):
    """Report a game whose own methods fail, or supply what the contract does not know: where, and what would be right."""


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
        super().__init__(
            f"{kernel} needs `{rule}`, which the game's rules() does not supply: add it to what rules() returns"
        )
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


# --- where something went wrong ---------------------------------------------------------------------------------------


def line_of(function: Any) -> str:
    """Return where a function or a class begins: ``file.py, line 12``, or "" where nobody knows."""
    code = getattr(function, "__code__", None)
    if code is not None:  # it knows; to look for it in the source takes a hundred times as long
        return f"{code.co_filename}, line {code.co_firstlineno}" if Path(code.co_filename).is_file() else ""
    try:
        source = inspect.getsourcefile(function)
        return f"{source}, line {inspect.getsourcelines(function)[1]}"
    except (OSError, TypeError):
        return ""


def raised_in(error: BaseException, kind: type) -> str:
    """Return where in the file of a class, or in those beside it, an exception was raised: file, line and function.

    Empty where it was raised elsewhere.
    """
    files = {Path(file) for file in map(_file_of, kind.__mro__) if file}
    folders = {file.parent for file in files if file.is_file()}
    found = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path in files or path.parent in folders:
            found = f"{frame.filename}, line {frame.lineno}, in {frame.name}"
    if isinstance(error, SyntaxError) and error.filename:
        found = f"{error.filename}, line {error.lineno}"
    return found


def _file_of(kind: type) -> str:
    functions = (value for value in vars(kind).values() if isinstance(value, types.FunctionType))
    if kind.__module__.startswith("searchbench.") and ".games." not in kind.__module__:
        return ""
    # A dataclass is given methods of which there is no file.
    return next((one.__code__.co_filename for one in functions if one.__code__.co_filename != "<string>"), "")


def told(error: BaseException) -> str:
    """Return an exception as one line: its type and message."""
    message = str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
