"""Bit vectors for codes that are 0 or, throughout a part, one other value: one bit per state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import zstandard

from searchbench import jit
from searchbench.index.protocol import Part, line_size
from searchbench.jit import trailing_zeros
from searchbench.store.codes import Array, type_for

PIECE_WORDS: Final = 1 << 13
"""Number of words packed together."""
FAR: Final = 255
PACK_LEVEL: Final = 3
_NAMES: Final = jit.Names({}, "cpu")
_POWERS: Final[Array] = np.uint64(1) << np.arange(64, dtype=np.uint64)


class Bits(Protocol):
    """Read a bit vector."""

    def read(self, first: int, count: int) -> Array:
        """Return bits `first` .. `first + count - 1`, eight to a byte, lowest bit first; pad with 0."""
        ...


def cut_out(words: Array, first: int, count: int) -> Array:
    """Return bits `first` .. `first + count - 1` of a vector of words, eight to a byte."""
    start, shift = first >> 3, first & 7
    found: Array = words.view(np.uint8)[start : start + (shift + count + 7) // 8]
    if not found.any():
        return np.zeros((count + 7) // 8, np.uint8)
    if shift:
        above = np.append(found[1:], np.uint8(0)) << (8 - shift)
        found = (found >> shift | above)[: (count + 7) // 8]
    if count & 7:
        found = found.copy()
        found[-1] &= (1 << (count & 7)) - 1
    return found


class PlainBits(NamedTuple):
    """Store a bit vector as words."""

    words: Array

    def read(self, first: int, count: int) -> Array:
        """Return bits `first` .. `first + count - 1`, eight to a byte."""
        return cut_out(self.words, first, count)


def write_gaps(words: Any, bits: Any, out: Any) -> int:
    """Write the number of 0 bits before each 1 bit; return the number of bytes written. `bits[k]` is 2^k.

    The byte FAR stands for FAR 0 bits that no 1 follows.
    """
    count = 0
    before = -1
    for word in range(len(words)):
        left = words[word]
        while left != 0:
            bit = 64 * word + trailing_zeros(left)
            left &= left - bits[0]
            gap = bit - before - 1
            while gap >= FAR:
                out[count] = FAR
                count += 1
                gap -= FAR
            out[count] = gap
            count += 1
            before = bit
    return count


def read_gaps(gaps: Any, bits: Any, words: Any) -> None:
    """Set the bits whose gaps `write_gaps` wrote."""
    bit = 0
    for place in range(len(gaps)):
        bit += gaps[place]
        if gaps[place] != FAR:
            words[bit >> 6] |= bits[bit & 63]
            bit += 1


class PackedBits:
    """Store a bit vector in compressed pieces, as the gaps between set bits.

    Where a rule of the game sets few bits, gaps repeat each other and take a third of the room of the bits.
    """

    def __init__(self, pieces: Sequence[bytes], words: int) -> None:
        self._pieces, self._words = pieces, words

    @classmethod
    def of(cls, words: Array, map_all: Callable[[Callable[[int], bytes], range], list[bytes]]) -> PackedBits:
        """Pack words; `map_all` applies a function to each element of a range, possibly on several threads."""
        writer = jit.bind(write_gaps, _NAMES)

        def pack(first: int) -> bytes:
            piece = words[first : first + PIECE_WORDS]
            if not piece.any():
                return b""
            ones = int(np.bitwise_count(piece).sum())
            gaps = np.empty(ones + 64 * len(piece) // FAR + 1, np.uint8)
            count = writer(piece, _POWERS, gaps)
            packed = zstandard.ZstdCompressor(level=PACK_LEVEL).compress(gaps[:count].data)
            return np.frombuffer(
                packed, np.uint8
            ).tobytes()  # the buffer it was written to is larger, and would stay allocated

        return cls(map_all(pack, range(0, len(words), PIECE_WORDS)), len(words))

    def flat(self) -> dict[str, Array]:
        """Return two arrays: the concatenated pieces, and the number of words followed by the pieces' lengths."""
        lengths = np.array([self._words, *map(len, self._pieces)], np.int64)
        return {"pieces": np.frombuffer(b"".join(self._pieces), np.uint8), "lengths": lengths}

    @classmethod
    def of_flat(cls, pieces: Array, lengths: Array) -> PackedBits:
        """Rebuild the vector from the arrays of `flat`."""
        ends = np.cumsum(lengths[1:]).tolist()
        data = pieces.tobytes()
        return cls([data[first:stop] for first, stop in zip([0, *ends], ends, strict=False)], int(lengths[0]))

    @property
    def nbytes(self) -> int:
        """Return the memory of the pieces in bytes."""
        return sum(map(len, self._pieces)) + 48 * len(self._pieces)

    @property
    def filled(self) -> list[int]:
        """Return the indices of nonempty pieces; piece k starts at bit ``64 * PIECE_WORDS * k``."""
        return [place for place, piece in enumerate(self._pieces) if piece]

    def words(self, place: int) -> Array:
        """Return the words of a piece; the last piece may be shorter."""
        words = np.zeros(min(PIECE_WORDS, self._words - PIECE_WORDS * place), np.uint64)
        if self._pieces[place]:
            gaps = np.frombuffer(zstandard.ZstdDecompressor().decompress(self._pieces[place]), np.uint8)
            jit.bind(read_gaps, _NAMES)(gaps, _POWERS, words)
        return words

    def read(self, first: int, count: int) -> Array:
        """Return bits `first` .. `first + count - 1`, eight to a byte."""
        size = 64 * PIECE_WORDS
        place = first // size
        stop = min(max(-(-(first + count) // size), place + 1), len(self._pieces))
        if not any(self._pieces[place:stop]):
            return np.zeros((count + 7) // 8, np.uint8)
        words = np.concatenate([self.words(one) for one in range(place, stop)])
        return cut_out(words, first - place * size, count)


def codes_of(bits: Array, count: int, code: int, dtype: np.dtype[Any]) -> Array:
    """Return the codes that bits stand for: 0 or `code`."""
    codes: Array = np.unpackbits(bits, count=count, bitorder="little").astype(dtype, copy=False)
    if code != 1:
        codes *= dtype.type(code)
    return codes


class Layer(NamedTuple):
    """Describe the bits of a part: bit 0 belongs to number `origin`, a 1 means `code`, and `reached` bits are 1."""

    bits: Bits
    origin: int
    code: int
    reached: int


class BitCodes:
    """Read codes from bits; each part has a layer, or None if none of its states is reached."""

    modulus = 0

    def __init__(self, parts: Sequence[Part], layers: Sequence[Layer | None]) -> None:
        self._parts = list(parts)
        self._layers = {part.name: layer for part, layer in zip(parts, layers, strict=True)}
        largest = max([1, *(layer.code for layer in layers if layer is not None)])
        self._dtype = type_for(largest)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a code."""
        return self._dtype

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        return line_size(self._parts)

    def code(self, number: int) -> int:
        """Return the code of one number."""
        for part in self._parts:
            if part.start <= number < part.stop:
                return int(self.read(part, number, number + 1)[0])
        return 0

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1 of a part."""
        layer = self._layers[part.name]
        return codes_of(self.bits(part, first, stop), stop - first, layer.code if layer else 0, self._dtype)

    def bits(self, part: Part, first: int, stop: int) -> Array:
        """Return which of the numbers first .. stop - 1 of a part are reached, eight in a byte."""
        layer = self._layers[part.name]
        if layer is None:
            return np.zeros((stop - first + 7) // 8, np.uint8)
        return layer.bits.read(first - layer.origin, stop - first)

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
