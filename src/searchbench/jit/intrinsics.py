"""Single instructions that kernels call, as interpreted functions; each backend has a body of its own for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

LINE_WORDS: Final = 8
"""How many 64-bit words a line has: the processor's caches have lines of that size, its widest registers too."""


def popcount(word: int) -> int:
    """Count the one bits of a non-negative word."""
    return int(word).bit_count()


def trailing_zeros(word: int) -> int:
    """Return the position of the lowest one bit of a positive word."""
    word = int(word)
    return (word & -word).bit_length() - 1


def extract_bits(word: int, mask: int) -> int:
    """Return the bits of a word at the places of the mask's ones, packed together at the low end (the instruction pext)."""
    found = place = 0
    while mask:
        low = mask & -mask
        if word & low:
            found |= 1 << place
        place += 1
        mask ^= low
    return found


def deposit_bits(word: int, mask: int) -> int:
    """Return the low bits of a word, spread over the places of the mask's ones (the instruction pdep)."""
    found = 0
    while mask:
        low = mask & -mask
        if word & 1:
            found |= low
        word >>= 1
        mask ^= low
    return found


def atomic_or(words: Any, place: int, bits: Any) -> None:
    """Set bits of a word that other threads may write at the same time."""
    words[place] |= bits


def atomic_add(words: Any, place: int, number: Any) -> None:
    """Add to a word that other threads may change at the same time."""
    words[place] += number


def atomic_swap(words: Any, place: int, old: Any, new: Any) -> Any:
    """Replace a word that is `old` by `new`, while other threads may do the same; return what it was."""
    found = words[place]
    if found == old:
        words[place] = new
    return found


def prefetch(words: Any, place: int) -> None:
    """Ask for a word that will be read and written soon; nothing but time depends on it."""


def prefetch_to_read(words: Any, place: int) -> None:
    """Ask for a number that will be read soon, in memory that need not be writable; nothing but time depends on it."""


def or_line(lines: Any, line: int, others: Any, other: int, mask: int, turn: int) -> None:
    """Add the masked words of a line of one array, each turned left by some bits, to a line of another: [lines, 8] words."""
    for word in range(LINE_WORDS):
        bits = others[other, word] & mask
        lines[line, word] |= (bits << turn | bits >> (64 - turn)) & (1 << 64) - 1


def unsigned(number: int) -> int:
    """Return a number that is not negative, as a subscript: the compiled kernel does not ask whether it counts from the end.

    It is no number to go on with: sums and comparisons of it are others than those of integers.
    """
    return number


def unowned(value: Any) -> Any:
    """Return an array, or a tuple of arrays, whose users the compiled kernel does not count: its caller holds them.

    Handing an array on costs two locked instructions for each call otherwise. A kernel must not return a borrowed value.
    """
    return value


def zeros(count: int, dtype: Any) -> Callable[[], Any]:
    """Return a function that makes a vector of `count` zeros: compiled, it takes a tenth of numpy's time to compile."""
    kind = np.dtype(dtype)

    def make() -> Any:
        return np.zeros(count, kind)

    make.zeros = count, kind  # type: ignore[attr-defined]
    return make


INTRINSICS: Final[frozenset[Callable[..., Any]]] = frozenset(
    {
        popcount,
        trailing_zeros,
        extract_bits,
        deposit_bits,
        atomic_or,
        atomic_add,
        atomic_swap,
        prefetch,
        prefetch_to_read,
        unsigned,
        or_line,
        unowned,
    }
)
