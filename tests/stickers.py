"""A twin of turning puzzles: stickers in space, turned about an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Vector = tuple[int, int, int]


def add(*vectors: Vector) -> Vector:
    """Return the sum of vectors."""
    x, y, z = (sum(one) for one in zip(*vectors, strict=True))
    return x, y, z


def dot(one: Vector, other: Vector) -> int:
    """Return the inner product."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def quarter(axis: Vector, vector: Vector) -> Vector:
    """Return a vector turned by 90 degrees about an axis of length one, clockwise as seen from its tip."""
    (a, b, c), (x, y, z) = axis, vector
    along = dot(axis, vector)
    return y * c - z * b + along * a, z * a - x * c + along * b, x * b - y * a + along * c


def third(axis: Vector, vector: Vector) -> Vector:
    """Return a vector turned by 120 degrees about a corner (+-1, +-1, +-1) with an even number of minus signs, clockwise."""
    (a, b, c), (x, y, z) = axis, vector
    return a * (b * y), b * (c * z), c * (a * x)


CUBE = {"R": (1, 0, 0), "L": (-1, 0, 0), "U": (0, 1, 0), "D": (0, -1, 0), "F": (0, 0, 1), "B": (0, 0, -1)}
CORNERS = {"U": (1, 1, 1), "B": (1, -1, -1), "R": (-1, -1, 1), "L": (-1, 1, -1)}
TETRAHEDRON = {"D": (-1, -1, -1), "F": (-1, 1, 1), "L": (1, 1, -1), "R": (1, -1, 1)}
"""The outward normals of the faces, each opposite to a corner: front to back, left to right, right to left."""


class Stickers:
    """Turn the stickers of a puzzle in space: each lies on a piece, at a position, and faces along a normal."""

    def __init__(self, names: Iterable[str], normals: dict[str, Vector]) -> None:
        self.order = [(add(*(normals[face] for face in name)), normals[face]) for name in names for face in name]
        self.colours = dict(zip(self.order, [face for name in names for face in name], strict=True))

    def turn(self, axis: Vector, turned: Callable[[Vector, Vector], Vector]) -> None:
        """Turn all pieces on the side of an axis."""
        self.colours = {
            (turned(axis, place), turned(axis, normal)) if dot(place, axis) > 0 else (place, normal): colour
            for (place, normal), colour in self.colours.items()
        }

    def shown(self) -> list[str]:
        """Return the colours in the order of the places."""
        return [self.colours[sticker] for sticker in self.order]
