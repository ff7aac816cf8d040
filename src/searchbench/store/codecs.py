"""Codecs: compress and decompress the chunks of an array, and describe to Zarr how."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import google_crc32c
import zstandard

from searchbench.errors import BadRequest

NONE: Final = "none"
_LEVELS: Final[Mapping[str, tuple[int, int, int]]] = {
    "zstd": (1, 22, 3),
    "gzip": (0, 9, 6),
    "lz4": (1, 9, 5),
    NONE: (0, 0, 0),
}
"""For each codec the lowest, the highest and the default level."""
INDEX_CODECS: Final = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
"""How the index of a shard is kept."""
_BLOSC_HEADER: Final = 16
CHECKSUM: Final = 4
"""Bytes of a checksum."""


class Codec(NamedTuple):
    """A codec and its level, written "zstd:3"."""

    name: str
    level: int = 0

    def __str__(self) -> str:
        return self.name if self.name == NONE else f"{self.name}:{self.level}"

    def described(self, itemsize: int) -> list[dict[str, Any]]:
        """Return the codecs as an array's metadata list them: the order of bytes, the codec, a checksum of its output."""
        order = {"name": "bytes", **({"configuration": {"endian": "little"}} if itemsize > 1 else {})}
        if self.name == NONE:
            return [order]
        blosc = {"typesize": 1, "cname": "lz4hc", "clevel": self.level, "shuffle": "noshuffle", "blocksize": 0}
        packing = {
            "zstd": {"name": "zstd", "configuration": {"level": self.level, "checksum": False}},
            "gzip": {"name": "gzip", "configuration": {"level": self.level}},
            "lz4": {"name": "blosc", "configuration": blosc},
        }
        return [order, packing[self.name], {"name": "crc32c"}]

    def pack(self, data: bytes) -> bytes:
        """Return data compressed, with a checksum."""
        if self.name == "zstd":
            return with_checksum(zstandard.ZstdCompressor(level=self.level).compress(data))
        if self.name == "gzip":
            return with_checksum(zlib.compress(data, self.level, wbits=31))
        if self.name == "lz4":
            from numcodecs.blosc import NOSHUFFLE, compress  # type: ignore[import-untyped]

            return with_checksum(compress(data, b"lz4hc", self.level, NOSHUFFLE))
        return data


ZSTD: Final = Codec("zstd", 3)
PLAIN: Final = Codec(NONE)


def with_checksum(data: bytes) -> bytes:
    """Return data followed by their checksum."""
    checksum: int = google_crc32c.value(data)
    return data + checksum.to_bytes(CHECKSUM, "little")


def parse_codec(text: str) -> Codec:
    """Parse a codec such as "zstd:19", "gzip", "lz4" or "none". Raises BadRequest."""
    name, _, level = text.strip().partition(":")
    if name not in _LEVELS:
        raise BadRequest(
            f"codec {text!r}: expected one of {', '.join(_LEVELS)}; a level follows a colon, as in zstd:19"
        )
    low, high, usual = _LEVELS[name]
    if not level:
        return Codec(name, usual)
    if not level.isdecimal() or not low <= int(level) <= high:
        told = f"has the levels {low} to {high}" if high else "has no levels"
        raise BadRequest(f"codec {text!r}: {name} {told}")
    return Codec(name, int(level))


def without_checksum(data: bytes, compare: bool = True) -> bytes:
    """Return data without the checksum that follows them. Raises ValueError if they do not match it, unless told not to."""
    if compare and google_crc32c.value(data[:-CHECKSUM]) != int.from_bytes(data[-CHECKSUM:], "little"):
        raise ValueError("a chunk does not match its checksum")
    return data[:-CHECKSUM]


def unpacker(names: list[str], compare: bool = True) -> Callable[[bytes, int], bytes]:
    """Return a function (packed data with checksum, unpacked size) -> bytes that inverts codecs given by Zarr's names.

    It compares checksums, unless told not to. The function raises ValueError, zlib.error or ZstdError for damaged data.
    Raises ValueError for unknown codecs.
    """
    known = {"zstd": _unpack_zstd, "gzip": _unpack_gzip, "blosc": _unpack_blosc}
    if names == ["bytes"]:
        return _unpack_nothing
    if len(names) != 3 or names[0] != "bytes" or names[2] != "crc32c" or names[1] not in known:
        raise ValueError("codecs of another kind")
    unpack = known[names[1]]

    return lambda data, size: unpack(without_checksum(data, compare), size)


def _unpack_nothing(data: bytes, size: int) -> bytes:
    return data


def _unpack_zstd(packed: bytes, size: int) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)


def _unpack_gzip(packed: bytes, size: int) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(packed, size)


def _unpack_blosc(packed: bytes, size: int) -> bytes:
    from numcodecs.blosc import decompress

    if len(packed) < _BLOSC_HEADER or struct.unpack_from("<I", packed, 4)[0] != size:
        raise ValueError("a chunk has another size")
    return bytes(decompress(packed))
