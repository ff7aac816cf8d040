"""How a board can be turned and mirrored, and which squares of the kings stand for their symmetric ones."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np


class Turns(NamedTuple):
    """What turning and mirroring does to a board without men, as arrays; square number `squares` is beside the board."""

    images: Any
    """Of each symmetry, the identity first: the square that each square becomes."""
    least: Any
    """Of each pair of squares of the kings: the symmetry that makes the pair the first of those it can become."""
    other: Any
    """Of each pair of squares: a symmetry that leaves the pair as it is, the identity (0) if there is no other."""
    pairs: Any
    """The pairs that are the first of those they can become, and whose kings stand apart."""

    @property
    def numbers(self) -> Any:
        """Return the place of each pair of squares among the pairs, -1 for none."""
        numbers = np.full(len(self.least), -1, np.int64)
        numbers[self.pairs] = np.arange(len(self.pairs))
        return numbers


@lru_cache
def turns(rows: int, columns: int, pawns: bool) -> Turns:
    """Return the symmetries of a board: with pawns the mirror, which is the second of all, else also turns.

    Every second one contains the mirror once more than the one before it. Only a square board can be turned by a quarter.
    """
    places = np.arange(rows * columns).reshape(rows, columns)
    turned = [places, places[:, ::-1]]
    if not pawns:
        turned += [one[::-1] for one in turned]
    if rows == columns and not pawns:
        turned += [one.T for one in turned]
    images = np.array([[*one.ravel(), places.size] for one in turned], np.int64)
    white, black = np.divmod(np.arange(places.size**2), places.size)
    becomes = images[:, white] * places.size + images[:, black]
    least = becomes.argmin(axis=0)
    fixing = becomes == becomes[0]
    fixing[0] = False
    apart = np.maximum(abs(white // columns - black // columns), abs(white % columns - black % columns)) > 1
    return Turns(images, least, fixing.argmax(axis=0), np.flatnonzero((least == 0) & apart))
