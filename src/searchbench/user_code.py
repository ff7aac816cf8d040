"""Validation of user-defined games before use."""

from __future__ import annotations

import dataclasses
import difflib
import dis
import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

from searchbench import rules
from searchbench.board import Board
from searchbench.errors import BadGame, BadRequest, SearchBenchError, line_of, raised_in, told
from searchbench.index.protocol import Part
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


def _is_whole(value: Any) -> bool:
    """Tell whether a value is a whole number, and no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


@contextmanager
def calling(game: Any, what: str, right: str) -> Iterator[None]:
    """Turn an exception from a game's method into BadGame, with the place, the game, and the correct form."""
    try:
        yield
    except BadRequest as error:
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
    for field in dataclasses.fields(kind):
        if field.name in OF_CLASS:
            raise BadGame(
                f"{_line_of_field(kind, field.name)}: `{field.name}` is of the class {kind.__name__}, not a parameter of the "
                f"game: write {field.name}: ClassVar[{getattr(field.type, '__name__', field.type)}] = {field.default!r}, or "
                f"{field.name} = {field.default!r}"
            )


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
            if line.strip().startswith(f"{name}:"):
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
        elif not _is_whole(value) or not least <= value <= LARGEST_SIZE:
            wrong = f"is {value!r}: expected a whole number, {least} to {LARGEST_SIZE:,}"
        if wrong:
            place = line_of(_getter(type(game), name)) or line_of(type(game))
            raise BadGame(f"{place}: `{name}` of {name_of(game)} {wrong}")


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


def check_first_state(game: Any) -> None:
    """Check a game's basic functions on its start, interpreted, for mistakes that machine code would not report. Raises BadGame.

    A solver calls it before it compiles anything; `searchbench check` tests many states.
    """
    try:
        hash(game)
    except TypeError:
        game.names()  # tells which parameters are not hashable
    _check_first_state(game)


def room_for(most: int) -> int:
    """Return how many moves there is room for where a game writes at most so many: a list that is too long is still found out."""
    return 4 * most + 64


@lru_cache(maxsize=128)
def _check_first_state(game: Any) -> None:
    game.names()  # its class, its sizes and its rules first
    check_parts(game)
    if not game.has("start", "terminal", "moves"):
        return
    start = [0] * game.width
    _answer(game, "start", start)
    _check_cells(game, _own(game, "start"), f"`start` of {name_of(game)} writes", start)
    _check_is_position(game, start)
    check_drawing(game, start)
    result = _whole(game, "terminal", "UNDECIDED, or a number: 0 for a solved puzzle", start)
    if result != rules.UNDECIDED and game.two_players:
        return  # no moves to check
    room = room_for(game.max_moves)
    out = [0] * room
    count = _whole(game, "moves", "how many moves it has written", start, out)
    if len(out) > room:
        raise BadGame(
            f"{line_of(_own(game, 'moves'))}: `moves` of {name_of(game)} appends to `out`: write out[count] = move"
        )
    if not 0 <= count <= game.max_moves:
        raise BadGame(f"{_returned(game, 'moves', count)} for the start: max_moves is {game.max_moves}")
    _check_first_moves(game, start, out[: min(count, _FIRST_MOVES)])
    _check_returns(game)


def _check_returns(game: Any) -> None:
    """Refuse a function that can end without a `return`, where only some states would show it."""
    for name in _NUMBERS:
        function = plain_function(_own(game, name)) if game.has(name) else None
        if isinstance(function, types.FunctionType) and _can_return_nothing(function.__code__):
            raise BadGame(
                f"{line_of(function)}: `{name}` of {name_of(game)} can end without a return, and then gives None: expected a "
                "number on every way through it"
            )


_NUMBERS: Final = ("terminal", "moves", "unmoves", "cost", "gain", "mobility", "conversions", "rank")
"""Functions that always return a number."""


@lru_cache(maxsize=1024)
def _can_return_nothing(code: types.CodeType) -> bool:
    before = None
    for one in dis.get_instructions(code):
        if one.opname == "RETURN_CONST" and one.argval is None:
            return True
        if (
            one.opname == "RETURN_VALUE"
            and before is not None
            and before.opname == "LOAD_CONST"
            and before.argval is None
        ):
            return True
        before = one
    return False


def _check_cells(game: Any, writer: Any, what: str, state: list[int]) -> None:
    """Check that the cells that were written fit the game's dtype; `what` names the function or class that wrote them."""
    limits = np.iinfo(game.dtype)
    for cell, value in enumerate(state):
        if not (_is_whole(value) and limits.min <= value <= limits.max):
            raise BadGame(
                f"{line_of(writer)}: {what} {value!r} into cell {cell}: expected whole numbers of the game's dtype, "
                f"{limits.min} .. {limits.max} (another one is chosen with dtype = np.int16, say)"
            )


def _check_is_position(game: Any, start: list[int]) -> None:
    """Check that the start can occur, and that its representative stands for itself."""
    if game.has("legal") and not _answer(game, "legal", list(start)):
        raise BadGame(
            f"{line_of(_own(game, 'legal'))}: `legal` of {name_of(game)} says that the start {start} cannot occur"
        )
    if game.has("canonical"):
        one = list(start)
        _answer(game, "canonical", one)
        again = list(one)
        _answer(game, "canonical", again)
        if again != one:
            raise BadGame(
                f"{line_of(_own(game, 'canonical'))}: `canonical` of {name_of(game)} makes {one} of the start {start}, and "
                f"{again} of that: a representative must stand for itself"
            )


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
        raise BadGame(
            f"{place_of(game, 'pieces')} returned {pieces!r}: expected a text for each of the {len(board.cells)} cells of board()"
        )


_FIRST_MOVES: Final = 4
"""How many moves of the start are tried: a shipped game has some hundred, and each is interpreted."""


def _check_first_moves(game: Any, start: list[int], moves: list[int]) -> None:
    for move in moves:
        with calling(game, "format_move()", "it was asked about a move of the start"):
            text = game.format_move(tuple(start), int(move))
        if not isinstance(text, str):
            raise BadGame(
                f"{place_of(game, 'format_move')} returned {text!r} for move {move} of the start: expected a text"
            )
        for name in ("cost", "gain"):
            if game.has(name):
                found = _whole(game, name, "a whole number", start, move)
                if name == "cost" and found < 0:
                    raise BadGame(
                        f"{_returned(game, name, found)} for move {move} of the start: a cost must be positive"
                    )
        if game.has("play", "unplay"):
            back = list(start)
            _answer(game, "play", back, move)
            _answer(game, "unplay", back, move)
            if back != start:
                raise BadGame(
                    f"{line_of(_own(game, 'unplay'))}: `unplay` of {name_of(game)} makes {back} of the start {start} "
                    f"after `play` with move {move}: expected the start again"
                )


def check_number_of_start(game: Any) -> None:
    """Check that the start has a number, which is its own. Raises BadGame.

    A solver of all states calls it after `check_first_state`: a wrong index would have it solve other states than the game's.
    """
    if not game.has("start", "terminal", "rank", "unrank"):
        return
    with calling(game, "the index", "it was asked for the number of the start"):
        start = game.start()
        number = game.rank(start)
        if number == rules.NOWHERE and game.terminal(start) != rules.UNDECIDED:
            return
        size = max(part.stop for part in game.parts())
        outside = not 0 <= number < size
        back, right = [] if outside else game.unrank_like(number, start), game.canonical(start)
    fit = "`rank` and `unrank`, or the bases and counts of index(), do not fit the states"
    if outside:
        raise BadGame(
            f"{line_of(type(game))}: {name_of(game)} starts with {right}, which the index does not number: {fit}"
        )
    if back != right:
        raise BadGame(
            f"{line_of(type(game))}: {name_of(game)} starts with {right}, whose number {number} is that of {back}: {fit}"
        )
    with calling(game, "the index", "it was asked for the state of its last number"):
        last = game.unrank(size - 1)
    what = f"for its last number, {size - 1}, the index of {name_of(game)} writes"
    _check_cells(game, type(game), what, last)


def _answer(game: Any, name: str, state: list[int], *arguments: Any) -> Any:
    """Return what a function of a game says of its start. Raises BadGame where it fails."""
    with calling(game, f"`{name}`", "it was asked about the start"):
        return game.call(name, state, *arguments)


def _whole(game: Any, name: str, right: str, start: list[int], *arguments: Any) -> int:
    """Return the whole number that a function of a game says of its start, which it must leave as it is. Raises BadGame."""
    state = list(start)
    found = _answer(game, name, state, *arguments)
    if not _is_whole(found):
        raise BadGame(f"{_returned(game, name, found)} for the start: expected {right}")
    if state != start:
        raise BadGame(
            f"{line_of(_own(game, name))}: `{name}` of {name_of(game)} changes the start {start} to {state}: only `play`, "
            "`unplay` and `canonical` may change a state"
        )
    return int(found)


def _own(game: Any, name: str) -> Any:
    """Return a function as the game supplies it: for machine code some are guarded (:mod:`searchbench.guards`)."""
    return game.names(target="interpreted")[name]


def _returned(game: Any, name: str, found: Any) -> str:
    return f"{line_of(_own(game, name))}: `{name}` of {name_of(game)} returned {found!r}"


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
