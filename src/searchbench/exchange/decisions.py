"""Decisions that everybody who computes must take alike: whether a level is empty, which comes next, how many, whether to end.

Each takes the results of a launch's pieces here, and returns the result of all. For a process alone these are Python's own
`any`, `max` and `sum`; ranks that share the table agree (all-reduce), so all of them must come to each decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import stopping
from searchbench.exchange.ranks import How, current

_MOST: Final = (1 << 63) - 1


def reduce_any(flags: Iterable[Any]) -> bool:
    """Tell whether any flag is set anywhere."""
    return bool(_reduced(int(any(map(bool, flags))), "max"))


def end_if_asked() -> None:
    """Raise KeyboardInterrupt everywhere if the end has been asked for anywhere."""
    if reduce_any([stopping.asked()]):
        raise KeyboardInterrupt


def begin_any(*flags: Any) -> Callable[[], list[bool]]:
    """Begin to find out which of some flags are set anywhere; return a function that waits for the answer.

    It may be asked again. Once it answers, all have begun.
    """
    wait = current().begin_reduce(np.array([bool(flag) for flag in flags], np.int64), "max")
    return lambda: [bool(flag) for flag in wait()]


def begin_sum(*numbers: int) -> Callable[[], list[int]]:
    """Begin to add up some numbers over all; return a function that waits for the sums, and may be asked again."""
    wait = current().begin_reduce(np.array(numbers, np.int64), "sum")
    return lambda: wait().tolist()


def reduce_max(values: Iterable[Any], default: int) -> int:
    """Return the largest value, or `default` where there is none."""
    found = _reduced(max(map(int, values), default=-_MOST), "max")
    return default if found == -_MOST else found


def reduce_min(values: Iterable[Any], default: int) -> int:
    """Return the least value, or `default` where there is none."""
    found = _reduced(min(map(int, values), default=_MOST), "min")
    return default if found == _MOST else found


def reduce_sum(values: Iterable[Any]) -> int:
    """Return the sum of all values."""
    return _reduced(sum(map(int, values)), "sum")


def reduce_rows(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the sums of the columns of some rows."""
    return current().begin_reduce(np.sum(rows, axis=0), "sum")()


def gathered(numbers: list[int]) -> list[int]:
    """Return a few numbers of all, rank by rank."""
    return [number for some in current().gather(numbers) for number in some]


def _reduced(value: int, how: How) -> int:
    return int(current().begin_reduce(np.array([value], np.int64), how)()[0])
