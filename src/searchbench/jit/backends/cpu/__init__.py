"""Compile kernels to machine code of this processor, with Numba; kept on disk for other processes.

Numba is imported with the first function that is compiled: a backend's properties can be asked without it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from searchbench.jit.backends import Backend, ThreadMap, loaded, new_copy
from searchbench.jit.data import with_data, with_parameter
from searchbench.jit.intrinsics import zeros
from searchbench.jit.launching import Launch


class _Processor:
    machine_code = True
    writes_beyond = True

    def __init__(self) -> None:
        self.compiled: dict[tuple[str, str], Any] | None = {}

    def copy(self, function: types.FunctionType, mark: str) -> types.FunctionType:
        """Return a copy under a name that tells its code from others: processes share their machine code.

        Machine code on disk names its module, which must be there in any process: a user's file may have moved by then.
        """
        made = new_copy(function, f"{function.__name__}_{mark}", "searchbench.jit")
        made.__qualname__ = made.__name__  # of which machine code makes its symbols
        made.__searchbench__ = mark  # type: ignore[attr-defined]
        return made

    def kernel(self, function: types.FunctionType, calls: Mapping[str, int]) -> Callable[..., Any]:
        """Return the compiled function for Python to call."""
        compiled: Callable[..., Any] = loaded("cpu.compiling").compile_kernel(_passing_on(function, calls))
        return compiled

    def inner(self, function: types.FunctionType, calls: Mapping[str, int], inline: bool) -> Callable[..., Any]:
        """Return the function for kernels to call."""
        compiled: Callable[..., Any] = loaded("cpu.compiling").compile_inner(_passing_on(function, calls), inline)
        return compiled

    def intrinsic(self, function: types.FunctionType) -> Any:
        """Return the instruction."""
        made = loaded("cpu.intrinsics")
        return made.compiled_zeros(*function.zeros) if hasattr(function, "zeros") else made.TWINS[function]

    def constant(self, value: Any) -> Any:
        """Return a value whose large arrays are read at their address."""
        return loaded("cpu.arrays").by_address(value) if isinstance(value, np.ndarray) else value

    def given(self, function: Callable[..., Any], data: Any, count: int) -> Callable[..., Any]:
        """Return a function to which the data need not be given."""
        return with_data(function, data, count)

    def buffer(self, size: int, dtype: Any) -> Callable[[], Any]:
        """Return a function that makes an array of zeros."""
        return zeros(size, dtype)

    def launch(self, work: Launch, threads: ThreadMap) -> list[Any]:
        """Run the pieces on all threads: machine code does without the interpreter's lock."""
        return threads(work.run_piece, range(len(work.pieces)))


def _passing_on(function: types.FunctionType, calls: Mapping[str, int]) -> types.FunctionType:
    """Note which calls in a function pass the game's data on, and give it a parameter for that if there are any."""
    function.searchbench_calls = calls  # type: ignore[attr-defined]
    if calls:
        with_parameter(function)
    return function


BACKEND: Final[Backend] = _Processor()
