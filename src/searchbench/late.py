"""Functions that live above those who call them: a result verifies itself, and does not import the verifier.

Like games, they are found by name when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def late(name: str) -> Callable[..., Any]:
    """Return a function that finds ``package.module:function`` when it is called, and calls it."""

    def call(*arguments: Any, **named: Any) -> Any:
        module, _, function = name.partition(":")
        return getattr(import_module(module), function)(*arguments, **named)

    return call
