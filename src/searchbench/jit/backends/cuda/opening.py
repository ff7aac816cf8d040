"""Open a device: the package, the driver, the device of that number; each fault has its own message."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import Any

from searchbench.errors import BadRequest, MissingPackage, NoDevice

_INSTALL = "pip install 'searchbench[cuda]'"


def simulated() -> bool:
    """Tell whether Numba simulates devices in this process."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0").strip() not in ("", "0")


def ordinal_of(name: str) -> int:
    """Return the number of the device that a name such as "cuda:1" means. Raises BadRequest."""
    match = re.fullmatch(r"cuda(?::(\d+))?", name.strip())
    if match is None:
        raise BadRequest(f"device {name!r}: expected cuda:0, or cuda:1 for the second one, and so on")
    return int(match[1] or 0)


def opened(ordinal: int) -> Any:
    """Return the module `numba.cuda` with that device selected. Raises MissingPackage and NoDevice."""
    if not simulated() and find_spec("numba_cuda") is None:
        raise MissingPackage(f"devices need the package numba-cuda, which is not installed: {_INSTALL}")
    from numba import cuda

    if not simulated():
        _check_driver(cuda)
    count = len(cuda.gpus)
    if ordinal >= count:
        others = "there is none" if count == 0 else f"there are {count}: cuda:0 to cuda:{count - 1}"
        raise NoDevice(f"device cuda:{ordinal}: {others}")
    cuda.select_device(ordinal)
    return cuda


def _check_driver(cuda: Any) -> None:
    try:
        usable = cuda.is_available()
        reason = getattr(getattr(cuda, "cuda_error", lambda: None)(), "args", ())
    except Exception as error:  # what fails depends on the driver: its library, its version, its devices
        usable, reason = False, (error,)
    if not usable:
        told = f" ({' '.join(str(reason[0]).split())})" if reason else ""
        raise NoDevice(
            f"no CUDA driver with a device answers on this machine{told}: install NVIDIA's driver, or leave out --device; "
            "NUMBA_ENABLE_CUDASIM=1 simulates a device, for games of a few hundred states"
        )
