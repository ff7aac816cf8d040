"""A device's memory as solvers see it: arrays there, transfers, streams, and a budget that is asked before work starts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import OutOfMemory
from searchbench.jit.backends import loaded

Array = npt.NDArray[Any]
_KEPT_FREE: Final = 0.05
"""The share of a device's free memory that is left to the compiler's code and the threads' own memory."""


class Device:
    """Hold an open device. `memory` is in bytes: what it has free, or a smaller budget."""

    target: Final = "cuda"

    def __init__(self, name: str, memory: int = 0) -> None:
        opening = loaded("cuda.opening")
        ordinal = opening.ordinal_of(name)
        self._cuda = opening.opened(ordinal)
        self.name = f"cuda:{ordinal}"
        self.simulated: bool = opening.simulated()
        free = self._cuda.current_context().get_memory_info().free
        room = 1 << 62 if free == float("inf") else int(free * (1 - _KEPT_FREE))
        self.memory = min(memory or room, room)

    def demand(self, size: int, what: str, told: str) -> None:
        """Refuse, before it starts, what needs more than the memory; `told` is the way out. Raises OutOfMemory."""
        if size > self.memory:
            raise OutOfMemory(f"{what} needs {size:,} bytes on {self.name}, which has {self.memory:,} to give; {told}")

    def array(self, values: Array) -> Any:
        """Return a copy on the device."""
        return self._cuda.to_device(np.ascontiguousarray(values))

    def room(self, count: int, dtype: Any) -> Any:
        """Return a vector on the device, of which the content is left open."""
        return self._cuda.device_array(count, np.dtype(dtype))

    def read(self, array: Any) -> Array:
        """Return a copy of an array of the device, once all that was launched is done."""
        self._cuda.synchronize()
        found: Array = array.copy_to_host()
        return found

    def lane(self) -> Lane:
        """Return a stream for transfers and kernels that overlap with those of others."""
        return Lane(self._cuda)

    def wait(self) -> None:
        """Wait until all that was launched is done."""
        self._cuda.synchronize()


class Lane:
    """Hold a stream: what is asked of it is done in order, and beside what other streams do."""

    def __init__(self, cuda: Any) -> None:
        self._cuda = cuda
        self._stream = cuda.stream()

    def locked(self, count: int, dtype: Any) -> Array:
        """Return a vector of the processor's memory that the device can read by itself."""
        found: Array = self._cuda.pinned_array(count, np.dtype(dtype))
        return found

    def send(self, values: Array, array: Any) -> None:
        """Copy a vector to the device, to the first places of an array."""
        array[: len(values)].copy_to_device(values, stream=self._stream)

    def fetch(self, array: Any, values: Array) -> None:
        """Copy the first places of an array of the device to a vector."""
        array[: len(values)].copy_to_host(values, stream=self._stream)

    def wait(self) -> None:
        """Wait until all that was asked of the lane is done."""
        self._stream.synchronize()

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        """Launch kernels in this lane meanwhile."""
        current = loaded("cuda.streams").CURRENT
        before, current.stream = current.stream, self._stream
        try:
            yield
        finally:
            current.stream = before


def open_device(name: str, memory: int = 0) -> Device:
    """Open "cuda:0"; `memory` limits what is used of it, in bytes. Raises BadRequest, MissingPackage, NoDevice."""
    return Device(name, memory)
