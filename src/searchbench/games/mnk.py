"""The m,n,k-games: k stones in a row on a board of m columns and n rows, with or without gravity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.lines import LineBoard, Lines, grid


@dataclass(frozen=True)
class MNK(Lines):
    """Put `k` stones in a row, in any of the four directions.

    With `gravity` a stone falls to the lowest empty cell. With `symmetry` rotated or reflected positions share a number.
    """

    name: ClassVar[str] = "mnk"

    columns: int = 4
    rows: int = 3
    k: int = 3
    gravity: bool = False
    symmetry: bool = False

    def __post_init__(self) -> None:
        check_grid(self.columns, self.rows, self.k)

    @property
    def called(self) -> str:
        """Return the name with the board, and what is unusual."""
        unusual = ", stones fall" * self.gravity + ", symmetric positions as one" * self.symmetry
        return f"{self.k} in a row on {self.columns}x{self.rows}{unusual}"

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        return grid(self.columns, self.rows, self.k, self.gravity)

    @property
    def symmetric(self) -> bool:
        """Tell whether symmetric positions share a number."""
        return self.symmetry

    def known(self) -> Mapping[str, Any]:
        """Return known facts on tic-tac-toe up to symmetry (OEIS A008907), and on lines of one and two."""
        cells = self.columns * self.rows
        if self.k == 1:
            return {"start": "win 1"}
        if self.k == 2 and cells > 2 and not self.gravity:
            return {"start": "win 3"}
        if (self.columns, self.rows, self.k, self.gravity, self.symmetry) == (3, 3, 3, False, True):
            return {"states": 765, "reachable": 765, "start": "draw"}
        return {}


def check_grid(columns: int, rows: int, k: int) -> None:
    """Check board size and line length. Raises ValueError."""
    if not (columns >= 1 and rows >= 1 and columns * rows <= 400):
        raise ValueError(f"a board of {columns} x {rows}: expected 1 to 400 cells")
    if not 1 <= k <= max(columns, rows):
        raise ValueError(f"{k} in a row on {columns} x {rows}: expected 1 to {max(columns, rows)}")
