"""Spare Numba the work of which nothing is used when functions are compiled within kernels.

Most of the time of a compilation goes by in Numba's own Python code, and a quarter of that finds things out that nobody
asks for: which variables live where (after each pass over a function, for the last pass to need it), what was
registered since the last function, how an error would be told in colour. Machine code is the same with and without.

The names of Numba that this needs are private: only for the versions tested (:mod:`.compiling`).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from typing import Any, Final

import llvmlite.binding as llvm
from numba.core import base, errors, ir, lowering, postproc, transforms, typeinfer
from numba.core.typing import context as typing_context


def spare_work() -> None:
    """Let Numba do without; call once, before anything is compiled."""
    _list_variables_by_type()
    _work_lifetimes_out_when_asked()
    _refresh_when_registered()
    _send_no_events_of_locks()
    _make_error_contexts_of_a_class()
    _colour_no_messages()
    implementations: Any = base
    implementations._has_loc = functools.cache(implementations._has_loc)


# --- variables -------------------------------------------------------------------------------------------------------------


def _variables_in(value: Any) -> Iterator[Any]:
    kind = type(value)
    if kind is ir.Var:
        yield value
    elif kind is list or kind is tuple:
        for one in value:
            yield from _variables_in(one)
    elif isinstance(value, ir.Inst):
        yield from value.list_vars()
    elif isinstance(value, (ir.Var, list, tuple)):
        yield from [value] if isinstance(value, ir.Var) else _variables_in(list(value))
    elif isinstance(value, dict):
        yield from _variables_in(list(value.values()))


_NONE: Final = frozenset((str, int, bool, type(None), ir.Loc, type(operator.add)))
"""Types of the things that most instructions hold beside variables: names, operators, places in the source."""


def _list_variables_by_type() -> None:
    """Find the variables of an instruction without asking of each name and place what kinds of thing it is."""

    def variables(_instruction: Any, value: Any) -> list[Any]:
        if type(value) is not dict:
            return list(_variables_in(value))
        found: list[Any] = []
        for one in value.values():
            kind = type(one)
            if kind is ir.Var:
                found.append(one)
            elif kind not in _NONE:
                found += _variables_in(one)
        return found

    instruction: Any = ir.Inst
    instruction._rec_list_vars = variables


def _work_lifetimes_out_when_asked() -> None:
    """Leave lifetimes of variables to the passes that read them; generators are treated as before.

    The variables at the entry of blocks are for generators and for Numba's object mode alone.
    """
    processor: Any = postproc.PostProcessor
    whole = processor.run

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if code.is_generator:
            whole(self, emit_dels, extend_lifetimes)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = postproc.VariableLifetime(code.blocks)
        code.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    processor.run = run


# --- registries ------------------------------------------------------------------------------------------------------------


def _refresh_when_registered() -> None:
    """Look registries through only if any has grown since a context did so last."""
    for context in (base.BaseContext, typing_context.BaseContext):
        _refresh_when_grown(context)


def _refresh_when_grown(context: Any) -> None:
    whole = context.refresh

    def registrations(self: Any) -> int:
        loaders = self._registries
        return sum(len(getattr(registry, name)) for registry in loaders for name in loaders[registry].registry_items)

    def refresh(self: Any) -> None:
        if self.__dict__.get("searchbench_registered") != registrations(self):
            whole(self)
            self.searchbench_registered = registrations(self)
        elif isinstance(self, base.BaseContext):
            self.typing_context.refresh()

    context.refresh = refresh


# --- events and errors -----------------------------------------------------------------------------------------------------


def _send_no_events_of_locks() -> None:
    """Tell nobody of each call into LLVM: Numba itself never listens."""
    lock: Any = llvm.ffi.lib._lock
    lock._cblist.clear()


def _colour_no_messages() -> None:
    """Leave messages plain: thousands are made in vain, by templates that do not fit, and none is shown in colour."""
    scheme: Any = type(errors.termcolor())
    for name in ("code", "errmsg", "filename", "indicate", "highlight", "reset"):
        setattr(scheme, name, lambda _self, message: message)


class _ErrorContext:
    """Add to an error where it came from, as Numba's own context does; made for each instruction, and seldom needed."""

    __slots__ = ("arguments", "format", "named")

    def __init__(self, format: str, *arguments: Any, **named: Any) -> None:
        self.format, self.arguments, self.named = format, arguments, named
        place = named.get("loc")
        told: Any = errors
        if place is not None and not place.filename.startswith(told._numba_path):
            told.loc_info.update(named)

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: Any, error: Any, _trace: Any) -> None:
        if isinstance(error, errors.NumbaError):
            told: Any = errors
            error.add_context(told._format_msg(self.format, self.arguments, self.named))


def _make_error_contexts_of_a_class() -> None:
    for module in (errors, lowering, typeinfer):
        changed: Any = module
        changed.new_error_context = _ErrorContext
