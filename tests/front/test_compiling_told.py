"""Commands tell the time that compiling takes apart from their own, and no limit counts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

LONG = "2 3 4 8 5 11 9 7 6 10 0 1"  # 405,119 nodes: no glance finds its line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["search", "sliding:3x4", LONG, "--method", "idastar", "--seconds", "1"], "searched"),
        (["prove", "connect4:4x4", "--method", "dfpn", "--no-evidence", "--seconds", "5"], "proved"),
    ],
)
def test_compiling_is_told_apart_and_no_limit_counts_it(arguments: list[str], told: str, tmp_path: Path) -> None:
    for first in (True, False):
        ended = subprocess.run(
            [sys.executable, "-c", "from searchbench.cli import main; main()", *arguments],
            capture_output=True, text=True, check=True, env={**os.environ, "SEARCHBENCH_CACHE": str(tmp_path)},
        )  # fmt: skip
        match = re.search(rf"compiled in ([\d.]+) s, {told} in ([\d.]+) s", ended.stdout)
        assert (match is not None) == first, ended.stdout
        if match is not None:
            assert float(match[1]) > float(match[2])
