"""Memory that ranks of one machine have in common: each reads there what the others write, and no message is sent.

The ranks of a machine that see each other's memory are a *team*. The first of a team makes a file that lies in memory and has
no name (memfd), and the others map it, too; it vanishes with the last of them, however that ends. Such files are limited by the
machine's memory alone, not by the size of /dev/shm. Where the system has none, or ranks do not see each other's files, as in
containers of their own, each rank is a team of one.
"""

from __future__ import annotations

import mmap
import os
import warnings
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import OutOfMemory
from searchbench.exchange.ranks import current
from searchbench.exchange.space import release, remove, untouched

_Told = tuple[int, int, tuple[int, int]]
"""Which file the first rank of a team has made: its process, its handle there, and the file's device and number."""
_FLAGS: Final = mmap.MAP_SHARED | getattr(mmap, "MAP_NORESERVE", 0x4000)

Team = tuple[int, ...]


class SharedMemory:
    """Make arrays that this rank's team has in common; all ranks do so together.

    With `shared=False` each rank is a team of one, as where kernels cannot write to a word at the same time.
    """

    def __init__(self, shared: bool = True) -> None:
        self._ranks = current()
        machines = self._ranks.machines
        self.teams: list[Team] = [
            tuple(rank for rank, one in enumerate(machines) if one == machine) for machine in dict.fromkeys(machines)
        ]
        self.team = self._team_of(self._ranks.rank)
        seen = (
            self._ranks.gather(shared and self._mapped(mmap.PAGESIZE) is not None) if self._ranks.count > 1 else [True]
        )
        split = [team for team in self.teams if not all(seen[rank] for rank in team)]
        if split:
            self.teams = [
                one for team in self.teams for one in ([(rank,) for rank in team] if team in split else [team])
            ]
            self.team = self._team_of(self._ranks.rank)
            if shared and self._ranks.rank == 0:
                warnings.warn(
                    f"the ranks {', '.join(map(str, split[0]))} share a machine, but not its memory: they send each other "
                    "messages, and each has vectors of its own",
                    RuntimeWarning,
                    stacklevel=1,  # one place, so that it is said once
                )

    def _team_of(self, rank: int) -> Team:
        return next(team for team in self.teams if rank in team)

    def array(self, size: int, dtype: Any) -> npt.NDArray[Any]:
        """Return an array of zeros, which takes memory where it is written. Raises OutOfMemory, on all ranks."""
        if self._ranks.count == 1:
            return untouched(size, dtype)
        wanted = max(1, size * np.dtype(dtype).itemsize)
        memory = self._mapped(wanted)
        missing = [rank for rank, there in enumerate(self._ranks.gather(memory is not None)) if not there]
        if memory is None or missing:
            raise OutOfMemory(
                f"rank {missing[0]} cannot map {wanted:,} bytes of memory in common with others of its machine"
            )
        return np.frombuffer(memory, dtype, size)

    def give_up(self, array: npt.NDArray[Any], start: int, stop: int) -> None:
        """Release the memory of some entries, except pages shared with others; all ranks do so, and nobody reads them again."""
        if self._ranks.count == 1:
            release(array, start, stop)
        elif self.team[0] == self._ranks.rank:
            remove(array, start, stop)

    def _mapped(self, wanted: int) -> mmap.mmap | None:
        """Return memory of a new file of the team; None where the system refuses it."""
        first = self.team[0] == self._ranks.rank
        handle = _new_file(wanted) if first else -1
        told: list[_Told | None] = self._ranks.gather(_described(handle) if handle >= 0 else None)
        file = told[self.team[0]]
        if file is not None and not first:
            handle = _opened(file)
        try:
            memory = mmap.mmap(handle, wanted, flags=_FLAGS) if handle >= 0 else None
        except (OSError, ValueError):
            memory = None
        self._ranks.gather(None)  # the others have opened it
        if handle >= 0:
            os.close(handle)
        if memory is not None and hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        return memory


def _new_file(wanted: int) -> int:
    """Return the handle of a new file in memory, or -1."""
    if not hasattr(os, "memfd_create"):
        return -1
    try:
        handle = os.memfd_create("searchbench")
    except OSError:
        return -1
    try:
        os.ftruncate(handle, wanted)
    except OSError:
        os.close(handle)
        return -1
    return handle


def _described(handle: int) -> _Told:
    found = os.fstat(handle)
    return os.getpid(), handle, (found.st_dev, found.st_ino)


def _opened(file: _Told) -> int:
    """Return a handle of a file that another process has made, or -1 where it cannot be seen."""
    process, number, identity = file
    try:
        handle = os.open(f"/proc/{process}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return -1
    found = os.fstat(handle)
    if (found.st_dev, found.st_ino) == identity:  # another process may have this number in another container
        return handle
    os.close(handle)
    return -1
