"""Provide lower bounds that replace a game's own in guided search; each is imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchbench.heuristics.named import heuristic
    from searchbench.heuristics.patterns import PatternDatabases, SeenAs

__all__ = ["PatternDatabases", "SeenAs", "heuristic"]
_HOMES = {"PatternDatabases": "patterns", "SeenAs": "patterns", "heuristic": "named"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
