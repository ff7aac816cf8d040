"""A hash of all that a function can reach: under it compiled code is kept, and by it an edited game is noticed."""

from __future__ import annotations

import enum
import hashlib
import os
import sys
import types
import weakref
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.jit.intrinsics import INTRINSICS
from searchbench.jit.references import is_library, names_in, references, resolve
from searchbench.slots import Constant

SMALL: Final = 1 << 12
"""How many bytes of an array are frozen into machine code: every function that refers to it has a copy."""

KERNEL_SUFFIX: Final = ".kernel"
"""How the name of a file ends that keeps machine code."""

_DIGESTS: Final[dict[int, tuple[weakref.ref[npt.NDArray[Any]], int, str]]] = {}
"""The digests of large arrays with a quick checksum, by identity, which a later array may share with one that is gone."""


def cache_folder() -> Path:
    """Return where compiled kernels are kept: $SEARCHBENCH_CACHE, or a folder in the user's cache."""
    chosen = os.environ.get("SEARCHBENCH_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "searchbench"


@lru_cache(maxsize=1)
def _versions() -> str:
    return f"{sys.version_info[:2]} {metadata.version('numba')} {np.__version__}"


def content_digest(array: npt.NDArray[Any]) -> str:
    """Return a hash of an array's type, shape and numbers; large arrays are only hashed again after a change."""
    whole: Any = np.ascontiguousarray(array).reshape(-1).view(np.uint8) if array.size else b""
    large = array.nbytes > SMALL
    known = _DIGESTS.get(id(array))
    checksum = 0
    if large and (array.flags.writeable or known is None):
        checksum = zlib.crc32(whole)
    if known is not None and known[0]() is array and (not array.flags.writeable or known[1] == checksum):
        return known[2]
    digest = hashlib.sha256(f"{np.lib.format.dtype_to_descr(array.dtype)} {array.shape};".encode())
    digest.update(whole)
    if large:
        _DIGESTS[id(array)] = (weakref.ref(array), checksum, digest.hexdigest())
    return digest.hexdigest()


class _Fingerprint:
    def __init__(self, names: Mapping[str, Any], kernel: str) -> None:
        self.names = names
        self.kernel = kernel
        self.hash = hashlib.sha256(_versions().encode())
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
            self._text(f"{type(value).__name__} {len(value)} {getattr(value, '_fields', '')}")
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
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, Constant):
            self.add((value.name, self.names.get(value.name, value.default)))
        elif isinstance(value, partial):
            self.add((value.func, value.args, value.keywords))
        elif isinstance(value, types.BuiltinFunctionType):
            self._text(f"{value.__module__}.{value.__qualname__}")
        else:
            self._add_object(value)

    def _add_class(self, value: type) -> None:
        self._text(f"{value.__module__}.{value.__qualname__}")
        if isinstance(value, enum.EnumMeta):
            members: Mapping[str, Any] = value.__members__
            self.add([(name, member.value) for name, member in members.items()])
        self.add(getattr(value, "_fields", ()))  # of a named tuple

    def _add_object(self, value: Any) -> None:
        """Add a number, a text, a type of the compiler's, a function of numpy's: its own text tells it from others."""
        text = repr(value)
        if f"{id(value):x}" in text:  # nothing but an address
            text = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
            self.add(getattr(value, "__dict__", {}))
        self._text(f"{type(value).__qualname__} {text}")

    def _text(self, text: str) -> None:
        self.hash.update(f"{len(text)}:{text};".encode())

    def _add_code(self, code: types.CodeType) -> None:
        self._text(f"code {code.co_argcount} {code.co_flags} {code.co_names} {code.co_varnames} {code.co_freevars}")
        self.hash.update(code.co_code)
        self.hash.update(
            getattr(code, "co_exceptiontable", b"")
        )  # which instructions a `try` covers, from Python 3.11 on
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

    def _add_module(self, module: types.ModuleType, named: Iterable[str], seen: set[str]) -> None:
        """Add the names that a function uses of a user's module, and of the modules in it."""
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


def fingerprint(function: Callable[..., Any], names: Mapping[str, Any]) -> str:
    """Return a hash of all that `function` can reach once `names` are in place: 20 hexadecimal digits."""
    work = _Fingerprint(names, getattr(function, "__name__", "?"))
    work.add(function)
    return work.hash.hexdigest()[:20]


@lru_cache(maxsize=1)
def own_digest() -> str:
    """Return a hash of this package: the code that it generates depends on it too. Databases do not."""
    texts = [path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:6]


def is_kept(kernel: Callable[..., Any], names: Mapping[str, Any]) -> bool:
    """Tell whether a kernel's machine code is kept on disk, for any signature, so that it is there at once."""
    mark = fingerprint(kernel, names) + own_digest()
    return any((cache_folder() / mark[:2]).glob(f"*-{mark}-*{KERNEL_SUFFIX}"))
