"""Write the arrays of a database as Zarr's format 3 has them, without Zarr, whose import is a third of a later start.

Databases need few of the format's layouts: little-endian numbers in chunks along the first axis, each compressed, with a
checksum, in a file of its own or with others in a shard. :mod:`.chunks` reads them. Any Zarr reader does, too (a test).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from searchbench.store.codecs import INDEX_CODECS, ZSTD, Codec, with_checksum
from searchbench.store.codes import Array
from searchbench.store.header import DOCUMENT

_ABSENT: Final = (1 << 64) - 1
"""Offset and length, in the index of a shard, of a chunk beyond the end of the array."""


def create_group(folder: Path) -> None:
    """Make a folder a group without attributes, if it is none yet."""
    folder.mkdir(exist_ok=True)
    if not (folder / DOCUMENT).exists():
        _write_document(folder, {"attributes": {}, "zarr_format": 3, "node_type": "group"})


def _write_document(folder: Path, document: dict[str, Any]) -> None:
    """Write a metadata file in one go: whoever is killed leaves a file that :func:`.header.is_half_written` knows."""
    fresh = folder / f"{DOCUMENT}.partial"
    fresh.write_text(json.dumps(document, indent=2))
    os.replace(fresh, folder / DOCUMENT)


@dataclass(frozen=True)
class ArrayFiles:
    """An array that is to be written: `chunk` rows to a chunk, `per_file` chunks to a file."""

    path: Path
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    chunk: int
    per_file: int = 1
    fill: int = 0
    codec: Codec = ZSTD

    def create(self) -> None:
        """Write the metadata of the array, and make the folder it lies in a group."""
        create_group(self.path.parent)
        self.path.mkdir()
        _write_document(self.path, self._document())

    def write(self, first: int, rows: Array) -> None:
        """Write the rows from `first` on, which begins a file: whole files, of which the array's last may be short."""
        assert first % (self.chunk * self.per_file) == 0
        chunks = [self._packed(rows[place : place + self.chunk]) for place in range(0, len(rows), self.chunk)]
        begin = first // (self.chunk * self.per_file)
        for number, place in enumerate(range(0, len(chunks), self.per_file), begin):
            file = self.path.joinpath("c", str(number), *("0" for _ in self.shape[1:]))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self._content(chunks[place : place + self.per_file]))

    def _packed(self, rows: Array) -> bytes:
        """Return a chunk as it is kept; the array's last is filled up."""
        if len(rows) < self.chunk:
            missing = np.full((self.chunk - len(rows), *self.shape[1:]), self.fill, self.dtype)
            rows = np.concatenate([rows, missing])
        return self.codec.pack(np.ascontiguousarray(rows, self.dtype.newbyteorder("<")).tobytes())

    def _content(self, chunks: list[bytes]) -> bytes:
        """Return the content of a file: a chunk, or the chunks of a shard and where each of them lies."""
        if self.per_file == 1:
            return chunks[0]
        index = np.full((self.per_file, 2), _ABSENT, "<u8")
        lengths = np.array([len(chunk) for chunk in chunks], np.uint64)
        index[: len(chunks), 0] = np.cumsum(lengths) - lengths
        index[: len(chunks), 1] = lengths
        return b"".join([*chunks, with_checksum(index.tobytes())])

    def _document(self) -> dict[str, Any]:
        inner = [self.chunk, *self.shape[1:]]
        codecs = self.codec.described(self.dtype.itemsize)
        if self.per_file > 1:
            shard = {"chunk_shape": inner, "codecs": codecs, "index_codecs": INDEX_CODECS, "index_location": "end"}
            codecs = [{"name": "sharding_indexed", "configuration": shard}]
        return {
            "shape": [*self.shape],
            "data_type": self.dtype.name,
            "chunk_grid": {
                "name": "regular",
                "configuration": {"chunk_shape": [self.chunk * self.per_file, *self.shape[1:]]},
            },
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": bool(self.fill) if self.dtype == np.bool_ else self.fill,
            "codecs": codecs,
            "attributes": {},
            "zarr_format": 3,
            "node_type": "array",
            "storage_transformers": [],
        }
