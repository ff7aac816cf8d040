"""Permutations of 0 .. n - 1, lexicographic and Myrvold-Ruskey, in linear time, with their parity (Edelkamp 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

from searchbench.errors import BadRequest
from searchbench.index.protocol import UnrankFunction
from searchbench.jit import popcount
from searchbench.rules import NOWHERE, State

LARGEST = 20
"""20! is the largest factorial below 2^63."""


@dataclass(frozen=True)
class _Permutations:
    n: int
    even: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.n <= LARGEST:
            raise BadRequest(
                f"a permutation of {self.n} elements: the index takes 1 to {LARGEST}, as {LARGEST}! < 2^63"
            )

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return self.n

    @property
    def size(self) -> int:
        """Return n!, or n!/2 when only even permutations count."""
        return factorial(self.n) // 2 if self.even and self.n > 1 else factorial(self.n)


@dataclass(frozen=True)
class LexicographicPermutation(_Permutations):
    """Number the permutations of 0 .. n - 1 in lexicographic order; with ``even=True`` only the even ones.

    The digits of the number in the factorial number system (how many smaller values follow) sum to the parity. The
    parity determines the last two values, so the rank of an even permutation is its lexicographic rank divided by two;
    that of an odd one is NOWHERE.
    """

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""

        def read(state: State, place: int) -> int:
            return int(state[at + place])

        def write(state: State, place: int, value: int) -> None:
            state[at + place] = value

        return self.functions_through(read, write)

    def functions_through(self, read: Any, write: Any) -> tuple[Any, Any]:
        """Return rank and unrank for a permutation accessed by ``read(state, place)`` and ``write(state, place, value)``."""
        n = self.n
        even = self.even and n > 1
        unrank_any = _unrank_short(n, write, even) if n <= 13 else _unrank_long(n, write, even)

        def rank(state: State) -> int:
            free = (1 << n) - 1
            number = 0
            odd = 0
            for place in range(n):
                bit = 1 << read(state, place)
                digit = popcount(free & (bit - 1))
                free ^= bit
                odd ^= digit
                number = number * (n - place) + digit
            if not even:
                return number
            return NOWHERE if odd & 1 else number >> 1

        def unrank_even(number: int, state: State) -> None:
            unrank_any(2 * number, state)

        return rank, unrank_even if even else unrank_any


def _unrank_short(n: int, write: Any, even: bool) -> UnrankFunction:
    """Return unrank for up to 13 values: the number as a binary fraction of n!, the free values in a list of nibbles.

    The fraction is stored in units of 2^-30 (n - 1)! and rounded up. Its error of less than one unit grows by the
    factors n - 1, n - 2, ... that produce the digits, to less than 12! < 2^30 units: the digits are exact.
    """
    first = factorial(n - 1)
    all_values = n * (n - 1) // 2

    def unrank(number: int, state: State) -> None:
        fraction = (number << 30) // first + 1
        free = 0xCBA9876543210
        total = 0
        odd = 0
        value = 0
        for place in range(n - 1):
            digit = fraction >> 30
            fraction = (fraction & 0x3FFFFFFF) * (n - 1 - place)
            odd ^= digit
            shift = 4 * digit
            value = (free >> shift) & 15
            below = (1 << shift) - 1
            free = (free & below) | ((free >> 4) & ~below)
            write(state, place, value)
            total += value
        last = all_values - total
        if even and odd & 1:
            write(state, n - 2, last)
            write(state, n - 1, value)
        else:
            write(state, n - 1, last)

    return unrank


def _unrank_long(n: int, write: Any, even: bool) -> UnrankFunction:
    """Return unrank for up to 20 values: digits by division, the free values as a set of bits."""
    first = factorial(n - 1)

    def unrank(number: int, state: State) -> None:
        free = (1 << n) - 1
        weight = first
        odd = 0
        value = before = 0
        for place in range(n):
            digit = number // weight
            number -= digit * weight
            weight //= max(n - 1 - place, 1)
            odd ^= digit
            before = value
            value = nth_one_bit(free, digit)
            free ^= 1 << value
            write(state, place, value)
        if even and odd & 1:
            write(state, n - 2, value)
            write(state, n - 1, before)

    return unrank


def nth_one_bit(word: int, n: int) -> int:
    """Return the position of the n-th one bit (from 0, lowest first) of a 32-bit word with more than n ones, by bisection."""
    position = 0
    half = 16
    while half > 0:
        below = popcount((word >> position) & ((1 << half) - 1))
        if n >= below:
            n -= below
            position += half
        half >>= 1
    return position


@dataclass(frozen=True)
class MyrvoldRuskeyPermutation(_Permutations):
    """Number the permutations of 0 .. n - 1 in the order of Myrvold and Ruskey (2001); with ``even=True`` the even ones.

    Unranking is n swaps, and each swap of two different places flips the parity, so the parity costs nothing. The last
    digit (of base 2) is fixed by the parity: with ``even=True`` it is left out of the number, and the rank of an odd
    permutation is NOWHERE.
    """

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        n = self.n
        even = self.even and n > 1
        stop = 2 if even else 1
        get, put = _packed(n)

        def rank(state: State) -> int:
            low = high = inverse_low = inverse_high = 0  # the entries and their inverse, packed in two words each
            for place in range(n):
                value = int(state[at + place])
                low, high = put(low, high, place, 0, value)
                inverse_low, inverse_high = put(inverse_low, inverse_high, value, 0, place)
            number = 0
            factor = 1
            odd = 0
            for last in range(n - 1, 0, -1):
                # Swap the largest value to the last place; the value that was there is the digit.
                digit = get(low, high, last)
                where = get(inverse_low, inverse_high, last)
                low, high = put(low, high, where, last, digit)
                inverse_low, inverse_high = put(inverse_low, inverse_high, digit, last, where)
                odd ^= digit != last
                if last >= stop:
                    number += digit * factor
                    factor *= last + 1
            return NOWHERE if even and odd else number

        def unrank(number: int, state: State) -> None:
            odd = 0
            for place in range(n):
                state[at + place] = place
            for last in range(n - 1, stop - 1, -1):
                digit = number % (last + 1)
                number //= last + 1
                odd ^= digit != last
                state[at + last], state[at + digit] = state[at + digit], state[at + last]
            if even and odd:
                state[at], state[at + 1] = state[at + 1], state[at]

        return rank, unrank


def _packed(n: int) -> tuple[Any, Any]:
    """Return get and put for a list of n small numbers in two words (up to 15 numbers fit the first)."""
    if n <= 15:

        def get(low: int, high: int, place: int) -> int:
            return (low >> 4 * place) & 15

        def put(low: int, high: int, place: int, old: int, new: int) -> tuple[int, int]:
            return low ^ (old ^ new) << 4 * place, high

        return get, put

    def get_long(low: int, high: int, place: int) -> int:
        return (low >> 5 * place) & 31 if place < 12 else (high >> 5 * (place - 12)) & 31

    def put_long(low: int, high: int, place: int, old: int, new: int) -> tuple[int, int]:
        if place < 12:
            return low ^ (old ^ new) << 5 * place, high
        return low, high ^ (old ^ new) << 5 * (place - 12)

    return get_long, put_long
