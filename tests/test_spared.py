"""The work that Numba is spared has no effect: machine code is the same, and so are messages."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest
from numba.core import errors

from searchbench.jit.backends.cpu import compiling

PLAIN = """
from searchbench.jit.backends.cpu import spared
spared.spare_work = lambda: None
"""

KERNELS = """
import hashlib
import searchbench as sb
from searchbench.jit.backends.cpu.compiling import KernelLibrary
finalize = KernelLibrary._finalize_specific

def told(self):
    print(hashlib.sha256(str(self._final_module).encode()).hexdigest())
    finalize(self)

KernelLibrary._finalize_specific = told
sb.solve("sliding:2x4", threads=1)
"""


def codes(program: str, tmp_path: Path) -> list[str]:
    """Return a digest of each kernel's code, as it goes to the assembler."""
    # The order in which some functions are linked follows the hashes of strings.
    environment = {**os.environ, "PYTHONHASHSEED": "0", "SEARCHBENCH_CACHE": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    return ended.stdout.split()


@pytest.mark.long
def test_kernels_are_the_same_with_and_without(tmp_path: Path) -> None:
    spared = codes(KERNELS, tmp_path / "spared")
    assert len(spared) > 2
    assert spared == codes(PLAIN + KERNELS, tmp_path / "plain")


def test_errors_tell_where_they_come_from() -> None:
    @numba.njit
    def joined(number: int) -> int:
        return number + "a word"  # type: ignore[operator, no-any-return]

    with pytest.raises(errors.TypingError) as caught:
        joined(1)
    message = str(caught.value)
    assert "typing of intrinsic-call at" in message
    assert Path(__file__).name in message
    assert "\x1b" not in message
    assert "None" not in message


def test_a_generator_is_compiled() -> None:
    @numba.njit
    def powers(base: int, stop: int) -> Iterator[int]:
        value = 1
        while value < stop:
            yield value
            value *= base

    assert compiling.TESTED  # which has spared Numba the work
    assert list(powers(3, 50)) == [1, 3, 9, 27]
