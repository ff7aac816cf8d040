"""The pocket cube of 2 x 2 x 2, with one corner held fixed: 3,674,160 states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.cube import CORNERS, TURNS, net
from searchbench.families.places import Turn
from searchbench.families.turns import Turning, powers_of
from searchbench.game import Board

FAST = "DBL"
"""The corner that no turn moves: turning the opposite face instead only rotates the whole cube."""


@dataclass(frozen=True)
class PocketCube(Turning):
    """Turn the corners home.

    With the metric "quarter-turn" a half turn counts as two moves, with "clockwise" turns go one way only.
    """

    name: ClassVar[str] = "pocket-cube"

    metric: str = "half-turn"

    def __post_init__(self) -> None:
        powers_of(self.metric)

    @property
    def faces(self) -> tuple[tuple[str, ...], ...]:
        """Return seven corners."""
        return (tuple(corner for corner in CORNERS if corner != FAST),)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return the turns of the three faces that the fixed corner does not show."""
        return tuple(turn for turn in TURNS if turn.name not in FAST)

    @property
    def powers(self) -> tuple[int, ...]:
        """Return the allowed numbers of quarter turns per move."""
        return powers_of(self.metric)

    def board(self) -> Board:
        """Return the unfolded cube, the fixed corner last."""
        return net([*self.faces[0], FAST])

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the colour of each face of each corner."""
        return super().pieces(state) + list(FAST)

    def known(self) -> Mapping[str, Any]:
        """Return the number of states at each distance (OEIS A079761 and A079762)."""
        known: dict[str, Any] = {"states": sum(HALF_TURNS), "reachable": sum(HALF_TURNS), "start": "0"}
        if self.metric != "clockwise":
            counts = HALF_TURNS if self.metric == "half-turn" else QUARTER_TURNS
            known |= {"deepest": len(counts) - 1, "histogram": dict(enumerate(counts))}
        return known


HALF_TURNS = (1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644)
QUARTER_TURNS = (
    1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276,
)  # fmt: skip
