"""List words in bulk: arrays with one sequence of equal pieces a line, in lexicographic order."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.index import multinomial

Array = npt.NDArray[Any]
Counts = tuple[int, ...]
LARGEST_KEY: Final = (1 << 63) - 1


def words(length: int, pieces: Counts) -> tuple[Array, Array]:
    """Return all words of a length with at most ``pieces[k]`` pieces of kind k, and the counts of the remaining pieces.

    Both are arrays with a line for each word: [words, length] of int8 and [words, kinds] of int64.
    """
    lines = np.zeros((1, 0), np.int8)
    left = np.array([pieces], np.int64)
    for _ in range(length):
        stem, kind = np.nonzero(left)
        lines = np.concatenate([lines[stem], kind[:, None].astype(np.int8)], axis=1)
        left = left[stem]
        left[np.arange(len(left)), kind] -= 1
    return lines, left


def keys(lines: Array, kinds: int) -> Array:
    """Return a key for each word, with entries below `kinds`; keys of words of one length are ordered as the words are.

    A key is a number whose digits are the entries or, for words too long for that, a string of bytes.
    """
    length = lines.shape[1]
    if kinds**length <= LARGEST_KEY:
        weights = np.array([kinds**place for place in range(length - 1, -1, -1)], np.int64)
        return lines @ weights
    entries = np.ascontiguousarray(lines, np.min_scalar_type(kinds - 1).newbyteorder(">"))
    return entries.view(f"S{entries.itemsize * length}").reshape(-1)


def classes(left: Array) -> tuple[Array, Array]:
    """Return the distinct lines of counts, [classes, kinds], and for each line the number of its class."""
    base = int(left.max()) + 1
    _, first, members = np.unique(keys(left, base), return_index=True, return_inverse=True)
    return left[first], members


def class_sizes(length: int, pieces: Counts) -> dict[Counts, int]:
    """Return the number of words of a length with each combination of piece counts."""
    counts = product(*(range(count + 1) for count in pieces))
    return {count: multinomial(count) for count in counts if sum(count) == length}
