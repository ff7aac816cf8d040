"""Read the arrays of a database, chunk by chunk, in the layouts that :mod:`.arrays` writes.

A checksum follows each chunk and each index of a shard; the caller compares chunks with their digests, too.
"""

from __future__ import annotations

import math
import zlib
from functools import lru_cache
from operator import index
from pathlib import Path
from typing import Any, Final

import numpy as np
import zstandard

from searchbench.errors import DamagedData
from searchbench.store.codecs import CHECKSUM, INDEX_CODECS, unpacker, without_checksum
from searchbench.store.codes import Array
from searchbench.store.header import DOCUMENT, read_document

_FARTHEST: Final = 1 << 48
_OVERHEAD: Final = 1 << 16
"""Number of bytes by which a chunk may exceed its numbers: incompressible data grow a little."""
_KEPT: Final = 256
"""Number of shard indexes kept in memory, 4 kB each."""
SPOILT: Final = (ValueError, IndexError, zlib.error, zstandard.ZstdError)
"""The errors that codecs raise for damaged chunks."""


class ChunkFiles:
    """Locate the chunks of an array in its files; checksums are compared, unless told not to. Raises DamagedData."""

    def __init__(self, path: Path, compare: bool = True) -> None:
        self._compare = compare
        try:
            self._read_layout(path, read_document(path / DOCUMENT))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DamagedData(f"{path} is an array of another kind than databases have: {error}") from error

    def _read_layout(self, path: Path, document: Any) -> None:
        codecs = document["codecs"]
        self._path = path / "c"
        self.dtype: np.dtype[Any] = np.dtype(document["data_type"]).newbyteorder("<")
        self.size, *row = map(index, document["shape"])
        in_file, *along = map(index, document["chunk_grid"]["configuration"]["chunk_shape"])
        if row != along:
            raise ValueError("chunks along several axes")
        self._row = tuple(row)
        self._chunk, self._per_file = in_file, 1
        if codecs[0]["name"] == "sharding_indexed":
            shards = codecs[0]["configuration"]
            if shards["index_codecs"] != INDEX_CODECS or shards["index_location"] != "end":
                raise ValueError("an index of another kind")
            self._chunk = index(shards["chunk_shape"][0])
            self._per_file = in_file // max(1, self._chunk)
            codecs = shards["codecs"]
        if min(self.size, *row, self._chunk - 1, self._per_file - 1) < 0:
            raise ValueError("chunks of no size")
        if codecs[0].get("configuration", {}).get("endian", "little") != "little":
            raise ValueError("codecs of another kind")
        self._unpack = unpacker(_names(codecs), self._compare)
        self._index = lru_cache(maxsize=_KEPT)(self._read_index)

    @property
    def count(self) -> int:
        """Return how many chunks there are."""
        return -(-self.size // self._chunk)

    def read(self, chunk: int) -> Array:
        """Return the rows of a chunk. Raises OSError, or one of SPOILT, if it is missing or damaged."""
        file, place = divmod(chunk, self._per_file)
        whole = self._chunk * math.prod(self._row) * self.dtype.itemsize
        with open(self._file(file), "rb") as stream:
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
        rows = np.frombuffer(unpacked, self.dtype).reshape(-1, *self._row)
        return rows[: self.size - chunk * self._chunk]

    def read_all(self, first: int = 0, stop: int | None = None) -> Array:
        """Return the rows of the chunks first .. stop - 1, by default all. Raises DamagedData."""
        try:
            found = [self.read(chunk) for chunk in range(first, self.count if stop is None else stop)]
        except (OSError, *SPOILT) as error:
            hint = "(`searchbench repair` recomputes lost values)"
            raise DamagedData(f"{self._path.parent} cannot be read: {error} {hint}") from error
        return np.concatenate(found) if found else np.empty((0, *self._row), self.dtype)

    def _file(self, file: int) -> Path:
        return self._path.joinpath(str(file), *("0" for _ in self._row))

    def _read_index(self, file: int) -> Array:
        """Return offset and length of each chunk of a shard."""
        size = 16 * self._per_file
        with open(self._file(file), "rb") as stream:
            stream.seek(-size - CHECKSUM, 2)
            return np.frombuffer(without_checksum(stream.read(), self._compare), "<u8").reshape(-1, 2)


def _names(codecs: list[dict[str, Any]]) -> list[str]:
    return [codec["name"] for codec in codecs]
