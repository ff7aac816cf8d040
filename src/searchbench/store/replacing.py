"""Replace some parts of a database on disk: a folder with the new ones and the others is made beside, then swapped in."""

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
from searchbench.store.codecs import parse_codec
from searchbench.store.disk import DiskCodes
from searchbench.store.forms import FORMS, ONE_BIT
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
    """Keep other processes from changing a database. Raises BadRequest where one is at it, or there is none."""
    if not path.is_dir():
        raise BadRequest(f"{path}: there is no database")
    handle = folders.lock(path)
    if handle is None:
        raise BadRequest(f"{path}: another process writes there")
    try:
        yield
    finally:
        os.close(handle)


def grows(path: Path) -> bool:
    """Tell whether a database has got its parts one after another: then each has a type of its own."""
    return any(record.dtype for record in head.header_on_disk(path).parts)


def replace_parts(path: Path, database: Database, parts: Collection[str]) -> DiskCodes:
    """Write these parts of a database anew, as `database` has them; the files of all others stay the same.

    Whoever looks, or kills this process, finds the old database or the new one. Where the parts of a database share a type
    and a form that the new codes change, `database` must hold all parts, and all are written. Return the codes on disk.
    """
    old = head.header_on_disk(path)
    form, narrow = FORMS[old.form], grows(path)
    dtype = np.dtype(np.uint8) if form is ONE_BIT else database.dtype
    if not narrow and (form_for(database) is not form or dtype.name != old.dtype):
        write_database(database, path, database.command, True, _mapped(old), codec=parse_codec(old.codec))
        return DiskCodes(path, head.header_on_disk(path), 0)
    with folders.replaced_folder(path) as folder:
        import zarr

        group = zarr.create_group(folder, zarr_format=3)
        for place in ("parts", "digests"):
            group.require_group(place)
        layout = _mapped(old) or replace(OF_BITS if form is ONE_BIT else DEFAULT, chunk=old.chunk)
        layout = replace(layout, codec=parse_codec(old.codec))
        records = []
        for record in old.parts:
            if record.name in parts:
                record = write_part(group, database, record.part, layout, form, narrow)
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
    """Give a file a second name; copy it where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
