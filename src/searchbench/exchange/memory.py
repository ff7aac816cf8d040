"""Buckets in memory, owned by threads: each thread writes its own buckets, and each block is read by one thread."""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.jit import unsigned

_CODE_BITS: Final = 24
_WEIGHT_BITS: Final = 16
_LOCAL_SHIFT: Final = 40
LARGEST_WEIGHT: Final = (1 << _WEIGHT_BITS) - 1
LARGEST_CODE: Final = (1 << _CODE_BITS) - 1
BLOCK_BITS: Final = 18
"""A block of 2^18 numbers stays in a core's second-level cache while its bucket is applied."""
PAGE: Final = 512
"""Number of requests per page."""
MOST_BLOCK_BITS: Final = 63 - _LOCAL_SHIFT


def pack(local: int, code: int, weight: int) -> int:
    """Pack a request into one word: the position within the block, the successor's code, the weight of the edge."""
    return (local << _LOCAL_SHIFT) | (code << _WEIGHT_BITS) | weight


def unpack_local(request: int) -> int:
    """Return the position within the block."""
    return request >> _LOCAL_SHIFT


def unpack_code(request: int) -> int:
    """Return the successor's code."""
    return (request >> _WEIGHT_BITS) & LARGEST_CODE


def unpack_weight(request: int) -> int:
    """Return the weight of the edge."""
    return request & LARGEST_WEIGHT


def keep_within(requests: npt.NDArray[np.int64], size: int) -> None:
    """Give requests places below `size`, a power of two: the last bits of those that they have."""
    requests &= (size << _LOCAL_SHIFT) - 1


class Pages(NamedTuple):
    """The requests of one writer: a pool of pages, linked from the last page of each bucket back to its first.

    `requests` is [page, place], `fill` the number of requests per page, `before` the previous page in its bucket (-1:
    none), `last` the last page of each bucket, and ``used[0]`` the number of pages in use.
    """

    requests: npt.NDArray[Any]
    fill: npt.NDArray[Any]
    before: npt.NDArray[Any]
    last: npt.NDArray[Any]
    used: npt.NDArray[Any]


def has_room(pages: Pages, requests: int) -> bool:
    """Tell whether `requests` requests fit for any distribution over buckets."""
    return bool(pages.used[0] + requests <= len(pages.fill))


def pages_for(times: MutableSequence[int], count: int, pages: Pages) -> int:
    """Return the number of empty pages that suffice for `times[i]` requests to each of `count` numbers, in any buckets."""
    size = pages.requests.shape[1]
    needed = 0
    for index in range(count):
        needed += (times[index] + size - 1) // size
    return needed


def add_request(pages: Pages, number: int, block_bits: int, code: int, weight: int) -> None:
    """Add a request to a number to the bucket of its block; there must be room."""
    bucket = number >> block_bits
    page = pages.last[unsigned(bucket)]
    place = pages.fill[unsigned(page)] if page >= 0 else 0
    if page < 0 or place == pages.requests.shape[1]:
        pages.before[pages.used[0]] = page
        page, place = pages.used[0], 0
        pages.last[unsigned(bucket)] = page
        pages.used[0] += 1
    pages.requests[unsigned(page), unsigned(place)] = pack(number & ((1 << block_bits) - 1), code, weight)
    pages.fill[unsigned(page)] = place + 1


class Buckets:
    """Keep the requests of one round: a pool of pages per writer, shared by its buckets.

    Moves are often local: with fixed room per bucket, one would be full while others are empty. `reserve` is the
    largest number of requests that a writer makes between checks for room. A page has `page` requests, by default PAGE.
    """

    def __init__(
        self, size: int, writers: int, reserve: int, memory: int, block_bits: int = BLOCK_BITS, page: int = 0
    ) -> None:
        self.block_bits = block_bits
        self.count = self.blocks(size, block_bits)
        page = page or PAGE
        pages = pages_within(writers, reserve, memory, page)
        self.writers = [
            Pages(
                np.empty((pages, page), np.int64),
                np.zeros(pages, np.int64),
                np.zeros(pages, np.int64),
                np.full(self.count, -1, np.int64),
                np.zeros(1, np.int64),
            )
            for _ in range(writers)
        ]

    def filled(self) -> list[int]:
        """Return the buckets with requests."""
        held = self.writers[0].last >= 0
        for pages in self.writers[1:]:
            held |= pages.last >= 0
        found: list[int] = held.nonzero()[0].tolist()
        return found

    def held(self, bucket: int, source: int = 0) -> Iterator[tuple[int, Pages, int]]:
        """Yield the requests of a bucket from source `source` on: the source's number, its pages, and the last of these."""
        for writer in range(source, len(self.writers)):
            pages = self.writers[writer]
            yield writer, pages, int(pages.last[bucket])

    def sources(self, chosen: list[int]) -> Iterator[tuple[Pages, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield pages that hold requests of some buckets, these buckets, and the last page of each there (-1: none)."""
        buckets = np.array(chosen, np.int64)
        for pages in self.writers:
            yield pages, buckets, pages.last[buckets]

    def spill(self, _writer: int) -> bool:
        """Make room for more requests of a writer; return whether it succeeded: never, in memory."""
        return False

    def clear(self) -> None:
        """Empty all buckets."""
        self.empty(self.writers)

    @staticmethod
    def empty(writers: list[Pages]) -> None:
        """Empty the buckets of some writers."""
        for pages in writers:
            pages.last[:] = -1
            pages.used[0] = 0

    @staticmethod
    def blocks(size: int, block_bits: int) -> int:
        """Return how many blocks a line has, and so how many buckets."""
        return max(1, -(-size >> block_bits))

    @staticmethod
    def bytes_needed(
        size: int, writers: int, reserve: int, memory: int, block_bits: int = BLOCK_BITS, page: int = 0
    ) -> int:
        """Return the memory of such buckets, in bytes."""
        page = page or PAGE
        pages = pages_within(writers, reserve, memory, page)
        return 8 * writers * (pages * (page + 2) + Buckets.blocks(size, block_bits))


def pages_within(writers: int, reserve: int, memory: int, page: int) -> int:
    """Return how many pages each writer has, if the memory is theirs together: enough for two states in any case."""
    return max(2 * reserve, memory // (8 * page * writers))
