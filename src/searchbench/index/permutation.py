"""Permutations of 0 .. n - 1, lexicographic and Myrvold-Ruskey, in linear time, with the parity on the fly (Edelkamp 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

from searchbench.errors import BadRequest
from searchbench.index.protocol import RankFunction, UnrankFunction
from searchbench.jit import popcount
from searchbench.rules import State

LARGEST = 20
"""20! is the largest factorial below 2^63."""


def nth_one_bit(word: int, n: int) -> int:
    """Return the position of the n-th one bit (from 0, lowest first) of a word that has more than n, by bisection."""
    position = 0
    half = 32
    while half > 0:
        below = popcount((word >> position) & ((1 << half) - 1))
        if n >= below:
            n -= below
            position += half
        half >>= 1
    return position


def permutation_parity(state: State, at: int, n: int) -> int:
    """Return 0 for an even and 1 for an odd permutation in the cells from `at` on, by counting cycles."""
    seen = 0
    odd = 0
    for first in range(n):
        if not (seen >> first) & 1:
            length = 0
            cell = first
            while not (seen >> cell) & 1:
                seen |= 1 << cell
                cell = state[at + cell]
                length += 1
            odd ^= (length - 1) & 1
    return odd


def _check(n: int) -> None:
    if not 1 <= n <= LARGEST:
        raise BadRequest(f"a permutation of {n} elements: the index takes 1 to {LARGEST}, as {LARGEST}! < 2^63")


@dataclass(frozen=True)
class LexicographicPermutation:
    """Number the permutations of 0 .. n - 1 in lexicographic order; with ``even=True`` only the even ones.

    The number is read in the factorial number system; the last two entries follow from the parity, so the rank of an
    even permutation is its lexicographic rank divided by two.
    """

    n: int
    even: bool = False

    def __post_init__(self) -> None:
        _check(self.n)

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return self.n

    @property
    def size(self) -> int:
        """Return n!, or n!/2 when only even permutations count."""
        return factorial(self.n) // 2 if self.even and self.n > 1 else factorial(self.n)

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank."""
        n = self.n
        ranks, unranks = _lexicographic(n, at, factorial(max(n - 1, 0)))
        if not self.even or n < 2:
            return ranks, unranks

        def rank(state: State) -> int:
            if permutation_parity(state, at, n):
                return -1
            return ranks(state) >> 1

        def unrank(number: int, state: State) -> None:
            unranks(2 * number, state)
            if permutation_parity(state, at, n):
                last = at + n - 1
                state[last - 1], state[last] = state[last], state[last - 1]

        return rank, unrank


def _lexicographic(n: int, at: int, top: int) -> tuple[RankFunction, UnrankFunction]:
    def rank(state: State) -> int:
        free = (1 << n) - 1
        number = 0
        for place in range(n):
            bit = 1 << state[at + place]
            number = number * (n - place) + popcount(free & (bit - 1))
            free ^= bit
        return number

    if n <= 15:

        def unrank(number: int, state: State) -> None:
            free = 0xEDCBA9876543210  # the values not yet used, in order, four bits each
            weight = top
            total = 0
            for place in range(n - 1):
                digit = number // weight
                number -= digit * weight
                weight //= max(n - 1 - place, 1)
                shift = 4 * digit
                value = (free >> shift) & 15
                low = (1 << shift) - 1
                free = (free & low) | ((free >> 4) & ~low)
                state[at + place] = value
                total += value
            state[at + n - 1] = n * (n - 1) // 2 - total

        return rank, unrank

    def unrank_wide(number: int, state: State) -> None:
        free = (1 << n) - 1
        weight = top
        for place in range(n):
            digit = number // weight
            number -= digit * weight
            weight //= max(n - 1 - place, 1)
            value = nth_one_bit(free, digit)
            free ^= 1 << value
            state[at + place] = value

    return rank, unrank_wide


def _get(low: int, high: int, place: int) -> int:
    return (low >> (5 * place)) & 31 if place < 12 else (high >> (5 * (place - 12))) & 31


def _put(low: int, high: int, place: int, value: int) -> tuple[int, int]:
    if place < 12:
        return (low & ~(31 << (5 * place))) | (value << (5 * place)), high
    return low, (high & ~(31 << (5 * (place - 12)))) | (value << (5 * (place - 12)))


@dataclass(frozen=True)
class MyrvoldRuskeyPermutation:
    """Number the permutations of 0 .. n - 1 in the order of Myrvold and Ruskey (2001); with ``even=True`` the even ones.

    Unranking is n swaps, and each swap of two different places flips the parity, so the parity comes for free. The last
    digit (of base 2) is fixed by the parity: with ``even=True`` it is left out of the number.
    """

    n: int
    even: bool = False

    def __post_init__(self) -> None:
        _check(self.n)

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return self.n

    @property
    def size(self) -> int:
        """Return n!, or n!/2 when only even permutations count."""
        return factorial(self.n) // 2 if self.even and self.n > 1 else factorial(self.n)

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank."""
        n = self.n
        even = self.even and n > 1
        stop = 2 if even else 1

        def rank(state: State) -> int:
            # The entries and their inverse, five bits each: places 0 .. 11 in one word, 12 .. 19 in another.
            low = high = inverse_low = inverse_high = 0
            for place in range(n):
                value = state[at + place]
                low, high = _put(low, high, place, value)
                inverse_low, inverse_high = _put(inverse_low, inverse_high, value, place)
            number = 0
            factor = 1
            odd = 0
            for size in range(n, stop - 1, -1):
                last = size - 1
                digit = _get(low, high, last)
                where = _get(inverse_low, inverse_high, last)
                odd ^= digit != last
                low, high = _put(low, high, where, digit)
                inverse_low, inverse_high = _put(inverse_low, inverse_high, digit, where)
                if size > stop or not even:
                    number += digit * factor
                    factor *= size
            return -1 if even and odd else number

        def unrank(number: int, state: State) -> None:
            odd = 0
            for place in range(n):
                state[at + place] = place
            for size in range(n, stop, -1):
                digit = number % size
                number //= size
                last = size - 1
                if digit != last:
                    odd ^= 1
                state[at + last], state[at + digit] = state[at + digit], state[at + last]
            if even and odd:
                state[at], state[at + 1] = state[at + 1], state[at]

        return rank, unrank
