"""Put a game's functions in the place of the contract's names in a kernel."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from searchbench.jit.arrays import by_address
from searchbench.jit.compiling import compile_inner, compile_kernel
from searchbench.jit.fingerprint import fingerprint, own_digest
from searchbench.jit.intrinsics import INTRINSICS
from searchbench.jit.references import Names, Target, is_library, names_in, references, resolve

PACKAGE: Final = __name__.rpartition(".")[0]


class _Whole(np.ndarray[Any, Any]):
    """Read the numbers of an array as Python's own: numpy's overflow and mix types unlike compiled code."""

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return found.item() if isinstance(found, np.generic) else found


def _whole(value: Any) -> Any:
    if isinstance(value, tuple):  # a record of arrays, or a heuristic's tables
        made = getattr(type(value), "_make", tuple)
        return made(map(_whole, value))
    return value.view(_Whole) if isinstance(value, np.ndarray) else value


def _interpreted(function: types.FunctionType) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        return function(*map(_whole, arguments))

    return call


def bind(kernel: Callable[..., Any], names: Names, target: Target | None = None) -> Any:
    """Return the kernel with the functions of `names` in the place of the contract's, compiled or interpreted.

    `target` is by default what the names were made for. Raises MissingRule when the kernel reaches a name without
    default that `names` does not supply. Compilation happens at the first call with arguments of new types, or is read
    from the cache of an earlier process.
    """
    assert isinstance(kernel, types.FunctionType)
    target = target or names.target
    key = (kernel, target)
    if key not in names.bound:
        bound = _Binder(kernel.__name__, names, target).function(kernel, entry=True)
        names.bound[key] = bound if target == "cpu" else _interpreted(bound)
    return names.bound[key]


class _Binder:
    def __init__(self, kernel: str, names: Names, target: Target) -> None:
        self.kernel = kernel
        self.names = names
        self.target = target
        self.modules: dict[tuple[types.ModuleType, types.FunctionType], types.ModuleType] = {}

    def function(self, function: types.FunctionType, entry: bool = False) -> Any:
        """Return the function with all that it refers to bound; Python calls an `entry`, kernels call all others."""
        function = resolve(function, self.names, self.kernel)
        if function in INTRINSICS:
            return INTRINSICS[function] if self.target == "cpu" else function
        key = (function, f"{self.target} {'entry' if entry else 'inner'}")
        if key in self.names.bound:
            return self.names.bound[key]
        bound = self._copy(function)
        result: Any = bound
        if self.target == "cpu":
            result = compile_kernel(bound) if entry else compile_inner(bound, hasattr(function, "inlined"))
        self.names.bound[key] = result  # before its references are bound: they may refer back to it
        self._fill(function, bound)
        return result

    def _copy(self, function: types.FunctionType) -> types.FunctionType:
        cells = tuple(types.CellType() for _ in function.__code__.co_freevars)
        # What is kept on disk names its module, which must be there in any process: a user's file may have moved by then.
        module = PACKAGE if self.target == "cpu" else function.__module__
        namespace = {"__name__": module, "__builtins__": function.__globals__.get("__builtins__")}
        bound = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, cells)
        bound.__module__ = module
        bound.__qualname__ = function.__qualname__
        if self.target == "cpu":
            # Names of machine code must differ where the code differs: processes share what they compiled.
            mark = fingerprint(function, self.names) + own_digest()
            bound.__searchbench__ = mark  # type: ignore[attr-defined]
            bound.__name__ = f"{function.__name__}_{mark}"
            bound.__qualname__ = bound.__name__
        return bound

    def _fill(self, function: types.FunctionType, bound: types.FunctionType) -> None:
        for name, value in references(function).items():
            converted = self.convert(value, function)
            if name in function.__code__.co_freevars:
                (bound.__closure__ or ())[function.__code__.co_freevars.index(name)].cell_contents = converted
            else:
                bound.__globals__[name] = converted

    def convert(self, value: Any, user: types.FunctionType) -> Any:
        if hasattr(value, "py_func"):
            value = value.py_func
        if isinstance(value, types.FunctionType):
            return self.function(value)
        if isinstance(value, types.ModuleType) and not is_library(value):
            return self._module(value, user)
        if self.target == "cpu":
            return by_address(value) if isinstance(value, np.ndarray) else value
        return _whole(value)

    def _module(self, module: types.ModuleType, user: types.FunctionType) -> types.ModuleType:
        """Return a copy of a user's module that holds just what `user` names of it, bound."""
        if (module, user) in self.modules:  # modules may name each other
            return self.modules[module, user]
        copy = types.ModuleType(f"{module.__name__}_{fingerprint(user, self.names)}")
        self.modules[module, user] = copy
        for attribute in names_in(user.__code__):
            if hasattr(module, attribute):
                setattr(copy, attribute, self.convert(getattr(module, attribute), user))
        return copy
