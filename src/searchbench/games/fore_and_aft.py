"""Fore and Aft: exchange eight black and eight white pieces on two squares that share a cell (Loyd; Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.jumps import Jumps

DRAWING = """
xxx
xxx
xx-oo
  ooo
  ooo
"""


@dataclass(frozen=True)
class ForeAndAft(Jumps):
    """Exchange the colours; both slide and jump in all four directions, including backwards (as in Edelkamp's table 0.5)."""

    name: ClassVar[str] = "fore-and-aft"

    @property
    def drawing(self) -> str:
        """Return two squares of 3 x 3 cells with a common corner."""
        return DRAWING

    def known(self) -> Mapping[str, Any]:
        """Return Edelkamp's table 0.5, whose depth 0 is called 1, with two digits corrected (depths 2 and 27).

        Dudeney found the 46 moves. The table counts from the start; as the board is symmetric in the colours, the
        number of states at each distance from the goal is the same.
        """
        return {
            "states": 218790, "reachable": 218790, "start": "46", "deepest": 47, "histogram": dict(enumerate(TABLE)),
        }  # fmt: skip


TABLE = (
    1, 8, 12, 14, 32, 58, 121, 178, 284, 494, 794, 1143, 1700, 2386, 3223, 4242, 5677, 7330, 8722, 10084, 11501, 12879,
    13997, 14804, 15433, 14981, 14015, 12849, 11666, 10439, 9334, 7858, 6075, 4651, 3459, 2682, 1990, 1401, 914, 557,
    348, 202, 137, 66, 32, 4, 11, 2,
)  # fmt: skip
