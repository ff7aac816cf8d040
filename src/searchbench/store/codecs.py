"""Codecs: compress the chunks of an array, and decompress one chunk without Zarr."""

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
_BLOSC_HEADER: Final = 16
_CHECKSUM: Final = 4


class Codec(NamedTuple):
    """A codec and its level, written "zstd:3"."""

    name: str
    level: int = 0

    def __str__(self) -> str:
        return self.name if self.name == NONE else f"{self.name}:{self.level}"

    def compressors(self) -> list[Any] | None:
        """Return Zarr's compressors: the codec, and a checksum of its output."""
        from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec

        if self.name == NONE:
            return None
        made: dict[str, Callable[[], Any]] = {
            "zstd": lambda: ZstdCodec(level=self.level),
            "gzip": lambda: GzipCodec(level=self.level),
            "lz4": lambda: BloscCodec(cname="lz4hc", clevel=self.level, shuffle="noshuffle", typesize=1),
        }
        return [made[self.name](), Crc32cCodec()]


ZSTD: Final = Codec("zstd", 3)
PLAIN: Final = Codec(NONE)


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
        raise BadRequest(f"codec {text!r}: {name} has the levels {low} to {high}")
    return Codec(name, int(level))


def unpacker(names: list[str]) -> Callable[[bytes, int], bytes]:
    """Return a function (packed data with checksum, unpacked size) -> bytes that inverts codecs given by Zarr's names.

    The function raises ValueError, zlib.error or ZstdError for damaged data. Raises ValueError for unknown codecs.
    """
    known = {"zstd": _unpack_zstd, "gzip": _unpack_gzip, "blosc": _unpack_blosc}
    if names == ["bytes"]:
        return _unpack_nothing
    if len(names) != 3 or names[0] != "bytes" or names[2] != "crc32c" or names[1] not in known:
        raise ValueError("codecs of another kind")
    unpack = known[names[1]]

    def checked(data: bytes, size: int) -> bytes:
        packed = data[:-_CHECKSUM]
        if google_crc32c.value(packed) != int.from_bytes(data[-_CHECKSUM:], "little"):
            raise ValueError("a chunk does not match its checksum")
        return unpack(packed, size)

    return checked


def _unpack_nothing(data: bytes, size: int) -> bytes:
    return data


def _unpack_zstd(packed: bytes, size: int) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)


def _unpack_gzip(packed: bytes, size: int) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(packed, size)


def _unpack_blosc(packed: bytes, size: int) -> bytes:
    from numcodecs.blosc import decompress  # type: ignore[import-untyped]

    if len(packed) < _BLOSC_HEADER or struct.unpack_from("<I", packed, 4)[0] != size:
        raise ValueError("a chunk has another size")
    return bytes(decompress(packed))
