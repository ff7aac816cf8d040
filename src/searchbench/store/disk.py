"""Codes of a database on disk: chunks of a Zarr group, checked when read; an LRU cache keeps recent ones."""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from searchbench.errors import DamagedData
from searchbench.exchange.space import untouched
from searchbench.index.protocol import Part
from searchbench.store import header as head
from searchbench.store.bits import codes_of, cut_out
from searchbench.store.chunks import ChunkFiles
from searchbench.store.codes import Array, as_type, bits_of_codes, type_for
from searchbench.store.forms import FORMS, ONE_BIT


class PartReader(Protocol):
    """Read the chunks of one part's stored numbers."""

    mapped: Array | None
    """All stored numbers, if the file is mapped into memory."""

    def chunks(self, first: int, stop: int) -> Array:
        """Return the stored numbers of the chunks first .. stop - 1."""
        ...


class DiskCodes:
    """Read codes from the arrays of a group; cache up to `budget` bytes of chunks.

    `reader` opens a part; the default raises DamagedData for damaged data.
    """

    def __init__(
        self, folder: Path, header: head.Header, budget: int,
        reader: Callable[[Path, head.PartRecord, int], PartReader] | None = None,
    ) -> None:  # fmt: skip
        self._reader = reader or _PartOnDisk
        self._folder = folder
        self._chunk = header.chunk
        self._form = FORMS[header.form]
        self.modulus = header.modulus
        self._records = sorted(header.parts, key=lambda record: record.stop)
        self._dtype = np.dtype(header.dtype)
        self._bit = {record.name: 1 if header.reduction else record.code for record in self._records}
        if self._form is ONE_BIT:
            self._dtype = type_for(max(self._bit.values()))
        self._stops = [record.stop for record in self._records]
        chunks = [head.chunk_of(record.part, header.chunk, self._form) for record in self._records]
        self._places = [
            (record.start, chunk * self._form.per_unit) for record, chunk in zip(self._records, chunks, strict=True)
        ]
        self._parts: dict[str, PartReader] = {}
        self._cache: OrderedDict[tuple[int, int], Array] = OrderedDict()
        self._budget = budget
        self._used = 0
        self._lock = threading.Lock()

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a code."""
        return self._dtype

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        return self._stops[-1]

    def code(self, number: int) -> int:
        """Return the code of one number, through the cache of chunks."""
        place = bisect.bisect_right(self._stops, number)
        start, size = self._places[place]
        chunk, offset = divmod(number - start, size)
        with self._lock:
            codes = self._cache.get((place, chunk))
            if codes is None:
                codes = self._cache[place, chunk] = self._part(self._records[place]).chunks(chunk, chunk + 1)
                self._used += codes.nbytes
                while self._used > self._budget and len(self._cache) > 1:
                    self._used -= self._cache.popitem(last=False)[1].nbytes
            else:
                self._cache.move_to_end((place, chunk))
        unit, inside = divmod(offset, self._form.per_unit)
        return int(self._unpacked(self._records[place], codes[unit : unit + 1])[inside])

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1 of a part, bypassing the cache."""
        units, offset = self._units(part, first, stop)
        codes = self._unpacked(self._record(part), units)
        return codes[first - offset : stop - offset]

    def bits(self, part: Part, first: int, stop: int) -> Array:
        """Return a bit per number first .. stop - 1 of a part, set if it has a value, as `bits_of_codes` does."""
        if self._form is not ONE_BIT:
            return bits_of_codes(self.read(part, first, stop))
        units, offset = self._units(part, first, stop)
        return cut_out(units, first - offset, stop - first)

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each code occurs in a part, from the header."""
        record = self._record(part)
        counts = dict(record.counts)
        if record.dtype and (mark := int(np.iinfo(record.dtype).max)) in counts:
            counts[int(np.iinfo(self._dtype).max)] = counts.pop(mark)
        return counts

    def whole(self) -> Array:
        """Return all codes in one array; it is read-only if it is the mapped file of a single part."""
        with self._lock:
            mapped = self._part(self._records[0]).mapped if len(self._records) == 1 else None
        if mapped is not None and self._form.per_unit == 1:
            return mapped
        codes = untouched(self.size, self._dtype)
        for record in self._records:
            for first in range(record.start, record.stop, 1 << 24):
                stop = min(first + (1 << 24), record.stop)
                codes[first:stop] = self.read(record.part, first, stop)
        return codes

    def close(self) -> None:
        """Drop all cached chunks."""
        with self._lock:
            self._parts.clear()
            self._cache.clear()
            self._used = 0

    def _record(self, part: Part) -> head.PartRecord:
        return next(record for record in self._records if record.name == part.name)

    def _units(self, part: Part, first: int, stop: int) -> tuple[Array, int]:
        """Return stored numbers covering the numbers first .. stop - 1 of a part, and the first number covered.

        From a mapped array return just the stored numbers needed, else whole chunks.
        """
        with self._lock:
            on_disk = self._part(self._record(part))
        if on_disk.mapped is not None:
            per_unit = self._form.per_unit
            start = (first - part.start) // per_unit
            return on_disk.mapped[start : -((part.start - stop) // per_unit)], part.start + start * per_unit
        size = head.chunk_of(part, self._chunk, self._form) * self._form.per_unit
        start = (first - part.start) // size
        return on_disk.chunks(start, -((part.start - stop) // size)), part.start + start * size

    def _unpacked(self, record: head.PartRecord, units: Array) -> Array:
        if self._form is ONE_BIT:
            return codes_of(units, 8 * len(units), self._bit[record.name], self._dtype)
        return as_type(self._form.unpack(units), self._dtype) if record.dtype else self._form.unpack(units)

    def _part(self, record: head.PartRecord) -> PartReader:
        if record.name not in self._parts:
            chunk = head.chunk_of(record.part, self._chunk, self._form)
            self._parts[record.name] = self._reader(self._folder, record, chunk)
        return self._parts[record.name]


_WHY = "it was altered (`searchbench repair` recomputes lost values), or the database was replaced after it had been opened"


class _PartOnDisk:
    def __init__(self, folder: Path, record: head.PartRecord, chunk: int) -> None:
        self._path = folder / head.codes_path(record.name)
        self._chunk = chunk
        self.mapped = _mapped(self._path)
        self._files = ChunkFiles(self._path)
        digests = folder / head.digests_path(record.name)
        self._digests = ChunkFiles(digests).read_all()
        if head.digest_of(self._digests) != record.digest:
            raise DamagedData(f"{digests} does not match the digest in the header: {_WHY}")
        if self.mapped is not None:
            self._check(self.mapped, 0, len(self._digests))

    def chunks(self, first: int, stop: int) -> Array:
        """Return the stored numbers of the chunks first .. stop - 1, each compared with its digest."""
        if self.mapped is not None:
            return self.mapped[first * self._chunk : stop * self._chunk]
        codes = self._files.read_all(first, stop)
        self._check(codes, first, stop)
        codes.flags.writeable = False
        return codes

    def _check(self, codes: Array, first: int, stop: int) -> None:
        wrong = np.flatnonzero(head.chunk_digests(codes, self._chunk) != self._digests[first:stop])
        if len(wrong):
            raise DamagedData(f"{self._path}: chunk {first + int(wrong[0])} does not match its digest: {_WHY}")


def _mapped(path: Path) -> Array | None:
    """Map an uncompressed array of one file into memory; return None for any other layout."""
    document = head.read_document(path / head.DOCUMENT)
    try:
        plain = [codec["name"] for codec in document["codecs"]] == ["bytes"]
        whole = document["chunk_grid"]["configuration"]["chunk_shape"] == document["shape"]
        dtype = np.dtype(document["data_type"]).newbyteorder("<")
        return (
            np.asarray(np.memmap(path / "c" / "0", dtype, "r", shape=tuple(document["shape"])))
            if plain and whole
            else None
        )
    except (KeyError, TypeError, OSError, ValueError) as error:
        raise DamagedData(f"{path} cannot be mapped: {error}") from error
