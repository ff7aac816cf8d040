"""Functions of this package that reach no slot: interpreted, they are bound once for all games."""

from __future__ import annotations

import types
from typing import Any

from searchbench.jit.intrinsics import INTRINSICS
from searchbench.jit.references import is_library, names_in, plain_function
from searchbench.slots import Constant, is_slot

_Reference = tuple[dict[str, Any], str, Any]
"""The globals of a module, a name in them, and its value."""


class SlotFree:
    """Keep what was made of functions, as long as all that they refer to stays the same."""

    def __init__(self) -> None:
        self._made: dict[types.FunctionType, tuple[Any, list[_Reference]] | None] = {}

    def find(self, function: types.FunctionType) -> Any:
        """Return what was made of a function, or None."""
        kept = self._made.get(function)
        if kept is None or not all(known.get(name) is value for known, name, value in kept[1]):
            return None
        return kept[0]

    def keep(self, function: types.FunctionType, made: Any) -> None:
        """Keep what was made of a function of a module of this package, unless it reaches a slot."""
        if self._made.get(function, made) is None or not _stays(function):
            return
        found = _reached(function)
        self._made[function] = None if found is None else (made, found)


def _stays(function: types.FunctionType) -> bool:
    """Tell a module's function from one that a call has made, which is let go with its game."""
    return function.__closure__ is None and function.__module__.partition(".")[0] == __name__.partition(".")[0]


def _reached(function: types.FunctionType) -> list[_Reference] | None:
    """Return all references that a function reaches; None if there are slots or functions of a user's among them."""
    found: list[_Reference] = []
    queue, seen = [function], {function}
    while queue:
        one = queue.pop()
        if is_slot(one) or not _stays(one):
            return None
        if one in INTRINSICS or hasattr(one, "zeros"):
            continue
        known = one.__globals__
        for name in names_in(one.__code__):
            if name not in known:
                continue
            value = known[name]
            found.append((known, name, value))
            if isinstance(value, Constant) or (isinstance(value, types.ModuleType) and not is_library(value)):
                return None
            value = plain_function(value)
            if isinstance(value, types.FunctionType) and value not in seen:
                seen.add(value)
                queue.append(value)
    return found
