"""Bisection in a table of starts, for kernels."""

from __future__ import annotations

from typing import Any

from searchbench.jit import inlined


@inlined
def last_start(starts: Any, count: int, number: int) -> int:
    """Return the place of a start that is not above a number while the next one is, among the first `count` in rising order."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) >> 1
        if number < starts[middle]:
            high = middle
        else:
            low = middle
    return low
