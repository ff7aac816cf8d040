"""Tic-tac-toe: three in a row on a board of 3 x 3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.lines import LineBoard, Lines, grid


@dataclass(frozen=True)
class TicTacToe(Lines):
    """Put three stones in a row; the game "mnk" has larger boards and symmetry."""

    name: ClassVar[str] = "tic-tac-toe"

    @property
    def called(self) -> str:
        """Return the name with its hyphens."""
        return "Tic-tac-toe"

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        return grid(3, 3, 3, gravity=False)

    def known(self) -> Mapping[str, Any]:
        """Return the number of positions and the value of the start."""
        return {"states": 5478, "reachable": 5478, "start": "draw"}
