"""Compile kernels for a device, and launch them."""

from __future__ import annotations

import re
import types
from typing import Any, Final

from numba import cuda
from numba.cuda.core import config
from numba.cuda.core.errors import NumbaError
from numba.cuda.typing.typeof import typeof

from searchbench.errors import NotForDevice
from searchbench.jit.backends.cuda.streams import CURRENT

THREADS: Final = 128
"""Threads of a block: states in a thread's own memory leave room for few."""
BLOCKS_PER_PROCESSOR: Final = 32
"""Blocks for each of the device's multiprocessors; their threads stride over what is left."""
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # small levels have few states, and no user can change that


def compile_inner(function: types.FunctionType, inline: bool) -> Any:
    """Return a function for kernels to call, compiled with them."""
    return cuda.jit(device=True, forceinline=inline)(function)


class DeviceKernel:
    """Run a function for the numbers of a range, one thread a number at a time."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        body = cuda.jit(device=True)(function)

        def entry(count: int, arguments: Any) -> None:
            for number in range(cuda.grid(1), count, cuda.gridsize(1)):
                body(number, *arguments)

        self.entry = entry
        self._compiled = cuda.jit(entry)
        self._processors = 0

    def launch(self, count: int, arguments: tuple[Any, ...]) -> None:
        """Run the kernel for the numbers 0 .. count - 1, after what was launched before. Raises NotForDevice."""
        if count == 0:
            return
        if self._processors == 0:
            self._processors = int(cuda.get_current_device().MULTIPROCESSOR_COUNT)
        blocks = min(-(-count // THREADS), BLOCKS_PER_PROCESSOR * self._processors)
        try:
            self._compiled[blocks, THREADS, CURRENT.stream](count, arguments)
        except NumbaError as error:
            raise refusal(self.function, error) from None

    def assembly(self, arguments: tuple[Any, ...], capability: tuple[int, int] = (8, 0)) -> str:
        """Return the PTX of the kernel for arguments of these types; no device is needed. Raises NotForDevice."""
        kinds = cuda.types.int64, typeof(arguments)
        try:
            text: str = cuda.compile_ptx(self.entry, kinds, cc=capability)[0]
        except NumbaError as error:
            raise refusal(self.function, error) from None
        return text


def refusal(function: types.FunctionType, error: Exception) -> NotForDevice:
    """Return the error for a function that was not compiled: the compiler's reason, and the innermost line it names."""
    text = str(error)
    places = re.findall(r'File "([^"]+)", line (\d+)', text)
    file, line = places[-1] if places else (function.__code__.co_filename, str(function.__code__.co_firstlineno))
    reasons = [one.strip() for one in text.splitlines() if one.strip() and not one.startswith(("Failed in", "During"))]
    reason = next(
        (one for one in reasons if not re.match(r'File "|\S*\^|- Resolution|#|\[\d', one)), "no reason was given"
    )
    return NotForDevice(function.__name__, f"is not compiled: {reason}", f"{file}, line {line}")
