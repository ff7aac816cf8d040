"""A hash of all that a function can reach: under it compiled code is kept, and by it an edited game is noticed."""

from __future__ import annotations

import enum
import hashlib
import sys
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from searchbench.jit.arrays import content_digest
from searchbench.jit.intrinsics import INTRINSICS
from searchbench.jit.references import is_library, names_in, references, resolve


class _Fingerprint:
    def __init__(self, names: Mapping[str, Callable[..., Any]], kernel: str) -> None:
        self.names = names
        self.kernel = kernel
        self.hash = hashlib.sha256(f"{sys.version_info[:2]} {numba.__version__} {np.__version__}".encode())
        self.seen: dict[int, int] = {}
        self.alive: list[Any] = []  # ids stay unique while the objects live

    def add(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.CodeType):
            self._add_code(value)
        elif isinstance(value, types.ModuleType):
            self._text(f"module {value.__name__}")
        elif isinstance(value, np.ndarray):
            self._text(f"array {content_digest(value)}")
        elif isinstance(value, tuple | list):
            self._text(f"{type(value).__name__} {len(value)}")
            for item in value:
                self.add(item)
        elif isinstance(value, frozenset):
            self._text(f"set {sorted(map(repr, value))}")
        elif isinstance(value, Mapping):
            self._text(f"mapping {len(value)}")
            for key, item in value.items():
                self.add((key, item))
        elif hasattr(value, "py_func"):
            self.add(value.py_func)
        elif isinstance(value, type) or callable(value):
            self._text(f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(type(value)))}")
            if isinstance(value, enum.EnumMeta):
                members: Mapping[str, Any] = value.__members__
                self.add([(name, member.value) for name, member in members.items()])
            self.add(getattr(value, "_fields", ()))  # of a named tuple
        else:
            self._text(f"{type(value).__qualname__} {value!r}")

    def _text(self, text: str) -> None:
        self.hash.update(f"{len(text)}:{text};".encode())

    def _add_code(self, code: types.CodeType) -> None:
        self._text(f"code {code.co_argcount} {code.co_flags} {code.co_names} {code.co_varnames} {code.co_freevars}")
        self.hash.update(code.co_code)
        for constant in code.co_consts:
            self.add(constant)

    def _add_function(self, function: types.FunctionType) -> None:
        function = resolve(function, self.names, self.kernel)
        if id(function) in self.seen:
            self._text(f"again {self.seen[id(function)]}")
            return
        self.seen[id(function)] = len(self.seen)
        self.alive.append(function)
        if function in INTRINSICS:
            self._text(f"intrinsic {function.__name__}")
            return
        self._add_code(function.__code__)
        if hasattr(function, "inlined"):
            self._text("inlined")
        self.add(function.__defaults__)
        for name, value in references(function).items():
            self._text(name)
            self.add(value)
            if isinstance(value, types.ModuleType):
                self._add_module(value, names_in(function.__code__), set())

    def _add_module(self, module: types.ModuleType, named: list[str], seen: set[str]) -> None:
        """Add what a function names of a user's module, and of the modules in it."""
        if is_library(module) or module.__name__ in seen:
            return
        seen.add(module.__name__)
        for attribute in named:
            if hasattr(module, attribute):
                value = getattr(module, attribute)
                self._text(attribute)
                self.add(value)
                if isinstance(value, types.ModuleType):
                    self._add_module(value, named, seen)


def fingerprint(function: Callable[..., Any], names: Mapping[str, Callable[..., Any]]) -> str:
    """Return a hash of all that `function` can reach once `names` are in place: 20 hexadecimal digits."""
    work = _Fingerprint(names, getattr(function, "__name__", "?"))
    work.add(function)
    return work.hash.hexdigest()[:20]


@lru_cache(maxsize=1)
def own_digest() -> str:
    """Return a hash of this package: what it generates depends on it too. Databases do not."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:6]
