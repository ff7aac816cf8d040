"""Run kernels as plain Python: for a debugger, for coverage, for games of few states, and to compare compiled ones with."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from searchbench.jit.backends import Backend, ThreadMap, new_copy
from searchbench.jit.data import with_data
from searchbench.jit.launching import Launch


class _Whole(np.ndarray[Any, Any]):
    """Read the numbers of an array as Python's own: numpy's overflow and mix types unlike compiled code."""

    def __array_finalize__(self, source: Any) -> None:
        self.__class__ = _Whole if self.ndim == 1 else _WholeRows

    def __getitem__(self, place: Any) -> Any:
        try:
            return self.item(place)  # several times as fast as a number of numpy's and its item
        except (TypeError, ValueError):  # a slice, a mask, a list or None
            return super().__getitem__(place)


class _WholeRows(_Whole):
    def __getitem__(self, place: Any) -> Any:
        if type(place) is tuple and len(place) == self.ndim:
            try:
                return self.item(place)
            except (TypeError, ValueError):  # a slice, a mask, a list or None among them
                pass
        found = np.ndarray.__getitem__(self, place)
        return found.item() if isinstance(found, np.generic) else found


def whole(value: Any) -> Any:
    """Return a value whose numbers are Python's own, those of the arrays in a tuple too."""
    kind = type(value)
    if kind is int or kind is list or kind is _Whole or kind is _WholeRows:
        return value
    if isinstance(value, np.ndarray):
        return value.view(_Whole)
    if isinstance(value, tuple):  # a record of arrays, or a heuristic's tables
        return getattr(kind, "_make", tuple)(map(whole, value))
    return value.item() if isinstance(value, np.generic) else value


class Interpreted:
    """Take functions as they are, and let them see numbers as Python's own."""

    compiled: dict[tuple[str, str], Any] | None = None
    machine_code = False
    writes_beyond = False

    def copy(self, function: types.FunctionType, _mark: str) -> types.FunctionType:
        """Return a copy under the same name."""
        made = new_copy(function, function.__name__, function.__module__)
        made.__qualname__ = function.__qualname__
        return made

    def kernel(self, function: types.FunctionType, _calls: Mapping[str, int]) -> Callable[..., Any]:
        """Return a function that sees its arguments' numbers as Python's own."""

        def call(*arguments: Any) -> Any:
            return function(*map(whole, arguments))

        return call

    def inner(self, function: types.FunctionType, _calls: Mapping[str, int], _inline: bool) -> Callable[..., Any]:
        """Return the function as it is."""
        return function

    def intrinsic(self, function: types.FunctionType) -> Any:
        """Return the function as it is."""
        return function

    def constant(self, value: Any) -> Any:
        """Return a value whose numbers are Python's own."""
        return whole(value)

    def given(self, function: Callable[..., Any], data: Any, count: int) -> Callable[..., Any]:
        """Return a function to which the data need not be given."""
        return with_data(function, data, count)

    def buffer(self, size: int, _dtype: Any) -> Callable[[], Any]:
        """Return a function that makes a list of int: numpy's own scalars overflow and mix types unlike compiled code."""
        return lambda: [0] * size

    def launch(self, work: Launch, _threads: ThreadMap) -> list[Any]:
        """Run piece after piece: threads would wait for one another."""
        return [work.run_piece(place) for place in range(len(work.pieces))]


BACKEND: Final[Backend] = Interpreted()
