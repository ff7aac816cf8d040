"""Where a database keeps its codes: in memory here, on disk in :mod:`searchbench.store.disk`; both answer alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from searchbench.exchange.table import recode
from searchbench.index.protocol import Part
from searchbench.values import Value

Array = npt.NDArray[Any]


class Codes(Protocol):
    """Read the stored codes of a number line.

    With a `modulus` m, `code`, `read` and `whole` give 0 for no value and else 1 + depth mod m; `counts` knows the depths.
    """

    modulus: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the type of a code; its largest number marks a number that is no position."""
        ...

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        ...

    def code(self, number: int) -> int:
        """Return the code of one number."""
        ...

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1, which all lie in `part`."""
        ...

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each code occurs in a part, the mark of what is no position included."""
        ...

    def whole(self) -> Array:
        """Return all codes in one array."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


@runtime_checkable
class BitReader(Protocol):
    """Read bits where codes are kept as bits, without making codes of them."""

    def bits(self, part: Part, first: int, stop: int) -> Array:
        """Return which of the numbers first .. stop - 1 of a part have a value, as `bits_of_codes` does."""
        ...


def bits_of_codes(codes: Array) -> Array:
    """Return which codes are neither 0 nor the mark of what is no position: eight to a byte, the first in the lowest place."""
    return np.packbits((codes != 0) & (codes != np.iinfo(codes.dtype).max), bitorder="little")


def type_for(largest: int) -> np.dtype[Any]:
    """Return the smallest type for codes up to `largest` besides the mark of what is no position."""
    return np.dtype(np.uint8 if largest < 255 else np.uint16 if largest < 65535 else np.uint32)


def as_type(codes: Array, dtype: np.dtype[Any]) -> Array:
    """Return codes in another type, with its mark of what is no position; the same array if it has the type."""
    if codes.dtype == dtype:
        return codes
    out: Array = np.empty(len(codes), dtype)
    recode(codes, out)
    return out


class MemoryCodes:
    """Hold the codes in one array."""

    modulus = 0

    def __init__(self, codes: Array) -> None:
        self._codes = codes

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the type of a code."""
        return self._codes.dtype

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return len(self._codes)

    def code(self, number: int) -> int:
        """Return the code of one number."""
        return int(self._codes[number])

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1."""
        return self._codes[first:stop]

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each code occurs in a part."""
        return count_codes(self._codes[part.start : part.stop])

    def whole(self) -> Array:
        """Return the array itself."""
        return self._codes

    def close(self) -> None:
        """Do nothing."""


def in_order(values: Iterable[Value]) -> list[Value]:
    """Return values in order, None last."""
    given = list(values)
    return [*sorted(value for value in given if value is not None), *([None] if None in given else [])]


PIECE = 1 << 20
"""How many codes are looked at in one go."""


def count_codes(codes: Array) -> dict[int, int]:
    """Return how often each code occurs."""
    counts: dict[int, int] = {}
    for first in range(0, len(codes), PIECE):
        piece = codes[first : first + PIECE]
        if codes.dtype.itemsize <= 2:
            found = np.bincount(piece)
            present = np.flatnonzero(found)
            pairs = zip(present.tolist(), found[present].tolist(), strict=True)
        else:
            values, found = np.unique(piece, return_counts=True)
            pairs = zip(values.tolist(), found.tolist(), strict=True)
        for code, count in pairs:
            counts[code] = counts.get(code, 0) + count
    return dict(sorted(counts.items()))
