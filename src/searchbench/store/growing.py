"""A database that grows part by part: after each part it is valid and can be opened."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import stopping
from searchbench.errors import BadRequest
from searchbench.exchange.ranks import by_first
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.store import folder as folders
from searchbench.store import header as head
from searchbench.store.codecs import parse_codec
from searchbench.store.codes import Array, Codes, MemoryCodes, as_type
from searchbench.store.database import Database
from searchbench.store.disk import DiskCodes
from searchbench.store.forms import VALUES, Form
from searchbench.store.numbering import PLACE, write_numbering
from searchbench.store.opening import open_database
from searchbench.store.writing import (
    DEFAULT,
    begin,
    check_target,
    header_of,
    own_steps,
    step_of,
    write_header,
    write_part,
)
from searchbench.values import ValueRule

READ: Final = 1 << 20
"""Number of codes read at a time."""


class GrowingDatabase:
    """Keep parts of a game's database in a folder, locked while this process adds to it.

    A part counts once the header is replaced; remains of a killed writer are removed. Raises BadRequest if the folder
    contains anything else or another process writes there, and the errors of `open_database`.
    """

    def __init__(self, path: Path, game: Game, rule: ValueRule, command: str = "", form: Form = VALUES) -> None:
        self.path, self.game, self.rule, self.command, self.form = path, game, rule, command, form
        self._index: dict[str, Any] | None = None
        self.facts: dict[str, Any] = {}
        self.records: dict[str, head.PartRecord] = {}
        self._layout = DEFAULT
        self._handle: int | None = None
        by_first(self._claim)
        try:
            self._open()
            by_first(self._clean)
        except BaseException:
            self.close()
            raise

    def _claim(self) -> None:
        """Lock the folder, which the first rank does for all."""
        path = self.path
        begun = path.is_dir() and not (path / head.DOCUMENT).exists() and not any(map(os.path.isfile, path.iterdir()))
        if not begun:
            check_target(path, overwrite=True)
        path.mkdir(exist_ok=True)
        self._handle = folders.lock(path)
        if self._handle is None:
            raise BadRequest(f"{path}: another process writes there")

    def _open(self) -> None:
        if not head.is_begun(self.path):
            with open_database(self.path, self.game, self.rule) as database:
                header = head.header_on_disk(self.path)
                if header.form != self.form.name or header.reduction:
                    form = header.reduction.get("name", header.form)
                    wanted = "whole values" if self.form is VALUES else f"the form {self.form.name!r}"
                    raise BadRequest(f"{self.path} has the form {form!r}: parts are added to {wanted} only")
                self._index = header.index
                self._layout = replace(DEFAULT, codec=parse_codec(header.codec))
                self.facts = dict(database.facts)
                self.records = {record.name: record for record in header.parts}

    def _clean(self) -> None:
        """Remove what a killed writer has left."""
        for place in head.PLACES:
            for file in (self.path / place).glob("*.partial"):
                if head.is_half_written(file.relative_to(self.path).as_posix()):
                    file.unlink()
        if self._index is None:
            shutil.rmtree(self.path / PLACE, ignore_errors=True)
        kept = {head.folder_name(name) for name in self.records}
        for place in ("parts", "digests"):
            for folder in (self.path / place).glob("*/"):
                if folder.name not in kept:
                    shutil.rmtree(folder)

    def add(self, parts: tuple[Part, ...], codes: Array | Codes, facts: dict[str, Any]) -> None:
        """Write parts, whose codes lie in an array over the whole number line or can be read, and commit them together.

        Ranks write together: of each part a rank writes the steps that `ShardedCodes` gives it. Raises BadRequest where
        they cannot be written.
        """
        stopping.at_stake(self)  # from now on there is always a part at work
        with folders.told_if_unwritable(self.path, "the database"):
            self._add(parts, codes, facts)

    def _add(self, parts: tuple[Part, ...], codes: Array | Codes, facts: dict[str, Any]) -> None:
        by_first(lambda: begin(self.path))
        if self._index is None:
            self._index = by_first(self._write_numbering)
        held = MemoryCodes(codes) if isinstance(codes, np.ndarray) else codes
        database = Database(self.game, self.rule, held, parts=self.game.parts())
        for part in parts:
            narrow = self.form is VALUES
            self.records[part.name] = write_part(self.path, database, part, self._layout, self.form, narrow)
            by_first(lambda name=part.name: self._sync(name))  # type: ignore[misc]
        self.facts = facts
        by_first(lambda: self._write_header(database))

    def _write_numbering(self) -> dict[str, Any]:
        index = write_numbering(self.path, self.game)
        folders.sync(self.path)
        return index

    def _sync(self, part: str) -> None:
        folders.sync(self.path / head.codes_path(part))
        folders.sync(self.path / head.digests_path(part))

    def _write_header(self, database: Database) -> None:
        place = {part.name: place for place, part in enumerate(self.game.parts())}
        records = tuple(sorted(self.records.values(), key=lambda record: place[record.name]))
        header = header_of(database, records, self._layout, self.form, self.facts, self.command, self.path)
        assert self._index is not None
        header = replace(header, index=self._index)
        if self.form is not VALUES:
            write_header(self.path, header)
            return
        widest = max((np.dtype(record.dtype) for record in records), key=lambda dtype: dtype.itemsize)
        write_header(self.path, replace(header, dtype=widest.name))

    def steps(self, parts: Iterable[Part], rank: int, count: int) -> npt.NDArray[np.int64]:
        """Return start, stop, start, stop, ... of the codes in parts that one of several ranks is to write."""
        found: list[int] = []
        for part in parts:
            step = step_of(part, self._layout, self.form)
            for first in own_steps(part.size, step, rank, count):
                found += [part.start + first, part.start + min(first + step, part.size)]
        return np.array(found, np.int64)

    def load(self, part: Part, codes: Array, place: int = 0, count: int = 1) -> None:
        """Read a part into an array over the whole number line, or what falls to one of `count` readers. Raises DamagedData."""
        for first, found in self.read(part, READ, place, count):
            codes[first : first + len(found)] = as_type(found, codes.dtype)

    def read(self, part: Part, step: int, place: int = 0, count: int = 1) -> Iterator[tuple[int, Array]]:
        """Yield the codes of a part that is kept, `step` at a time, each time with the first number. Raises DamagedData.

        Of `count` readers, the one at `place` gets every `count`-th step.
        """
        stored = DiskCodes(self.path, head.header_on_disk(self.path), budget=0)
        for first in range(part.start + place * step, part.stop, count * step):
            yield first, stored.read(part, first, min(first + step, part.stop))

    def __enter__(self) -> GrowingDatabase:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt) and self.records:
            error.add_note(f"{len(self.records)} of {len(self.game.parts())} parts are kept in {self.path}")
        self.close()

    def close(self) -> None:
        """Let other processes write."""
        stopping.settled(self)
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
