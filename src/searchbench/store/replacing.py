"""Replace parts of a database on disk: write a new folder with them and the other parts, then swap it in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from searchbench.errors import BadRequest
from searchbench.store import folder as folders
from searchbench.store import header as head
from searchbench.store.arrays import create_group
from searchbench.store.codecs import parse_codec
from searchbench.store.disk import DiskCodes
from searchbench.store.forms import FORMS, ONE_BIT
from searchbench.store.opening import refuse_certificate
from searchbench.store.writing import (
    DEFAULT,
    MAPPED,
    OF_BITS,
    Layout,
    form_for,
    header_of,
    write_database,
    write_header,
    write_part,
)

if TYPE_CHECKING:
    from searchbench.store.database import Database


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a database against other writers. Raises BadRequest if it is locked already or missing."""
    if not path.is_dir():
        refuse_certificate(path)
        raise BadRequest(f"{path}: there is no database")
    handle = folders.lock(path)
    if handle is None:
        raise BadRequest(f"{path}: another process writes there")
    try:
        yield
    finally:
        os.close(handle)


def grows(path: Path) -> bool:
    """Tell whether a database grew part by part: then each part has its own data type."""
    return any(record.dtype for record in head.header_on_disk(path).parts)


def replace_parts(path: Path, database: Database, parts: Collection[str]) -> DiskCodes:
    """Rewrite these parts of a database with those of `database`; reuse the files of all others.

    Readers see the old database or the new one, even if this process is killed. If all parts share a data type and form
    which the new codes change, `database` must have all parts, and all are written. Return the codes on disk.
    """
    old = head.header_on_disk(path)
    form, narrow = FORMS[old.form], grows(path)
    dtype = np.dtype(np.uint8) if form is ONE_BIT else database.dtype
    if not narrow and (form_for(database) is not form or dtype.name != old.dtype):
        write_database(database, path, database.command, True, _mapped(old), codec=parse_codec(old.codec))
        return DiskCodes(path, head.header_on_disk(path), 0)
    with folders.replaced_folder(path) as folder:
        for place in ("", "parts", "digests"):
            create_group(folder / place)
        layout = _mapped(old) or replace(OF_BITS if form is ONE_BIT else DEFAULT, chunk=old.chunk)
        layout = replace(layout, codec=parse_codec(old.codec))
        records = []
        for record in old.parts:
            if record.name in parts:
                record = write_part(folder, database, record.part, layout, form, narrow)
            else:
                for array in (head.codes_path(record.name), head.digests_path(record.name)):
                    shutil.copytree(path / array, folder / array, copy_function=_link)
            records.append(record)
        header = header_of(database, tuple(records), layout, form, database.facts, database.command, folder)
        widest = max((np.dtype(record.dtype or header.dtype) for record in records), key=lambda dtype: dtype.itemsize)
        write_header(folder, replace(header, dtype=widest.name if narrow else header.dtype))
    return DiskCodes(path, head.header_on_disk(path), 0)


def _mapped(header: head.Header) -> Layout | None:
    return MAPPED if header.chunk == MAPPED.chunk else None


def _link(source: str, target: str) -> None:
    """Hard-link a file; copy it if that is impossible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
