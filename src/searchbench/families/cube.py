"""The pieces of a cube, its six turns, and its unfolded drawing."""

from __future__ import annotations

from collections.abc import Sequence

from searchbench.families.places import Turn
from searchbench.game import Board

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
"""The faces at each corner: up or down first, then clockwise."""

TURNS = tuple(
    Turn(face, cycle, still, face)
    for face, cycle, still in (
        ("U", "FLBR", "D"), ("R", "FUBD", "L"), ("F", "URDL", "B"), ("D", "FRBL", "U"), ("L", "FDBU", "R"), ("B", "ULDR", "F"),
    )
)  # fmt: skip
"""The quarter turns, clockwise as seen from outside the face."""

EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
"""The faces at each edge: up or down first, else front or back."""

NET = {"U": (1, 0, "FR"), "L": (0, 1, "DF"), "F": (1, 1, "DR"), "R": (2, 1, "DB"), "B": (3, 1, "DL"), "D": (1, 2, "BR")}
"""Position of each face in the drawing, in faces; then the adjacent faces below and to the right."""
OPPOSITE = dict(zip("URFDLB", "DLBURF", strict=True))


def net(pieces: Sequence[str], size: int = 2) -> Board:
    """Return the stickers of pieces on an unfolded cube with `size` pieces along an edge."""
    return Board(
        tuple((float(x), float(y)) for piece in pieces for x, y in (spot(piece, face, size) for face in piece)),
        shape="sticker",
    )


def spot(piece: str, face: str, size: int) -> tuple[int, int]:
    """Return the column and row of a piece's sticker on a face."""
    across, down, beside = NET[face]
    below, right = beside[0], beside[1]

    def along(far: str) -> int:
        return size - 1 if far in piece else 0 if OPPOSITE[far] in piece else 1

    return size * across + along(right), size * down + along(below)
