"""The Pyraminx, a tetrahedron that turns around its corners, without the trivial tips: 933,120 states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.places import Turn
from searchbench.families.turns import Turning
from searchbench.game import Board

CORNERS = {"U": "FLR", "L": "FDL", "R": "FRD", "B": "DRL"}
"""The faces at each corner, clockwise: front, left, right and down."""
EDGES = ("FL", "FR", "LR", "FD", "LD", "RD")
FACES = {"L": (0, 0, "UBL"), "F": (6, 0, "ULR"), "R": (12, 0, "URB"), "D": (6, 4, "BLR")}
"""Position of each face in the drawing, and its corners: at the top (of face D: at the bottom), on the left, on the right."""


@dataclass(frozen=True)
class Pyraminx(Turning):
    """Turn the edges and the pieces under the tips home; a turn either way around a corner is one move."""

    name: ClassVar[str] = "pyraminx"

    @property
    def faces(self) -> tuple[tuple[str, ...], ...]:
        """Return six edges, and four pieces at the corners."""
        return EDGES, tuple(CORNERS.values())

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return one turn per corner; the face opposite to it stays fixed."""
        return tuple(Turn(name, faces, next(iter({*"FLRD"} - {*faces}))) for name, faces in CORNERS.items())

    def board(self) -> Board:
        """Return the four faces: the three around the upper corner, front in the middle, and face D below them."""
        at: dict[tuple[frozenset[str], str], tuple[float, float]] = {}
        for face, (x, y, corners) in FACES.items():
            rows = (2, 1, 0) if face == "D" else (0, 1, 2)
            top, left, right = (frozenset(CORNERS[corner]) for corner in corners)
            spots = {
                top: (2, 0),
                top & left: (1, 1),
                top & right: (3, 1),
                left: (0, 2),
                left & right: (2, 2),
                right: (4, 2),
            }
            at |= {(piece, face): (float(x + across), float(y + rows[down])) for piece, (across, down) in spots.items()}
        return Board(
            tuple(at[frozenset(name), face] for kind in self.faces for name in kind for face in name), shape="sticker"
        )

    def known(self) -> Mapping[str, Any]:
        """Return the number of states at each distance."""
        return {
            "states": 933120, "reachable": 933120, "deepest": 11, "start": "0", "histogram": dict(enumerate(COUNTS)),
        }  # fmt: skip


COUNTS = (1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32)
