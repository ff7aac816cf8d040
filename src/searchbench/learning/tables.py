"""A database, or some parts of it, as one file of plain arrays that a reader of one file opens (:mod:`.table_reader`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.learning.table_reader import FORMAT
from searchbench.learning.truths import Array, columns_of, differing, figures_of, images_of, symmetries_of
from searchbench.run import Run
from searchbench.store import Database
from searchbench.store.cells import write_states
from searchbench.store.folder import replaced_file
from searchbench.store.slices import sliced
from searchbench.store.writing import check_place

MOST: Final = 1 << 30
"""Bytes of arrays that one file may hold: who reads it has all of them in memory."""
_PIECE: Final = 1 << 12


class WrittenTable(NamedTuple):
    """Hold what was written, and where."""

    path: Path
    positions: int
    parts: tuple[str, ...]
    bytes: int


def write_table(
    database: Database,
    path: str | Path,
    parts: str | Iterable[str] | None = None,
    cells: bool = False,
    overwrite: bool = False,
    run: Run | None = None,
    symmetric: bool = False,
) -> WrittenTable:
    """Write the codes of a database, or of some parts, into an .npz file, with what each code means.

    With `cells`, the file also has the cells of every position, in order, so that a position is found by them; with `symmetric`
    also those of its images under all symmetries, with the same number. Arrays:
    `codes_0`, `codes_1`, ... for the parts; `cells` [positions, width] and `numbers`; `about`, JSON in UTF-8 as bytes. The
    file appears complete or not at all. Raises BadRequest for depths modulo 3 or 4, states that share a number, more than a
    gigabyte, a game that tells no symmetries, if they are asked for, and a file that exists, unless `overwrite`.
    """
    target, source = Path(path), database if parts is None else sliced(database, parts)
    symmetries = symmetries_of(database) if symmetric else 1
    if symmetric and not cells:
        raise BadRequest(
            f"{target}: symmetric copies of a position have its number: ask for cells, too, by which they are found"
        )
    _check(source, target, symmetries if cells else 0, overwrite)
    arrays: dict[str, Array] = {}
    codes = [source.read(part, part.start, part.stop) for part in source.parts]
    found = np.unique(np.concatenate([np.unique(some) for some in codes])).tolist()
    kind = np.min_scalar_type(max(code for code in (*found, 0) if code != source.illegal) + 1)
    illegal = int(np.iinfo(kind).max)
    for place, some in enumerate(codes):
        arrays[f"codes_{place}"] = np.where(some == source.illegal, illegal, some).astype(kind)
    if cells:
        arrays["cells"], arrays["numbers"] = _in_order(source, codes, symmetries, run or Run())
    about = json.dumps(_about(source, found, illegal)).encode()
    write: Any = np.savez_compressed
    with replaced_file(target) as partial, partial.open("xb") as file:
        write(file, about=np.frombuffer(about, np.uint8), **{name: _little(one) for name, one in arrays.items()})
    return WrittenTable(target, source.states, tuple(part.name for part in source.parts), target.stat().st_size)


def _check(database: Database, target: Path, copies: int, overwrite: bool) -> None:
    """Refuse what no table can have; the cells of each position are to be written up to so many times."""
    game = database.game
    if target.exists() and not overwrite:
        raise BadRequest(f"{target} exists: choose another name, or ask to overwrite it (--force, overwrite=True)")
    check_place(target)
    if database.modulus:
        raise BadRequest(
            f"{game}: the database has depths modulo {database.modulus}, which a table cannot tell: solve with --form values"
        )
    if game.has("blank"):
        raise BadRequest(f"{game}: several states share a number, so a table of numbers cannot tell them apart")
    numbers = sum(part.size for part in database.parts)
    size = numbers * database.dtype.itemsize
    size += copies * database.states * (game.width * np.dtype(game.dtype).itemsize + 8)
    if size > MOST:
        raise BadRequest(
            f"{game}: {numbers:,} numbers take {size / 1e9:.1f} GB, and a table has at most {MOST / 1e9:.1f} GB: "
            f"name some parts, --parts {database.parts[0].name}{', and leave out --cells' if copies else ''}"
        )


def _about(database: Database, codes: list[int], illegal: int) -> dict[str, Any]:
    """Return what the reader has to know."""
    rule = database.rule
    values: dict[str, Any] = {}
    for code in codes:
        if code != database.illegal:
            value = rule.decode(code)
            told = (None, None) if value is None else (rule.format(value), figures_of(rule, value))
            values[str(code)] = told
    return {
        "format": FORMAT, "game": str(database.game), "rule": rule.name, "columns": columns_of(rule),
        "width": database.game.width, "values": values, "illegal": illegal, "positions": database.states,
        "parts": [{"name": part.name, "start": part.start, "stop": part.stop} for part in database.parts],
    }  # fmt: skip


def _little(numbers: Array) -> Array:
    """Return numbers in the order of bytes that the reader expects."""
    return np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))


def _in_order(database: Database, codes: list[Array], symmetries: int, run: Run) -> tuple[Array, Array]:
    """Return the cells of all positions and of their images, each once and in order, and the number of each."""
    game = database.game
    numbers = np.concatenate(
        [
            part.start + np.flatnonzero(some != database.illegal)
            for part, some in zip(database.parts, codes, strict=True)
        ]
    ).astype(np.int64)
    names = game.names(database.rule, game.quickest_target)
    with run as active:
        if symmetries > 1:
            images, differ = images_of(jit.bind(differing, names), database, numbers, active)
            states, numbers = images[differ], numbers[np.nonzero(differ)[0]]
        else:
            states = np.zeros((len(numbers), game.width), game.dtype)
            pieces = jit.intervals(0, len(numbers), _PIECE)
            active.launch(jit.bind(write_states, names), pieces, numbers, jit.FIRST, jit.STOP, states)
    order = np.lexsort(states.T[::-1])
    narrow = np.min_scalar_type(int(numbers.max(initial=0)))
    return states[order], numbers[order].astype(narrow)
