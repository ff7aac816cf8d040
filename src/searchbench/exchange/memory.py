"""Buckets in memory, owned by threads: each thread writes its own, and each block has one thread that reads them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

_CODE_BITS: Final = 24
_WEIGHT_BITS: Final = 16
_LOCAL_SHIFT: Final = 40
LARGEST_WEIGHT: Final = (1 << _WEIGHT_BITS) - 1
LARGEST_CODE: Final = (1 << _CODE_BITS) - 1
BLOCK_BITS: Final = 18
"""A block of 2^18 numbers stays in a core's second-level cache while its bucket is applied."""
MOST_BLOCK_BITS: Final = 63 - _LOCAL_SHIFT


def pack(local: int, code: int, weight: int) -> int:
    """Return a request as one word: the place within the block, the successor's code, the weight of the edge."""
    return (local << _LOCAL_SHIFT) | (code << _WEIGHT_BITS) | weight


def unpack_local(request: int) -> int:
    """Return the place within the block."""
    return request >> _LOCAL_SHIFT


def unpack_code(request: int) -> int:
    """Return the successor's code."""
    return (request >> _WEIGHT_BITS) & LARGEST_CODE


def unpack_weight(request: int) -> int:
    """Return the weight of the edge."""
    return request & LARGEST_WEIGHT


def bucket_of(number: int, block_bits: int) -> int:
    """Return the bucket of a number's block."""
    return number >> block_bits


class Buckets:
    """Hold the requests of one round: `requests[writer, bucket, place]` and how many there are, `fill[writer, bucket]`.

    `reserve` is the largest number of requests that a writer makes before it looks whether a bucket is full.
    """

    def __init__(self, size: int, writers: int, reserve: int, memory: int, block_bits: int = BLOCK_BITS) -> None:
        self.block_bits = block_bits
        self.reserve = reserve
        self.count = max(1, -(-size >> block_bits))
        self.room = max(2 * reserve, min(memory // (8 * writers * self.count), 1 << 20))
        self.requests: npt.NDArray[Any] = np.empty((writers, self.count, self.room), np.int64)
        self.fill: npt.NDArray[Any] = np.zeros((writers, self.count), np.int64)

    @staticmethod
    def bytes_needed(size: int, writers: int, reserve: int, memory: int, block_bits: int = BLOCK_BITS) -> int:
        """Return the memory that such buckets take."""
        count = max(1, -(-size >> block_bits))
        return 8 * writers * count * max(2 * reserve, min(memory // (8 * writers * count), 1 << 20))
