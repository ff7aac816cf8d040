"""Where kernels run: interpreted by Python, as machine code of this processor, or on a graphics processor.

Each is imported when it is first asked for.

A backend says how a function becomes one that runs there, which body a single instruction has, how vectors of zeros
are made, how functions see the constants they refer to, and how a kernel runs over pieces of work. Nothing else in the
package asks which backend it is.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any, Final, Literal, Protocol

from searchbench.jit.backends.clock import PREPARATION
from searchbench.jit.launching import Launch

Target = Literal["cpu", "interpreted", "cuda"]

ThreadMap = Callable[[Callable[[int], Any], range], list[Any]]
"""Calls a function with each number of a range, on the threads of a run, and returns the results in order."""


class Backend(Protocol):
    """Say how kernels run somewhere."""

    compiled: dict[tuple[str, str], Any] | None
    """What was made of functions, by the mark of their code and their use; None: each binding makes its own."""
    machine_code: bool
    """Whether kernels are compiled. What is written for machine code alone, such as streaming, is chosen only then."""
    writes_beyond: bool
    """Whether a kernel that writes beyond an array goes on unseen, and can raise errors that it is told to."""

    def copy(self, function: types.FunctionType, mark: str) -> types.FunctionType:
        """Return a copy of a function whose references are yet to be filled in; `mark` tells its code from others."""
        ...

    def kernel(self, function: types.FunctionType, calls: Mapping[str, int]) -> Callable[..., Any]:
        """Return a function for Python to call, once its references are filled in.

        `calls` are the names under which it calls functions that need the game's data, and how often each takes it; if there
        are any, the function has a last parameter for it.
        """
        ...

    def inner(self, function: types.FunctionType, calls: Mapping[str, int], inline: bool) -> Callable[..., Any]:
        """Return a function for kernels to call, which `inline` puts into its callers."""
        ...

    def intrinsic(self, function: types.FunctionType) -> Any:
        """Return the body of a single instruction, or of a function that `zeros` made."""
        ...

    def constant(self, value: Any) -> Any:
        """Return a constant as functions are to see it."""
        ...

    def given(self, function: Callable[..., Any], data: Any, count: int) -> Callable[..., Any]:
        """Return a function to which the data, as its last `count` arguments, need not be given."""
        ...

    def buffer(self, size: int, dtype: Any) -> Callable[[], Any]:
        """Return a function that makes a vector of `size` zeros, for kernels to call."""
        ...

    def launch(self, work: Launch, threads: ThreadMap) -> list[Any]:
        """Run a kernel over all pieces of work; return the results in the order of the pieces."""
        ...


_CPU_SECONDS: Final = [0.0]
"""How many seconds of the processor it took to import backends, to bind kernels, and to read compiled ones."""
_AT_WORK: Final = threading.local()


@contextmanager
def loading() -> Iterator[None]:
    """Note how long something takes that is loaded; what it loads in turn counts once."""
    if getattr(_AT_WORK, "loads", False):
        yield
        return
    used = time.process_time()
    _AT_WORK.loads = True
    PREPARATION.start()
    try:
        yield
    finally:
        PREPARATION.stop()
        _AT_WORK.loads = False
        _CPU_SECONDS[0] += time.process_time() - used


def loaded(name: str) -> Any:
    """Return a module of the backends, imported when it is first asked for; the time is noted."""
    whole = f"searchbench.jit.backends.{name}"
    if whole in sys.modules:
        return import_module(whole)  # which waits where another thread imports it
    with loading():
        return import_module(whole)


@lru_cache
def backend(target: Target) -> Backend:
    """Return the backend of that name."""
    made: Backend = loaded(target).BACKEND
    return made


def preparation_seconds() -> float:
    """Return how long some thread of this process was importing backends and the compiler, or compiling or loading kernels."""
    return PREPARATION.seconds


def loading_cpu_seconds() -> float:
    """Return how many seconds of the processor it took to import backends, to bind kernels, and to read compiled ones."""
    return _CPU_SECONDS[0]


def compile_seconds() -> float:
    """Return how many seconds this process has spent compiling; reading compiled kernels from the disk does not count."""
    compiling = sys.modules.get(f"{__name__}.cpu.compiling")  # without it nothing was compiled
    seconds = getattr(compiling, "compile_seconds", None)  # another thread may be importing it
    return float(seconds()) if seconds is not None else 0.0


def new_copy(function: types.FunctionType, name: str, module: str) -> types.FunctionType:
    """Return a copy of a function with another name, and neither globals nor values in its closure."""
    cells = tuple(types.CellType() for _ in function.__code__.co_freevars)
    namespace = {"__name__": module, "__builtins__": function.__globals__.get("__builtins__")}
    copy = types.FunctionType(function.__code__, namespace, name, function.__defaults__, cells)
    copy.__module__ = module
    return copy


def launch(work: Launch, threads: ThreadMap) -> list[Any]:
    """Run a bound kernel over pieces of work, as the backend it is bound for does; return the results in order."""
    target = getattr(work.kernel, "searchbench_target", None)
    if target is None:
        raise TypeError(f"{work.kernel!r} was not made by bind: call other functions with Run.map")
    return backend(target).launch(work, threads)
