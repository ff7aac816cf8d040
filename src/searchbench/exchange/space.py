"""Where large arrays lie: in memory, or in files without a name that are mapped into memory and end with the process."""

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
"""Linux: memory is taken when it is written to, and not promised before."""

Array = npt.NDArray[Any]


class Space(Protocol):
    """Make arrays, and take back what they no longer need."""

    def array(self, size: int, dtype: Any) -> Array:
        """Return an array of zeros that takes room only where it is written to."""
        ...

    def rest(self, array: Array) -> None:
        """Give back the memory of an array whose entries lie elsewhere, too."""
        ...

    def give_up(self, array: Array, start: int, stop: int) -> None:
        """Give up what the entries start .. stop - 1 hold, and their room, but for pages shared with others."""
        ...


class Memory:
    """Keep arrays in memory."""

    def array(self, size: int, dtype: Any) -> Array:
        """Return an array of zeros."""
        return untouched(size, dtype)

    def rest(self, array: Array) -> None:
        """Do nothing: memory is all there is."""

    def give_up(self, array: Array, start: int, stop: int) -> None:
        """Give back the memory of some entries."""
        release(array, start, stop)


class Files:
    """Keep arrays in files of a folder, which have no name: whatever becomes of the process, nothing is left of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def array(self, size: int, dtype: Any) -> Array:
        """Return an array of zeros; the file takes room on the disk only where it is written to."""
        wanted = max(1, size * np.dtype(dtype).itemsize)
        with tempfile.TemporaryFile(dir=self._folder) as file:
            file.truncate(wanted)
            return np.frombuffer(mmap.mmap(file.fileno(), wanted), dtype, size)

    def rest(self, array: Array) -> None:
        """Give back the memory of an array; the file keeps what it holds."""
        release(array, 0, len(array))

    def give_up(self, array: Array, start: int, stop: int) -> None:
        """Give back the room of some entries on the disk, where the file system can."""
        if hasattr(mmap, "MADV_REMOVE"):
            with contextlib.suppress(OSError):
                _advise(array, start, stop, mmap.MADV_REMOVE)


MEMORY: Final = Memory()


def untouched(size: int, dtype: Any, huge: bool = True) -> Array:
    """Return an array of zeros that takes memory only where it is written to: in `huge` pieces, or small ones."""
    wanted = max(1, size * np.dtype(dtype).itemsize)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    memory = mmap.mmap(-1, wanted, flags=flags)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE if huge else mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype, size)


def release(array: Array, start: int, stop: int) -> None:
    """Give back the memory of the entries start .. stop - 1 of a mapped array, but for pages shared with others.

    What an `untouched` array holds there is lost; what lies in a file, the file keeps.
    """
    _advise(array, start, stop, mmap.MADV_DONTNEED)


def _advise(array: Array, start: int, stop: int, advice: int) -> None:
    memory = getattr(array.base, "obj", None)
    page = mmap.PAGESIZE
    first = -(-start * array.itemsize // page) * page
    last = stop * array.itemsize // page * page
    if isinstance(memory, mmap.mmap) and first < last:
        memory.madvise(advice, first, last - first)
