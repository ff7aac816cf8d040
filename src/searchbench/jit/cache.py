"""Compiled code on disk, found by the fingerprint of what it was made of."""

from __future__ import annotations

import logging
import os
import types
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

log = logging.getLogger(__package__)


def cache_folder() -> Path:
    """Return where compiled kernels are kept: $SEARCHBENCH_CACHE, or a folder in the user's cache."""
    chosen = os.environ.get("SEARCHBENCH_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "searchbench"


class _Locator(_CacheLocator):
    """Place the compiled code of a function by its fingerprint, not by its source file."""

    def __init__(self, function: Any) -> None:
        self._fingerprint: str = function.__searchbench__
        self._folder = cache_folder() / self._fingerprint[:2]

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._fingerprint

    def get_disambiguator(self) -> str:
        return self._fingerprint

    @classmethod
    def from_function(cls, function: Any, _source: str) -> _Locator | None:
        locator = cls(function)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _CacheImplementation(CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_Locator]  # noqa: RUF012 (numba's name and type)


class _Cache(FunctionCache):
    _impl_class = _CacheImplementation

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return signature, codegen.magic_tuple(), self._py_func.__searchbench__

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            loaded = super().load_overload(signature, target_context)
        except Exception as error:  # a damaged cache entry costs a compilation, never a result
            log.warning("dropped an unreadable entry of the compilation cache: %s", error)
            self.flush()
            loaded = None
        if loaded is None:
            log.info("compiling %s", self._py_func.__name__.rpartition("_")[0])
        return loaded


def compile_function(function: types.FunctionType, keep: bool, inline: bool = False) -> Any:
    """Return a compiled function; `keep` its code on disk for other processes, or `inline` it into its callers."""
    compiled: Any = numba.njit(nogil=True, forceinline=inline)(function)
    if keep:
        try:
            compiled._cache = _Cache(function)
        except RuntimeError:  # no folder to write to: compile in every process
            log.info("no cache folder at %s; compiled code is not kept", cache_folder())
    return compiled
