"""Forms: how codes are packed into the bytes of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from searchbench.errors import DamagedData
from searchbench.store.codes import Array


class Form(NamedTuple):
    """A packing of `per_unit` codes into each stored number; `fill` (0 or 1) pads the last one."""

    name: str
    per_unit: int
    fill: int
    pack: Callable[[Array], Array]
    unpack: Callable[[Array], Array]

    def units(self, codes: int) -> int:
        """Return how many stored numbers `codes` codes take."""
        return -(-codes // self.per_unit)

    def packed(self, codes: Array) -> Array:
        """Pack codes as they are stored."""
        rest = -len(codes) % self.per_unit
        if rest:
            codes = np.concatenate([codes, np.full(rest, self.fill, codes.dtype)])
        return self.pack(codes)


def _same(codes: Array) -> Array:
    return codes


def _pack_two_bits(codes: Array) -> Array:
    fours = codes.reshape(-1, 4)
    packed: Array = fours[:, 0] | fours[:, 1] << 2 | fours[:, 2] << 4 | fours[:, 3] << 6
    return packed


def _unpack_two_bits(packed: Array) -> Array:
    fours: Array = np.empty((len(packed), 4), np.uint8)
    for place in range(4):
        fours[:, place] = packed >> (2 * place) & 3
    return fours.reshape(-1)


def _pack_base_three(codes: Array) -> Array:
    fives = codes.reshape(-1, 5) - 1
    packed: Array = fives @ np.array([1, 3, 9, 27, 81], np.uint8)
    return packed


_FIVES: Final[Array] = (np.arange(243)[:, None] // np.array([1, 3, 9, 27, 81]) % 3 + 1).astype(np.uint8)


def _unpack_base_three(packed: Array) -> Array:
    if len(packed) and packed.max() > 242:
        raise DamagedData(f"a byte of the form base-3 is {packed.max()}, more than 242")
    fives: Array = _FIVES[packed]
    return fives.reshape(-1)


def _pack_base_four(codes: Array) -> Array:
    return _pack_two_bits(codes - 1)


def _unpack_base_four(packed: Array) -> Array:
    return _unpack_two_bits(packed) + np.uint8(1)


def _pack_base_five(codes: Array) -> Array:
    packed: Array = codes.reshape(-1, 3) @ np.array([1, 5, 25], np.uint8)
    return packed


_THREES: Final[Array] = (np.arange(125)[:, None] // np.array([1, 5, 25]) % 5).astype(np.uint8)


def _unpack_base_five(packed: Array) -> Array:
    if len(packed) and packed.max() > 124:
        raise DamagedData(f"a byte of the form base-5 is {packed.max()}, more than 124")
    threes: Array = _THREES[packed]
    return threes.reshape(-1)


def _pack_bits(codes: Array) -> Array:
    return np.packbits(codes, bitorder="little")


def _unpack_bits(packed: Array) -> Array:
    return np.unpackbits(packed, bitorder="little")


VALUES: Final = Form("values", 1, 0, _same, _same)
TWO_BIT: Final = Form("two-bit", 4, 0, _pack_two_bits, _unpack_two_bits)
"""Codes 0 to 3, four to a byte, lowest bits first."""
BASE_THREE: Final = Form("base-3", 5, 1, _pack_base_three, _unpack_base_three)
"""Codes 1 to 3, five to a byte: 1.6 bits each (Edelkamp 2017, pattern databases)."""
BASE_FOUR: Final = Form("base-4", 4, 1, _pack_base_four, _unpack_base_four)
"""Codes 1 to 4, four to a byte, lowest bits first."""
BASE_FIVE: Final = Form("base-5", 3, 0, _pack_base_five, _unpack_base_five)
"""Codes 0 to 4, three to a byte."""
ONE_BIT: Final = Form("one-bit", 8, 0, _pack_bits, _unpack_bits)
"""Codes 0 and 1, eight to a byte, lowest bit first."""
FORMS: Final = {form.name: form for form in (VALUES, TWO_BIT, BASE_THREE, BASE_FOUR, BASE_FIVE, ONE_BIT)}
