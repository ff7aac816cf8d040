"""Tables of how a sequence's lexicographic rank changes when one element passes others."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

LARGEST: Final = 60_000
"""Largest number of entries per table."""


class Passes(NamedTuple):
    """Rank changes of each slide from each place, indexed by [place, slide].

    The digits of the elements between the two places form a number below `sizes`: the rank divided by `units`, modulo
    the size. The rank changes by `changes[begins + number]` units. The size is 0 where the rank does not change, and -1
    where there is no table.
    """

    units: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    begins: npt.NDArray[np.int64]
    changes: npt.NDArray[np.int32]


def passes(slides: Sequence[Sequence[int]], elements: int, even: bool) -> Passes:
    """Return the rank changes of slides in a row of cells with one empty cell; `slides` lists the targets of each place.

    The sequence consists of the elements in the other cells. A table is left out if it would be large, or, for even
    permutations, whose ranks are half as many, if the slide reaches the last two elements.
    """
    most = max(map(len, slides))
    units, sizes, begins = (np.zeros((len(slides), most), np.int64) for _ in range(3))
    tables: list[npt.NDArray[np.int32]] = [np.zeros(1, np.int32)]
    for place, targets in enumerate(slides):
        for index, target in enumerate(targets):
            first, stop = min(place, target), max(place, target)
            if stop - first == 1:
                continue
            radices = [elements - digit for digit in range(first, stop)]
            unit, odd = divmod(factorial(elements - stop), 2 if even else 1)
            if odd or prod(radices) > LARGEST:
                sizes[place, index] = -1
                continue
            units[place, index], sizes[place, index] = unit, prod(radices)
            begins[place, index] = sum(map(len, tables))
            tables.append(passing(radices, target > place))
    return Passes(units, sizes, begins, np.concatenate(tables))


def passing(radices: Sequence[int], to_front: bool) -> npt.NDArray[np.int32]:
    """Return the change of the number formed by digits of a lexicographic rank when one element passes the others.

    The digits have these radices, which decrease by one; the last element moves to the front, or the first one to the
    end. An element's digit is the number of smaller elements after it.
    """
    weights = np.cumprod([1, *radices[:0:-1]])[::-1]
    numbers = np.arange(prod(radices))
    digits = [numbers // weight % radix for weight, radix in zip(weights, radices, strict=True)]
    after: list[Any] = []
    if to_front:
        passer = digits.pop()
        for digit in reversed(digits):
            less = passer < digit
            after.insert(0, digit - less)
            passer = passer + 1 - less
        after.insert(0, passer)
    else:
        passer = digits[0]
        for digit in digits[1:]:
            less = passer <= digit
            after.append(digit + less)
            passer = passer - 1 + less
        after.append(passer)
    changed = sum((digit * weight for digit, weight in zip(after, weights, strict=True)), np.zeros_like(numbers))
    return (changed - numbers).astype(np.int32)
