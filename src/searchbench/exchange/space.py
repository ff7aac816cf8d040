"""Storage of large arrays: memory, or unnamed memory-mapped files that vanish with the process."""

from __future__ import annotations

import contextlib
import mmap
import sys
import tempfile
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

_NO_RESERVE: Final = 0x4000 if sys.platform == "linux" else 0
"""On Linux, memory is allocated when written, without a reservation."""

Array = npt.NDArray[Any]


class Space(Protocol):
    """Allocate arrays, and release parts of them."""

    def array(self, size: int, dtype: Any) -> Array:
        """Return an array of zeros that occupies room only where it is written."""
        ...

    def rest(self, array: Array) -> None:
        """Release the memory of an array that is also stored elsewhere."""
        ...

    def give_up(self, array: Array, start: int, stop: int) -> None:
        """Discard the entries start .. stop - 1 and release their room, except pages shared with other entries."""
        ...


class Memory:
    """Keep arrays in memory."""

    def array(self, size: int, dtype: Any) -> Array:
        """Return an array of zeros."""
        return untouched(size, dtype)

    def rest(self, array: Array) -> None:
        """Do nothing: the array is stored only in memory."""

    def give_up(self, array: Array, start: int, stop: int) -> None:
        """Release the memory of some entries."""
        release(array, start, stop)


class Files:
    """Store arrays in unnamed files of a folder, which vanish however the process ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def array(self, size: int, dtype: Any) -> Array:
        """Return an array of zeros; the file occupies disk space only where it is written."""
        wanted = max(1, size * np.dtype(dtype).itemsize)
        with tempfile.TemporaryFile(dir=self._folder) as file:
            file.truncate(wanted)
            return np.frombuffer(mmap.mmap(file.fileno(), wanted), dtype, size)

    def rest(self, array: Array) -> None:
        """Release the memory of an array; its file keeps the contents."""
        rest(array, 0, len(array))

    def give_up(self, array: Array, start: int, stop: int) -> None:
        """Release the disk space of some entries, if the file system can."""
        remove(array, start, stop)


MEMORY: Final = Memory()


class _WithoutFile(mmap.mmap):
    """Tell memory that no file stands behind from a mapped file."""


def untouched(size: int, dtype: Any, huge: bool = True) -> Array:
    """Return an array of zeros that occupies memory only where it is written, in `huge` or in small pages."""
    wanted = max(1, size * np.dtype(dtype).itemsize)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    memory = _WithoutFile(-1, wanted, flags=flags)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE if huge else mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype, size)


def release(array: Array, start: int, stop: int) -> None:
    """Release the memory of the entries start .. stop - 1 of a mapped array, except pages shared with other entries.

    The contents of an `untouched` array are lost there; a file keeps its contents.
    """
    _advise(array, start, stop, mmap.MADV_DONTNEED)


def rest(array: Array, start: int, stop: int) -> None:
    """Release the memory of some entries of a mapped file, which keeps them; memory without a file stays as it is."""
    if not isinstance(getattr(array.base, "obj", None), _WithoutFile):
        release(array, start, stop)


def remove(array: Array, start: int, stop: int) -> None:
    """Take the entries start .. stop - 1 of a mapped file out of it, for all who map it, if the file system can."""
    if hasattr(mmap, "MADV_REMOVE"):
        with contextlib.suppress(OSError):
            _advise(array, start, stop, mmap.MADV_REMOVE)


def _advise(array: Array, start: int, stop: int, advice: int) -> None:
    memory = getattr(array.base, "obj", None)
    page = mmap.PAGESIZE
    first = -(-start * array.itemsize // page) * page
    last = stop * array.itemsize // page * page
    if isinstance(memory, mmap.mmap) and first < last:
        memory.madvise(advice, first, last - first)
