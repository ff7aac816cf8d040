"""Read a table that `searchbench export DB --to FILE.npz` wrote: needs this file and Python's standard library, nothing else.

Copy the file into another program. ::

    table = Table("three.npz")
    table.value(1234)               # of the position with this number: "win 3", "draw", "31"; None: it has no value
    table.number([0, 3, 1, 2])      # of the position with these cells, where the table has cells
    table.figures(1234)             # the same as numbers: (1, 3) a win in three plies, (31,) a distance

A table of games that count symmetric positions as one has one position of each class (searchbench's `Game.canonical` finds it),
unless it was exported with --symmetric: then it has the cells of all.
Numbers that are no position, and cells that the table does not have, raise KeyError. A file that is no table, or is
damaged, raises ValueError.
"""

from __future__ import annotations

import ast
import json
import struct
import sys
import zipfile
import zlib
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = "searchbench table 1"
DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError,
    LookupError, ValueError, TypeError, AttributeError, SyntaxError,
)  # fmt: skip
"""Errors that a file raises which is no table: those of its archive, then those of arrays and of JSON of another shape."""
TYPES = {"|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I", "<i8": "q", "<u8": "Q"}
"""The types of arrays as NumPy names them, and as the module `array` does."""


class Part(NamedTuple):
    """Hold an interval of numbers, and the code of each."""

    name: str
    start: int
    stop: int
    codes: Any


class Table:
    """Hold the values of the positions of a game, by their numbers and, where the file has them, by their cells."""

    def __init__(self, path: Any) -> None:
        with Path(path).open("rb") as file:
            try:
                with zipfile.ZipFile(file) as archive:
                    self._read(archive)
            except DAMAGE as error:
                raise ValueError(f"{path} is no table, or is damaged: {error}") from None

    def _read(self, archive: zipfile.ZipFile) -> None:
        names = set(archive.namelist())
        if "about.npy" not in names:
            raise ValueError("it lacks `about`; `searchbench export DB --to FILE.npz` writes tables")
        about = json.loads(bytes(_array(archive, "about")).decode())
        if about.get("format") != FORMAT:
            raise ValueError(f"it has the format {about.get('format')!r}; this reader knows {FORMAT!r}")
        self.game: str = about["game"]
        self.rule: str = about["rule"]
        self.columns: tuple[str, ...] = tuple(about["columns"])
        """What the figures are: outcome (1, 0, -1 for the player to move) and plies; or value."""
        self.width: int = about["width"]
        self._values: dict[int, tuple[str | None, tuple[int, ...] | None]] = {
            int(code): (text, None if figures is None else tuple(figures))
            for code, (text, figures) in about["values"].items()
        }
        self.parts = [
            Part(one["name"], one["start"], one["stop"], _array(archive, f"codes_{place}"))
            for place, one in enumerate(about["parts"])
        ]
        self._illegal: int = about["illegal"]
        self._cells = _array(archive, "cells") if "cells.npy" in names else None
        self._numbers = _array(archive, "numbers") if "numbers.npy" in names else None

    def __len__(self) -> int:
        """Return how many numbers the table has; some may be no position."""
        return sum(part.stop - part.start for part in self.parts)

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of all positions."""
        for part in self.parts:
            yield from (part.start + place for place, code in enumerate(part.codes) if code != self._illegal)

    def value(self, number: int) -> str | None:
        """Return the value of the position with a number as text, None if it has none."""
        return self._of(number)[0]

    def figures(self, number: int) -> tuple[int, ...] | None:
        """Return the value of the position with a number as the figures that `columns` names, None if it has none."""
        return self._of(number)[1]

    def number(self, cells: Sequence[int]) -> int:
        """Return the number of the position with these cells."""
        if self._cells is None or self._numbers is None:
            raise KeyError("the table has no cells: export it with --cells")
        if len(cells) != self.width:
            raise KeyError(f"{len(cells)} cells: a position of {self.game} has {self.width}")
        wanted, first, stop = list(cells), 0, len(self._numbers)
        while first < stop:  # the cells are in order
            middle = (first + stop) // 2
            if list(self._cells[middle * self.width : (middle + 1) * self.width]) < wanted:
                first = middle + 1
            else:
                stop = middle
        if first == len(self._numbers) or list(self._cells[first * self.width : (first + 1) * self.width]) != wanted:
            raise KeyError(f"{wanted} is no position of this table of {self.game}")
        return int(self._numbers[first])

    def cells(self, place: int) -> tuple[int, ...]:
        """Return the cells of a position by its place among those that the table has, in the order of their cells."""
        if self._cells is None or self._numbers is None or not 0 <= place < len(self._numbers):
            raise KeyError(f"no cells at {place}: export the table with --cells")
        return tuple(self._cells[place * self.width : (place + 1) * self.width])

    def _of(self, number: int) -> tuple[str | None, tuple[int, ...] | None]:
        for part in self.parts:
            if part.start <= number < part.stop:
                code = part.codes[number - part.start]
                if code == self._illegal:
                    raise KeyError(f"number {number} is no position of {self.game}")
                return self._values[code]
        there = ", ".join(f"{part.name}: {part.start} to {part.stop - 1}" for part in self.parts)
        raise KeyError(f"number {number} is not in this table of {self.game}; it has {there}")


def _array(archive: zipfile.ZipFile, name: str) -> Any:
    """Return an array of an archive, whatever its shape, as one row (NumPy's format, versions 1 to 3)."""
    raw = archive.read(f"{name}.npy")
    if raw[:6] != b"\x93NUMPY":
        raise ValueError(f"{name} is no array")
    long = raw[6] > 1
    (length,) = struct.unpack_from("<I" if long else "<H", raw, 8)
    begin = 12 if long else 10
    header = ast.literal_eval(raw[begin : begin + length].decode("latin1"))
    if header["descr"] not in TYPES or header["fortran_order"]:
        raise ValueError(f"{name} has the type {header['descr']}, which tables do not have")
    found = array(TYPES[header["descr"]])
    found.frombytes(raw[begin + length :])
    if sys.byteorder == "big":
        found.byteswap()
    return found
