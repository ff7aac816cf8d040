"""Memory that ranks of one machine have in common: each reads there what the others write, and no message is sent.

The ranks of a machine that see each other's memory are a *team*. The first of a team makes a file that lies in memory and has
no name (memfd), and the others map it, too; it vanishes with the last of them, however that ends. Such files are limited by the
machine's memory alone, not by the size of /dev/shm. Where the system has none, or ranks do not see each other's files, as in
containers of their own, each rank is a team of one.
"""

from __future__ import annotations

import math
import mmap
import os
import warnings
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from searchbench.errors import OutOfMemory
from searchbench.exchange.ranks import ALONE, by_first, current, joined, meet
from searchbench.exchange.space import release, remove, untouched

_Told = tuple[int, int, tuple[int, int]]
"""Which file the first rank of a team has made: its process, its handle there, and the file's device and number."""
_FLAGS: Final = mmap.MAP_SHARED | getattr(mmap, "MAP_NORESERVE", 0x4000)

_TAG: Final = 5
_PIECE: Final = 1 << 26
"""How many bytes a message carries at most."""

Team = tuple[int, ...]
Arrays = TypeVar("Arrays", bound=tuple[npt.NDArray[Any], ...])
"""A named tuple of arrays."""


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

    def once(self, make: Callable[[], Arrays]) -> Arrays:
        """Have the first rank alone make a named tuple of arrays, and return it, held once by each machine. Raises its errors."""
        if self._ranks.count == 1:
            return make()
        made: list[Arrays] = []

        def told() -> tuple[type[Arrays], list[tuple[Any, Any]]]:
            with joined(ALONE):
                made.append(make())
            return type(made[0]), [(array.shape, array.dtype) for array in made[0]]

        kind, shapes = by_first(told)
        arrays = []
        for place, (shape, dtype) in enumerate(shapes):
            array = self.array(math.prod(shape), dtype)
            if made:
                array[:] = made[0][place].reshape(-1)
            self._spread(array.view(np.uint8))
            arrays.append(array.reshape(shape))
        return kind(*arrays)

    def _spread(self, data: npt.NDArray[np.uint8]) -> None:
        """Give each machine what the first rank has: its first rank gets messages of a place and the bytes from there on."""
        ranks = self._ranks
        places = range(0, len(data), _PIECE)
        firsts = [team[0] for team in self.teams if 0 not in team]
        for place in places if ranks.rank == 0 else ():
            message = np.concatenate([np.array([place], np.int64).view(np.uint8), data[place : place + _PIECE]])
            for first in firsts:
                ranks.send(message, first, _TAG)
            ranks.settle()
        expected = len(places) if ranks.rank in firsts else 0
        while expected:
            arrived = ranks.receive(_TAG)
            if arrived is not None:
                place = int(arrived[1][:8].view(np.int64)[0])
                data[place : place + len(arrived[1]) - 8] = arrived[1][8:]
                expected -= 1
        meet()

    def give_up(self, array: npt.NDArray[Any], start: int, stop: int) -> None:
        """Release the memory of some entries, but for pages shared with others; no rank reads them again."""
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
