"""Buckets in files, for tables larger than memory: each bucket contains the requests to a block that fits in memory.

Breadth-first search on bits needs positions only (`Requests`); solvers with values fill pages as in memory, which are
written out when they are full (`SpillingBuckets`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.exchange.memory import Buckets, Pages

MOST_BLOCK_BITS: Final = 32
"""A request is the position of a number within its block, in four bytes."""
BUCKET_FILES: Final = "bucket-*.part"
"""Names of the bucket files."""
LEAST_ROOM: Final = 256
"""Number of requests per bucket that a writer can buffer, at least."""
SMALL_PAGE: Final = 16
"""Number of requests per page to be written out; small, so that even little memory has a page for each bucket."""
LEAST_PIECE: Final = 256
"""Number of requests read from a file at a time, at least."""


class Requests(NamedTuple):
    """The buffered requests of one writer: places[bucket, ...], and their number per bucket."""

    places: npt.NDArray[Any]
    fill: npt.NDArray[Any]


def add_place(requests: Requests, number: int, block_bits: int) -> int:
    """Add a request to a number to the bucket of its block; return the remaining room in that bucket."""
    bucket = number >> block_bits
    fill = requests.fill[bucket]
    requests.places[bucket, fill] = number & ((1 << block_bits) - 1)
    requests.fill[bucket] = fill + 1
    return int(requests.places.shape[1] - fill - 1)


class FileBuckets:
    """Keep one bucket per block in a file of a folder; several writers append to them, in any order."""

    def __init__(self, folder: Path, count: int, dtype: Any = np.uint32) -> None:
        self._dtype = np.dtype(dtype)
        self._folder, self._count = folder, count
        self._handles: dict[int, int] = {}
        self._lock = threading.Lock()

    def clear(self, buckets: Iterable[int] | None = None) -> None:
        """Remove the requests of `buckets`, by default of all."""
        self.close()
        for bucket in range(self._count) if buckets is None else buckets:
            self._path(bucket).unlink(missing_ok=True)

    def flush(self, requests: Requests, least: int = 1) -> None:
        """Write out the buckets with at least `least` buffered requests."""
        for bucket in np.flatnonzero(requests.fill >= least).tolist():
            held = int(requests.fill[bucket])
            self.append(bucket, requests.places[bucket, :held])
            requests.fill[bucket] = 0

    def append(self, bucket: int, requests: npt.NDArray[Any]) -> None:
        """Append requests to a bucket. Raises BadRequest if the disk is full."""
        data = requests.data.cast("B")
        try:
            written = os.write(self._handle(bucket), data)
        except OSError as error:
            raise BadRequest(f"{self._folder}: requests cannot be kept there: {error}") from error
        if written != len(data):
            raise BadRequest(f"{self._folder}: requests cannot be kept there: the disk is full")

    def _handle(self, bucket: int) -> int:
        with self._lock:
            if bucket not in self._handles:
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
                self._handles[bucket] = os.open(self._path(bucket), flags, 0o644)
            return self._handles[bucket]

    def _path(self, bucket: int) -> Path:
        return self._folder / BUCKET_FILES.replace("*", str(bucket))

    def sizes(self) -> list[int]:
        """Return the number of requests in each bucket."""
        size = self._dtype.itemsize
        paths = map(self._path, range(self._count))
        return [path.stat().st_size // size if path.exists() else 0 for path in paths]

    def read(self, bucket: int, piece: int, skip: int = 0) -> Iterator[npt.NDArray[Any]]:
        """Yield the requests of a bucket after the first `skip`, up to `piece` at a time."""
        if not self._path(bucket).exists():
            return
        with self._path(bucket).open("rb") as file:
            file.seek(skip * self._dtype.itemsize)
            while len(requests := np.fromfile(file, self._dtype, piece)):
                yield requests

    def close(self) -> None:
        """Close the files."""
        for handle in self._handles.values():
            os.close(handle)
        self._handles.clear()


class SpillingBuckets(Buckets):
    """Write full pages to the files of their buckets; keep the rest in memory.

    `most` limits the bytes in files before the buckets must be emptied. `clear` removes the files; files that an
    earlier process left are removed at the start.
    """

    def __init__(
        self, size: int, writers: int, reserve: int, memory: int, block_bits: int, folder: Path, most: int
    ) -> None:
        super().__init__(size, writers, reserve, memory // 2, block_bits, SMALL_PAGE)
        self._piece = max(LEAST_PIECE, memory // (16 * writers))
        self._files = FileBuckets(folder, self.count, np.int64)
        self._spilled: set[int] = set()
        self._most, self._left = most, most
        self._lock = threading.Lock()
        for path in folder.glob(BUCKET_FILES):
            path.unlink()

    def spill(self, writer: int) -> bool:
        """Write out all pages of a writer; return False if the files have become too large."""
        pages = self.writers[writer]
        buckets = np.flatnonzero(pages.last >= 0).tolist()
        before = pages.before[: pages.used[0]].tolist()
        for bucket in buckets:
            last = int(pages.last[bucket])
            full, page = [], before[last]
            while page >= 0:
                full.append(page)
                page = before[page]
            newest = pages.requests[last, : pages.fill[last]]
            self._files.append(bucket, np.concatenate([pages.requests[full].ravel(), newest]) if full else newest)
        size = 8 * int(pages.fill[: pages.used[0]].sum())
        pages.last[:] = -1
        pages.used[0] = 0
        with self._lock:
            self._spilled.update(buckets)
            self._left -= size
            return self._left > 0

    def filled(self) -> list[int]:
        """Return the buckets with requests, in memory or in files."""
        return sorted(self._spilled.union(super().filled()))

    def held(self, bucket: int, source: int = 0) -> Iterator[tuple[int, Pages, int]]:
        """Yield the requests of a bucket: first those in memory, then those of its file, piece by piece."""
        yield from super().held(bucket, source)
        writers = len(self.writers)
        skip = max(0, source - writers)
        for place, piece in enumerate(self._files.read(bucket, self._piece, skip * self._piece), max(source, writers)):
            one, none = np.zeros(1, np.int64), np.full(1, -1, np.int64)
            yield place, Pages(piece.reshape(1, -1), np.array([len(piece)]), none, one, one), 0

    def sources(self, chosen: list[int]) -> Iterator[tuple[Pages, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield pages that hold requests of some buckets, bucket by bucket."""
        for bucket in chosen:
            for _, pages, last in self.held(bucket):
                yield pages, np.array([bucket], np.int64), np.array([last], np.int64)

    def clear(self) -> None:
        """Empty all buckets, and remove their files."""
        super().clear()
        if self._spilled:
            self._files.clear(self._spilled)
            self._spilled.clear()
            self._left = self._most

    @staticmethod
    def least_bytes(size: int, writers: int, reserve: int, block_bits: int) -> int:
        """Return the least memory of such buckets, in bytes."""
        return Buckets.bytes_needed(size, writers, reserve, 0, block_bits, SMALL_PAGE) + 8 * writers * LEAST_PIECE
