"""Sample a search of Sokoban with Linux's perf: which functions of the compiled kernels take the time.

Run ``perf record -e cpu-clock -F 1000 -o perf.data python benchmarks/profile_sokoban.py xsokoban.xsb 29 featurespace 600000``
and then ``perf report -i perf.data --no-children --sort symbol``. Options of the method follow as ``version=R10``.
The names come from the kernels in the cache, so the search must have run once before; it needs ``nm``.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.dispatcher import Dispatcher

from searchbench.errors import LimitReached
from searchbench.games.sokoban import Sokoban
from searchbench.jit.cached_files import read_cached
from searchbench.jit.fingerprint import KERNEL_SUFFIX, cache_folder
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_state


def main() -> None:
    """Search a level, and write the addresses of all functions for perf."""
    file, level, method, nodes, *options = sys.argv[1:]
    with suppress(LimitReached):
        chosen = dict(option.split("=") for option in options)
        search_state(Sokoban(f"{file}#{level}"), None, method, Run(threads=1), Limits(int(nodes)), **chosen)
    lines = [line for kernel, code in _kernels() for line in _symbols(kernel, code)]
    if not lines:
        sys.exit("no kernel came from the cache: run it once more")
    # perf looks for the names of a process's own code there.
    Path(f"/tmp/perf-{os.getpid()}.map").write_text("".join(lines))
    print(f"{len(lines)} functions")


def _kernels() -> Iterator[tuple[Any, bytes]]:
    """Yield the compiled kernels of this process, each with its object code in the cache."""
    kept = [read_cached(path) for path in cache_folder().rglob(f"*{KERNEL_SUFFIX}")]
    for dispatcher in [one for one in gc.get_objects() if isinstance(one, Dispatcher)]:
        for compiled in dispatcher.overloads.values():
            name = compiled.fndesc.llvm_func_name.encode()
            for data in kept:
                if name in data:
                    _, kind, code = pickle.loads(data)[0]
                    if kind == "object":
                        yield compiled, code[0]


def _symbols(kernel: Any, code: bytes) -> Iterator[str]:
    """Yield a line of perf's map for each function of a kernel: address, size and name."""
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(code)
        file.flush()
        told = subprocess.run(["nm", "-S", "--defined-only", file.name], capture_output=True, text=True, check=True)
    found = [words for line in told.stdout.splitlines() if len(words := line.split()) == 4 and words[2] in "tTwW"]
    name = kernel.fndesc.llvm_func_name
    entry = kernel.library._codegen._engine._ee.get_function_address(name)
    for address, size, _, symbol in found:
        at = next(int(words[0], 16) for words in found if words[3] == name)
        yield f"{entry + int(address, 16) - at:x} {size} {symbol}\n"


if __name__ == "__main__":
    main()
