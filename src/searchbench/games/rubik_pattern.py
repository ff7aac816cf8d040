"""Patterns of Rubik's cube: the corners (88,179,840 states), or some of the edges (42,577,920 for six; Korf 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from searchbench.families.cube import CORNERS
from searchbench.families.turned import Pattern
from searchbench.games.rubik import Rubik

ALL_CORNERS: Final = "corners"


@dataclass(frozen=True)
class RubikPattern(Pattern):
    """Turn some pieces home, such as UR-UF-UL or all corners; all others look alike.

    The distances are lower bounds for the cube.
    """

    name: ClassVar[str] = "rubik-pattern"

    pieces_told: str = ALL_CORNERS
    metric: str = "half-turn"

    def __post_init__(self) -> None:
        _ = self.original(), self.kind_number

    def original(self) -> Rubik:
        """Return the cube."""
        return Rubik(self.metric)

    @property
    def chosen(self) -> str:
        """Return the pieces."""
        return "-".join(CORNERS) if self.pieces_told == ALL_CORNERS else self.pieces_told
