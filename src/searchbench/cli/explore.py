"""The command that shows databases and searches in the browser."""

from __future__ import annotations

import importlib.util
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from searchbench.cli import show
from searchbench.cli.commands import Argument, Option
from searchbench.cli.derived import derived
from searchbench.cli.options import OwnGames

if TYPE_CHECKING:
    from searchbench.errors import SearchBenchError
    from searchbench.game import Game
    from searchbench.web.library import Library


@dataclass(frozen=True)
class Listening:
    """Say where the server listens, and whether a browser opens."""

    host: Annotated[str, Option(help="The address to listen on; others than this machine's own only read.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Option(min=0, max=65535, help="The port to listen on; 0 for any.")] = 8017
    no_browser: Annotated[bool, Option("--no-browser", help="Do not open a page.")] = False


@derived
def serve(
    what: Annotated[
        list[str] | None,
        Argument(
            metavar="[DATABASE|CERTIFICATE|FOLDER|GAME]...",
            help="Databases, certificates, folders of them, and games of your own; without any, only shipped games.",
        ),
    ] = None,
    *,
    listening: Listening,
    cache: Annotated[str, Option(metavar="SIZE", help="How much of each database is kept in memory.")] = "64MB",
    keep: Annotated[
        Path | None,
        Option(metavar="DIR", help="Keep databases solved in the browser here; else they go at the end."),
    ] = None,
    database_games: OwnGames = None,
    trust: Annotated[
        bool,
        Option("--trust", help="Run the Python files that databases name as those of their games, without asking."),
    ] = False,
    read_only: Annotated[bool, Option("--read-only", help="Take no jobs: no solving, no searching.")] = False,
    predicate: Annotated[
        list[str] | None,
        Option(metavar="FILE.py:FUNCTION", help="A function of your own to find positions with."),
    ] = None,
) -> None:
    """Show databases and searches in the browser, with a JSON API."""
    from searchbench.catalogue import load
    from searchbench.cli.conditions import function_in
    from searchbench.errors import BadRequest

    if any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise BadRequest("serve needs fastapi and uvicorn: pip install 'searchbench[web]'")
    from searchbench.web.guard import LOCAL
    from searchbench.web.jobs import Limits
    from searchbench.web.library import Library
    from searchbench.web.serve import serve as serve_library

    databases, certificates, folders, games = _sorted_out(what or [])
    predicates = {text.rpartition(":")[2]: function_in(text, "--predicate") for text in predicate or ()}
    library = Library({}, games, predicates, cache, [load(one) for one in database_games or ()], trust)
    for path in databases:
        _add_database(library, path)
    for path in certificates:
        _add_certificate(library, path)
    for folder in folders:
        _add_inside(library, folder)
    if keep is not None:
        _add_kept(library, keep)
    limits = None if read_only or listening.host not in LOCAL else Limits()

    def ready(address: str) -> None:
        show.write(f"serving {address}{'' if limits else ' (read only)'}; Ctrl+C ends it")
        if not listening.no_browser:
            webbrowser.open(address)

    serve_library(library, listening.host, listening.port, limits, keep, ready)


def _ask(library: Library, folder: Path) -> None:
    """Ask on a terminal whether the file that a database names may be run."""
    file = library.untrusted(folder)
    if file is None or not sys.stdin.isatty():
        return  # it is refused when it is opened
    show.write(f"{folder} is of a game in {file}, and opening it runs that file. Run it? [y/N]")
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        library.trust_file(file)


def _add_database(library: Library, path: Path) -> None:
    _ask(library, path)
    name = library.add(path)
    show.write(f"{name}: {library.database(name).game}, {path}")


def _add_certificate(library: Library, path: Path) -> None:
    _ask(library, path)
    name = library.add_certificate(path)
    show.write(f"{name}: {library.certificate(name).certificate.claim}, {path}")


def _sorted_out(what: list[str]) -> tuple[list[Path], list[Path], list[Path], dict[str, Game]]:
    """Return the databases, the certificates, the folders of such and the games among the arguments.

    Raises BadRequest for anything else.
    """
    from searchbench.catalogue import load
    from searchbench.errors import BadRequest, UnknownGame
    from searchbench.store import is_named_certificate

    databases: list[Path] = []
    certificates: list[Path] = []
    folders: list[Path] = []
    games: dict[str, Game] = {}
    for word in what:
        if is_named_certificate(word):
            certificates.append(Path(word))
            continue
        if Path(word).is_dir():
            (folders if any(_inside(Path(word))) else databases).append(Path(word))
            continue
        try:
            game = load(word)
        except UnknownGame as error:
            raise BadRequest(f"{word}: there is no such database, nor such a game ({error})") from None
        games[game.spec] = game
    return databases, certificates, folders, games


def _inside(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the databases and the certificates in a folder, damaged or not; none in one that is a database itself."""
    from searchbench.store.certificate import is_named_certificate
    from searchbench.store.writing import has_torn_header, is_database

    def claims(one: Path) -> bool:
        return is_database(one) or has_torn_header(one)

    if claims(folder):
        return [], []
    entries = [one for one in sorted(folder.iterdir()) if not one.name.startswith(".")]
    return [one for one in entries if claims(one)], [one for one in entries if is_named_certificate(one)]


def _add_inside(library: Library, folder: Path) -> None:
    """Add what lies in a folder; what cannot be read is told and left out."""
    from searchbench.errors import SearchBenchError

    databases, certificates = _inside(folder)
    for add, paths in ((_add_database, databases), (_add_certificate, certificates)):
        for path in paths:
            try:
                add(library, path)
            except SearchBenchError as error:
                _leave_out(library, path, error)


def _add_kept(library: Library, keep: Path) -> None:
    """Add the databases that were solved in the browser earlier; what cannot be read is told and left out. Raises BadRequest."""
    from searchbench.errors import BadRequest, SearchBenchError

    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadRequest(f"--keep {keep}: expected a folder, or a place for one ({error.strerror})") from None
    for folder in sorted(keep.iterdir()):
        if folder.is_dir() and not folder.name.startswith("."):
            try:
                show.write(f"{library.add(folder)}: {folder}")
            except SearchBenchError as error:
                _leave_out(library, folder, error)


def _leave_out(library: Library, path: Path, error: SearchBenchError) -> None:
    library.leave_out(path, error)
    show.write(f"left out: {error}")
