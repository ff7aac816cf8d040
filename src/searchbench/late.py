"""Late-bound functions of other layers: a result verifies itself, and a prover asks the verifier, without importing it.

Like games, they are found by name on their first call.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def late(name: str) -> Callable[..., Any]:
    """Return a function that imports ``package.module:function`` when called, and calls it."""

    def call(*arguments: Any, **named: Any) -> Any:
        module, _, function = name.partition(":")
        return getattr(import_module(module), function)(*arguments, **named)

    return call
