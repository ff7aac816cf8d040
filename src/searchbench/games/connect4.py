"""Connect Four on any board: stones fall to the lowest empty cell of a column (Allis 1994; Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadMove, BadState
from searchbench.families.lines import LineBoard, Lines, grid
from searchbench.games.mnk import check_grid


@dataclass(frozen=True)
class Connect4(Lines):
    """Drop stones into columns, and put `k` of them in a row.

    With `symmetry` mirror images share a number.
    """

    name: ClassVar[str] = "connect4"

    columns: int = 7
    rows: int = 6
    k: int = 4
    symmetry: bool = False

    def __post_init__(self) -> None:
        check_grid(self.columns, self.rows, self.k)

    @property
    def called(self) -> str:
        """Return the name with the board, and what is unusual."""
        unusual = f", {self.k} in a row" * (self.k != 4) + ", mirror images as one" * self.symmetry
        return f"Connect Four on {self.columns}x{self.rows}{unusual}"

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        return grid(self.columns, self.rows, self.k, gravity=True)

    @property
    def symmetric(self) -> bool:
        """Tell whether mirror images share a number."""
        return self.symmetry

    def parse(self, text: str) -> list[int]:
        """Read the rows from the top, or the columns played since the start, such as "4453"."""
        if not text.strip().isdecimal():
            return super().parse(text)
        state = self.start()
        for column in text.strip():
            try:
                state = self.play(state, self.parse_move(state, column))
            except BadMove as error:
                raise BadState(f"{self}: {text!r}: {error}") from None
        return state

    def known(self) -> Mapping[str, Any]:
        """Return the value of the start (tables of Tromp and of Steininger), and the number of reachable positions (Tromp)."""
        size = (self.columns, self.rows)
        found: dict[str, Any] = {}
        if self.k == 4 and size in STARTS:
            found["start"] = STARTS[size]
        if self.k == 4 and size in POSITIONS and not self.symmetry:
            found["reachable"] = POSITIONS[size]
        return found


STARTS = {
    (4, 4): "draw", (5, 4): "draw", (6, 4): "loss 24", (7, 4): "draw", (8, 4): "loss 32",
    (4, 5): "draw", (5, 5): "draw", (6, 5): "draw", (7, 5): "draw", (8, 5): "win 39",
    (4, 6): "draw", (5, 6): "draw", (6, 6): "loss 36", (7, 6): "win 41", (8, 6): "loss 48",
    (4, 7): "draw", (5, 7): "draw", (6, 7): "win 41", (7, 7): "draw", (8, 7): "win 53",
    (4, 8): "draw", (5, 8): "draw", (6, 8): "loss 48", (7, 8): "win 55", (8, 8): "loss 62",
}  # fmt: skip
POSITIONS = {
    (2, 4): 179, (3, 4): 6000, (4, 4): 161029, (5, 4): 3945711, (6, 4): 94910577,
    (2, 5): 537, (3, 5): 38310, (4, 5): 1706255, (5, 5): 69763700,
}  # fmt: skip
