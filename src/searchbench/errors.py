"""Errors that name the request, the place and a way out; each has its exit code."""

from __future__ import annotations

import inspect
import re
import traceback
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class SearchBenchError(Exception):
    """Report a failure that the user can act upon."""

    exit_code = 30

    def __reduce__(self) -> tuple[Any, ...]:
        """Let another process raise the error with the same message and attributes, whatever made the message."""
        return _as_it_was, (type(self), self.args, self.__dict__)


def _as_it_was(
    kind: type[SearchBenchError], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> SearchBenchError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class UnknownGame(SearchBenchError):
    """Report an unknown game, or parameters that it does not take."""


class BadGame(SearchBenchError):
    """Report a game whose own methods fail, or supply names outside the contract."""


class BadState(SearchBenchError):
    """Report notation or numbers that are no state of the game."""


class LacksPart(BadState):
    """Report a state in a part of the game that a database lacks, as a slice does; `part` is its name."""

    def __init__(self, message: str, part: str | None) -> None:
        super().__init__(message)
        self.part = part


class BadMove(SearchBenchError):
    """Report a move that is not legal in the state it was asked for."""


class BadRequest(SearchBenchError):
    """Report a query, option or combination that cannot be answered."""


class NoConsent(BadRequest):
    """Opening a database or a certificate would run a Python file that the user has never run."""


class UnknownName(BadRequest):
    """Report an unknown name of a database, part or task."""


class MissingRule(SearchBenchError):
    """Report a function that a solver, or its kernel, needs and the game's rules do not supply."""

    def __init__(self, kernel: str, rule: str) -> None:
        needs = f"{kernel} needs `{rule}`" if kernel != rule else f"the solver needs `{rule}`"
        advice = "; the number of a move must hold all that taking it back needs" if rule == "unplay" else ""
        super().__init__(
            f"{needs}, which the game's rules() does not supply: add it to the functions that rules() returns{advice}"
        )
        self.kernel = kernel
        self.rule = rule


class BrokenRule(SearchBenchError):
    """Report rules that contradict themselves during a search (`searchbench check` gives details)."""


class NoFixpoint(SearchBenchError):
    """Report that a value rule has no fixpoint on this game: its values never settle."""

    exit_code = 10


class ValueOverflow(SearchBenchError):
    """Report a value that exceeds the widest storage of its rule."""

    exit_code = 20


class OutOfMemory(SearchBenchError):
    """Report a memory budget that is too small, with the required figure, before the work starts."""

    exit_code = 20


class LimitReached(SearchBenchError):
    """Report a search that stopped at its node, depth or time limit; `bound` is the best bound so far, if any."""

    exit_code = 20

    def __init__(self, message: str, bound: int | None = None, nodes: int = 0, states: int = 0) -> None:
        super().__init__(message)
        self.bound = bound
        self.nodes = nodes
        self.states = states


class Unsolvable(SearchBenchError):
    """Report a state from which no solved state is reachable: its successors are exhausted, or the rules exclude it."""

    exit_code = 10

    def __init__(self, message: str, nodes: int = 0, states: int = 0) -> None:
        super().__init__(message)
        self.nodes = nodes
        self.states = states


class Exhausted(Unsolvable):
    """Report an exhausted search whose omissions may have lost solutions."""

    exit_code = 20


class NoDevice(SearchBenchError):
    """Report a device that is not there, or has no driver."""


class NotForDevice(SearchBenchError):
    """Report a function of a game that cannot be compiled for a device: what it does, and where."""

    def __init__(self, function: str, why: str, place: str) -> None:
        super().__init__(
            f"`{function}` {why}, which no device can run: {place}; leave out --device, or write it otherwise"
        )
        self.function, self.place = function, place


class MissingPackage(SearchBenchError):
    """Report a package that is not installed, and the extra that brings it."""


class DamagedData(SearchBenchError):
    """Report a file that is truncated, altered, of another version, or not a database at all."""

    exit_code = 40


class StaleDatabase(DamagedData):
    """Report a database that was made by other rules than the game's present ones."""


# --- places of errors -------------------------------------------------------------------------------------------------


def line_of(function: Any) -> str:
    """Return the place of a function or class: ``file.py, line 12``, or "" if unknown."""
    code = getattr(function, "__code__", None)
    if code is not None:  # it knows; to look for it in the source takes a hundred times as long
        return f"{code.co_filename}, line {code.co_firstlineno}" if Path(code.co_filename).is_file() else ""
    try:
        source = inspect.getsourcefile(function)
        return f"{source}, line {inspect.getsourcelines(function)[1]}"
    except (OSError, TypeError):
        return ""


def raised_in(error: BaseException, kind: type) -> str:
    """Return where in a class's file or its folder an exception was raised: file, line and function.

    Empty if it was raised elsewhere.
    """
    files = {Path(file) for file in map(_file_of, kind.__mro__) if file}
    folders = {file.parent for file in files if file.is_file()}
    found = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path in files or path.parent in folders:
            found = _place(frame)
    if isinstance(error, SyntaxError) and error.filename:
        found = f"{error.filename}, line {error.lineno}"
    return found


def is_own(error: BaseException, kind: type) -> bool:
    """Tell whether a statement in a class's file or its folder raised an exception, and nothing that it called."""
    return raised_in(error, kind) == _place(traceback.extract_tb(error.__traceback__)[-1])


def _place(frame: traceback.FrameSummary) -> str:
    return f"{frame.filename}, line {frame.lineno}, in {frame.name}"


def _file_of(kind: type) -> str:
    functions = (value for value in vars(kind).values() if isinstance(value, types.FunctionType))
    if kind.__module__.startswith("searchbench.") and ".games." not in kind.__module__:
        return ""
    # The generated methods of a dataclass have no file.
    return next((one.__code__.co_filename for one in functions if one.__code__.co_filename != "<string>"), "")


def told(error: BaseException) -> str:
    """Return an exception as one line: its type and message."""
    message = str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def no_such_name(module: str, name: str, names: Sequence[str]) -> AttributeError:
    """Return the error for a name that a module does not have: it names those like it, or all."""
    import difflib

    word = name.lower()
    like = [one for one in names if word in one.lower() or one.lower() in word]
    like = like or difflib.get_close_matches(name, names, 3)
    return AttributeError(f"module {module!r} has no attribute {name!r}; it has {', '.join(like or sorted(names))}")


def compiler_complaint(error: Exception) -> str:
    """Return what the compiler complains of, and where: the innermost message, without the way to it or what it tried."""
    told: list[str] = []
    tries = False
    held = re.search(
        r'OverloadSelector object .*?\(List\(.*?freevar\((\w+): .*?" at (.*?\(\d+\))', str(error), re.DOTALL
    )
    if held:
        return f"`{held[1]}` is a list, which machine code cannot hold: make it a tuple, of what does not change, at {held[2]}"
    for line in str(error).splitlines():
        tries = (tries or line.startswith("There are ")) and not line.startswith(("During", "File "))
        if line.strip() and not tries and not line.startswith("Failed in "):
            told.append(line)
        if line.strip() == "^":
            break
    return "\n".join(told)
