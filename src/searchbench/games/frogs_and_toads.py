"""Frogs and Toads: exchange the black and the white pieces, which slide and jump both ways (Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.jumps import BLACK, EMPTY, WHITE, Jumps
from searchbench.games.fore_and_aft import ForeAndAft


@dataclass(frozen=True)
class FrogsAndToads(Jumps):
    """Exchange the colours on a board of any shape.

    `layout` is a drawing, with "/" between the rows: "x" black, "o" white, "-" empty, other characters off the board.
    Or it is a number n: two n x n squares that share the empty corner; 3 is Fore and Aft.
    """

    name: ClassVar[str] = "frogs-and-toads"

    layout: str = "4"

    def __post_init__(self) -> None:
        if self.layout.isdecimal() and not 2 <= int(self.layout) <= 8:
            raise ValueError(f"two squares with {self.layout} cells a side: expected 2 to 8")
        black, white, empty = (self.cells.start.count(piece) for piece in (BLACK, WHITE, EMPTY))
        if not (black == white >= 1 <= empty and self.width <= 127):
            raise ValueError(
                f"board {self.layout!r}: expected as many black (x) as white (o) pieces, and empty cells (-)"
            )

    @property
    def drawing(self) -> str:
        """Return a drawing of the start."""
        return two_squares(int(self.layout)) if self.layout.isdecimal() else self.layout.replace("/", "\n")

    def known(self) -> Mapping[str, Any]:
        """Return the number of states at each distance from the goal, on boards of two squares.

        Edelkamp's table 0.6 counts from the start of the board of 31 cells, from depth 1 on, with 17 instead of 16
        states at depth 3. As the board is symmetric in the colours, the number of states at each distance from the goal
        is the same.
        """
        if self.layout == "3":
            return ForeAndAft().known()
        counts, start = {"2": (TWO, 15), "4": (FOUR, 115)}.get(self.layout, ((), 0))
        if not counts:
            return {}
        return {
            "states": sum(counts), "reachable": sum(counts), "start": str(start), "deepest": len(counts) - 1,
            "histogram": dict(enumerate(counts)),
        }  # fmt: skip


def two_squares(side: int) -> str:
    """Return the drawing of a black and a white square that share an empty corner."""
    above = ["x" * side] * (side - 1)
    below = [" " * (side - 1) + "o" * side] * (side - 1)
    return "\n".join([*above, "x" * (side - 1) + "-" + "o" * (side - 1), *below])


TWO = (1, 4, 6, 6, 8, 14, 13, 16, 14, 16, 14, 11, 6, 4, 4, 3)
FOUR = (
    1, 8, 16, 26, 46, 78, 169, 318, 552, 974, 1720, 2905, 4826, 7878, 12647, 19980, 31511, 49242, 74760, 112218,
    166651, 241157, 348886, 497698, 700060, 974219, 1337480, 1812712, 2426769, 3214074, 4199886, 5447660, 6975087,
    8865648, 11138986, 13881449, 17060948, 20800347, 25048652, 29915082, 35382942, 41507233, 48277767, 55681853,
    63649969, 72098327, 80937547, 89999613, 99231456, 108495904, 117679229, 126722190, 135363894, 143534546,
    150897878, 157334088, 162600933, 166634148, 169360939, 170829205, 171101874, 170182837, 168060816, 164733845,
    160093746, 154297247, 147342825, 139568855, 131146077, 122370443, 113415294, 104380748, 95379850, 86375535,
    77534248, 68891439, 60672897, 52953463, 45889798, 39482737, 33751896, 28607395, 24035844, 19957392, 16394453,
    13306659, 10695284, 8521304, 6738557, 5286222, 4109157, 3156288, 2387873, 1780521, 1307312, 948300, 680299,
    484207, 340311, 235996, 160153, 107024, 69216, 44547, 27873, 17394, 10256, 6219, 3524, 2033, 1040, 532, 251,
    154, 42, 19, 10, 2,
)  # fmt: skip
