"""Codes of a database: one interface, in memory here and on disk in :mod:`searchbench.store.disk`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from searchbench.exchange.ranks import current
from searchbench.exchange.table import recode
from searchbench.index.protocol import Part
from searchbench.values import Value

Array = npt.NDArray[Any]


class Codes(Protocol):
    """Read the stored codes of a number line.

    With a `modulus` m, `code`, `read` and `whole` return 0 for no value, else 1 + depth mod m; `counts` has whole
    depths.
    """

    modulus: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a code; its maximum marks numbers that are no position."""
        ...

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        ...

    def code(self, number: int) -> int:
        """Return the code of one number."""
        ...

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1, which all lie in `part`."""
        ...

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each code occurs in a part, including the mark of numbers that are no position."""
        ...

    def whole(self) -> Array:
        """Return all codes in one array."""
        ...

    def close(self) -> None:
        """Release files."""
        ...


@runtime_checkable
class BitReader(Protocol):
    """Read bits directly where codes are stored as bits."""

    def bits(self, part: Part, first: int, stop: int) -> Array:
        """Return a bit per number first .. stop - 1 of a part, set if it has a value, as `bits_of_codes` does."""
        ...


def bits_of_codes(codes: Array) -> Array:
    """Return a bit per code, eight to a byte, lowest bit first; set unless the code is 0 or marks no position."""
    return np.packbits((codes != 0) & (codes != np.iinfo(codes.dtype).max), bitorder="little")


def type_for(largest: int) -> np.dtype[Any]:
    """Return the smallest unsigned type for codes up to `largest` and the mark of numbers that are no position."""
    return np.dtype(np.uint8 if largest < 255 else np.uint16 if largest < 65535 else np.uint32)


def as_type(codes: Array, dtype: np.dtype[Any]) -> Array:
    """Convert codes to another type and the mark of no position to another type; return the same array if none is needed."""
    if codes.dtype == dtype:
        return codes
    out: Array = np.empty(len(codes), dtype)
    recode(codes, out)
    return out


class MemoryCodes:
    """Store the codes in one array."""

    modulus = 0

    def __init__(self, codes: Array) -> None:
        self._codes = codes

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a code."""
        return self._codes.dtype

    @property
    def size(self) -> int:
        """Return the size of the number line."""
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


class ShardedCodes(MemoryCodes):
    """Show the codes of a table that ranks share, once each has the codes of the steps that it writes.

    `steps` are the intervals that this rank counts and writes, of all parts.
    """

    def __init__(self, codes: Array, steps: npt.NDArray[np.int64]) -> None:
        super().__init__(codes)
        self._steps = [(start, stop) for start, stop in steps.reshape(-1, 2).tolist()]

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each code occurs in a part; all ranks ask for it together."""
        mine: dict[int, int] = {}
        for start, stop in self._steps:
            if part.start <= start and stop <= part.stop:
                add_counts(mine, count_codes(self._codes[start:stop]))
        counts: dict[int, int] = {}
        for some in current().gather(mine):
            add_counts(counts, some)
        return dict(sorted(counts.items()))


def add_counts(counts: dict[int, int], more: Mapping[int, int]) -> None:
    """Add how often each code occurs elsewhere."""
    for code, count in more.items():
        counts[code] = counts.get(code, 0) + count


def in_order(values: Iterable[Value]) -> list[Value]:
    """Sort values, None last."""
    given = list(values)
    return [*sorted(value for value in given if value is not None), *([None] if None in given else [])]


PIECE = 1 << 20
"""Number of codes processed at a time."""


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
