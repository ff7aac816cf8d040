"""Read one chunk of an array on disk past Zarr, which takes a millisecond to find its way to a chunk; most of a probe.

It knows the ways in which this package writes arrays, and nothing else: chunks of little-endian numbers, compressed by one of
the codecs it offers and followed by a checksum, each in a file of its own or many in a shard with an index at its end. Whoever
asks compares what comes with the chunk's digest, and asks Zarr where nothing comes.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import zstandard

from searchbench.store.codecs import unpacker
from searchbench.store.codes import Array
from searchbench.store.header import DOCUMENT, read_document

_INDEX_CODECS: Final = ["bytes", "crc32c"]
_CHECKSUM: Final = 4
_FARTHEST: Final = 1 << 48
_OVERHEAD: Final = 1 << 16
"""How many bytes more than its numbers a chunk may take: what cannot be compressed grows a little."""
_KEPT: Final = 256
"""How many shards' indexes are kept in memory, 4 kB each."""
SPOILT: Final = (ValueError, IndexError, zlib.error, zstandard.ZstdError)
"""What codecs make of a chunk that was altered."""


class ChunkFiles:
    """Find the chunks of an array in its files. Raises ValueError for an array that was written in another way."""

    def __init__(self, path: Path) -> None:
        document = read_document(path / DOCUMENT)
        codecs = document["codecs"]
        grid = document["chunk_grid"]["configuration"]["chunk_shape"][0]
        self._path = path / "c"
        self._dtype: np.dtype[Any] = np.dtype(document["data_type"]).newbyteorder("<")
        self._size: int = document["shape"][0]
        self._chunk: int = grid
        self._per_file = 1
        if codecs[0]["name"] == "sharding_indexed":
            shards = codecs[0]["configuration"]
            if _names(shards["index_codecs"]) != _INDEX_CODECS or shards["index_location"] != "end":
                raise ValueError("an index of another kind")
            self._chunk = shards["chunk_shape"][0]
            self._per_file = grid // self._chunk
            codecs = shards["codecs"]
        if codecs[0].get("configuration", {}).get("endian", "little") != "little":
            raise ValueError("codecs of another kind")
        self._unpack = unpacker(_names(codecs))
        self._index = lru_cache(maxsize=_KEPT)(self._read_index)

    @property
    def count(self) -> int:
        """Return how many chunks there are."""
        return -(-self._size // self._chunk)

    def read(self, chunk: int) -> Array:
        """Return the numbers of a chunk. Raises OSError, or one of SPOILT, where it is not there or not whole."""
        file, place = divmod(chunk, self._per_file)
        whole = self._chunk * self._dtype.itemsize
        with open(self._path / str(file), "rb") as stream:
            if self._per_file > 1:
                offset, length = (int(number) for number in self._index(file)[place])
                if offset > _FARTHEST or length > whole + _OVERHEAD:
                    raise ValueError("the index of a shard is spoilt")
                stream.seek(offset)
                data = stream.read(length)
            else:
                data = stream.read()
        unpacked = self._unpack(data, whole)
        if len(unpacked) != whole:  # the last chunk is filled up
            raise ValueError("a chunk is too short")
        return np.frombuffer(unpacked, self._dtype)[: self._size - chunk * self._chunk]

    def _read_index(self, file: int) -> Array:
        """Return where the chunks of a shard begin and how long they are."""
        size = 16 * self._per_file
        with open(self._path / str(file), "rb") as stream:
            stream.seek(-size - _CHECKSUM, 2)
            return np.frombuffer(stream.read(size), "<u8").reshape(-1, 2)


def _names(codecs: list[dict[str, Any]]) -> list[str]:
    return [codec["name"] for codec in codecs]
