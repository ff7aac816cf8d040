"""Launches: one kernel on many pieces of work, with arguments that all pieces share and some that are a piece's own.

Among the arguments of a launch, PIECE stands for the piece, ``PIECE[0]`` for its first value (FIRST and STOP for the ends of
an interval), :class:`Rows` for a row of an array that belongs to it, and :class:`PerThread` for scratch arrays. Where and in
which order pieces run is the backend's affair, so a kernel of a launch writes nothing that another piece's kernel reads,
unless any order gives the same result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_LINE: Final = 16
"""How many numbers of 8 bytes lie in two cache lines: rows that threads write at the same time are kept as far apart."""


class Varying:
    """Stand among the arguments of a launch for a value that each piece has of its own; index it for a part of that."""

    __iter__ = None

    def of(self, place: int, piece: Any) -> Any:
        """Return the value for a piece, of which `place` is its place among the pieces."""
        raise NotImplementedError

    def __getitem__(self, index: int) -> Varying:
        return _Field(self, index)


class _Piece(Varying):
    def of(self, place: int, piece: Any) -> Any:
        """Return the piece itself."""
        return piece


class _Field(Varying):
    def __init__(self, whole: Varying, index: int) -> None:
        self._whole, self._index = whole, index

    def of(self, place: int, piece: Any) -> Any:
        """Return one of several values."""
        return self._whole.of(place, piece)[self._index]


class Rows(Varying):
    """Stand for a row of `array`: that at the piece's place. Kernels write a piece's results there."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.array = array

    def of(self, place: int, piece: Any) -> Any:
        """Return the row of a piece."""
        return self.array[place]


class PerThread(Varying):
    """Stand for scratch memory that `make` makes once for each thread, for all pieces that it runs.

    Make one for each level of a search: a search that kept one made by its own method would be a cycle, and Python would
    keep its vectors in memory for a while after its end.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._local = threading.local()

    def of(self, place: int, piece: Any) -> Any:
        """Return the scratch memory of the thread at work."""
        if not hasattr(self._local, "made"):
            self._local.made = self._make()
        return self._local.made


PIECE: Final = _Piece()
FIRST: Final = PIECE[0]
STOP: Final = PIECE[1]


def note_rows(pieces: int, width: int, fill: int = 0) -> npt.NDArray[np.int64]:
    """Return int64 [pieces, width], filled with `fill`: the notes of each piece, no two rows in one cache line."""
    room = -(-width // _LINE) * _LINE
    return np.full((pieces, room), fill, np.int64)[:, :width]


def intervals(start: int, stop: int, step: int) -> list[tuple[int, int]]:
    """Return start .. stop - 1 in intervals of `step` numbers: first, and the one after the last."""
    return [(first, min(first + step, stop)) for first in range(start, stop, step)]


@dataclass(frozen=True)
class Launch:
    """Hold the work of a backend: a kernel, its pieces, its arguments, and the function called with each finished piece."""

    kernel: Callable[..., Any]
    pieces: Sequence[Any]
    arguments: Sequence[Any]
    after: Callable[[Any], None] | None = None

    def run_piece(self, place: int) -> Any:
        """Run the kernel on the piece at some place; return its result."""
        piece = self.pieces[place]
        own = [one.of(place, piece) if isinstance(one, Varying) else one for one in self.arguments]
        result = self.kernel(*own)
        if self.after is not None:
            self.after(piece)
        return result
