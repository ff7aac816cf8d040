"""Compiled kernels on disk, found by the fingerprint of their sources."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import types
from pathlib import Path
from typing import Any

import numba
from numba.core.compiler import CompileResult
from numba.core.event import trigger_event
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from searchbench.jit.backends import loading
from searchbench.jit.cached_files import read_cached, write_cached
from searchbench.jit.fingerprint import KERNEL_SUFFIX, cache_folder

log = logging.getLogger("searchbench.jit")


class Cache:
    """Keep the machine code of a kernel, one file for each signature, for Numba's dispatcher to load and save.

    A file is replaced in one go and has its digest at the head, so processes may compile at once and may be killed:
    an unreadable entry costs a compilation, never a result. Raises OSError where the folder cannot be written.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self._fingerprint: str = function.__searchbench__  # type: ignore[attr-defined]
        self._name = function.__name__.rpartition("_")[0]
        self.cache_path = str(cache_folder() / self._fingerprint[:2])
        os.makedirs(self.cache_path, exist_ok=True)
        if not os.access(self.cache_path, os.W_OK):
            raise PermissionError(f"{self.cache_path} cannot be written")

    def _file(self, signature: Any, target: Any) -> Path:
        key = repr((signature, target.codegen().magic_tuple(), numba.__version__))
        mark = hashlib.sha256(key.encode()).hexdigest()[:12]
        return Path(self.cache_path) / f"{self._name}-{self._fingerprint}-{mark}{KERNEL_SUFFIX}"

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled kernel for a signature, or None."""
        file = self._file(signature, target)
        try:
            with loading():
                data = read_cached(file)
                # Machine code needs the allocator, and nothing of the compiler: target.refresh() would import all of it.
                rtsys.initialize(target)
                return CompileResult._rebuild(target, *pickle.loads(data))
        except FileNotFoundError:
            pass
        except Exception as error:
            log.warning("dropped an unreadable entry of the compilation cache, %s: %s", file, error)
            with contextlib.suppress(OSError):
                file.unlink()
        log.info("compiling %s", self._name)
        with trigger_event("numba:compile"):  # it imports the compiler: time that counts as compiling
            target.refresh()
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled kernel; where it cannot be kept it is compiled again by the next process."""
        data = dumps(compiled._reduce())
        try:
            write_cached(self._file(signature, compiled.target_context), data)
        except OSError as error:
            log.info("compiled code is not kept: %s", error)

    def flush(self) -> None:
        """Do nothing: entries never grow stale."""
