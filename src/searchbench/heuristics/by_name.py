"""Bounds by their names, each made when it is asked for: some take seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Functions = Mapping[str, Any]
"""The functions that take the place of a game's `h` and `h_step`, or of `h_init` and `h_update`."""


class ByName(Mapping[str, Functions]):
    """Hold the makers of bounds; asked for a name, call its maker."""

    def __init__(self, makers: Mapping[str, Callable[[], Functions]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> Functions:
        return self._makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
