"""Patterns of Top-Spin: token 0 and some others are distinguished, all others look alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from searchbench.families.rearranged import Rearranged, elements_of
from searchbench.games.top_spin import TopSpin


@dataclass(frozen=True)
class TopSpinPattern(Rearranged):
    """Bring some tokens to their places behind token 0, where token t is written t - 1, as in the game's states."""

    name: ClassVar[str] = "top-spin-pattern"

    n: int = 8
    k: int = 4
    told: str = "0-1-2"

    def __post_init__(self) -> None:
        _ = self.elements
        if not self.n <= 32:
            raise ValueError(f"{self.n} tokens: expected at most 32")

    @property
    def elements(self) -> tuple[int, ...]:
        """Return the distinguished tokens, less 1."""
        return elements_of(self.told, self.n - 1)

    def original(self) -> TopSpin:
        """Return the ring of tokens."""
        return TopSpin(self.n, self.k)
