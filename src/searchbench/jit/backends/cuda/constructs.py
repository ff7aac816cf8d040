"""Refuse what no device can run, before anything is compiled: the construct, and the line where it stands."""

from __future__ import annotations

import dis
import types
from typing import Final

from searchbench.errors import NotForDevice

_CONSTRUCTS: Final = {
    "BUILD_MAP": "makes a dictionary",
    "BUILD_SET": "makes a set",
    "LIST_APPEND": "makes a list",
    "SET_ADD": "makes a set",
    "MAP_ADD": "makes a dictionary",
    "BUILD_STRING": "makes a text",
    "FORMAT_VALUE": "makes a text",
    "FORMAT_SIMPLE": "makes a text",
    "YIELD_VALUE": "is a generator",
    "IMPORT_NAME": "imports a module",
    "BEFORE_WITH": "has a `with`",
    "PUSH_EXC_INFO": "catches exceptions",
    "STORE_GLOBAL": "changes a global variable",
    "MAKE_FUNCTION": "makes a function",
}
"""Instructions of Python's that have no counterpart on a device."""
_MAKERS: Final = frozenset({"zeros", "empty", "ones", "full", "array", "arange", "zeros_like", "empty_like", "copy"})
"""Functions of numpy's that make arrays."""


def refuse_constructs(function: types.FunctionType) -> None:
    """Raise NotForDevice if a function does what no device can."""
    code = function.__code__
    line, library = code.co_firstlineno, False
    for step in dis.get_instructions(code):
        line = (step.positions.lineno if step.positions is not None else None) or line
        why = _CONSTRUCTS.get(step.opname, "")
        if step.opname == "BUILD_LIST" and step.arg:
            why = "makes a list"
        if library and step.argval in _MAKERS and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            why = f"makes an array by numpy.{step.argval}"
        if why:
            raise NotForDevice(function.__name__, why, f"{code.co_filename}, line {line}")
        value = function.__globals__.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
        library = isinstance(value, types.ModuleType) and value.__name__ == "numpy"
        if value is function:
            raise NotForDevice(function.__name__, "calls itself", f"{code.co_filename}, line {line}")
