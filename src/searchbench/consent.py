"""Consent to run Python files: a database names the file of its game, and whoever made the database chose that file.

A file may be run if this user has run it before, in this process or an earlier one: by naming it (`load("mygame.py")`, `solve`,
`check`, `--game`), or by consent to a database that names it. What was run is remembered by its path and its contents, in the
folder of compiled kernels: a file that was changed since, or replaced, is another one until the user runs it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

Asking = Callable[[Path, Path], bool]
"""Asks whether opening a database, the first path, may run a file, the second."""

_run: set[str] = set()
_asking: list[Asking] = []


def ask_with(question: Asking | None) -> None:
    """Let `question` be asked before a file that a database names is run for the first time; None: such files are refused."""
    _asking[:] = [] if question is None else [question]


def remember(file: Path) -> None:
    """Note that the user has run this file."""
    try:
        mark = _mark(file)
        _run.add(mark)
        note = _note(mark)
        if not note.exists():
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"{file}\n")
    except OSError:
        return  # it is asked again in the next process


def is_known(file: Path) -> bool:
    """Tell whether the user has run this file before, with these contents."""
    file = file.resolve()
    try:
        mark = _mark(file)
        return mark in _run or _note(mark).read_text() == f"{file}\n"
    except OSError:
        return False


def given(database: Path, file: Path) -> bool:
    """Tell whether opening a database may run a file that it names; ask if it is not known and there is somebody to ask."""
    return is_known(file) or any(question(database, file) for question in _asking)


def _mark(file: Path) -> str:
    """Return what a file is known by. Raises OSError."""
    return hashlib.sha256(str(file).encode() + b"\0" + file.read_bytes()).hexdigest()


def _note(mark: str) -> Path:
    from searchbench.jit import cache_folder  # takes a moment: the program's start does not need it

    return cache_folder() / "trusted" / mark[:32]
