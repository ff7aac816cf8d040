"""Read a damaged part: intact chunks as they are, lost chunks as zeros."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from searchbench.errors import DamagedData
from searchbench.store import header as head
from searchbench.store.chunks import ChunkFiles
from searchbench.store.codes import Array

TOGETHER: Final = 64
"""Number of chunks checked together; a group with a damaged one is checked chunk by chunk."""


class SalvagedPart:
    """Read the chunks of a part; `lost` are the missing, unreadable or altered chunks.

    If the digests are themselves damaged, chunks with a valid checksum are accepted, and checked by the rules later.
    `sound` is false if the files must be rewritten.
    """

    mapped: Array | None = None

    def __init__(self, folder: Path, record: head.PartRecord, chunk: int) -> None:
        self._path = folder / head.codes_path(record.name)
        self._chunk = chunk
        self._files = ChunkFiles(self._path)
        self._size, self._dtype = self._files.size, self._files.dtype
        self._digests = _digests(folder, record)
        chunks = -(-self._size // chunk)
        damaged = [
            place
            for first in range(0, chunks, TOGETHER)
            if not self._is_sound(first, min(first + TOGETHER, chunks))
            for place in range(first, min(first + TOGETHER, chunks))
            if not self._is_sound(place, place + 1)
        ]
        self._past_checksum = {
            place: codes for place in damaged if (codes := self._without_checksum(place)) is not None
        }
        self.lost = frozenset(damaged) - self._past_checksum.keys()
        self.sound = self._digests is not None and not damaged

    def chunks(self, first: int, stop: int) -> Array:
        """Return the stored numbers of the chunks first .. stop - 1, zeros for lost chunks."""
        if not any(place in self.lost or place in self._past_checksum for place in range(first, stop)):
            return self._read(first, stop)
        return np.concatenate([self._one(place) for place in range(first, stop)])

    def _one(self, place: int) -> Array:
        if place in self.lost:
            return np.zeros(min(self._chunk, self._size - place * self._chunk), self._dtype)
        return self._past_checksum[place] if place in self._past_checksum else self._read(place, place + 1)

    def _is_sound(self, first: int, stop: int) -> bool:
        try:
            self._read(first, stop)
        except DamagedData:
            return False
        return True

    def _read(self, first: int, stop: int) -> Array:
        """Return chunks first .. stop - 1 if they exist with the right checksums and digests. Raises DamagedData."""
        codes = self._files.read_all(first, stop)
        if self._digests is not None and (head.chunk_digests(codes, self._chunk) != self._digests[first:stop]).any():
            raise DamagedData(f"{self._path}: a chunk from {first} to {stop - 1} does not match its digest")
        return codes

    def _without_checksum(self, place: int) -> Array | None:
        """Return a chunk whose digest matches though a checksum does not."""
        if self._digests is None:
            return None
        try:
            codes = ChunkFiles(self._path, compare=False).read_all(place, place + 1)
        except DamagedData:
            return None
        return codes if head.chunk_digests(codes, self._chunk)[0] == self._digests[place] else None


def _digests(folder: Path, record: head.PartRecord) -> Array | None:
    """Return the digests of a part's chunks, or None if they are damaged."""
    try:
        digests = ChunkFiles(folder / head.digests_path(record.name)).read_all()
    except DamagedData:
        return None
    return digests if head.digest_of(digests) == record.digest else None
