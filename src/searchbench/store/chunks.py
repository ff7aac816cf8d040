"""Read one chunk of an array from its file, without Zarr, whose overhead of a millisecond dominates a probe.

Only the layouts that this package writes are supported: chunks of little-endian numbers, compressed by one of the
supported codecs and followed by a checksum, one per file or many in a shard with its index at the end. The caller
compares each chunk with its digest and falls back on Zarr on failure.
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
"""Number of bytes by which a chunk may exceed its numbers: incompressible data grow a little."""
_KEPT: Final = 256
"""Number of shard indexes kept in memory, 4 kB each."""
SPOILT: Final = (ValueError, IndexError, zlib.error, zstandard.ZstdError)
"""The errors that codecs raise for damaged chunks."""


class ChunkFiles:
    """Locate the chunks of an array in its files. Raises ValueError for other layouts."""

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

    def read(self, chunk: int) -> Array:
        """Return the numbers of a chunk. Raises OSError, or one of SPOILT, if it is missing or damaged."""
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
        if len(unpacked) != whole:  # the last chunk is padded
            raise ValueError("a chunk is too short")
        return np.frombuffer(unpacked, self._dtype)[: self._size - chunk * self._chunk]

    def _read_index(self, file: int) -> Array:
        """Return offset and length of each chunk of a shard."""
        size = 16 * self._per_file
        with open(self._path / str(file), "rb") as stream:
            stream.seek(-size - _CHECKSUM, 2)
            return np.frombuffer(stream.read(size), "<u8").reshape(-1, 2)


def _names(codecs: list[dict[str, Any]]) -> list[str]:
    return [codec["name"] for codec in codecs]
