"""The arrays of a level and a position that enhanced IDA* and feature-space search have in common.

A kernel is compiled the quicker the fewer arrays each call hands on, so feature-space search hands on no others of those.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.games.sokoban.enhanced.windows import Windows


class Base(NamedTuple):
    """Hold the tables of a level and a position, which are the first of `Work`."""

    maze: Any
    side: Any
    costs: Any
    kept: Any
    scratch: Any
    board: Any
    facts: Any
    hashes: Any
    controls: Any
    windows: Windows


def base_of(work: tuple[Any, ...]) -> Base:
    """Return those arrays of a search."""
    return Base(*work[: len(Base._fields)])
