"""Depths modulo 3 or 4 in two bit vectors, as breadth-first search leaves them: two bits per state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from searchbench.exchange.space import rest
from searchbench.index.protocol import Part
from searchbench.store.codes import Array


class _CodesInPlanes:
    _size: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a code."""
        return np.dtype(np.uint8)

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        return self._size

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1."""
        raise NotImplementedError

    def whole(self) -> Array:
        """Return all codes in one array."""
        return self.read(Part("", 0, self._size), 0, self._size)

    def close(self) -> None:
        """Do nothing."""


class PlaneCodes(_CodesInPlanes):
    """Read codes 0 (not reached) and 1 + depth mod 3 from two planes of 64-bit words.

    The bit of a number is ``number // places * word_bits + number % places``. `layers` maps a part's name to the number
    of states of each depth.
    """

    modulus = 3

    def __init__(
        self,
        low: Array,
        high: Array,
        layers: Mapping[str, Sequence[int]],
        size: int,
        places: int = 1,
        word_bits: int = 1,
    ) -> None:
        self._low, self._high = low, high
        self._layers = layers
        self._size = size
        self._places, self._word_bits = places, word_bits

    def code(self, number: int) -> int:
        """Return the code of one number."""
        bit = number // self._places * self._word_bits + number % self._places
        word, shift = bit >> 6, bit & 63
        return (int(self._low[word]) >> shift & 1) + 2 * (int(self._high[word]) >> shift & 1)

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1."""
        row, skipped = divmod(first, self._places)
        rows = -(-stop // self._places) - row
        bits = (row * self._word_bits, rows * self._word_bits)
        codes = bits_of(self._low, *bits) + 2 * bits_of(self._high, *bits)
        kept: Array = codes.reshape(rows, self._word_bits)[:, : self._places].reshape(-1)[skipped:]
        for words in (
            self._low,
            self._high,
        ):  # release pages at once: the whole file is read, and would fill the memory
            rest(words, bits[0] >> 6, sum(bits) >> 6)
        return kept[: stop - first]

    def counts(self, part: Part) -> dict[int, int]:
        """Count the numbers of each depth in a part, as 1 + depth; 0 counts unreached numbers."""
        layers = self._layers[part.name]
        found = {0: part.size - sum(layers), **{1 + depth: count for depth, count in enumerate(layers)}}
        return {code: count for code, count in found.items() if count}


class AlternatingCodes(_CodesInPlanes):
    """Read codes 0 (not reached) and 1 + depth mod 4 of a game whose moves all change the parity of the place.

    One vector marks reached states, the other contains the second bits of the depths; a depth is odd if the parity of
    the state's place differs from `start_parity`. Bits are laid out as in :class:`PlaneCodes`; `layers` is the number
    of states of each depth. The game has one part.
    """

    modulus = 4

    def __init__(
        self,
        reached: Array,
        second: Array,
        layers: Sequence[int],
        size: int,
        places: int,
        word_bits: int,
        start_parity: int,
    ) -> None:
        self._reached, self._second = reached, second
        self._layers = layers
        self._size = size
        self._places, self._word_bits = places, word_bits
        self._odd = (np.arange(places, dtype=np.uint8) + np.uint8(start_parity)) & 1

    def code(self, number: int) -> int:
        """Return the code of one number."""
        row, place = divmod(number, self._places)
        word, shift = divmod(row * self._word_bits + place, 64)
        if not int(self._reached[word]) >> shift & 1:
            return 0
        return 1 + 2 * (int(self._second[word]) >> shift & 1) + int(self._odd[place])

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1."""
        row, skipped = divmod(first, self._places)
        rows = -(-stop // self._places) - row
        bits = (row * self._word_bits, rows * self._word_bits)
        reached, second = (
            bits_of(words, *bits).reshape(rows, self._word_bits)[:, : self._places]
            for words in (self._reached, self._second)
        )
        codes: Array = (reached * (2 * second + (self._odd + np.uint8(1)))).reshape(-1)[skipped:]
        for words in (self._reached, self._second):
            rest(words, bits[0] >> 6, sum(bits) >> 6)
        return codes[: stop - first]

    def counts(self, part: Part) -> dict[int, int]:
        """Count the numbers of each depth, as 1 + depth; 0 counts unreached numbers."""
        found = {0: self._size - sum(self._layers), **{1 + depth: count for depth, count in enumerate(self._layers)}}
        return {code: count for code, count in found.items() if count}


def bits_of(words: Array, first: int, count: int) -> Array:
    """Return bits `first` .. `first + count - 1` of a vector of words, one per byte."""
    start = first >> 3
    stop = -(-(first + count) // 8)
    found = np.unpackbits(words.view(np.uint8)[start:stop], bitorder="little")
    kept: Array = found[first - 8 * start : first - 8 * start + count]
    return kept
