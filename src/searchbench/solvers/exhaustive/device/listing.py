"""List what few numbers of many have: count in strips, sum up, and scatter, so that neighbouring threads get work alike.

A *strip* is a run of neighbouring places, which one thread looks through. The kernels that count and scatter are the caller's:
``count(strip, *arguments, counts)`` and ``scatter(strip, *arguments, counts, before, found)``, where a strip's first place in the
list is ``before[strip // STRIPS] + counts[strip]``.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, Final

import numpy as np

from searchbench.jit import Device

STRIPS: Final = 256
"""Strips whose counts one thread sums up."""


def listed(
    device: Device, run_each: Callable[..., None], strips: int, count: Any, scatter: Any, *arguments: Any
) -> Any:
    """Return a list of int64 on the device; None if it is empty."""
    rows = -(-strips // STRIPS)
    counts, totals = device.room(strips, np.int64), device.room(rows, np.int64)
    run_each(count, strips, *arguments, counts)
    run_each(scan_row, rows, counts, totals)
    sums = np.cumsum(device.read(totals))
    if not sums[-1]:
        return None
    before = device.array(np.concatenate([[0], sums[:-1]]).astype(np.int64))
    found = device.room(int(sums[-1]), np.int64)
    run_each(scatter, strips, *arguments, counts, before, found)
    return found


def scan_row(row: int, counts: MutableSequence[int], totals: MutableSequence[int]) -> None:
    """Replace the counts of a row of strips by the sums of those before, and write their sum."""
    total = 0
    for strip in range(row * STRIPS, min((row + 1) * STRIPS, len(counts))):
        count = counts[strip]
        counts[strip] = total
        total += count
    totals[row] = total
