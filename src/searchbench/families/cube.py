"""The corners of a cube, its six turns, and how to draw it unfolded."""

from __future__ import annotations

from collections.abc import Sequence

from searchbench.families.places import Turn
from searchbench.game import Board

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
"""The faces at each corner: up or down first, then clockwise."""

TURNS = (
    Turn("U", "FLBR", "D"),
    Turn("R", "FUBD", "L"),
    Turn("F", "URDL", "B"),
    Turn("D", "FRBL", "U"),
    Turn("L", "FDBU", "R"),
    Turn("B", "ULDR", "F"),
)
"""The quarter turns, clockwise as one looks at the face."""

NET = {"U": (2, 0, "FR"), "L": (0, 2, "DF"), "F": (2, 2, "DR"), "R": (4, 2, "DB"), "B": (6, 2, "DL"), "D": (2, 4, "BR")}
"""Where each face is drawn, and which faces are below and to its right there."""


def net(corners: Sequence[str]) -> Board:
    """Return the faces of all corners on an unfolded cube."""
    cells = []
    for corner in corners:
        for face in corner:
            x, y, neighbours = NET[face]
            below, right = tuple(neighbours)
            cells.append((float(x + (right in corner)), float(y + (below in corner))))
    return Board(tuple(cells), shape="sticker")
