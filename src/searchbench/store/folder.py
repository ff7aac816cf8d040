"""Write a folder atomically: beside its final place, then swapped in (POSIX)."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from searchbench.errors import BadRequest

_EXCHANGE: Final = 2
_HERE: Final = -100


def bytes_on_disk(folder: Path) -> int:
    """Return the bytes of all files in a folder; one that is removed meanwhile, as where a database is replaced, has none."""
    found = 0
    for inside, _, files in os.walk(folder):
        for name in files:
            with suppress(FileNotFoundError):
                found += os.path.getsize(os.path.join(inside, name))
    return found


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder beside `path`; if the block ends without an error it becomes `path`, in one step.

    The writer locks the folder until its process ends; so the next writer recognises and removes the remains of a
    killed one.
    """
    _remove_stale(path)
    folder, handle = _locked_folder(path)
    try:
        yield folder
        sync(folder)
        _swap_in(folder, path)
        _sync_one(path.parent)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


@contextmanager
def replaced_file(path: Path) -> Iterator[Path]:
    """Yield a name for a file beside `path`; if the block ends without an error it becomes `path`, in one step.

    Raises BadRequest where it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with told_if_unwritable(path):
            yield fresh
            os.replace(fresh, path)
    finally:
        with suppress(OSError):  # on a disk that cannot be written, where it was never made
            fresh.unlink(missing_ok=True)


@contextmanager
def told_if_unwritable(path: Path, what: str = "the file") -> Iterator[None]:
    """Raise BadRequest, which names `path`, in the place of an OSError of the block, unless that names another file."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and path.name not in str(error.filename):
            raise
        reason = os.strerror(error.errno) if error.errno else error
        raise BadRequest(f"{path}: {what} cannot be written: {reason}") from error


def _prefix(path: Path) -> str:
    return f".{path.name}."


def _locked_folder(path: Path) -> tuple[Path, int]:
    while True:
        folder = path.parent / f"{_prefix(path)}{secrets.token_hex(4)}.partial"
        folder.mkdir()
        handle = lock(folder)
        if handle is not None and folder.exists():  # no other writer removed it as stale before it was locked
            return folder, handle


def lock(folder: Path) -> int | None:
    """Lock a folder until this process ends; return None if another process holds the lock or the folder is gone."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _remove_stale(path: Path) -> None:
    for folder in path.parent.glob(f"{_prefix(path)}*.partial"):
        handle = lock(folder)
        if handle is not None:
            (path.parent / f".{folder.name}.header.partial").unlink(
                missing_ok=True
            )  # its writer was killed at the header
            shutil.rmtree(folder, ignore_errors=True)
            os.close(handle)


def sync(folder: Path) -> None:
    """Flush a folder and its files to disk."""
    found = [Path(where) / name for where, _, names in os.walk(folder) for name in names]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(_sync_one, found))
    for where, _, _ in os.walk(folder, topdown=False):
        _sync_one(Path(where))


def _sync_one(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _swap_in(folder: Path, path: Path) -> None:
    """Give a folder its final name; a folder that had this name gets the temporary one."""
    if not path.exists():
        os.rename(folder, path)
        return
    try:
        _exchange(folder, path)
    except OSError as error:
        if error.errno not in {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}:
            raise
        # This system cannot exchange two folders: for a moment there is no database, and the old one has another name.
        old = path.parent / f"{_prefix(path)}{secrets.token_hex(4)}.previous"
        os.rename(path, old)
        os.rename(folder, path)
        shutil.rmtree(old)


def _exchange(one: Path, other: Path) -> None:
    """Exchange the names of two folders in one step (Linux renameat2). Raises OSError (ENOSYS if unsupported)."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        raise OSError(errno.ENOSYS, "no renameat2")
    if library.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))
