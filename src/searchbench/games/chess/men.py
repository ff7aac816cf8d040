"""The men of chess: how they look and how they go, and what is known of their endings."""

from __future__ import annotations

from typing import Final

FIGURINES: Final = dict(
    zip("KQRBNPkqrbnp", "\u2654\u2655\u2656\u2657\u2658\u2659\u265a\u265b\u265c\u265d\u265e\u265f", strict=True)
)
KINDS: Final = "KQRBNP"
KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN, GONE = range(7)
"""The kinds in the order of KINDS, and that of a man who is no longer there."""
STEPS: Final = (
    (-1, -1), (-1, 1), (1, -1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1),
    (-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1),
)  # fmt: skip
"""The ways (rows, columns) of bishops, of rooks, and of knights."""
WAYS: Final = {
    "K": (0, 8), "Q": (0, 8), "R": (4, 8), "B": (0, 4), "N": (8, 16), "P": (2, 4), "p": (0, 2), "": (0, 0),
}  # fmt: skip
"""Of each man: the first of the ways in which he captures, and the one after the last."""
NEAR: Final = "KNP"
"""Men that go one step of their ways."""
MOST_MEN: Final = 4
"""With more, a capture en passant could expose the king."""
PLIES: Final = {"KQK": 20, "KRK": 32, "KQKR": 70, "KPK": 56, "KRKP": 85}
"""On the board of 8 x 8: the plies of the longest defence, in moves 10, 16, 35, 28, and 43 for the pawn's side."""
SMALL: Final = {("KQK", 4, 4): (420, 8), ("KRK", 5, 5): (2346, 20)}
"""Positions and the longest defence on small boards."""
