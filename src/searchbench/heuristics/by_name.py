"""Map names to bounds, and make a bound only when it is looked up: some take seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Functions = Mapping[str, Any]
"""The functions that replace a game's `h` and `h_step`, or `h_init` and `h_update`."""


class ByName(Mapping[str, Functions]):
    """A mapping of names to bounds, which calls the maker of a bound on look-up."""

    def __init__(self, makers: Mapping[str, Callable[[], Functions]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> Functions:
        return self._makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
