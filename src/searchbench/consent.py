"""Consent to run Python files: a database names the file of its game, and whoever made the database chose that file.

A file may be run if this user has run it before, in this process or an earlier one: by naming it (`load("mygame.py")`, `solve`,
`check`, `--game`), or by consent to a database that names it. What was run is remembered by its path, in the folder of compiled
kernels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

Asking = Callable[[Path, Path], bool]
"""Asks whether opening a database, the first path, may run a file, the second."""

_run: set[Path] = set()
_asking: list[Asking] = []


def ask_with(question: Asking | None) -> None:
    """Let `question` be asked before a file that a database names is run for the first time; None: such files are refused."""
    _asking[:] = [] if question is None else [question]


def remember(file: Path) -> None:
    """Note that the user has run this file."""
    _run.add(file)
    try:
        note = _note(file)
        if not note.exists():
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"{file}\n")
    except OSError:
        return  # it is asked again in the next process


def is_known(file: Path) -> bool:
    """Tell whether the user has run this file before."""
    file = file.resolve()
    try:
        return file in _run or _note(file).read_text() == f"{file}\n"
    except OSError:
        return False


def given(database: Path, file: Path) -> bool:
    """Tell whether opening a database may run a file that it names; ask if it is not known and there is somebody to ask."""
    return is_known(file) or any(question(database, file) for question in _asking)


def _note(file: Path) -> Path:
    from searchbench.jit import cache_folder  # takes a moment: the program's start does not need it

    return cache_folder() / "trusted" / hashlib.sha256(str(file).encode()).hexdigest()[:32]
