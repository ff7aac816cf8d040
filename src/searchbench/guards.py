"""Refuse lists of moves that are longer than their game says, in machine code, which would write beyond its arrays.

Interpreted, Python refuses them by itself. The rules of shipped games are trusted: tests try their laws.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, Final

from searchbench.errors import BadGame
from searchbench.jit.data import asks_for_data
from searchbench.jit.references import plain_function
from searchbench.user_code import name_of

WRITERS: Final = {
    "moves": "max_moves", "conversions": "max_moves", "unmoves": "max_unmoves", "unmoves_within": "max_unmoves",
}  # fmt: skip
"""The functions that write a list of moves, and the property of a game that says how many these are at most."""


def is_trusted(game: Any) -> bool:
    """Tell whether a game is one of this package, whose laws are tested."""
    return type(game).__module__.partition(".")[0] == __name__.partition(".")[0]


def guarded(functions: Mapping[str, Any], game: Any) -> dict[str, Any]:
    """Return the functions of a game; those that write lists of moves raise BadGame for one that is too long."""
    guards = {}
    for name, limit in WRITERS.items():
        function = plain_function(functions.get(name))
        if isinstance(function, types.FunctionType):
            most = getattr(game, limit)
            message = (
                f"`{name}` of {name_of(game)} wrote more moves than `{limit}` says, {most}: `searchbench check` shows a state "
                "where it does"
            )
            guards[name] = _guard(function, most, message)
    return {**functions, **guards}


def _guard(function: types.FunctionType, most: int, message: str) -> Callable[..., int]:
    """Return a function that calls another one, and counts what it wrote."""

    def guard(state: Any, out: Any) -> int:
        count = function(state, out)
        if count > most:
            raise BadGame(message)
        return int(count)

    def guard_with_data(state: Any, out: Any, data: Any) -> int:
        count = function(state, out, data)
        if count > most:
            raise BadGame(message)
        return int(count)

    return guard_with_data if asks_for_data(function) else guard
