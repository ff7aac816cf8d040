"""Patterns of pancakes: some sizes are distinguished, all others look alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from searchbench.families.rearranged import Rearranged, elements_of
from searchbench.games.pancake import Pancake


@dataclass(frozen=True)
class PancakePattern(Rearranged):
    """Bring some pancakes to their places; the smallest of n is 0. The distances are lower bounds for the whole stack."""

    name: ClassVar[str] = "pancake-pattern"

    n: int = 8
    told: str = "5-6-7"

    def __post_init__(self) -> None:
        _ = self.elements
        if not self.n <= 31:
            raise ValueError(f"{self.n} pancakes: expected at most 31")

    @property
    def elements(self) -> tuple[int, ...]:
        """Return the distinguished sizes."""
        return elements_of(self.told, self.n)

    def original(self) -> Pancake:
        """Return the stack of pancakes."""
        return Pancake(self.n)
