"""Compile a kernel with all that it calls as one piece of machine code.

Numba compiles each function for its own sake: wrappers by which Python and C call it, a link with its callees, a round of
optimisation; then its callers do all of that again with a copy of it. Only a kernel is ever called by Python. So a
function inside a kernel is typed and lowered, and left at that; the kernel links every such function once and
optimises once. That halves the time of a first start, and kernels run as fast as before.

The names of Numba that this needs are private. Where its version is not one of those tested, everything is compiled
by Numba's own ways, to the same effect.
"""

from __future__ import annotations

import gc
import logging
import types
from collections.abc import Iterable
from typing import Any, Final

import numba
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import types as numba_types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.event import Listener, register
from numba.core.untyped_passes import TranslateByteCode

from searchbench.jit.backends.clock import PREPARATION, SpanClock
from searchbench.jit.backends.cpu.by_reference import pass_by_reference
from searchbench.jit.backends.cpu.cache import Cache
from searchbench.jit.backends.cpu.passing import PassData
from searchbench.jit.backends.cpu.signatures import remember_signatures
from searchbench.jit.backends.cpu.spared import spare_work
from searchbench.jit.fingerprint import cache_folder

log = logging.getLogger("searchbench.jit")

TESTED: Final = ("0.68.",)
"""The versions of Numba whose internals are known to be as this module expects."""
if numba.__version__.startswith(TESTED):
    remember_signatures()
    spare_work()
    pass_by_reference()


class _CompileClock(SpanClock, Listener):
    """Sum the time in which some thread compiles; a function that is compiled within another one counts once.

    Meanwhile Python does not look for cycles of objects. The compiler makes millions of objects that live on, and walking
    over them again and again took a fifth of the time of compiling.
    """

    def __init__(self) -> None:
        super().__init__()
        self._collects = False

    def on_start(self, _event: Any) -> None:
        """Count one compilation more."""
        self.start()

    def on_end(self, _event: Any) -> None:
        """Count one compilation less."""
        self.stop()

    def started(self) -> None:
        """Collect no cycles from now on."""
        self._collects = gc.isenabled()
        gc.disable()
        PREPARATION.start()

    def stopped(self) -> None:
        """Collect cycles again, if that was so before."""
        PREPARATION.stop()
        if self._collects:
            gc.enable()


_CLOCK: Final = _CompileClock()
register("numba:compile", _CLOCK)


def compile_seconds() -> float:
    """Return how many seconds this process has spent compiling."""
    return _CLOCK.seconds


class _InnerLibrary(JITCodeLibrary):
    """Hold the code of a function as it was lowered, for kernels to link."""

    def add_llvm_module(self, ll_module: Any) -> None:
        """Add a module as it is."""
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        """Neither link nor optimise: each kernel does so for all it holds."""
        self._raise_if_finalized()
        self._finalized = True


def callers_first(libraries: Iterable[Any]) -> list[Any]:
    """Return some libraries and all that they need, each once and before those that it needs itself.

    LLVM leaves out a function that nothing linked so far has called. A call in a branch that is not taken is gone, so the
    first library that needs a function need not be one that is linked.
    """
    seen: set[Any] = set()
    done: list[Any] = []  # each behind those that it needs
    path = [iter(libraries)]
    callers: list[Any] = []
    while path:
        for library in path[-1]:
            if library not in seen:
                seen.add(library)
                callers.append(library)
                path.append(iter(library._linking_libraries))
                break
        else:
            path.pop()
            if callers:
                done.append(callers.pop())
    return done[::-1]


class KernelLibrary(JITCodeLibrary):
    """Link every function that a kernel reaches, each once, and optimise them together."""

    def finalize(self) -> None:
        """Link all libraries that the kernel's own need, optimise, and hand the machine code over."""
        self._linking_libraries = callers_first(self._linking_libraries)
        super().finalize()

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            # The environments of inner functions come into being with the kernel that holds them.
            environment = lookup_environment(variable.name)
            if environment is not None and not variable.is_declaration:
                codegen: Any = self._codegen
                codegen.set_env(variable.name, environment)


def _without_executable(library: Any, fndesc: Any, env: Any) -> Any:
    """Return an object that stands for an inner function, which Python cannot call."""
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "inner function", 0, env, (library,))


class _PassingCompiler(Compiler):
    def define_pipelines(self) -> Any:
        """Take Numba's passes."""
        return _passing_data(self.state, super().define_pipelines())


def _passing_data(state: Any, pipelines: Any) -> Any:
    """Let calls pass the game's data on, right after the byte code is read."""
    if state.func_id.func.searchbench_calls:
        for manager in pipelines:
            manager.add_pass_after(PassData, TranslateByteCode)
            manager.finalize()
    return pipelines


class _InnerCompiler(Compiler):
    def define_pipelines(self) -> Any:
        """Take Numba's passes, with a library that is only lowered to."""
        target = self.state.targetctx
        target.get_executable = _without_executable
        self.state.library = _InnerLibrary(target.codegen(), self.state.func_id.func_qualname)
        return _passing_data(self.state, super().define_pipelines())


class _KernelCompiler(Compiler):
    def define_pipelines(self) -> Any:
        """Take Numba's passes, with a library that links all that is reached."""
        self.state.library = KernelLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        return _passing_data(self.state, super().define_pipelines())


def compile_inner(function: types.FunctionType, inline: bool) -> Any:
    """Return a function for kernels to call, compiled with them; `inline` forces it into its callers."""
    if not numba.__version__.startswith(TESTED):
        return numba.njit(nogil=True, forceinline=inline, pipeline_class=_PassingCompiler)(function)
    njit: Any = numba.njit
    compiled = njit(
        nogil=True, forceinline=inline, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_InnerCompiler
    )(function)
    choose = compiled.get_call_template

    def choose_by_type(arguments: Any, named: Any) -> Any:
        """Compile a call with the constant 3 as one with any integer: one signature for all of them."""
        plain = {name: numba_types.unliteral(kind) for name, kind in named.items()}
        return choose([numba_types.unliteral(kind) for kind in arguments], plain)

    compiled.get_call_template = choose_by_type
    return compiled


def compile_kernel(function: types.FunctionType) -> Any:
    """Return a function for Python to call, whose machine code is kept on disk for other processes."""
    tested = numba.__version__.startswith(TESTED)
    ways: dict[str, Any] = {"pipeline_class": _PassingCompiler}
    if tested:
        ways = {"pipeline_class": _KernelCompiler, "no_cfunc_wrapper": True}
    compiled: Any = numba.njit(nogil=True, **ways)(function)
    try:
        compiled._cache = Cache(function)
    except OSError:  # no folder to write to: compile in every process
        log.info("no cache folder at %s; compiled code is not kept", cache_folder())
    return compiled
