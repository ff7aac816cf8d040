"""A database that grows part by part: after each part it is valid and can be opened."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np

from searchbench.errors import BadRequest
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
from searchbench.store.writing import DEFAULT, begin, check_target, header_of, write_header, write_part
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
        begun = path.is_dir() and not (path / head.DOCUMENT).exists() and not any(map(os.path.isfile, path.iterdir()))
        if not begun:
            check_target(path, overwrite=True)
        path.mkdir(exist_ok=True)
        handle = folders.lock(path)
        if handle is None:
            raise BadRequest(f"{path}: another process writes there")
        self._handle = handle
        try:
            self._open()
        except BaseException:
            os.close(handle)
            raise

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
        """Write parts, whose codes lie in an array over the whole number line or can be read, and commit them together."""
        import zarr

        begin(self.path)
        group = zarr.open_group(self.path, mode="a", zarr_format=3)
        if self._index is None:
            self._index = write_numbering(group, self.game)
            folders.sync(self.path)
        held = MemoryCodes(codes) if isinstance(codes, np.ndarray) else codes
        database = Database(self.game, self.rule, held, parts=self.game.parts())
        for part in parts:
            narrow = self.form is VALUES
            self.records[part.name] = write_part(group, database, part, self._layout, self.form, narrow)
            folders.sync(self.path / head.codes_path(part.name))
            folders.sync(self.path / head.digests_path(part.name))
        self.facts = facts
        place = {part.name: place for place, part in enumerate(self.game.parts())}
        records = tuple(sorted(self.records.values(), key=lambda record: place[record.name]))
        header = header_of(database, records, self._layout, self.form, facts, self.command, self.path)
        header = replace(header, index=self._index)
        if self.form is not VALUES:
            write_header(self.path, header)
            return
        widest = max((np.dtype(record.dtype) for record in records), key=lambda dtype: dtype.itemsize)
        write_header(self.path, replace(header, dtype=widest.name))

    def load(self, part: Part, codes: Array) -> None:
        """Read a part into an array over the whole number line. Raises DamagedData."""
        for first, found in self.read(part, READ):
            codes[first : first + len(found)] = as_type(found, codes.dtype)

    def read(self, part: Part, step: int) -> Iterator[tuple[int, Array]]:
        """Yield the codes of a part that is kept, `step` at a time, each time with the first number. Raises DamagedData."""
        stored = DiskCodes(self.path, head.header_on_disk(self.path), budget=0)
        for first in range(part.start, part.stop, step):
            yield first, stored.read(part, first, min(first + step, part.stop))

    def __enter__(self) -> GrowingDatabase:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        os.close(self._handle)
