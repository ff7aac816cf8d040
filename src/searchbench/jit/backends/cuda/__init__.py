"""Run kernels on a graphics processor: the rules are compiled for it again, from the same Python functions.

A kernel of a device does the work of one number: the launch goes over a ``range``, and the device's threads stride over
it. Numba's simulator (NUMBA_ENABLE_CUDASIM=1) runs the same launches with Python's threads: there the rules are
interpreted, and everything else, arrays and transfers and atomic operations included, is as on a device.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from searchbench.jit.backends import Backend, ThreadMap, interpreted, loaded, new_copy
from searchbench.jit.backends.cuda import opening
from searchbench.jit.backends.cuda.constructs import refuse_constructs
from searchbench.jit.intrinsics import zeros
from searchbench.jit.launching import PIECE, Launch, Varying


def numbers_of(work: Launch) -> int:
    """Return for how many numbers a launch runs its kernel. Raises TypeError for one that no device can run."""
    pieces, arguments = work.pieces, work.arguments
    whole = isinstance(pieces, range) and pieces.start == 0 and pieces.step == 1 and arguments and arguments[0] is PIECE
    if not whole or any(isinstance(one, Varying) for one in arguments[1:]) or work.after is not None:
        raise TypeError("a device runs a kernel for each number of range(n), which is its first argument: PIECE")
    return len(pieces)


class _Device:
    compiled: dict[tuple[str, str], Any] | None = None  # each binding compiles its own: constants have addresses
    machine_code = True
    writes_beyond = False

    def copy(self, function: types.FunctionType, _mark: str) -> types.FunctionType:
        """Return a copy under the same name, of code that devices run. Raises NotForDevice."""
        refuse_constructs(function)
        return new_copy(function, function.__name__, function.__module__)

    def kernel(self, function: types.FunctionType, _calls: Mapping[str, int]) -> Callable[..., Any]:
        """Return the kernel, compiled when it is first launched."""
        made: Callable[..., Any] = loaded("cuda.compiling").DeviceKernel(function)
        return made

    def inner(self, function: types.FunctionType, _calls: Mapping[str, int], inline: bool) -> Callable[..., Any]:
        """Return the function for kernels to call."""
        made: Callable[..., Any] = loaded("cuda.compiling").compile_inner(function, inline)
        return made

    def intrinsic(self, function: types.FunctionType) -> Any:
        """Return the instruction."""
        made = loaded("cuda.intrinsics")
        return made.local_zeros(*function.zeros) if hasattr(function, "zeros") else made.TWINS[function]

    def constant(self, value: Any) -> Any:
        """Return a value whose arrays are read where they lie on the device."""
        if isinstance(value, np.ndarray):
            return loaded("cuda.arrays").placed(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):  # the data of a game
            return type(value)(*map(self.constant, value))
        return value

    def given(self, function: Callable[..., Any], data: Any, count: int) -> Callable[..., Any]:
        """Return a function that hands the data on as a constant."""
        if count == 0:
            return function
        plain = getattr(function, "py_func", function)
        names = list(inspect.signature(plain).parameters)[:-count]
        source = (
            f"def {plain.__name__}({', '.join(names)}):\n    return rule({', '.join([*names, *['data'] * count])})\n"
        )
        namespace: dict[str, Any] = {"rule": function, "data": data, "__name__": plain.__module__}
        exec(source, namespace)  # compiled code takes no *arguments of which some are arrays and some are not
        return self.inner(namespace[plain.__name__], {}, True)

    def buffer(self, size: int, dtype: Any) -> Callable[[], Any]:
        """Return a function that makes an array of zeros in a thread's own memory."""
        return zeros(size, dtype)

    def launch(self, work: Launch, _threads: ThreadMap) -> list[Any]:
        """Run the kernel for all numbers; it returns nothing."""
        kernel: Any = work.kernel
        kernel.launch(numbers_of(work), tuple(work.arguments[1:]))
        return []


class _Simulated(interpreted.Interpreted):
    """Interpret the rules, and run kernels in Numba's simulator of a device."""

    def copy(self, function: types.FunctionType, mark: str) -> types.FunctionType:
        """Return a copy under the same name, of code that devices run. Raises NotForDevice."""
        refuse_constructs(function)
        return super().copy(function, mark)

    def kernel(self, function: types.FunctionType, _calls: Mapping[str, int]) -> Callable[..., Any]:
        """Return the kernel for the simulator."""
        made: Callable[..., Any] = loaded("cuda.simulating").SimulatedKernel(function)
        return made

    def intrinsic(self, function: types.FunctionType) -> Any:
        """Return the function as it is, or one that only one thread of the simulator runs at a time."""
        if hasattr(function, "zeros"):
            count, _kind = function.zeros
            return lambda: [0] * count
        return loaded("cuda.simulating").ATOMIC.get(function, function)

    def buffer(self, size: int, dtype: Any) -> Callable[[], Any]:
        """Return a function that makes a list of zeros."""
        return zeros(size, dtype)

    def launch(self, work: Launch, _threads: ThreadMap) -> list[Any]:
        """Run the kernel for all numbers; it returns nothing."""
        kernel: Any = work.kernel
        kernel.launch(numbers_of(work), tuple(work.arguments[1:]))
        return []


BACKEND: Final[Backend] = _Simulated() if opening.simulated() else _Device()
