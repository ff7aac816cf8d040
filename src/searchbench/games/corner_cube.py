"""The eight corners of Rubik's cube, without the edges: 8! * 3^7 = 88,179,840 states (Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.cube import CORNERS, TURNS, net
from searchbench.families.places import Turn
from searchbench.families.turns import Turning, powers_of
from searchbench.game import Board


@dataclass(frozen=True)
class CornerCube(Turning):
    """Turn the corners home; the centres of the faces stay fixed.

    With the metric "quarter-turn" a half turn counts as two moves, with "clockwise" turns go one way only. The
    distances are lower bounds for the whole cube.
    """

    name: ClassVar[str] = "corner-cube"

    metric: str = "half-turn"

    def __post_init__(self) -> None:
        powers_of(self.metric)

    @property
    def faces(self) -> tuple[tuple[str, ...], ...]:
        """Return the corners."""
        return (CORNERS,)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return the turns of the six faces."""
        return TURNS

    @property
    def powers(self) -> tuple[int, ...]:
        """Return the allowed numbers of quarter turns per move."""
        return powers_of(self.metric)

    def board(self) -> Board:
        """Return the unfolded cube."""
        return net(CORNERS)

    def known(self) -> Mapping[str, Any]:
        """Return the number of states, and the number at each distance in face turns (OEIS A080629)."""
        known: dict[str, Any] = {"states": 88179840, "reachable": 88179840, "start": "0"}
        if self.metric == "half-turn":
            known |= {"deepest": len(FACE_TURNS) - 1, "histogram": dict(enumerate(FACE_TURNS))}
        return known


FACE_TURNS = (1, 18, 243, 2874, 28000, 205416, 1168516, 5402628, 20776176, 45391616, 15139616, 64736)
