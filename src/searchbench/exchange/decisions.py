"""Decisions that everybody who computes must take alike: whether a level is empty, whether codes must widen, how many.

Each takes the results of a launch's pieces here, and returns the result of all. In one address space these are Python's own
`any`, `max` and `sum`; where the table is shared among processes, here is where they agree (all-reduce).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


def reduce_any(flags: Iterable[Any]) -> bool:
    """Tell whether any flag is set anywhere."""
    return any(map(bool, flags))


def reduce_max(values: Iterable[Any], default: int) -> int:
    """Return the largest value, or `default` where there is none."""
    return max(map(int, values), default=default)


def reduce_min(values: Iterable[Any], default: int) -> int:
    """Return the least value, or `default` where there is none."""
    return min(map(int, values), default=default)


def reduce_sum(values: Iterable[Any]) -> int:
    """Return the sum of all values."""
    return sum(map(int, values))


def reduce_rows(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the sums of the columns of some rows."""
    total: npt.NDArray[np.int64] = np.sum(rows, axis=0)
    return total
