"""Buckets in files, for what does not fit into memory: each bucket holds the requests to a block that does fit."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

MOST_BLOCK_BITS: Final = 32
"""A request is the place of a number within its block, in four bytes."""
LEAST_ROOM: Final = 256
"""How many requests a writer holds at least of each bucket before it writes them out."""


class Requests(NamedTuple):
    """Hold the requests of one writer that are not yet written out: places[bucket, ...], and how many each bucket has."""

    places: npt.NDArray[Any]
    fill: npt.NDArray[Any]


def add_place(requests: Requests, number: int, block_bits: int) -> int:
    """Put a request to a number into the bucket of its block; return how many more there is room for in that bucket."""
    bucket = number >> block_bits
    fill = requests.fill[bucket]
    requests.places[bucket, fill] = number & ((1 << block_bits) - 1)
    requests.fill[bucket] = fill + 1
    return int(requests.places.shape[1] - fill - 1)


class FileBuckets:
    """Keep a bucket for each block in a file of a folder; several writers append to them, in any order."""

    def __init__(self, folder: Path, count: int) -> None:
        self._paths = [folder / f"bucket-{bucket}.part" for bucket in range(count)]
        self._handles: dict[int, int] = {}
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Remove all requests."""
        self.close()
        for path in self._paths:
            path.unlink(missing_ok=True)

    def flush(self, requests: Requests, least: int = 1) -> None:
        """Write out the requests of the buckets for which a writer holds at least so many."""
        for bucket in np.flatnonzero(requests.fill >= least).tolist():
            held = int(requests.fill[bucket])
            os.write(self._handle(bucket), requests.places[bucket, :held].data)
            requests.fill[bucket] = 0

    def _handle(self, bucket: int) -> int:
        with self._lock:
            if bucket not in self._handles:
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
                self._handles[bucket] = os.open(self._paths[bucket], flags, 0o644)
            return self._handles[bucket]

    def sizes(self) -> list[int]:
        """Return how many requests each bucket holds."""
        return [path.stat().st_size // 4 if path.exists() else 0 for path in self._paths]

    def read(self, bucket: int, piece: int) -> Iterator[npt.NDArray[np.uint32]]:
        """Yield the requests of a bucket, up to `piece` at a time."""
        if not self._paths[bucket].exists():
            return
        with self._paths[bucket].open("rb", buffering=0) as file:
            while data := file.read(4 * piece):
                yield np.frombuffer(data, np.uint32)

    def close(self) -> None:
        """Let go of the files."""
        for handle in self._handles.values():
            os.close(handle)
        self._handles.clear()
