"""Tell how many cores and how much memory a run may take: of the machine, and of the container or batch job around this process.

Linux limits containers and batch jobs by control groups, of which there are two versions, each with files of its own.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

PROCESSES: Final = Path("/proc")
GROUPS: Final = Path("/sys/fs/cgroup")


def cores(processes: Path = PROCESSES, groups: Path = GROUPS) -> int:
    """Return how many cores this process may use, at least 1: a limit of one core and a half counts as two."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = [
        *_of_groups("", _cores_of_group, processes, groups),
        *_of_groups("cpu", _cores_of_old_group, processes, groups),
    ]
    return max(1, min([usable, *limits]))


def free_memory(processes: Path = PROCESSES, groups: Path = GROUPS) -> int:
    """Return how many bytes a new computation may take without swapping, and without being ended for them."""
    limits = [
        *_of_groups("", _memory_of_group, processes, groups),
        *_of_groups("memory", _memory_of_old_group, processes, groups),
    ]
    return max(0, min([_memory_of_machine(processes), *limits]))


def _of_groups(controller: str, limit: Callable[[Path], int], processes: Path, groups: Path) -> Iterator[int]:
    """Yield the limits of the control group of this process, and of each one around it; those of version 2 have no controller."""
    try:
        lines = (processes / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return  # another system
    outermost = groups / controller
    for line in lines:
        _, controllers, path = line.split(":", 2)
        group = outermost / path.lstrip(
            "/"
        )  # in a container perhaps the path on the host, which is not to be seen here
        for folder in (group, *group.parents) if controller in controllers.split(",") else ():
            if folder.is_relative_to(outermost):
                with contextlib.suppress(OSError, ValueError, ZeroDivisionError):  # no such folder, or no limit
                    yield limit(folder)


def _cores_of_group(group: Path) -> int:
    quota, period = (group / "cpu.max").read_text().split()  # or "max"
    return -(-int(quota) // int(period))


def _cores_of_old_group(group: Path) -> int:
    quota, period = (int((group / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period"))
    if quota < 0:
        raise ValueError("no limit")
    return -(-quota // period)


def _memory_of_machine(processes: Path) -> int:
    with contextlib.suppress(OSError):  # Linux says so in a file; psutil, which reads it too, takes a while to load
        available = _row(processes / "meminfo", "MemAvailable:")
        if available is not None:
            return available * 1024
    import psutil

    return int(psutil.virtual_memory().available)


def _memory_of_group(group: Path) -> int:
    used = int((group / "memory.current").read_text()) - (_row(group / "memory.stat", "inactive_file") or 0)
    return int((group / "memory.max").read_text()) - used


def _memory_of_old_group(group: Path) -> int:
    used = int((group / "memory.usage_in_bytes").read_text()) - (
        _row(group / "memory.stat", "total_inactive_file") or 0
    )
    return int((group / "memory.limit_in_bytes").read_text()) - used


def _row(file: Path, name: str) -> int | None:
    """Return the number in the row of a file that begins with a name, or None."""
    found = re.search(rf"^{name}\s+(\d+)", file.read_text(), re.MULTILINE)
    return None if found is None else int(found[1])
