"""Requests as messages between ranks: one array of 8-byte numbers, which holds the pages of some buckets as they lie in memory.

A message is [rows, buckets, bucket ..., last row of each bucket ..., requests in each row ..., row before each in its bucket
(-1: none) ..., and rows of ROW requests]. So one that comes is read as a writer's pages, without a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.memory import Buckets, Pages

ROW: Final = 32
"""Requests in a row of a message: few, as the last row of each bucket is sent with empty places."""
_HEAD: Final = 2
_NAMES: Final[Mapping[jit.Target, jit.Names]] = {target: jit.Names({}, target) for target in ("cpu", "interpreted")}


def count_rows(pages: Pages, chosen: Any, size: int) -> int:
    """Return how many rows of `size` requests some buckets of one writer fill."""
    rows = 0
    for place in range(len(chosen)):
        count = 0
        page = pages.last[chosen[place]]
        while page >= 0:
            count += pages.fill[page]
            page = pages.before[page]
        rows += (count + size - 1) // size
    return rows


def copy_rows(pages: Pages, chosen: Any, row: int, into: Pages) -> int:
    """Copy the requests in some buckets of one writer to rows from `row` on; return the row behind them.

    The last row of a bucket has its chosen one's place in `into.last`.
    """
    size = into.requests.shape[1]
    for place in range(len(chosen)):
        filled = size
        page = pages.last[chosen[place]]
        while page >= 0:
            for index in range(pages.fill[page]):
                if filled == size:
                    into.before[row] = into.last[place]
                    into.last[place] = row
                    into.fill[row] = size
                    row += 1
                    filled = 0
                into.requests[row - 1, filled] = pages.requests[page, index]
                filled += 1
            page = pages.before[page]
        if filled < size:
            into.fill[row - 1] = filled
    return row


def packed(buckets: Buckets, chosen: npt.NDArray[np.int64], target: jit.Target) -> npt.NDArray[np.int64]:
    """Return the requests in some buckets as a message."""
    count, copy = jit.bind(count_rows, _NAMES[target]), jit.bind(copy_rows, _NAMES[target])
    rows = sum(int(count(pages, chosen, ROW)) for pages in buckets.writers)
    message = np.empty(_size(rows, len(chosen)), np.int64)
    message[:_HEAD] = rows, len(chosen)
    message[_HEAD : _HEAD + len(chosen)] = chosen
    into = _pages(message)
    into.last[:] = -1
    row = 0
    for pages in buckets.writers:
        row = int(copy(pages, chosen, row, into))
    return message


def _size(rows: int, buckets: int) -> int:
    return _HEAD + 2 * buckets + (2 + ROW) * rows


def _pages(message: npt.NDArray[np.int64]) -> Pages:
    """Return the rows of a message as pages, of which `last` has a place for each of its buckets."""
    rows, buckets = int(message[0]), int(message[1])
    fill = _HEAD + 2 * buckets
    requests = message[fill + 2 * rows :].reshape(rows, ROW)
    last, before = message[_HEAD + buckets : fill], message[fill + rows : fill + 2 * rows]
    return Pages(requests, message[fill : fill + rows], before, last, message[:1])


class Some(Buckets):
    """Show some of the filled buckets."""

    def __init__(self, buckets: Buckets, chosen: list[int]) -> None:
        self.block_bits, self.count, self.writers = buckets.block_bits, buckets.count, buckets.writers
        self._chosen = chosen

    def filled(self) -> list[int]:
        """Return these buckets."""
        return self._chosen


class Received(Buckets):
    """Show the buckets of a message, out of `count` ones."""

    def __init__(self, message: npt.NDArray[np.int64], block_bits: int, count: int) -> None:
        self.block_bits, self.count = block_bits, count
        pages = _pages(message)
        self._chosen = message[_HEAD : _HEAD + len(pages.last)]
        last = np.full(count, -1, np.int64)
        last[self._chosen] = pages.last
        self.writers = [pages._replace(last=last)]

    def filled(self) -> list[int]:
        """Return the buckets of the message."""
        found: list[int] = self._chosen.tolist()
        return found
