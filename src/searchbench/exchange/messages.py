"""Requests as messages between ranks: one array of 8-byte numbers, with a list of buckets and then their requests.

A message is [buckets, bucket, requests in it, bucket, requests in it, ..., request, request, ...].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.memory import Buckets, Pages

_NAMES: Final[Mapping[jit.Target, jit.Names]] = {target: jit.Names({}, target) for target in ("cpu", "interpreted")}


def count_held(pages: Pages, bucket: int) -> int:
    """Return the number of requests in a bucket of one writer."""
    count = 0
    page = pages.last[bucket]
    while page >= 0:
        count += pages.fill[page]
        page = pages.before[page]
    return count


def copy_held(pages: Pages, bucket: int, out: Any, place: int) -> int:
    """Copy the requests in a bucket of one writer to an array from some place on; return the place behind them."""
    page = pages.last[bucket]
    while page >= 0:
        fill = pages.fill[page]
        for index in range(fill):
            out[place + index] = pages.requests[page, index]
        place += fill
        page = pages.before[page]
    return place


def packed(buckets: Buckets, chosen: Sequence[int], target: jit.Target) -> npt.NDArray[np.int64]:
    """Return the requests in some buckets as a message."""
    count, copy = jit.bind(count_held, _NAMES[target]), jit.bind(copy_held, _NAMES[target])
    counts = [sum(int(count(pages, bucket)) for pages in buckets.writers) for bucket in chosen]
    place = 1 + 2 * len(chosen)
    message = np.empty(place + sum(counts), np.int64)
    message[0] = len(chosen)
    message[1:place:2] = chosen
    message[2:place:2] = counts
    for bucket in chosen:
        for pages in buckets.writers:
            place = int(copy(pages, bucket, message, place))
    return message


class Some(Buckets):
    """Show some of the filled buckets."""

    def __init__(self, buckets: Buckets, chosen: list[int]) -> None:
        self.block_bits, self.count, self.writers = buckets.block_bits, buckets.count, buckets.writers
        self._chosen = chosen

    def filled(self) -> list[int]:
        """Return these buckets."""
        return self._chosen


class Received(Buckets):
    """Show the buckets of a message."""

    def __init__(self, message: npt.NDArray[np.int64], block_bits: int) -> None:
        self.block_bits = block_bits
        self.count = int(message[0])
        self.writers = []
        place = 1 + 2 * self.count
        stops = place + np.cumsum(message[2:place:2])
        self._requests = {
            bucket: message[stop - count : stop].reshape(1, -1)
            for bucket, count, stop in zip(
                message[1:place:2].tolist(), message[2:place:2].tolist(), stops.tolist(), strict=True
            )
        }

    def filled(self) -> list[int]:
        """Return the buckets of the message."""
        return list(self._requests)

    def held(self, bucket: int, source: int = 0) -> Iterator[tuple[int, Pages, int]]:
        """Yield the requests of a bucket, as one page."""
        requests = self._requests[bucket]
        one, none = np.ones(1, np.int64), np.full(1, -1, np.int64)
        yield 0, Pages(requests, np.array([requests.shape[1]]), none, one, one), 0
