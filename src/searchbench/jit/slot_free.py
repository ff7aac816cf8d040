"""Functions of this package that reach no slot: interpreted, they are bound once for all games."""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from searchbench.jit.backends import Target
from searchbench.jit.intrinsics import INTRINSICS
from searchbench.jit.references import is_library, names_in, plain_function
from searchbench.slots import Constant, is_slot

_Reference = tuple[dict[str, Any], str, Any]
"""The globals of a module, a name in them, and its value."""


class SlotFree:
    """Keep what was made of functions, as long as all that they refer to stays the same."""

    def __init__(self) -> None:
        self._kept: dict[types.FunctionType, tuple[Any, list[_Reference]] | None] = {}

    def made(self, function: types.FunctionType, make: Callable[[], Any]) -> Any:
        """Return what was made of a function before, or is made of it."""
        kept = self._kept.get(function)
        if kept is not None and all(known.get(name) is value for known, name, value in kept[1]):
            return kept[0]
        found = make()
        if _stays(function) and (kept is not None or function not in self._kept):
            references = _reached(function)
            self._kept[function] = None if references is None else (found, references)
        return found


@lru_cache
def slot_free(target: Target) -> SlotFree:
    """Return what is kept for a target."""
    return SlotFree()


def _stays(function: types.FunctionType) -> bool:
    """Tell a module's function of this package from a user's, and from one that a call has made and that goes with its game."""
    package = (function.__module__ or "").partition(".")[0]  # no module: written at a prompt
    return function.__closure__ is None and package == __name__.partition(".")[0]


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
