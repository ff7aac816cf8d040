"""Positions of a database with their ground truth as a table in a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple, Unpack

import numpy as np

from searchbench.errors import BadRequest, MissingPackage
from searchbench.learning.truths import NOTHING, Array, Chosen, TruthReader, Truths, batches, columns_of, sampled
from searchbench.run import Run
from searchbench.store import Database
from searchbench.store.folder import replaced_file
from searchbench.store.writing import check_place

ROW_GROUP: Final = 1 << 16
"""Rows that a reader can read without the others."""
ENDINGS: Final = ("", ".parquet", ".pq")
"""How the name of a Parquet file may end."""
TYPES: Final = {"outcome": "int8", "plies": "int32", "value": "int64"}


class Exported(NamedTuple):
    """Hold what was exported, and where."""

    path: Path
    positions: int
    moves: int
    bytes: int


def export(
    database: Database,
    path: str | Path,
    sample: int | None = None,
    seed: int = 0,
    overwrite: bool = False,
    run: Run | None = None,
    symmetric: bool = False,
    **chosen: Unpack[Chosen],
) -> Exported:
    """Write the positions of a database, with values and moves, into a Parquet file, which appears complete or not at all.

    The columns are `number`, `state` (the cells), the position's figures (`outcome` 1, 0, -1 for the player to move and
    `plies`, or `value`), `moves` (all legal ones, as the game encodes them), the same figures of each move's worth
    (`moves_outcome` and so on), and `best_moves`. A figure that there is not is null. The file's metadata names the game, the
    value rule, and the type of a cell. `chosen` tells which positions are meant, `sample` takes so many of these at
    random. With `symmetric` the images of a position under all symmetries of the game follow it, each with its own cells and
    moves. Raises BadRequest if the name ends as that of another format, if the file exists, unless `overwrite`, and for a game
    that tells no symmetries, and MissingPackage without pyarrow.
    """
    target, active = Path(path), run or Run()
    if target.suffix not in ENDINGS:
        raise BadRequest(
            f"{target}: {target.suffix} names another format; `searchbench export DB --to FILE` writes FILE.parquet, "
            "or FILE.npz, a table of values; `searchbench convert DB --parts NAMES --to FILE.db` writes slices"
        )
    if target.exists() and not overwrite:
        raise BadRequest(f"{target} exists: choose another name, or ask to overwrite it (--force, overwrite=True)")
    check_place(target)
    _, parquet = _pyarrow()
    schema = schema_of(database)
    reader = TruthReader(database, active)
    read = reader.with_copies if symmetric else reader.read
    groups: Iterable[Array] = batches(database, **chosen)
    total = database.count(**chosen) if sample is None else sample
    if sample is not None:
        numbers = sampled(database, sample, seed, **chosen)
        groups, total = np.array_split(numbers, -(-len(numbers) // ROW_GROUP)), len(numbers)
    positions = moves = done = 0
    with replaced_file(target) as partial, parquet.ParquetWriter(partial, schema, compression="zstd") as writer:
        for numbers in groups:
            batch = read(numbers)
            writer.write_batch(record_batch(batch, schema), row_group_size=ROW_GROUP)
            positions, moves = positions + len(batch.numbers), moves + int(batch.counts.sum())
            done += len(numbers)
            active.progress("export", done, total)
    return Exported(target, positions, moves, target.stat().st_size)


def schema_of(database: Database) -> Any:
    """Return the columns and metadata of an exported file."""
    arrow, _ = _pyarrow()
    game = database.game
    cell = arrow.from_numpy_dtype(np.dtype(game.dtype))
    columns = columns_of(database.rule)
    figures = [(name, arrow.type_for_alias(TYPES[name])) for name in columns]
    metadata = {
        "game": str(game), "rule": json.dumps(database.rule.identity()), "width": str(game.width),
        "positions": str(database.states), "format": "searchbench ground truth 1",
    }  # fmt: skip
    return arrow.schema(
        [
            ("number", arrow.int64()), ("state", arrow.list_(cell, game.width)), *figures,
            ("moves", arrow.list_(arrow.int64())),
            *((f"moves_{name}", arrow.list_(kind)) for name, kind in figures),
            ("best_moves", arrow.list_(arrow.int64())),
        ],
        metadata={f"searchbench.{key}": text for key, text in metadata.items()},
    )  # fmt: skip


def record_batch(truths: Truths, schema: Any) -> Any:
    """Return a batch of positions as the columns of an exported file."""
    arrow, _ = _pyarrow()
    exists = truths.exists
    ends = np.concatenate([[0], np.cumsum(truths.counts)])
    best_ends = np.concatenate([[0], np.cumsum(truths.best.sum(axis=1))])

    def moves(ends: Array, flat: Array) -> Any:
        return arrow.ListArray.from_arrays(arrow.array(ends, arrow.int32()), arrow.array(flat))

    def lists(ends: Array, flat: Array, kind: Any) -> Any:
        return arrow.ListArray.from_arrays(arrow.array(ends, arrow.int32()), _nullable(flat, kind))

    width = truths.states.shape[1]
    figures = [_nullable(truths.figures[place], schema.field(name).type) for place, name in enumerate(truths.columns)]
    of_moves = [
        lists(ends, truths.worth[place][exists], schema.field(name).type) for place, name in enumerate(truths.columns)
    ]
    return arrow.record_batch(
        [
            arrow.array(truths.numbers),
            arrow.FixedSizeListArray.from_arrays(arrow.array(truths.states.reshape(-1)), width),
            *figures,
            moves(ends, truths.moves[exists]),
            *of_moves,
            moves(best_ends, truths.moves[truths.best]),
        ],
        schema=schema,
    )


def _nullable(figures: Array, kind: Any) -> Any:
    arrow, _ = _pyarrow()
    return arrow.array(figures, mask=figures == NOTHING).cast(kind)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingPackage(f"Parquet files need pyarrow: pip install 'searchbench[learning]' ({error})") from None
    return pyarrow, pyarrow.parquet
