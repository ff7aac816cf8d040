"""Put a game's functions in the place of the contract's names in a kernel."""

from __future__ import annotations

import types
from collections.abc import Callable
from threading import RLock
from typing import Any, Final

from searchbench.jit.backends import Target, backend, loading
from searchbench.jit.data import DataFlow
from searchbench.jit.fingerprint import fingerprint, own_digest
from searchbench.jit.intrinsics import INTRINSICS
from searchbench.jit.references import Names, is_library, names_in, plain_function, references, resolve
from searchbench.jit.slot_free import slot_free
from searchbench.slots import Constant, is_slot

_BINDING: Final = RLock()
"""Held while a kernel is bound: until then the functions that it shares with others lack some of their references."""


def bind(kernel: Callable[..., Any], names: Names, target: Target | None = None) -> Any:
    """Return the kernel with the functions of `names` in the place of the contract's, compiled or interpreted.

    `target` is by default that for which the names were made. Raises MissingRule when the kernel reaches a name without
    default that `names` does not supply. Compilation happens at the first call with arguments of new types, or is read
    from the cache of an earlier process.
    """
    assert isinstance(kernel, types.FunctionType)
    target = target or names.target
    key = (kernel, f"{target} kernel")
    with _BINDING:
        if key not in names.bound:
            with loading():
                bound: Any = _Binder(kernel.__name__, names, target).kernel(kernel)
            bound.searchbench_target = target  # for `launch`
            names.bound[key] = bound
        return names.bound[key]


class _Binder:
    """Bind a kernel; bound inner functions are shared by all kernels of the same names, and by code that is the same."""

    def __init__(self, kernel: str, names: Names, target: Target) -> None:
        self.kernel_name = kernel
        self.names = names
        self.target = target
        self.backend = backend(target)
        self.data = self.backend.constant(names.data) if self.backend.compiled is None else names.data
        self.flow = DataFlow(names, kernel)
        self.modules: dict[tuple[types.ModuleType, types.FunctionType], types.ModuleType] = {}
        self.kept: list[tuple[dict[Any, Any], Any]] = []

    def kernel(self, kernel: types.FunctionType) -> Callable[..., Any]:
        """Return a function for Python to call, with all that it refers to bound."""
        try:
            result: Callable[..., Any] = self._made(resolve(kernel, self.names, self.kernel_name), "kernel", None)
        except BaseException:
            for shelf, key in self.kept:  # half of their references are not bound: nobody may find them
                shelf.pop(key, None)
            raise
        count = self.flow.asks(kernel) if self.backend.compiled is None else self.flow.arguments(kernel)
        return self.backend.given(result, self.data, int(count))

    def _inner(self, function: types.FunctionType) -> Any:
        """Return a function for kernels to call, with all that it refers to bound."""
        function = resolve(function, self.names, self.kernel_name)
        key = (function, f"{self.target} inner")
        if key not in self.names.bound:
            if function in INTRINSICS or hasattr(function, "zeros"):
                self.names.bound[key] = self.backend.intrinsic(function)
            elif self.backend.compiled is None and not self.backend.machine_code:
                self.names.bound[key] = slot_free(self.target).made(
                    function, lambda: self._made(function, "inner", key)
                )
            else:
                self._made(function, "inner", key)
        return self.names.bound[key]

    def _made(self, function: types.FunctionType, use: str, key: tuple[Any, str] | None) -> Any:
        """Return the backend's version of a function: the same for the same code."""
        shared = {} if self.backend.compiled is None else self.backend.compiled
        mark = "" if self.backend.compiled is None else fingerprint(function, self.names) + own_digest()
        known = (mark, use) in shared
        if not known:
            bound = self.backend.copy(function, mark)
            calls = {} if self.backend.compiled is None else self.flow.calls(function)
            if use == "kernel":
                shared[mark, use] = self.backend.kernel(bound, calls)
            else:
                shared[mark, use] = self.backend.inner(bound, calls, hasattr(function, "inlined"))
            self.kept.append((shared, (mark, use)))
        if key is not None:
            self.kept.append((self.names.bound, key))
            self.names.bound[key] = shared[mark, use]  # before its references are bound: they may refer back to it
        if not known:
            self._fill(function, bound)
        return shared[mark, use]

    def _fill(self, function: types.FunctionType, bound: types.FunctionType) -> None:
        cells = dict(zip(function.__code__.co_freevars, bound.__closure__ or (), strict=True))
        for name, value in references(function).items():
            converted = self._convert(value, function)
            if name in cells:
                cells[name].cell_contents = converted
            else:
                bound.__globals__[name] = converted

    def _convert(self, value: Any, user: types.FunctionType) -> Any:
        if type(value) is int:
            return value
        value = plain_function(self.names.constant(value) if isinstance(value, Constant) else value)
        if isinstance(value, types.FunctionType):
            if self.backend.compiled is None and is_slot(value) and self.flow.asks(value):
                return self.backend.given(self._inner(value), self.data, 1)
            return self._inner(value)
        if isinstance(value, types.ModuleType) and not is_library(value):
            return self._module(value, user)
        return self.backend.constant(value)

    def _module(self, module: types.ModuleType, user: types.FunctionType) -> types.ModuleType:
        """Return a copy of a user's module that holds just the functions that `user` names, bound."""
        if (module, user) in self.modules:  # modules may name each other
            return self.modules[module, user]
        copy = types.ModuleType(f"{module.__name__}_{fingerprint(user, self.names)}")
        self.modules[module, user] = copy
        for attribute in names_in(user.__code__):
            if hasattr(module, attribute):
                setattr(copy, attribute, self._convert(getattr(module, attribute), user))
        return copy
