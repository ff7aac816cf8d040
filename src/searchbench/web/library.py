"""Keep the databases and games of a server by their names; no others can be reached."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from searchbench.catalogue import ABSTRACTIONS, GAMES, load, meant, shipped, source_file
from searchbench.errors import BadRequest, DamagedData, SearchBenchError, UnknownGame, UnknownName
from searchbench.game import Game, Position
from searchbench.store import Database
from searchbench.store.certificate import kept_game, open_certificate
from searchbench.store.header import DOCUMENT
from searchbench.store.opening import game_file, read_header
from searchbench.verify import CertificatePlayer
from searchbench.web.answers import game_answer
from searchbench.web.certificates import Walk

Result = TypeVar("Result")
Predicate = Callable[[Position], Any]

LONG_TEXT: Final = 12
"""The characters of a parameter that says more than a name can: longer ones are left out where they are the default."""
LARGEST_NUMBER: Final = 100
"""The largest parameter of a game that a page may ask for: larger boards would keep the server busy."""
SPEC: Final = re.compile(r"[a-z][a-z0-9-]{0,40}(:[\w=,;:>-]{0,400}|:(level=)?#\d{1,3})?")
"""A shipped game and its parameters, or a level that comes with it. A level in a file is not read for a page."""

_FOLDERS: Final = re.compile(r"(?<![\w.])\.{0,2}/(?:[^\s/]+/)*(?=[^\s/])")
"""The folders before a file's name in a message: pages name no paths of the server."""


@dataclass
class Entry:
    """A database, its path, and the stamp of its folder when it was opened."""

    path: Path
    database: Database
    stamp: tuple[int, ...]
    verified: dict[str, Any] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def there_are(names: Iterable[str]) -> str:
    """Return what a message tells of the names that there are, if there are any."""
    listed = ", ".join(names)
    return f"there are: {listed}" if listed else "there is none"


class Library:
    """Keep databases open under their names; `cache` limits the memory of each.

    `games` are user-defined games by their names, `predicates` user-defined functions for `find`. A database of a game in a
    file is opened only if that file is one of a game named here, or if `trust` says that any file may be run.
    """

    def __init__(
        self,
        databases: Mapping[str, Path] | None = None,
        games: Mapping[str, Game] | None = None,
        predicates: Mapping[str, Predicate] | None = None,
        cache: str | int = "64MB",
        database_games: Sequence[Game] = (),
        trust: bool = False,
    ) -> None:
        self._trust = trust
        named = [source_file(type(game)) for game in (*(games or {}).values(), *database_games)]
        self._trusted = {file.resolve() for file in named if file is not None}
        self._cache = cache
        self._database_games = database_games
        self._entries: dict[str, Entry] = {}
        self._left_out: dict[tuple[str, str], str] = {}
        self.certificates: dict[str, Walk] = {}
        self._games = dict(games or {})
        self.predicates = dict(predicates or {})
        self._called: dict[str, str] = {}
        """What answers call the paths of files and databases by: their names, without the folders of the server."""
        self._learn(*self._games.values(), *database_games)
        self._described: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        for name, path in (databases or {}).items():
            self.add(path, name)

    # --- databases -----------------------------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Return the databases' names, in the order in which they were added."""
        return list(self._entries)

    def solved(self) -> list[tuple[str, Game]]:
        """Return the databases' names with their games, also of one that cannot be read now."""
        return [(name, entry.database.game) for name, entry in list(self._entries.items())]

    def add(self, path: Path, name: str | None = None) -> str:
        """Open a database and return its name: that of its folder, with a number if that name is taken."""
        chosen = _free_name(name or path.resolve().name.removesuffix(".db"), self._entries)
        self._entries[chosen] = entry = self._open(path)
        self._learn(path, entry.database.game)
        return chosen

    def leave_out(self, path: Path, error: SearchBenchError) -> None:
        """Remember why a database or a certificate cannot be read, for those who ask for it by its name."""
        what, ending = ("certificate", ".cert") if path.is_file() else ("database", ".db")
        self._left_out.setdefault((what, path.resolve().name.removesuffix(ending)), _FOLDERS.sub("", str(error)))

    def add_certificate(self, path: Path) -> str:
        """Open a certificate and return its name, as `add` does for a database."""
        self._check_trust(path)
        name = _free_name(path.resolve().name.removesuffix(".cert"), self.certificates)
        named = [*self._games.values(), *self._database_games]
        kept = kept_game(path)["name"]
        fitting = [game for game in named if game.name == kept]
        self.certificates[name] = walk = Walk(CertificatePlayer(open_certificate(path, fitting or None, trust=True)))
        self._learn(path, walk.certificate.game)
        return name

    def certificate(self, name: str) -> Walk:
        """Return a certificate. Raises UnknownName."""
        if name not in self.certificates:
            raise self._unknown("certificate", name, self.certificates)
        return self.certificates[name]

    def database(self, name: str) -> Database:
        """Return a database; reopen it if its folder has been replaced. Raises UnknownName, DamagedData."""
        entry = self._entry(name)
        stamp = _stamp(entry.path)
        if not stamp:
            raise DamagedData(f"the database {name} is not there now: try again")
        if stamp != entry.stamp:
            with entry.lock:
                if stamp != entry.stamp:
                    opened = self._open(entry.path)
                    entry.database.close()
                    entry.database, entry.stamp, entry.verified = opened.database, opened.stamp, None
        return entry.database

    def ask(self, name: str, question: Callable[[Database], Result]) -> Result:
        """Return the answer to a question; ask it again if the database is replaced meanwhile."""
        database = self.database(name)
        try:
            return question(database)
        except DamagedData:
            again = self.database(name)
            if again is database:
                raise
            return question(again)

    def verified(self, name: str) -> dict[str, Any] | None:
        """Return the result of a database's last verification, or None if the present one has not been verified."""
        return self._entry(name).verified

    def keep_verified(self, name: str, database: Database, result: dict[str, Any]) -> None:
        """Store the result of a verification, unless the database was replaced meanwhile."""
        entry = self._entry(name)
        if entry.database is database and _stamp(entry.path) == entry.stamp:
            entry.verified = result

    def _entry(self, name: str) -> Entry:
        if name not in self._entries:
            raise self._unknown("database", name, self._entries)
        return self._entries[name]

    def _unknown(self, what: str, name: str, known: Iterable[str]) -> UnknownName:
        why = self._left_out.get((what, name))
        if why is not None:
            return UnknownName(f"the {what} {name[:80]!r} was left out when the server started: {why}")
        return UnknownName(f"there is no {what} {name[:80]!r}; {there_are(known)}")

    def _fitting(self, path: Path) -> Sequence[Game] | None:
        """Return those games given for databases that have the name of this database's game, or None."""
        name = read_header(path).game["name"]
        fitting = [game for game in self._database_games if game.name == name]
        return fitting or None

    def trust_file(self, file: Path) -> None:
        """Let databases name this file: it is run when they are opened."""
        self._trusted.add(file.resolve())

    def untrusted(self, path: Path) -> Path | None:
        """Return the file that opening a database would run although nobody has named it; None if there is none."""
        file = None if self._trust else game_file(path)
        return None if file is None or file.resolve() in self._trusted else file

    def _check_trust(self, path: Path) -> None:
        file = self.untrusted(path)
        if file is not None:
            raise BadRequest(
                f"{path} is of a game in {file}, and opening it runs that file: if you trust it, give --trust, or name the "
                "game, --game FILE.py:CLASS"
            )

    def _open(self, path: Path) -> Entry:
        self._check_trust(path)
        stamp = _stamp(path)  # before it is opened: a folder replaced meanwhile is opened again
        return Entry(path, Database.open(path, self._fitting(path), cache=self._cache, trust=True), stamp)

    # --- what answers tell -------------------------------------------------------------------------------------------------

    def told(self, answer: Any) -> Any:
        """Return plain data in which files and databases are called by their names, without the folders of the server."""
        if isinstance(answer, str):
            for path, called in self._called.items():
                answer = answer.replace(path, called)
            return answer
        if isinstance(answer, dict):
            return {key: self.told(value) for key, value in answer.items()}
        return [self.told(value) for value in answer] if isinstance(answer, list) else answer

    def short_name(self, game: Game) -> str:
        """Return a name for a database of a game: without the file of its class, and long texts that are its defaults."""
        spec = self.told(game.spec)
        for one in dataclasses.fields(game):  # type: ignore[arg-type]
            if isinstance(one.default, str) and len(one.default) > LONG_TEXT:
                spec = spec.replace(one.default, "")
        return re.sub(r"^[^:]*\.py:", "", spec)

    def _learn(self, *found: Path | Game) -> None:
        """Remember the paths of databases, of certificates and of the files in the names of games, the longest first."""
        known = dict(self._called)
        for one in found:
            for path in [one] if isinstance(one, Path) else _files_in(one):
                whole = path.resolve()
                called = known.get(str(whole)) or _apart(whole, known.values())
                known |= {text: called for text in (str(path), str(whole)) if os.sep in text}
        self._called = dict(sorted(known.items(), key=lambda item: -len(item[0])))

    # --- games -----------------------------------------------------------------------------------------------------------

    def games(self) -> list[tuple[str, type[Game], Game | None]]:
        """Return name, class and instance (None: it needs parameters) of each game: first user-defined, then shipped ones."""
        own = [(spec, type(game), game) for spec, game in self._games.items()]
        return [*own, *((found.name, found, _default(found)) for found in shipped())]

    def described_games(self) -> list[dict[str, Any]]:
        """Return the descriptions of all games, made once: some have large indexes."""
        with self._lock:
            if not self._described:
                self._described = [game_answer(*found) for found in self.games()]
            return self._described

    def game(self, spec: str) -> Game:
        """Return a game named at the server's start, the game of a database, or a shipped game.

        Raises UnknownGame and BadRequest.
        """
        for game in (*self._games.values(), *(game for _, game in self.solved())):
            if spec in (game.spec, self.told(game.spec)):
                return game
        if not SPEC.fullmatch(spec) or ".py" in spec:
            raise UnknownGame(f"{spec[:80]!r} is no game here: {self._what_to_give(spec)}")
        if any(int(number) > LARGEST_NUMBER for number in re.findall(r"\d+", spec)):
            raise BadRequest(
                f"game {spec[:80]!r}: here parameters go up to {LARGEST_NUMBER}; name it when you start the server"
            )
        name = spec.partition(":")[0]
        if all(name != kind.name for home in (GAMES, ABSTRACTIONS) for kind in shipped(home)):
            raise UnknownGame(
                f"unknown game {name!r}{meant(name)}: the first page lists all, as does GET /api/v1/games"
            )
        return load(spec)

    def _what_to_give(self, spec: str) -> str:
        """Return what to give in the place of a game that is not here; of a file that was named, other parameters are missing."""
        file = _file_of(spec)
        if own := [name for name in self._games if file.endswith(".py") and _file_of(name) == file]:
            listed = ", ".join(map(self.told, own))
            return f"of {file} there is {listed}; other parameters are named when you start the server"
        return "give a shipped one such as sliding:3x3 or sokoban:#2, or name yours when you start the server"


def _files_in(game: Game) -> Iterator[Path]:
    """Yield the files in the text that names a game: that of its class, and those that its parameters name."""
    source = getattr(type(game), "__searchbench_source__", None)
    if source is not None:
        yield Path(source.rpartition(":")[0])
    for value in game.parameters.values():
        file = Path(value.rpartition("#")[0] or value) if isinstance(value, str) and "\n" not in value else None
        with contextlib.suppress(OSError):  # a text that is too long to be a path
            if file is not None and file.is_file():
                yield file


def _apart(path: Path, taken: Iterable[str]) -> str:
    """Return the name of a file, with as many folders before it as tell it from others of that name."""
    ends = ["/".join(path.parts[-parts:]) for parts in range(1, len(path.parts))]
    return next((end for end in ends if end not in taken), str(path))


def _file_of(spec: str) -> str:
    """Return the name of a game's file, without its folder."""
    return Path(spec.partition(":")[0]).name


def _free_name(wanted: str, taken: Mapping[str, Any]) -> str:
    stem = re.sub(r"[^\w.-]+", "-", wanted).strip("-.") or "database"
    chosen, number = stem, 2
    while chosen in taken:
        chosen, number = f"{stem}-{number}", number + 1
    return chosen


def _default(kind: type[Game]) -> Game | None:
    try:
        return kind()
    except TypeError:  # a parameter has no default
        return None


def _stamp(path: Path) -> tuple[int, ...]:
    """Return a stamp that changes when a folder is replaced; empty if the folder does not exist."""
    try:
        folder, document = path.stat(), (path / DOCUMENT).stat()
    except OSError:
        return ()
    return folder.st_ino, document.st_ino, document.st_mtime_ns, document.st_size
