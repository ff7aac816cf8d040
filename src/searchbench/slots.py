"""Slots: names that a binding may fill with functions, or with constants that select the compiled code.

A module declares a replaceable function with ``@slot``; its body is the default. A constant that a kernel needs, such
as whether a search orders moves, is declared with :func:`constant`: a binding puts its value into the code before types
are inferred, so excluded branches cost nothing. A slot's name is unique in the package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar, overload

_Function = TypeVar("_Function", bound=Callable[..., Any])

SLOTS: Final[dict[str, Callable[..., Any] | Constant]] = {}
"""Every slot of the modules imported so far, by name."""


class Constant:
    """A placeholder in kernels for a value that a binding supplies."""

    def __init__(self, name: str, default: Any, module: str) -> None:
        self.name = name
        self.default = default
        self.__module__ = module

    def __repr__(self) -> str:
        return f"<constant {self.name}, by default {self.default}>"

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} has its value in bound kernels only")


@overload
def slot(function: _Function) -> _Function: ...


@overload
def slot(*, required: bool) -> Callable[[_Function], _Function]: ...


def slot(function: Any = None, *, required: bool = False) -> Any:
    """Declare a function that a binding may replace by name; a `required` one has no default."""

    def declare(declared: Any) -> Any:
        declared.required = required
        return _register(declared.__name__, declared)

    return declare if function is None else declare(function)


def constant(name: str, default: Any) -> Any:
    """Declare a number or truth value that a binding may supply; kernels see it as a literal."""
    return _register(name, Constant(name, default, sys._getframe(1).f_globals["__name__"]))


@cache
def contracts() -> Mapping[str, Callable[..., Any] | Constant]:
    """Return every slot of the package's contracts: of the rules of a game, and of every module named ``contract``."""
    package = Path(__file__).parent
    at_top = [package / f"{name}.py" for name in ("abstraction", "duality", "hashing", "rules")]
    for file in sorted([*at_top, *package.rglob("contract.py")]):
        import_module(".".join([package.name, *file.relative_to(package).with_suffix("").parts]))
    return dict(SLOTS)


def slot_named(name: str) -> Any:
    """Return the slot with a name, or None; import all contracts if no module imported so far has it."""
    return SLOTS[name] if name in SLOTS else contracts().get(name)


def is_slot(value: Any) -> bool:
    """Tell whether a function or a constant is a slot."""
    name = value.name if type(value) is Constant else getattr(value, "__name__", None)
    return name is not None and SLOTS.get(name) is value


def _register(name: str, declared: Any) -> Any:
    known = SLOTS.get(name)
    if known is not None and _home(known) != _home(declared):
        raise ValueError(f"slot {name!r} is declared twice: by {_home(known)} and by {_home(declared)}")
    SLOTS[name] = declared
    return declared


def _home(declared: Any) -> str:
    return str(declared.__module__)
