"""What all tests share: small runs, and profiles of hypothesis for the shared machine."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from searchbench.run import Run

DRIVER = None
with contextlib.suppress(OSError):
    DRIVER = ctypes.CDLL("libcuda.so.1")
if DRIVER is None:  # Numba asks for it once, when it is imported
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")

# Compiled kernels and what the compiler knows of them live as long as the process: walking over all of it for cycles of
# objects, as often as Python does by default, took a fifteenth of the time of the tests.
gc.set_threshold(100_000, 10, 10)

# Databases of tests are small, and are written and removed by the thousand: on a disk half of that time goes by waiting.
IN_MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > 4 << 30:
    os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)  # the processes that tests start take it, too

settings.register_profile("searchbench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("searchbench")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Count tests that need a browser or the whole site as long ones."""
    for item in items:
        if {"browser", "site"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.long)


def pytest_sessionfinish() -> None:
    """Look for what nobody collected once: pytest does so five times at the end, and Python again, over all that was compiled."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def run() -> Run:
    """Return a run with one thread and little memory."""
    return Run(memory=64 << 20, threads=1)
