"""A transposition table: one word about each of many states, by their keys, in a fixed room (Breuker 1998, chapter 2).

The arrays are arguments of kernels. An entry counts only when its whole key agrees. The high bits of a word are its
*worth*, usually the work that it saves: with two places for each key the more valuable word is kept in the first, the
newest other one in the second ("two-level"); with one place the newest word is kept ("always").
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.rules import mix

Scheme = Literal["always", "two-level"]

WORTH_SHIFT: Final = 24
"""The bits of a word from here on are its worth."""
LARGEST_WORTH: Final = (1 << 38) - 1
ENTRY_BYTES: Final = 16
SMALLEST: Final = 1 << 10


class Transpositions(NamedTuple):
    """Hold the keys and the words (0: empty) of 2^n entries, how many are used, and how many places a key has."""

    keys: Any
    words: Any
    used: Any
    places: int

    @property
    def crowded(self) -> bool:
        """Tell whether more than half of the entries are used."""
        return 2 * int(self.used[0]) > len(self.keys)


def new_transpositions(size: int, scheme: Scheme = "two-level") -> Transpositions:
    """Return an empty table; `size` is a power of two, at least 2."""
    if size < 2 or size & (size - 1):
        raise BadRequest(f"a transposition table of {size} entries: expected a power of two, at least 2")
    if scheme not in ("always", "two-level"):
        raise BadRequest(f"unknown replacement scheme {scheme!r}: there are always, two-level")
    return Transpositions(
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(1, np.int64), 1 if scheme == "always" else 2
    )


def largest_size(memory: int) -> int:
    """Return how many entries, a power of two, a table may have within so many bytes."""
    size = SMALLEST
    while 2 * size * ENTRY_BYTES <= memory:
        size *= 2
    return size


def first_place(table: Transpositions, key: int) -> int:
    """Return the first of the places where a key may stand."""
    return mix(key) & (len(table.keys) - table.places)


def probe(table: Transpositions, key: int) -> int:
    """Return the word of a key, 0 if there is none."""
    first = first_place(table, key)
    for place in range(first, first + table.places):
        if table.keys[place] == key and table.words[place] != 0:
            return int(table.words[place])
    return 0


def put(table: Transpositions, place: int, key: int, word: int) -> None:
    """Write an entry."""
    if table.words[place] == 0:
        table.used[0] += 1
    table.keys[place] = key
    table.words[place] = word


def store(table: Transpositions, key: int, word: int) -> None:
    """Keep a word (not 0) under a key: in the place of an older word of this key, else of a less valuable one."""
    first = first_place(table, key)
    for place in range(first, first + table.places):
        if table.words[place] != 0 and table.keys[place] == key:
            table.words[place] = word
            return
    if table.places == 2 and table.words[first] != 0:
        if (word >> WORTH_SHIFT) < (table.words[first] >> WORTH_SHIFT):
            first += 1
        else:
            put(table, first + 1, table.keys[first], table.words[first])
    put(table, first, key, word)


def store_all(old: Transpositions, new: Transpositions) -> None:
    """Store all entries of a table in another."""
    for place in range(len(old.keys)):
        if old.words[place] != 0:
            store(new, old.keys[place], old.words[place])


def grown(table: Transpositions, names: jit.Names) -> Transpositions:
    """Return a table of twice the size with the same entries."""
    new = new_transpositions(2 * len(table.keys), "always" if table.places == 1 else "two-level")
    jit.bind(store_all, names)(table, new)
    return new
