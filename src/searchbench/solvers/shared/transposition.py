"""Keep a transposition table of fixed size: a key and a word for each state (Breuker 1998, chapter 2).

The arrays are arguments of kernels. Entries match by their whole key. The high bits of a word are its *worth*, usually the
work that it saves. The scheme "two-level" has two places for each key: the first keeps the more valuable word, the second
the newest other one. The scheme "always" has one place, which keeps the newest word.

Several threads may read and write a table without locks: beside a word lies its key xor the word's guard, so an entry of
which two threads have each written a half matches no key (Hyatt and Mann 2002). Counts of used entries may then be inexact.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.hashing import mix

Scheme = Literal["always", "two-level"]

WORTH_SHIFT: Final = 24
"""The worth of a word begins at this bit."""
LARGEST_WORTH: Final = (1 << 38) - 1
ENTRY_BYTES: Final = 16
SMALLEST: Final = 1 << 10


class Transpositions(NamedTuple):
    """The keys and words (0: empty) of 2^n entries, the number of used ones, and the number of places for a key."""

    keys: Any
    words: Any
    used: Any
    places: int

    @property
    def crowded(self) -> bool:
        """Return whether more than half of the entries are used."""
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
    """Return the largest power of two of entries that fits into `memory` bytes, at least SMALLEST."""
    size = SMALLEST
    while 2 * size * ENTRY_BYTES <= memory:
        size *= 2
    return size


def first_place(table: Transpositions, key: int) -> int:
    """Return the first place for a key."""
    return mix(key) & (len(table.keys) - table.places)


def guard(word: int) -> int:
    """Return 63 bits that change with every bit of a word: what its key is kept with."""
    return (word * 0x5851F42D4C957F2D) & 0x7FFFFFFFFFFFFFFF


def probe(table: Transpositions, key: int) -> int:
    """Return the word of a key, or 0 if there is none."""
    first = first_place(table, key)
    for place in range(first, first + table.places):
        word = int(table.words[place])
        if word != 0 and table.keys[place] ^ guard(word) == key:
            return word
    return 0


def put(table: Transpositions, place: int, key: int, word: int) -> None:
    """Write an entry."""
    if table.words[place] == 0:
        table.used[0] += 1
    table.keys[place] = key ^ guard(word)
    table.words[place] = word


def store(table: Transpositions, key: int, word: int) -> None:
    """Store a word (not 0) under a key, over the key's old word or by the table's replacement scheme."""
    first = first_place(table, key)
    for place in range(first, first + table.places):
        old = int(table.words[place])
        if old != 0 and table.keys[place] ^ guard(old) == key:
            put(table, place, key, word)
            return
    old = int(table.words[first])
    if table.places == 2 and old != 0:
        if (word >> WORTH_SHIFT) < (old >> WORTH_SHIFT):
            first += 1
        else:
            put(table, first + 1, table.keys[first] ^ guard(old), old)
    put(table, first, key, word)


def store_all(old: Transpositions, new: Transpositions) -> None:
    """Store all entries of a table in another."""
    for place in range(len(old.keys)):
        word = int(old.words[place])
        if word != 0:
            store(new, old.keys[place] ^ guard(word), word)


def grown(table: Transpositions, names: jit.Names) -> Transpositions:
    """Return a table of twice the size with the same entries."""
    new = new_transpositions(2 * len(table.keys), "always" if table.places == 1 else "two-level")
    jit.bind(store_all, names)(table, new)
    return new


def arrays_of(name: str, table: Transpositions) -> dict[str, Any]:
    """Return the arrays of a table as a folder keeps them."""
    return {f"{name}-keys": table.keys, f"{name}-words": table.words, f"{name}-used": table.used}


def from_arrays(name: str, arrays: Mapping[str, Any]) -> Transpositions:
    """Return the table, with two places for a key, of which a folder kept the arrays."""
    return Transpositions(arrays[f"{name}-keys"], arrays[f"{name}-words"], arrays[f"{name}-used"], 2)


def collect_garbage(table: Transpositions) -> None:
    """Empty the entries of least worth, half of those used or more: small subtrees first (Nagai 2002).

    No thread may be at work.
    """
    worth = table.words >> WORTH_SHIFT
    used = table.words != 0
    if used.any():
        table.words[used & (worth <= np.median(worth[used]))] = 0
    table.used[0] = np.count_nonzero(table.words)
