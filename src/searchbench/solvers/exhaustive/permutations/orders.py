"""List permutations and selections in bulk, one a line in lexicographic order, and rank them."""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

Lines = npt.NDArray[Any]


@lru_cache(maxsize=8)
def selections(n: int, k: int) -> Lines:
    """Return all ways to choose k of 0 .. n - 1 in order: an array [n! / (n - k)!, k] of int8, lexicographic."""
    lines: Lines = np.zeros((1, 0), np.int8)
    for taken in range(1, k + 1):
        kinds = n - k + taken
        grown = np.empty((kinds, len(lines), taken), np.int8)
        for first in range(kinds):
            grown[first, :, 0] = first
            grown[first, :, 1:] = lines + (lines >= first)
        lines = grown.reshape(-1, taken)
    return lines


def digits(lines: Lines) -> Lines:
    """Return, for each entry, the number of smaller entries after it in its line: [lines, entries] of int64."""
    columns = np.ascontiguousarray(lines.T)
    found = np.zeros(columns.shape, np.int8)  # entries are int8, so there are fewer than 128
    for place, column in enumerate(columns):
        for later in columns[place + 1 :]:
            found[place] += later < column
    smaller: Lines = found.T.astype(np.int64)
    return smaller


def permutation_ranks(lines: Lines) -> Lines:
    """Return the lexicographic rank of each permutation."""
    n = lines.shape[1]
    weights = np.array([factorial(n - 1 - place) for place in range(n)], np.int64)
    ranks: Lines = digits(lines) @ weights
    return ranks


def selection_ranks(lines: Lines, n: int) -> Lines:
    """Return the lexicographic rank of each ordered selection from 0 .. n - 1."""
    ranks = np.zeros(len(lines), np.int64)
    for place in range(lines.shape[1]):
        digit = lines[:, place].astype(np.int64)
        for earlier in range(place):
            digit -= lines[:, earlier] < lines[:, place]
        ranks = ranks * (n - place) + digit
    return ranks


def parities(lines: Lines) -> Lines:
    """Return 1 for each odd permutation, 0 for each even one."""
    odd: Lines = digits(lines).sum(axis=1) & 1
    return odd


def prefix_parities(n: int, k: int) -> Lines:
    """Return, for every ordered selection of the first k of n elements, the parity of its k Lehmer digits."""
    found: Lines = np.zeros(1, np.int64)
    for place in range(k):
        found = (found[:, None] ^ (np.arange(n - place) & 1)[None, :]).ravel()
    return found
