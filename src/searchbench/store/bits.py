"""One bit a state: codes that are 0, or the one other code that all states of a part have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import zstandard

from searchbench.index.protocol import Part
from searchbench.store.codes import Array
from searchbench.store.planes import bits_of

PIECE_WORDS = 1 << 13
"""How many words are packed together."""


class Bits(Protocol):
    """Read a bit vector."""

    def read(self, first: int, count: int) -> Array:
        """Return some bits, one in a byte."""
        ...


class PlainBits(NamedTuple):
    """Hold a bit vector as words."""

    words: Array

    def read(self, first: int, count: int) -> Array:
        """Return some bits, one in a byte."""
        return bits_of(self.words, first, count)


class PackedBits:
    """Hold a bit vector in compressed pieces: thinly set bits take less than half of the room."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    @classmethod
    def of(cls, words: Array, map_all: Callable[[Callable[[int], bytes], range], list[bytes]]) -> PackedBits:
        """Pack words; `map_all` calls a function for each of a range, on several threads perhaps."""

        def pack(first: int) -> bytes:
            piece = words[first : first + PIECE_WORDS]
            if not piece.any():
                return b""
            packed = zstandard.ZstdCompressor(level=1).compress(piece.tobytes())
            return np.frombuffer(packed, np.uint8).tobytes()  # what it was written to is larger, and would stay in use

        return cls(map_all(pack, range(0, len(words), PIECE_WORDS)))

    @property
    def nbytes(self) -> int:
        """Return the memory of the pieces."""
        return sum(map(len, self._pieces)) + 48 * len(self._pieces)

    @property
    def filled(self) -> list[int]:
        """Return the places of the pieces that have any bit set: the bits from ``64 * PIECE_WORDS * place`` on."""
        return [place for place, piece in enumerate(self._pieces) if piece]

    def words(self, place: int) -> Array:
        """Return the words of a piece; the last piece is shorter."""
        if not self._pieces[place]:
            return np.zeros(PIECE_WORDS, np.uint64)
        return np.frombuffer(zstandard.ZstdDecompressor().decompress(self._pieces[place]), np.uint64).copy()

    def read(self, first: int, count: int) -> Array:
        """Return some bits, one in a byte."""
        size = 64 * PIECE_WORDS
        place = first // size
        stop = max(-(-(first + count) // size), place + 1)
        words = np.concatenate([self.words(one) for one in range(place, min(stop, len(self._pieces)))])
        return bits_of(words, first - place * size, count)


class Layer(NamedTuple):
    """Say where the bits of a part are, the first one being that of the number `origin`, which code they mean, and how many."""

    bits: Bits
    origin: int
    code: int
    reached: int


class BitCodes:
    """Read codes from bits: each part has a layer, or None if none of its states is reached."""

    modulus = 0

    def __init__(self, parts: Sequence[Part], layers: Sequence[Layer | None]) -> None:
        self._parts = list(parts)
        self._layers = {part.name: layer for part, layer in zip(parts, layers, strict=True)}
        largest = max([1, *(layer.code for layer in layers if layer is not None)])
        self._dtype = np.dtype(np.uint8 if largest < 255 else np.uint16 if largest < 65535 else np.uint32)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the type of a code."""
        return self._dtype

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return max(part.stop for part in self._parts)

    def code(self, number: int) -> int:
        """Return the code of one number."""
        for part in self._parts:
            if part.start <= number < part.stop:
                return int(self.read(part, number, number + 1)[0])
        return 0

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1 of a part."""
        layer = self._layers[part.name]
        if layer is None:
            return np.zeros(stop - first, self._dtype)
        found: Array = layer.bits.read(first - layer.origin, stop - first).astype(self._dtype) * layer.code
        return found.astype(self._dtype)

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each code occurs in a part."""
        layer = self._layers[part.name]
        count = layer.reached if layer is not None else 0
        found = {0: part.size - count, **({layer.code: count} if layer is not None else {})}
        return {code: count for code, count in found.items() if count}

    def whole(self) -> Array:
        """Return all codes in one array."""
        codes: Array = np.zeros(self.size, self._dtype)
        for part in self._parts:
            for first in range(part.start, part.stop, 1 << 24):
                stop = min(first + (1 << 24), part.stop)
                codes[first:stop] = self.read(part, first, stop)
        return codes

    def close(self) -> None:
        """Do nothing."""
