"""Files of the cache: whole or not there, whoever is killed and however many write at once."""

from __future__ import annotations

import contextlib
import hashlib
import uuid
from pathlib import Path
from typing import Final

_DIGEST_BYTES: Final = hashlib.sha256().digest_size


def read_cached(file: Path) -> bytes:
    """Return the contents of a file of the cache. Raises OSError, and ValueError where its checksum is wrong."""
    data = file.read_bytes()
    if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
        raise ValueError("its checksum is wrong")
    return data[_DIGEST_BYTES:]


def write_cached(file: Path, data: bytes) -> None:
    """Replace a file in one go, with a digest at its head. Raises OSError, and then leaves nothing."""
    partial = file.with_suffix(f".{uuid.uuid4().hex[:16]}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(hashlib.sha256(data).digest() + data)
        partial.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
