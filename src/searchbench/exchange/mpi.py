"""The ranks of processes that MPI has started (`mpiexec -n 4 searchbench ...`): the only module that imports mpi4py."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from searchbench.errors import MissingPackage
from searchbench.exchange.ranks import ALONE, Array, How, Numbers, Ranks

_STARTED_BY: Final = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID", "PALS_RANKID")
"""Variables that the starters of MPI (hydra, PMIx, Open MPI, Intel, Cray) set for each process."""
_TOGETHER: Final = 2.0
"""Ranks that end with an error within so many seconds of each other end for the same reason."""
_IMPATIENT: Final = 2000
"""After so many questions, some milliseconds, a rank that waits for others rests between them:"""
_REST: Final = 0.0005
"""seconds."""
_SHARED: Final = "/dev/shm/mpich_shm_"
"""How the names begin under which the ranks of a machine find the memory that MPICH shares among them."""
_world: MpiRanks | None = None


def is_launched(environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether MPI has started this process."""
    return any(name in environment for name in _STARTED_BY)


def world() -> Ranks:
    """Return the ranks that MPI has started, or the one of a process that it has not. Raises MissingPackage."""
    global _world
    if _world is None and is_launched():
        _world = MpiRanks(_mpi())
    return ALONE if _world is None else _world


def _mpi() -> Any:
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # mpi4py raises RuntimeError where it finds no MPI library
        raise MissingPackage(
            f"several ranks need mpi4py and an MPI library: pip install 'searchbench[cluster]' ({error})"
        ) from None
    return MPI


def joined_world() -> MpiRanks | None:
    """Return the ranks that this process has joined, if it has."""
    return _world


def _remove_names_of_shared_memory() -> None:
    """Remove the names of memory that all ranks of a machine have found: a rank that is killed would leave it behind."""
    with contextlib.suppress(OSError):  # not on every system
        for line in Path("/proc/self/maps").read_text().splitlines():
            if _SHARED in line:
                Path(line[line.index(_SHARED) :]).unlink(missing_ok=True)


def _let_others_work() -> None:
    """Give the core to another process that is ready: there may be more ranks than cores."""
    if hasattr(os, "sched_yield"):
        os.sched_yield()


class MpiRanks:
    """Be one of the processes of MPI's world."""

    def __init__(self, mpi: Any) -> None:
        self._mpi = mpi
        self._world = mpi.COMM_WORLD.Dup()
        self._ends = mpi.COMM_WORLD.Dup()
        self.rank: int = self._world.Get_rank()
        self.count: int = self._world.Get_size()
        near = self._world.Split_type(mpi.COMM_TYPE_SHARED)
        self.machines: list[int] = self._world.allgather(min(near.allgather(self.rank)))
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        self.companions: int = near.allgather(cores).count(cores)
        near.Free()
        _remove_names_of_shared_memory()
        self._operations = {"max": mpi.MAX, "min": mpi.MIN, "sum": mpi.SUM}
        self.waited = 0.0
        self._sending: list[Any] = []
        self._arriving: list[tuple[int, int, Array, Any]] = []

    def begin_reduce(self, values: Numbers, how: How) -> Callable[[], Numbers]:
        """Begin to reduce values over all ranks, place by place."""
        result = np.empty_like(values)
        request = self._world.Iallreduce(np.ascontiguousarray(values), result, op=self._operations[how])

        def wait() -> Numbers:
            self._until(request.Test)
            return result

        return wait

    def gather(self, thing: Any) -> list[Any]:
        """Return what each rank has given, in their order."""
        self._until(self._world.Ibarrier().Test)
        found: list[Any] = self._world.allgather(thing)
        return found

    def send(self, array: Array, to: int, tag: int) -> None:
        """Begin to send an array to another rank."""
        data = array.reshape(-1).view(np.uint8)
        self._sending.append(self._world.Isend([data, self._mpi.BYTE], to, tag))

    def receive(self, tag: int) -> tuple[int, Array] | None:
        """Return a message that has arrived whole; let others begin to arrive."""
        begun = time.thread_time()
        self._begin_receiving(tag)
        for place, (sender, sent_as, data, request) in enumerate(self._arriving):
            if sent_as == tag and request.Test():
                del self._arriving[place]
                return sender, data
        _let_others_work()
        if not self._arriving:
            self.waited += time.thread_time() - begun
        return None

    def _begin_receiving(self, tag: int) -> None:
        status = self._mpi.Status()
        while (message := self._world.Improbe(self._mpi.ANY_SOURCE, tag, status)) is not None:
            data = np.empty(status.Get_count(self._mpi.BYTE), np.uint8)
            self._arriving.append((status.Get_source(), tag, data, message.Irecv([data, self._mpi.BYTE])))

    def settle(self) -> None:
        """Wait until the arrays that were sent may be altered."""
        self._until(lambda: self._mpi.Request.Testall(self._sending))
        self._sending.clear()

    def _until(self, done: Callable[[], bool]) -> None:
        """Ask until it is done."""
        begun, asked = time.thread_time(), 0
        while not done():
            asked += 1
            if asked < _IMPATIENT:
                _let_others_work()
            else:
                time.sleep(_REST)
        self.waited += time.thread_time() - begun

    def ends_with_all(self) -> bool:
        """Tell whether all ranks come here within a moment."""
        request = self._ends.Ibarrier()
        begun = time.monotonic()
        while not request.Test():
            if time.monotonic() - begun > _TOGETHER:
                return False
            time.sleep(0.01)
        return True

    def abort(self, code: int) -> None:
        """End all ranks."""
        self._world.Abort(code)
