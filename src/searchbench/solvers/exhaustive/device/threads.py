"""The threads of a device: each takes a number, and runs a kernel for it.

What few numbers of many have is listed, so that neighbouring threads get work alike: it is counted in *strips*, runs of
neighbouring places that one thread looks through, the counts are summed up, and the numbers scattered into one list.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.jit import PIECE, Device
from searchbench.run import Run

STRIPS: Final = 256
"""Strips whose counts one thread sums up."""


@lru_cache
def plain_names(target: jit.Target) -> jit.Names:
    """Return the names of kernels that no rule is bound to; the same ones each time, so that kernels are compiled once."""
    return jit.Names({}, target)


class Threads:
    """Run kernels on a device, with the functions of `names` bound to them; without names, kernels that need none."""

    def __init__(self, run: Run, device: Device, names: jit.Names | None = None) -> None:
        self.run, self.device = run, device
        self.names = names or plain_names(device.target)

    def run_each(self, kernel: Any, count: int, *arguments: Any) -> None:
        """Run a kernel for the numbers 0 .. count - 1."""
        self.run.launch(jit.bind(kernel, self.names), range(count), PIECE, *arguments)

    def clear(self, array: Any, value: int = 0) -> None:
        """Fill a vector."""
        self.run_each(clear, len(array), array, np.asarray(value, array.dtype)[()])

    def zeros(self, count: int, dtype: Any) -> Any:
        """Return a vector of zeros on the device."""
        made = self.device.room(count, dtype)
        self.clear(made)
        return made

    def listed(self, strips: int, count: Any, scatter: Any, *arguments: Any) -> Any:
        """Return a list of int64 on the device; None if it is empty.

        The kernels are ``count(strip, *arguments, counts)`` and ``scatter(strip, *arguments, counts, before, found)``, where a
        strip's first place in the list is ``before[strip // STRIPS] + counts[strip]``.
        """
        rows = -(-strips // STRIPS)
        counts, totals = self.device.room(strips, np.int64), self.device.room(rows, np.int64)
        self.run_each(count, strips, *arguments, counts)
        self.run_each(scan_row, rows, counts, totals)
        sums = np.cumsum(self.device.read(totals))
        if not sums[-1]:
            return None
        before = self.device.array(np.concatenate([[0], sums[:-1]]).astype(np.int64))
        found = self.device.room(int(sums[-1]), np.int64)
        self.run_each(scatter, strips, *arguments, counts, before, found)
        return found


def clear(place: int, array: Any, value: int) -> None:
    """Write a value to a place."""
    array[place] = value


def scan_row(row: int, counts: MutableSequence[int], totals: MutableSequence[int]) -> None:
    """Replace the counts of a row of strips by the sums of those before, and write their sum."""
    total = 0
    for strip in range(row * STRIPS, min((row + 1) * STRIPS, len(counts))):
        count = counts[strip]
        counts[strip] = total
        total += count
    totals[row] = total
