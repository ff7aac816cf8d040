"""Wins and losses as two bits a position: words of 64 bits W and L by turns, as the sweep over diagrams leaves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from searchbench.index.protocol import Part, line_size
from searchbench.store.codes import Array
from searchbench.values.ending import DRAW, LOSS, WIN

PER_WORD: Final = 64
UNIT: Final = 4
"""Codes in a byte of the form two-bit."""
_SPREADS: Final = ((16, 0x0000FFFF0000FFFF), (8, 0x00FF00FF00FF00FF), (4, 0x0F0F0F0F0F0F0F0F), (2, 0x3333333333333333),
                   (1, 0x5555555555555555))  # fmt: skip


@runtime_checkable
class PairReader(Protocol):
    """Read codes in the form two-bit where they are stored as two bits already."""

    def packed(self, part: Part, first: int, stop: int) -> Array:
        """Return the stored numbers first .. stop - 1 of a part in the form two-bit; `first` is a multiple of 16."""
        ...


class PairCodes:
    """Read codes 1 (a loss), 2 (a draw) and 3 (a win) from the words W and L of each part, by turns."""

    modulus = 0

    def __init__(self, parts: Sequence[Part], planes: Sequence[Array]) -> None:
        self._parts = list(parts)
        self._planes: Mapping[str, Array] = {part.name: words for part, words in zip(parts, planes, strict=True)}

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a code."""
        return np.dtype(np.uint8)

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        return line_size(self._parts)

    def code(self, number: int) -> int:
        """Return the code of one number."""
        part = next(part for part in self._parts if part.start <= number < part.stop)
        return int(self.read(part, number, number + 1)[0])

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1 of a part."""
        low, high = (first - part.start) // PER_WORD, -((part.start - stop) // PER_WORD)
        pairs = self._planes[part.name][2 * low : 2 * high].reshape(-1, 2)
        won, lost = (
            np.unpackbits(np.ascontiguousarray(pairs[:, which]).view(np.uint8), bitorder="little") for which in range(2)
        )
        codes: Array = DRAW + won - lost
        offset = part.start + PER_WORD * low
        return codes[first - offset : stop - offset]

    def packed(self, part: Part, first: int, stop: int) -> Array:
        """Return the stored numbers first .. stop - 1 of a part in the form two-bit; `first` is a multiple of 16."""
        per_word = PER_WORD // UNIT
        pairs = self._planes[part.name][2 * (first // per_word) : 2 * -(-stop // per_word)].reshape(-1, 2)
        won, lost = (np.ascontiguousarray(pairs[:, which]).view(np.uint32).astype(np.uint64) for which in range(2))
        codes = _spread(won | lost) | _spread(lost ^ np.uint64(0xFFFFFFFF)) << np.uint64(1)
        units: Array = codes.view(np.uint8)[: stop - first]
        rest = part.size - UNIT * (stop - 1)
        if 0 < rest < UNIT:
            units[-1] &= (1 << 2 * rest) - 1
        return units

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each code occurs in a part."""
        won, lost = self._won_and_lost(part)
        found = {LOSS: lost, DRAW: part.size - won - lost, WIN: won}
        return {code: count for code, count in found.items() if count}

    def _won_and_lost(self, part: Part) -> tuple[int, int]:
        return counts_of(self._planes[part.name])

    def whole(self) -> Array:
        """Return all codes in one array."""
        return np.concatenate([self.read(part, part.start, part.stop) for part in self._parts])

    def close(self) -> None:
        """Do nothing."""


def _spread(halves: Array) -> Array:
    """Return words with the low 32 bits of each number at the even places."""
    for shift, mask in _SPREADS:
        halves = (halves | halves << np.uint64(shift)) & np.uint64(mask)
    return halves


def counts_of(planes: Array) -> tuple[int, int]:
    """Return how many positions of a part are won and lost."""
    pairs = np.bitwise_count(planes).reshape(-1, 2).sum(axis=0, dtype=np.int64)
    return int(pairs[0]), int(pairs[1])


def set_pairs(planes: Array, first: int, codes: Array) -> None:
    """Write the codes of the numbers from `first` on, a multiple of 64, into the words of a part."""
    words = -(-len(codes) // PER_WORD)
    low = 2 * (first // PER_WORD)
    for which, code in enumerate((WIN, LOSS)):
        bits = np.zeros(8 * words, np.uint8)
        packed = np.packbits(codes == code, bitorder="little")
        bits[: len(packed)] = packed
        planes[low + which : low + 2 * words : 2] = bits.view(np.uint64)
