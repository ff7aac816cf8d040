"""What a function refers to, and the functions that stand for the contract's names."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar

from searchbench.errors import MissingRule
from searchbench.jit.backends import Target
from searchbench.jit.intrinsics import INTRINSICS
from searchbench.slots import SLOTS, Constant, is_slot

_Function = TypeVar("_Function", bound=Callable[..., Any])
_NUMBERS: Final = frozenset((bool, int, float))


@lru_cache(maxsize=8192)
def names_in(code: types.CodeType) -> tuple[str, ...]:
    """Return the globals and attributes that a function's code names, with those of the functions in it."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(names_in(constant)))
    return tuple(names)


def references(function: types.FunctionType) -> dict[str, Any]:
    """Return the globals that a function names, and the values in its closure."""
    code, known = function.__code__, function.__globals__
    found = {name: known[name] for name in names_in(code) if name in known}
    if function.__closure__:
        for name, cell in zip(code.co_freevars, function.__closure__, strict=True):
            found[name] = cell.cell_contents
    return found


def is_library(module: types.ModuleType) -> bool:
    """Tell a module of Python or of an installed library, whose version stands in the fingerprint, from a user's own."""
    top = module.__name__.partition(".")[0]
    return top in sys.stdlib_module_names or top in {"numpy", "numba"}


class Names(dict[str, Any]):
    """Hold the functions and constants that fill slots; bound kernels share their common functions.

    `target` is the functions' backend: interpreted ones hand out lists, compiled ones arrays. `data` is handed
    to the rules that ask for it (:mod:`searchbench.jit.data`).
    """

    def __init__(self, filled: Mapping[str, Any], target: Target = "cpu", data: Any = None) -> None:
        super().__init__(filled)
        self.target = target
        self.data = data
        self.bound: dict[tuple[Any, str], Any] = {}
        self._with: dict[tuple[Any, ...], Names] = {}

    def with_(self, **filled: Any) -> Names:
        """Return these names with some replaced or added: the same, with all that is bound, for the same ones."""
        if not filled:
            return self
        made = Names({**self, **filled}, self.target, self.data)
        if not all(map(_lasts, filled.values())):
            return made
        return self._with.setdefault(tuple((name, type(value), value) for name, value in filled.items()), made)

    def without(self, *names: str) -> Names:
        """Return these names less some, whose slots have their defaults again."""
        return Names({name: value for name, value in self.items() if name not in names}, self.target, self.data)

    def constant(self, declared: Any) -> Any:
        """Return the value of a declared constant."""
        return self.get(declared.name, declared.default)


def _lasts(value: Any) -> bool:
    """Tell a number or a module's function from one that a call has made, which is let go with what it refers to."""
    if isinstance(value, types.FunctionType):
        return value.__closure__ is None and "<locals>" not in value.__qualname__
    return type(value) in _NUMBERS


def plain_function(function: Any) -> types.FunctionType:
    """Return the Python function, also of one that a user compiled already."""
    plain: types.FunctionType = getattr(function, "py_func", function)
    return plain


def resolve(function: types.FunctionType, names: Mapping[str, Any], kernel: str) -> types.FunctionType:
    """Return the function that stands for `function`: itself, unless it is a slot."""
    if not is_slot(function):
        return function
    supplied: Any = names.get(function.__name__)
    if supplied is not None:
        return plain_function(supplied)  # a user may have compiled it already
    if getattr(function, "required", False):
        raise MissingRule(kernel, function.__name__)
    return function


def reached(kernel: Callable[..., Any], names: Mapping[str, Any] | None = None) -> set[str]:
    """Return the names of the slots that a kernel reaches once `names` are in place: its needs of a game."""
    found: set[str] = set()
    seen: set[int] = set()
    queue: list[Any] = [kernel]
    while queue:
        value = queue.pop()
        if isinstance(value, Constant):
            found.add(value.name)
            continue
        if not isinstance(value, types.FunctionType) or id(value) in seen or value in INTRINSICS:
            continue
        seen.add(id(value))
        if is_slot(value):
            found.add(value.__name__)
            if not names or value.__name__ not in names:
                queue.extend(() if getattr(value, "required", False) else references(value).values())
                continue
            value = plain_function(names[value.__name__])
        queue.extend(references(value).values())
    return found


def missing(kernel: Callable[..., Any], names: Mapping[str, Any]) -> set[str]:
    """Return the names without a default that a kernel reaches and `names` does not supply."""
    return {name for name in reached(kernel, names) - set(names) if getattr(SLOTS[name], "required", False)}


def inlined(function: _Function) -> _Function:
    """Ask the compiler to put a function into its callers: worth it where it is small and called for each node."""
    function.inlined = True  # type: ignore[attr-defined]
    return function
