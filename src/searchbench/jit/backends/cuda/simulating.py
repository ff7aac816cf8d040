"""Run kernels in Numba's simulator: blocks of Python threads in the place of a device's."""

from __future__ import annotations

import threading
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numba import cuda

from searchbench.jit import intrinsics as plain
from searchbench.jit.backends.interpreted import whole

BLOCKS: Final = 2
THREADS: Final = 3
"""Few: each is a thread of Python's, made anew for every launch."""
_ONE: Final = threading.Lock()


def _alone(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        with _ONE:
            return function(*arguments)

    return call


ATOMIC: Final[Mapping[Callable[..., Any], Callable[..., Any]]] = {
    one: _alone(one) for one in (plain.atomic_or, plain.atomic_add, plain.atomic_swap)
}
"""The operations that are whole on a device, by the functions they stand for."""


class SimulatedKernel:
    """Run a function for the numbers of a range, striding as a device's threads do."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function

        def entry(count: int, arguments: Any) -> None:
            for number in range(cuda.grid(1), count, cuda.gridsize(1)):
                function(number, *arguments)

        self._simulated: Any = cuda.jit(entry)

    def launch(self, count: int, arguments: tuple[Any, ...]) -> None:
        """Run the kernel for the numbers 0 .. count - 1. Raises TypeError for an array that is not on the device."""
        self._simulated[BLOCKS, THREADS](count, tuple(map(_on_device, arguments)))


def _on_device(value: Any) -> Any:
    """Return a kernel's argument with the device's arrays as those of the rules."""
    if isinstance(value, tuple):
        return getattr(type(value), "_make", tuple)(map(_on_device, value))
    if hasattr(value, "copy_to_host"):
        return whole(value.__array__())  # the memory itself, of which a view would be an array of the simulator
    if isinstance(value, np.ndarray):
        raise TypeError("an array of the processor's memory was handed to a kernel of the device")
    return value.item() if isinstance(value, np.generic) else value
