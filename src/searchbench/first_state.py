"""Checks of a game's functions at its start, before a solver compiles them, and of its parts and its index."""

from __future__ import annotations

import dis
import types
from functools import lru_cache
from typing import Any, Final

import numpy as np

from searchbench import rules
from searchbench.errors import BadGame, line_of
from searchbench.index.protocol import Part, line_size
from searchbench.jit.references import plain_function
from searchbench.user_code import calling, check_drawing, check_parts, is_whole, name_of, place_of, room_for


def check_first_state(game: Any) -> None:
    """Check a game's basic functions on its start, interpreted, for mistakes that machine code would not report. Raises BadGame.

    A solver calls it before it compiles anything; `searchbench check` tests many states.
    """
    try:
        hash(game)
    except TypeError:
        game.names()  # tells which parameters are not hashable
    _check_first_state(game)


@lru_cache(maxsize=128)
def _check_first_state(game: Any) -> None:
    game.names()  # its class, its sizes and its rules first
    check_parts(game)
    _check_division(game)
    if not game.has("start", "terminal", "moves"):
        return
    start = [0] * game.width
    _write(game, "start", start)
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
        if not (is_whole(value) and limits.min <= value <= limits.max):
            raise BadGame(
                f"{line_of(writer)}: {what} {value!r} into cell {cell}: expected whole numbers of the game's dtype, "
                f"{limits.min} .. {limits.max} (another one is chosen with dtype = np.int16, say)"
            )


def _check_is_position(game: Any, start: list[int]) -> None:
    """Check that the start can occur, and that its representative stands for itself."""
    legal = _answer(game, "legal", list(start)) if game.has("legal") else True
    if legal is None:
        raise BadGame(f"{_returned(game, 'legal', legal)} for the start: expected True or False")
    if not legal:
        raise BadGame(
            f"{line_of(_own(game, 'legal'))}: `legal` of {name_of(game)} says that the start {start} cannot occur"
        )
    if game.has("canonical"):
        one = list(start)
        _write(game, "canonical", one)
        again = list(one)
        _write(game, "canonical", again)
        if again != one:
            raise BadGame(
                f"{line_of(_own(game, 'canonical'))}: `canonical` of {name_of(game)} makes {one} of the start {start}, and "
                f"{again} of that: a representative must stand for itself"
            )


_FIRST_MOVES: Final = 4
"""How many moves of the start are tried: a shipped game has some hundred, and each is interpreted."""


def _check_first_moves(game: Any, start: list[int], moves: list[int]) -> None:
    for move in moves:
        if not is_whole(move):
            raise BadGame(
                f"{line_of(_own(game, 'moves'))}: `moves` of {name_of(game)} wrote {move!r} as a move of the start: expected a "
                "whole number (`//` divides without a fraction)"
            )
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
            _write(game, "play", back, move)
            _write(game, "unplay", back, move)
            if back != start:
                raise BadGame(
                    f"{line_of(_own(game, 'unplay'))}: `unplay` of {name_of(game)} makes {back} of the start {start} "
                    f"after `play` with move {move}: expected the start again"
                )


def _write(game: Any, name: str, *arguments: Any) -> None:
    """Call a function that changes the state; refuse one that returns another state in its place."""
    found = _answer(game, name, *arguments)
    if found is not None:
        raise BadGame(
            f"{_returned(game, name, found)}: expected that it writes into the cells of `state`, and returns nothing"
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
        size = line_size(game.parts())
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
    if not is_whole(found):
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


def _check_division(game: Any) -> None:
    """Check that the parts divide the numbers of the index, and need one another by their names. Raises BadGame."""
    fault = fault_of_parts(game)
    if fault:
        raise BadGame(f"{place_of(game, 'parts')} returns parts {fault}")


def fault_of_parts(game: Any) -> str:
    """Return what is wrong with the division of the numbers into parts, "" if nothing."""
    declared = sorted(game.parts(), key=lambda part: (part.start, part.stop))
    names = [part.name for part in declared]
    if len(set(names)) < len(names):
        return f"of the same name: {', '.join(names)}"
    stop = 0
    for part in declared:
        if part.start != stop or part.stop < part.start:
            return f"that do not follow one another: {_interval(part)}, and the parts before end with number {stop - 1}"
        stop = part.stop
        for need in part.needs:
            if need not in names:
                return f"of which {part.name!r} needs {need!r}, which is none: {', '.join(names)}"
    index = None if "rank" in game.rules() or game.has("blank") else game.checked_index()  # else numbers are its own
    if index is not None and stop != index.size:
        return f"with the numbers 0 to {stop - 1}; the index has those to {index.size - 1}"
    return ""


def _interval(part: Part) -> str:
    return f"{part.name!r} has the numbers from {part.start} to {part.stop - 1}"
