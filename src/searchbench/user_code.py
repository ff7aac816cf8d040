"""Validation of user-defined games before use."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

from searchbench.board import Board
from searchbench.errors import BadGame, BadRequest, SearchBenchError, is_own, line_of, raised_in, told
from searchbench.index.protocol import Part, line_size
from searchbench.jit.data import PARAMETER, asks_for_data
from searchbench.jit.references import plain_function
from searchbench.slots import Constant, contracts, slot_named

OF_CLASS: Final = ("name", "version", "dtype", "separator")
"""Attributes of a class, shared by all its games: an annotation without ClassVar would make them parameters."""
MAIN: Final = (
    "start",
    "terminal",
    "moves",
    "play",
    "unplay",
    "unmoves",
    "legal",
    "cost",
    "canonical",
    "rank",
    "unrank",
)
"""The names that most games supply."""
GUIDE: Final = "docs/writing-a-game.md"
LARGEST_SIZE: Final = 1 << 24
"""The most cells, moves and unmoves that a state may have."""


def is_whole(value: Any) -> bool:
    """Tell whether a value is a whole number, and no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


@contextmanager
def calling(game: Any, what: str, right: str) -> Iterator[None]:
    """Turn an exception from a game's method into BadGame, with the place, the game, and the correct form.

    A request that the game itself refuses keeps its message.
    """
    try:
        yield
    except BadRequest as error:
        if is_own(error, type(game)):  # the game refuses its parameters in its own words
            raise
        place = raised_in(error, type(game))
        raise BadGame(f"{place}: {what} of {name_of(game)}: {error}" if place else str(error)) from error
    except SearchBenchError:
        raise
    except Exception as error:
        place = raised_in(error, type(game))
        if isinstance(error, NotImplementedError) and not place:  # the default of Game
            raise BadGame(f"{line_of(type(game))}: {name_of(game)} supplies no {what}: {right}") from None
        place = place or line_of(type(game))
        raise BadGame(f"{place}: {what} of {name_of(game)} raised {told(error)}; {right}") from error


def check_class(kind: type) -> None:
    """Refuse a game's class with mistaken parameters. Raises BadGame."""
    if not dataclasses.is_dataclass(kind):
        raise BadGame(f"{line_of(kind)}: the class {kind.__name__} must be marked @dataclass(frozen=True)")
    if kind.__hash__ is None:
        raise BadGame(f"{line_of(kind)}: the class {kind.__name__} must be frozen: @dataclass(frozen=True)")
    if not _is_integer_type(kind.dtype):  # type: ignore[attr-defined]
        raise BadGame(
            f"{line_of(kind)}: `dtype` of the class {kind.__name__} is {kind.dtype!r}: "  # type: ignore[attr-defined]
            "expected a type of whole numbers, such as np.int8 or np.int16"
        )
    _check_values(kind)
    _check_methods(kind)
    for field in dataclasses.fields(kind):
        if field.name in OF_CLASS:
            raise BadGame(
                f"{_line_of_field(kind, field.name)}: `{field.name}` is of the class {kind.__name__}, not a parameter of the "
                f"game: write {field.name}: ClassVar[{getattr(field.type, '__name__', field.type)}] = {field.default!r}, or "
                f"{field.name} = {field.default!r}"
            )


def _check_values(kind: Any) -> None:
    """Refuse a class whose `values` name no value rule; a property tells them of each game."""
    from searchbench.values import SHIPPED, ValueRule

    values = kind.values
    if not isinstance(values, (ValueRule, property)) and not (isinstance(values, str) and values in SHIPPED):
        raise BadGame(
            f"{line_of(kind)}: `values` of the class {kind.__name__} is {values!r}: expected distance (a puzzle), outcome or "
            f"score (two players), another of {', '.join(SHIPPED)}, or a searchbench.ValueRule"
        )


def _check_methods(kind: Any) -> None:
    """Refuse a class that has anything else by the name of a method of Game, such as ``known = {}``. Raises BadGame."""
    game = next(one for one in kind.__mro__ if one.__module__ == f"{__package__}.game")
    parameters = {field.name for field in dataclasses.fields(kind)}
    for name, method in vars(game).items():
        if name.startswith("_") or not isinstance(method, types.FunctionType):
            continue
        value = inspect.getattr_static(kind, name)
        if name in parameters:
            wrong = f"is a parameter: choose another name, as every game has a method {name}()"
        elif isinstance(value, property):
            wrong = f"is a property: {_as_defined(method)}"
        elif not callable(value) and not isinstance(value, staticmethod | classmethod):
            wrong = f"is {value!r}: {_as_defined(method)}"
        else:
            continue
        place = line_of(value.fget) if isinstance(value, property) else _line_of_field(kind, name)
        raise BadGame(f"{place}: `{name}` of the class {kind.__name__} {wrong}")


def _as_defined(method: types.FunctionType) -> str:
    return f"expected a method, def {method.__name__}({', '.join(inspect.signature(method).parameters)})"


def _is_integer_type(dtype: Any) -> bool:
    try:
        return np.dtype(dtype).kind in "iu"
    except TypeError:
        return False


def _line_of_field(kind: type, name: str) -> str:
    """Return the place of a field's definition, else that of the class."""
    for one in kind.__mro__:
        try:
            lines, first = inspect.getsourcelines(one)
        except (OSError, TypeError):
            continue
        for place, line in enumerate(lines):
            if line.strip().startswith((f"{name}:", f"{name} =")):
                return f"{inspect.getsourcefile(one)}, line {first + place}"
    return line_of(kind)


def checked_sizes(game: Any) -> None:
    """Check a game's width and maximum number of moves. Raises BadGame."""
    for name, least in (("width", 1), ("max_moves", 0), ("max_unmoves", 0), ("places", 1)):
        with calling(game, f"`{name}`", "return a whole number"):
            value = getattr(game, name)
        wrong = ""
        if isinstance(value, types.MethodType):
            wrong = "is a method: write @property above it"
        elif not is_whole(value) or not least <= value <= LARGEST_SIZE:
            wrong = f"is {value!r}: expected a whole number, {least} to {LARGEST_SIZE:,}"
        if wrong:
            place = line_of(_getter(type(game), name)) or line_of(type(game))
            raise BadGame(f"{place}: `{name}` of {name_of(game)} {wrong}")


def checked_result(game: Any, state: Sequence[int], result: Any) -> int:
    """Return what ``terminal`` returned for a state as a number. Raises BadGame where it is none."""
    try:
        return int(result)
    except (TypeError, ValueError):
        place = line_of(game.names(target="interpreted")["terminal"])
        raise BadGame(
            f"{place}: `terminal` of {name_of(game)} returned {result!r} for the state {list(state)}: expected UNDECIDED, or a "
            "number: 0 for a solved puzzle, the result for two players"
        ) from None


def _getter(kind: type, name: str) -> Any:
    found = inspect.getattr_static(kind, name, None)
    return found.fget if isinstance(found, property) else found


def check_parts(game: Any) -> None:
    """Check that ``parts()`` returns parts. Raises BadGame."""
    right = 'expected a list of searchbench.Part(name, start, stop, needs), such as [Part("all", 0, size, ("all",))]'
    with calling(game, "parts()", right):
        found = game.parts()
    source = place_of(game, "parts")
    if not isinstance(found, Sequence):
        raise BadGame(f"{source} returns {found!r}: {right}")
    if not found and game.checked_index() is not None:
        raise BadGame(f"{source} returns {found!r}: {right}")
    for part in found:
        if not isinstance(part, Part) or isinstance(part.needs, str):
            raise BadGame(f"{source} returns {part!r} among others: {right}")


@lru_cache(maxsize=128)
def index_size(game: Any) -> int:
    """Return how many numbers the index of a game has, 0 without an index."""
    return line_size(game.parts())


def room_for(most: int) -> int:
    """Return how many moves there is room for where a game writes at most so many: a list that is too long is still found out."""
    return 4 * most + 64


def check_drawing(game: Any, state: Sequence[int]) -> None:
    """Check that a state can be written and drawn. Raises BadGame."""
    with calling(game, "format()", f"it was asked about the state {list(state)}"):
        text = game.format(tuple(state))
    if not isinstance(text, str):
        raise BadGame(f"{place_of(game, 'format')} returned {text!r}: expected a text of one line")
    with calling(game, "board()", "expected a searchbench.Board, or None"):
        board = game.board()
    if board is None:
        return
    if not isinstance(board, Board):
        raise BadGame(f"{place_of(game, 'board')} returned {board!r}: expected a searchbench.Board, or None")
    with calling(game, "pieces()", f"it was asked about the state {list(state)}"):
        pieces = game.pieces(tuple(state))
    if not (
        isinstance(pieces, Sequence) and len(pieces) == len(board.cells) and all(isinstance(p, str) for p in pieces)
    ):
        if type(game).pieces.__module__ == f"{__package__}.game":  # the default, which has the cells of the state
            raise BadGame(
                f"{place_of(game, 'board')} returned a board of {len(board.cells)} cells, and a state has {game.width}: supply "
                "pieces(state), which returns a text for each cell of the board"
            )
        raise BadGame(
            f"{place_of(game, 'pieces')} returned {pieces!r}: expected a text for each of the {len(board.cells)} cells of board()"
        )


def name_of(game: Any) -> str:
    """Return a game's name for messages."""
    return f"the game {(game.name or type(game).__name__)!r}"


def place_of(game: Any, method: str) -> str:
    """Return the place of a game's method: ``file.py, line 12: rules() of the game 'mine'``."""
    place = line_of(getattr(type(game), method))
    return f"{place}: {method}() of {name_of(game)}" if place else f"{method}() of {name_of(game)}"


def checked_rules(game: Any, functions: Any, data: Any) -> dict[str, Any]:
    """Return the result of ``rules()`` if it maps the contract's names to functions. Raises BadGame.

    `data` is the result of ``data()``.
    """
    right = 'expected a mapping of names to functions, such as return {"start": start, "moves": moves, ...}'
    source = place_of(game, "rules")
    if functions is None:
        raise BadGame(f"{source} returns nothing (None): {right}")
    if not isinstance(functions, Mapping):
        raise BadGame(f"{source} returns {functions!r}: {right}")
    for name, function in functions.items():
        if not isinstance(name, str) or slot_named(name) is None:
            raise BadGame(f"{source} has the name {name!r}, {_unknown(name)}")
        if isinstance(slot_named(name), Constant):
            continue
        plain = plain_function(function)
        if not isinstance(plain, types.FunctionType):
            raise BadGame(f"{source} gives {function!r} for {name!r}: expected a function {_signature(name)}")
        if _check_parameters(game, name, plain) and data is None:
            place = line_of(plain) or line_of(type(game))
            raise BadGame(f"{place}: {name!r} of {name_of(game)} asks for `data`, but data() returns nothing (None)")
    return dict(functions)


def _unknown(name: Any) -> str:
    """Return the rest of a message on a name outside the contract, with suggestions."""
    near = difflib.get_close_matches(str(name).lower(), contracts(), 1, 0.6)
    if near:
        return f"which is not in the contract: did you mean {near[0]!r}? ({GUIDE} lists all names)"
    return f"which is not in the contract: there are {', '.join(MAIN)} and others ({GUIDE} lists all names)"


@cache
def _parameters(name: str) -> list[str]:
    return list(inspect.signature(slot_named(name)).parameters)


def _signature(name: str) -> str:
    return f"{name}({', '.join(_parameters(name))})"


def _check_parameters(game: Any, name: str, function: types.FunctionType) -> bool:
    """Tell whether a function asks for the data. Raises BadGame where it does not take the parameters of its name."""
    wanted = _parameters(name)
    with_data = asks_for_data(function) and PARAMETER not in wanted
    if not _takes(function, len(wanted) + with_data):
        place = line_of(function) or line_of(type(game))
        own = f"{function.__name__}{inspect.signature(function)}"
        raise BadGame(f"{place}: {name_of(game)} supplies {own} as {name!r}: expected {_signature(name)}")
    return with_data


def _takes(function: types.FunctionType, count: int) -> bool:
    """Tell whether a function can be called with so many arguments: its code knows, and a signature takes long to make."""
    code = function.__code__
    if code.co_kwonlyargcount > len(function.__kwdefaults__ or {}):
        return False
    most = count if code.co_flags & inspect.CO_VARARGS else code.co_argcount
    return code.co_argcount - len(function.__defaults__ or ()) <= count <= most
