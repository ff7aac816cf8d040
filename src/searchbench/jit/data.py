"""Data of a game, handed to its rules as an argument: two boards with the same rules are one compilation.

A rule of a game may have one parameter more than its slot, the last one, named ``data``. Kernels do not mention it: the
binder finds out which of the functions that a kernel reaches need the data, gives these a parameter for it, and
lets their callers pass it on. Where no rule asks for data nothing changes.
"""

from __future__ import annotations

import hashlib
import inspect
import types
from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from searchbench.errors import BadRequest
from searchbench.jit.fingerprint import content_digest
from searchbench.jit.intrinsics import INTRINSICS
from searchbench.jit.references import Names, plain_function, references, resolve
from searchbench.slots import is_slot

PARAMETER: Final = "data"
"""The name by which a rule asks for its game's data."""
PASSED_ON: Final = "data_passed_on"
"""The parameter that functions get which only pass the data on."""
_PREFIX: Final = "Data_of_"


def frozen(data: Any) -> Any:
    """Return a game's data, a named tuple of arrays and numbers, as one that any process can name; None stays None.

    Raises BadRequest for anything else. The arrays are made contiguous and read-only.
    """
    if data is None:
        return None
    fields = getattr(data, "_fields", None)
    if not isinstance(data, tuple) or not fields:
        raise BadRequest(f"data() returned {type(data).__name__}: expected a named tuple of arrays and numbers")
    values = []
    for field, value in zip(fields, data, strict=True):
        if isinstance(value, np.ndarray):
            value = np.ascontiguousarray(value).view()
            value.flags.writeable = False
        elif not isinstance(value, (int, float)):
            raise BadRequest(f"data().{field} is {type(value).__name__}: expected an array or a number")
        values.append(value)
    return _class_of(tuple(fields))._make(values)


def data_digest(data: Any) -> str:
    """Return a hash of a game's data: 20 hexadecimal digits."""
    digest = hashlib.sha256()
    for field, value in zip(data._fields, data, strict=True):
        text = content_digest(value) if isinstance(value, np.ndarray) else repr(value)
        digest.update(f"{field} {type(value).__name__} {text};".encode())
    return digest.hexdigest()[:20]


@lru_cache
def _class_of(fields: tuple[str, ...]) -> Any:
    made = namedtuple(_PREFIX + "__".join(fields), fields)  # type: ignore[misc]
    made.__module__ = __name__  # where `__getattr__` finds it in any process that reads compiled code
    return made


def __getattr__(name: str) -> Any:
    if not name.startswith(_PREFIX):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _class_of(tuple(name.removeprefix(_PREFIX).split("__")))


class DataFlow:
    """Tell which functions need a game's data, with the rules of `names` in the place of their slots."""

    def __init__(self, names: Names, kernel: str) -> None:
        self.names = names
        self.kernel = kernel
        self._needs: dict[types.FunctionType, bool] = {}

    def arguments(self, value: Any) -> int:
        """Return how often a function's calls pass the data: as `data`, and passed on."""
        value = plain_function(value)
        if not isinstance(value, types.FunctionType):
            return 0
        return int(self.asks(value)) + int(self.passes_on(resolve(value, self.names, self.kernel)))

    def asks(self, function: types.FunctionType) -> bool:
        """Tell whether a rule asks for the data in the place of a slot."""
        rule = resolve(function, self.names, self.kernel)
        return is_slot(function) and rule is not function and asks_for_data(rule)

    def passes_on(self, function: types.FunctionType) -> bool:
        """Tell whether a function calls rules that need the data, itself or through others."""
        if function not in self._needs:
            self._needs[function] = False  # while it is looked at: functions may call each other in a circle
            if function not in INTRINSICS and not hasattr(function, "zeros"):
                self._needs[function] = any(self.arguments(value) for value in references(function).values())
        return self._needs[function]

    def calls(self, function: types.FunctionType) -> dict[str, int]:
        """Return the names under which a function calls others that need the data, and how many times it is passed."""
        counts = {name: self.arguments(value) for name, value in references(function).items()}
        return {name: count for name, count in counts.items() if count}


def asks_for_data(function: types.FunctionType) -> bool:
    """Tell whether a function's last parameter is `data`."""
    code = function.__code__
    return code.co_argcount > 0 and code.co_varnames[code.co_argcount - 1] == PARAMETER


def with_parameter(function: types.FunctionType) -> None:
    """Give a function one more parameter as far as its signature tells."""
    signature = inspect.signature(function)
    added = inspect.Parameter(PASSED_ON, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [*signature.parameters.values(), added]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]


def with_data(function: Callable[..., Any], data: Any, count: int) -> Callable[..., Any]:
    """Return a function to which the data need not be given."""
    if count == 0:
        return function
    last = (data,) * count

    def call(*arguments: Any) -> Any:
        return function(*arguments, *last)

    return call
