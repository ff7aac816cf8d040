"""What a run may take where a container or a batch job has limits, by files as Linux writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from searchbench.machine import cores, free_memory
from searchbench.run import Run

GB = 10**9
UNLIMITED = "9223372036854771712"


def written(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder and its folders."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def version_2(limit: str, used: int, cached: int, quota: str = "max 100000") -> dict[str, str]:
    """Return the files of a group of version 2."""
    stat = f"anon 12\nactive_file 7\ninactive_file {cached}"
    return {"memory.max": limit, "memory.current": str(used), "memory.stat": stat, "cpu.max": quota}


CASES: dict[str, tuple[str, dict[str, str], float, int | None]] = {
    "no groups": ("", {}, 20 * GB, None),
    "no limit": ("0::/\n", {"memory.stat": "inactive_file 0"}, 20 * GB, None),
    "a container": ("0::/\n", version_2("4000000000", GB, GB // 2, "150000 100000"), 3.5 * GB, 2),
    "the group around it": (
        "0::/jobs/7/step\n",
        {f"jobs/7/{name}": text for name, text in version_2("2000000000", GB // 2, 0, "100000 100000").items()}
        | {f"jobs/7/step/{name}": text for name, text in version_2("max", 1, 0).items()},
        1.5 * GB,
        1,
    ),
    "more than its limit": ("0::/\n", version_2("1000000", 2_000_000, 0), 0, None),
    "a limit above the machine": ("0::/\n", version_2("90000000000", 0, 0, "9900000 100000"), 20 * GB, None),
    "version 1, a path of the host": (
        "12:pids:/\n5:memory:/docker/1f0c\n4:cpu,cpuacct:/docker/1f0c\n",
        {
            "memory/memory.limit_in_bytes": "3000000000",
            "memory/memory.usage_in_bytes": str(GB),
            "memory/memory.stat": "cache 5\ninactive_file 9\ntotal_inactive_file 100",
            "cpu/cpu.cfs_quota_us": "50000",
            "cpu/cpu.cfs_period_us": "100000",
        },
        2 * GB + 100,
        1,
    ),
    "version 1, no limit": (
        "5:memory:/\n4:cpu:/\n",
        {
            "memory/memory.limit_in_bytes": UNLIMITED,
            "memory/memory.usage_in_bytes": str(GB),
            "memory/memory.stat": "total_inactive_file 100",
            "cpu/cpu.cfs_quota_us": "-1",
            "cpu/cpu.cfs_period_us": "100000",
        },
        20 * GB,
        None,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_limits_of_groups(case: str, tmp_path: Path) -> None:
    """The least limit counts, of the machine and of each group around the process."""
    lines, files, memory, most = CASES[case]
    processes, groups = tmp_path / "proc", tmp_path / "groups"
    written(processes, {"meminfo": f"MemTotal: 99 kB\nMemAvailable:   {20 * GB // 1024} kB"})
    if lines:
        written(processes, {"self/cgroup": lines.strip()})
    written(groups, files)
    assert free_memory(processes, groups) == min(memory, 20 * GB // 1024 * 1024)
    usable = cores(tmp_path, tmp_path)
    assert cores(processes, groups) == (usable if most is None else min(usable, most))


def test_a_run_leaves_a_tenth_to_the_interpreter() -> None:
    """The budget by default is less than what is free, and is there."""
    free = free_memory()
    assert 0.5 * free < Run().memory < 0.97 * free
    assert Run().threads == cores()
