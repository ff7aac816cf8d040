"""A folder for unfinished work: arrays in files, and a progress record that is replaced atomically.

There are two kinds of arrays. A *saved* array is a copy with checksums, written beside the previous copy; the record
names the valid copy, so a process killed while writing loses only the time since the previous copy. An array *in place*
is the file itself, mapped into memory: its owner must order writes so that an interrupted step can be repeated.
"""

from __future__ import annotations

import errno
import hashlib
import json
import mmap
import os
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from searchbench import stopping
from searchbench.errors import BadRequest, DamagedData
from searchbench.exchange.decisions import end_if_asked
from searchbench.exchange.files import BUCKET_FILES
from searchbench.exchange.ranks import by_first, current
from searchbench.game import Game
from searchbench.run import Run
from searchbench.store import folder as folders
from searchbench.store.header import fingerprints, folder_name
from searchbench.values import ValueRule

Array = npt.NDArray[Any]

RECORD: Final = "record.json"
FORMAT: Final = 2
PIECE: Final = 1 << 26
"""Bytes written, read and checksummed at a time."""
SHARE: Final = 20
"""Writing copies takes at most 1/SHARE of the time."""


class WorkingFolder:
    """Keep an unfinished computation on disk so that it can resume.

    `task` describes the computation: a folder with another task is refused, and so is one locked by another process. At
    least `checkpoint_interval` seconds pass between two checkpoints. `record` is the last commit, or empty. The folder
    is made on the first commit. Where the end has been asked for (:mod:`searchbench.stopping`), a checkpoint is due, and
    what is committed is the last that is done: then, and where work is to begin, KeyboardInterrupt is raised. Raises
    BadRequest and DamagedData.
    """

    def __init__(self, path: Path, task: Mapping[str, Any], checkpoint_interval: float = 30.0) -> None:
        end_if_asked()
        self.path = path
        self._checkpoint_interval = checkpoint_interval
        self._task = json.loads(json.dumps(task))
        self.record: dict[str, Any] = {}
        self._saved: dict[str, dict[str, Any]] = {}
        self._generation = 0
        self._committed = time.monotonic()
        self._cost = 0.0
        self._handle: int | None = None
        self._claimed = False
        if by_first(path.exists):
            self._claim()

    def _claim(self) -> None:
        """Lock the folder, which the first rank does for all, and read its record."""
        if self._claimed:
            return
        by_first(self._lock)
        try:
            self._read()
        except BaseException:
            self.close()
            raise
        self._claimed = True

    def _lock(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise BadRequest(f"{self.path} is no folder: unfinished work is kept in a folder of its own")
        with folders.told_if_unwritable(self.path, "unfinished work"):
            self.path.mkdir(parents=True, exist_ok=True)
            self._handle = folders.lock(self.path)
        if self._handle is None:
            raise BadRequest(f"{self.path}: another process works there")

    def _read(self) -> None:
        path = self.path / RECORD
        if not path.exists():
            others = _others(self.path)
            if others:
                raise BadRequest(f"{self.path} holds {min(others)}: unfinished work is kept in a folder of its own")
            return
        try:
            document = json.loads(path.read_bytes())
            body, digest = document["body"], document["digest"]
            intact = digest == _digest(body)
            version, task = body["format"], body["task"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedData(f"{path} cannot be read ({error}): remove the folder and begin again") from None
        if not intact:
            raise DamagedData(f"{path} was altered: remove the folder and begin again")
        if version != FORMAT:
            raise DamagedData(f"{path} has format {version!r}, this version of searchbench reads {FORMAT}")
        if task != self._task:
            differing = sorted(key for key in {*task, *self._task} if task.get(key) != self._task.get(key))
            raise BadRequest(
                f"{self.path} holds unfinished work on another task ({', '.join(differing)}: "
                f"{[task.get(key) for key in differing]}, now {[self._task.get(key) for key in differing]}); "
                "finish that one, remove the folder, or name another"
            )
        self.record, self._saved, self._generation = body["record"], body["arrays"], body["generation"]

    def make(self) -> Path:
        """Make the folder with an empty record unless it exists; return its path."""
        if not (self.path / RECORD).exists():
            self.commit({})
            self.settled()
        return self.path

    @property
    def due(self) -> bool:
        """Tell at a safe point whether a checkpoint is due: it is time, or the end has been asked for."""
        stopping.at_stake(self)
        return stopping.asked() or self.overdue

    @property
    def overdue(self) -> bool:
        """Tell whether it is time for a checkpoint; for owners who keep their work wherever they are interrupted."""
        return time.monotonic() - self._committed >= max(self._checkpoint_interval, SHARE * self._cost)

    def settled(self) -> None:
        """Note that no safe point follows: all that counts is kept."""
        stopping.settled(self)

    def commit(
        self,
        record: Mapping[str, Any],
        arrays: Mapping[str, Array] | None = None,
        run: Run | None = None,
        still: Collection[str] = (),
    ) -> None:
        """Save a record and copies of arrays, in one atomic step.

        For the arrays named in `still`, the existing copies remain valid. Ranks commit together: each saves arrays of its
        own, with names of their own, and one record, the first rank's, names all of them.
        """
        stopping.at_stake(self)
        self._commit(record, arrays or {}, run, still)
        end_if_asked()

    def _commit(
        self, record: Mapping[str, Any], arrays: Mapping[str, Array], run: Run | None, still: Collection[str]
    ) -> None:
        begun = time.monotonic()
        self._claim()
        generation = self._generation + 1
        saved = {name: self._saved[name] for name in still}
        try:
            saved |= {name: self._save(name, array, generation, run) for name, array in arrays.items()}
            saved = {name: entry for some in current().gather(saved) for name, entry in some.items()}
            body = {
                "format": FORMAT, "task": self._task, "record": dict(record), "arrays": saved, "generation": generation,
            }  # fmt: skip
            by_first(lambda: self._replace_record(body))
        except OSError as error:
            raise BadRequest(
                f"{self.path}: unfinished work cannot be kept there ({error}); the previous checkpoint still counts"
            ) from error
        self.record, self._saved, self._generation = json.loads(json.dumps(dict(record))), saved, generation
        files = {entry["file"] for entry in saved.values()}
        by_first(lambda: self._remove(lambda name: ".g" in name and name not in files))
        self._committed = time.monotonic()
        self._cost = self._committed - begun

    def _replace_record(self, body: dict[str, Any]) -> None:
        fresh = self.path / f"{RECORD}.part"
        with fresh.open("w") as file:
            json.dump({"body": body, "digest": _digest(body)}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, self.path / RECORD)

    def _save(self, name: str, array: Array, generation: int, run: Run | None) -> dict[str, Any]:
        """Write a copy of an array; return its entry in the record."""
        file = f"{name}.g{generation}.array"
        data = np.ascontiguousarray(array).view(np.uint8).data
        handle = os.open(self.path / file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)

        def write(first: int) -> int:
            piece = data[first : first + PIECE]
            if os.pwrite(handle, piece, first) != len(piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return zlib.crc32(piece)

        try:
            checksums = _map(run, write, range(0, len(data), PIECE))
            os.fsync(handle)
            _drop(handle)
        finally:
            os.close(handle)
        return {"file": file, "dtype": array.dtype.str, "size": len(array), "checksums": checksums}

    def dtype(self, name: str) -> np.dtype[Any]:
        """Return the data type of a copy. Raises DamagedData."""
        dtype: np.dtype[Any] = np.dtype(self._entry(name)["dtype"])
        return dtype

    def _entry(self, name: str) -> dict[str, Any]:
        if name not in self._saved:
            raise DamagedData(f"{self.path} has no copy of {name!r}: remove the folder and begin again")
        return self._saved[name]

    @property
    def copies(self) -> set[str]:
        """Return the names of the arrays that the record has copies of."""
        return set(self._saved)

    def copy_of(self, name: str, run: Run | None = None) -> Array:
        """Return the copy of an array. Raises DamagedData."""
        kept = self._entry(name)
        array = np.empty(kept["size"], np.dtype(kept["dtype"]))
        self.load(name, array, run)
        return array

    def load(self, name: str, array: Array, run: Run | None = None) -> None:
        """Read the copy of an array into an array of the same type and size. Raises DamagedData."""
        kept = self._entry(name)
        if (kept["dtype"], kept["size"]) != (array.dtype.str, len(array)):
            raise DamagedData(
                f"{self.path} has no copy of {name!r} of the right size: remove the folder and begin again"
            )
        path = self.path / kept["file"]
        data = array.view(np.uint8).data
        try:
            handle = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise DamagedData(f"{path} cannot be read: {error}") from None

        def read(first: int) -> int:
            piece = data[first : first + PIECE]
            if os.preadv(handle, [piece], first) != len(piece):
                raise DamagedData(f"{path} is too short: remove the folder and begin again")
            return zlib.crc32(piece)

        try:
            if _map(run, read, range(0, len(data), PIECE)) != kept["checksums"]:
                raise DamagedData(f"{path} was altered: remove the folder and begin again")
            _drop(handle)
        finally:
            os.close(handle)

    def in_place(self, name: str, dtype: Any, size: int) -> Array:
        """Map a file of the folder as an array, of zeros if it is new. Raises DamagedData."""
        self._claim()
        path = self.path / f"{name}.array"
        wanted = size * np.dtype(dtype).itemsize
        if not path.exists() or not self.record:
            with path.open("wb") as file:
                file.truncate(wanted)
        elif path.stat().st_size != wanted:
            raise DamagedData(f"{path} has {path.stat().st_size} bytes, expected {wanted}")
        with path.open("r+b") as file:
            return np.frombuffer(mmap.mmap(file.fileno(), wanted), dtype)

    def _remove(self, which: Callable[[str], bool]) -> None:
        for entry in self.path.iterdir():
            if entry.name != RECORD and which(entry.name):
                entry.unlink()

    def close(self) -> None:
        """Release the folder; the work stays on disk."""
        self.settled()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, KeyboardInterrupt) and self.record:
            error.add_note(f"unfinished work is kept in {self.path}")
        self.close()


@contextmanager
def working_folder(
    game: Game, form: str, run: Run, rule: ValueRule | None = None, part: str = ""
) -> Iterator[WorkingFolder | None]:
    """Yield the folder for a run's unfinished work on solving a game in some form, or None if the run keeps none.

    A `rule` belongs to the task, too. A single `part` has its own folder within that of the run.
    """
    path = run.work / folder_name(part) if part and run.work is not None else run.work
    with folder_at(path, game, form, run, rule) as folder:
        yield folder


@contextmanager
def folder_at(
    path: Path | None, game: Game, form: str, run: Run, rule: ValueRule | None = None
) -> Iterator[WorkingFolder | None]:
    """Yield the folder at a path for unfinished work on a game in some form, with a rule or without; None without a path."""
    if path is None:
        yield None
        return
    identity = {key: game.identity()[key] for key in ("name", "version", "parameters")}
    task = {**identity, "fingerprint": game.fingerprint(), "form": form}
    if rule is not None:
        task |= {"rule": rule.identity(), "fingerprint": fingerprints(game, rule)}
    with WorkingFolder(path, task, run.checkpoint_interval) as folder:
        yield folder


def form_begun(path: Path | None) -> str | None:
    """Return the form of the unfinished work in a folder; None where there is none, or none that can be read."""
    try:
        return None if path is None else str(json.loads((path / RECORD).read_bytes())["body"]["task"]["form"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def discard(path: Path) -> None:
    """Remove a working folder, or the remains of an interrupted removal, after the work is done; what is not its own stays."""
    by_first(lambda: _discard(path))


def _discard(path: Path) -> None:
    if not path.is_dir():
        return
    others = _others(path)
    if (path / RECORD).exists() or (any(path.iterdir()) and not others):
        (path / RECORD).unlink(missing_ok=True)  # first: without a record the copies do not count
        with suppress(OSError):
            for entry in list(path.iterdir()):
                if entry.name not in others:
                    entry.unlink(missing_ok=True)
            path.rmdir()  # refused by the system where something else lies there


def remove_if_empty(path: Path) -> None:
    """Remove the folder of working folders once the last of them is gone."""
    by_first(lambda: path.rmdir() if path.is_dir() and not any(path.iterdir()) else None)


def _others(path: Path) -> list[str]:
    """Return the names in a folder that do not belong to unfinished work."""
    own = ("*.array", BUCKET_FILES, RECORD, f"{RECORD}.part")
    return [entry.name for entry in path.iterdir() if not any(map(entry.match, own))]


def _digest(body: Any) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _drop(handle: int) -> None:
    """Drop a file from the page cache, as it is not read again soon."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)


def _map(run: Run | None, function: Callable[[int], int], arguments: range) -> list[int]:
    return [function(argument) for argument in arguments] if run is None else run.map(function, arguments)
