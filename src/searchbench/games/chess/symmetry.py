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


@lru_cache
def turns(rows: int, columns: int) -> Turns:
    """Return the symmetries of a board; only a square one can be turned by a quarter."""
    places = np.arange(rows * columns).reshape(rows, columns)
    turned = [places, places[::-1], places[:, ::-1], places[::-1, ::-1]]
    if rows == columns:
        turned += [one.T for one in turned]
    images = np.array([[*one.ravel(), places.size] for one in turned], np.int64)
    white, black = np.divmod(np.arange(places.size**2), places.size)
    becomes = images[:, white] * places.size + images[:, black]
    least = becomes.argmin(axis=0)
    fixing = becomes == becomes[0]
    fixing[0] = False
    apart = np.maximum(abs(white // columns - black // columns), abs(white % columns - black % columns)) > 1
    return Turns(images, least, fixing.argmax(axis=0), np.flatnonzero((least == 0) & apart))
