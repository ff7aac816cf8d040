"""Open a database on disk; check all metadata before using them."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Final, NamedTuple

from searchbench import consent
from searchbench.catalogue import WhichGame, load, load_with, names_file
from searchbench.errors import BadRequest, DamagedData, NoConsent, StaleDatabase, UnknownGame
from searchbench.game import Game
from searchbench.run import parse_memory
from searchbench.store import header as head
from searchbench.store.database import Database
from searchbench.store.disk import DiskCodes
from searchbench.store.forms import FORMS
from searchbench.store.numbering import PLACE, array_paths, with_numbering
from searchbench.store.reductions import Reduction
from searchbench.store.restoring import restored
from searchbench.store.salvage import SalvagedPart
from searchbench.values import SHIPPED, ValueRule, value_rule

NAME_IT: Final = "name the game: --game FILE.py:CLASS on the command line, game=... in Python"


def open_database(
    path: str | Path,
    game: WhichGame = None,
    rule: ValueRule | None = None,
    cache: str | int = "64MB",
    trust: bool = False,
) -> Database:
    """Open a database on disk; cache chunks of up to `cache` bytes.

    The game is found by its name, or by its file: relative to the database's folder, else to the current one. `game` (a
    game, its name, or several candidates) is needed if the file has moved, `rule` for a custom value rule that is not
    the game's. A file that the database names is run only if `game` names it, if the user has run it before, or if `trust`
    says so (see :mod:`searchbench.consent`). Raises NoConsent; BadRequest if nothing is there; DamagedData if it is no
    database, incomplete, altered, or made by another version of the format or of the game; StaleDatabase if the rules have
    changed since.
    """
    folder = Path(path)
    header = read_header(folder)
    _check_files(folder, header)
    found = find_game(folder, header.game, game, trust)
    return _database(folder, header, found, rule, DiskCodes(folder, header, parse_memory(cache)))


def open_salvaged(path: str | Path, game: WhichGame = None, rule: ValueRule | None = None) -> tuple[Database, Lost]:
    """Open a database whose chunks may be damaged or missing; also return the lost numbers and parts.

    The codes of lost chunks read 0. Everything but the chunks must be intact: raises the errors of `open_database`, and
    BadRequest for a form that leaves codes out.
    """
    folder = Path(path)
    header = read_header(folder)
    if header.reduction:
        raise BadRequest(
            f"{folder} has the form {header.kept_as!r}, which cannot be repaired: convert the whole one again"
        )
    found = find_game(folder, header.game, game)
    readers: dict[str, SalvagedPart] = {}

    def reader(folder: Path, record: head.PartRecord, chunk: int) -> SalvagedPart:
        return readers[record.name]

    form = FORMS[header.form]
    numbers: list[tuple[int, int]] = []
    for record in header.parts:
        chunk = head.chunk_of(record.part, header.chunk, form)
        readers[record.name] = SalvagedPart(folder, record, chunk)
        for place in sorted(readers[record.name].lost):
            first = record.start + place * chunk * form.per_unit
            numbers.append((first, min(first + chunk * form.per_unit, record.stop)))
    unsound = tuple(name for name, one in readers.items() if not one.sound)
    database = _database(folder, header, found, rule, DiskCodes(folder, header, 0, reader))
    return database, Lost(tuple(numbers), unsound)


class Lost(NamedTuple):
    """Lost data: intervals of numbers, and the parts whose files must be rewritten."""

    numbers: tuple[tuple[int, int], ...]
    parts: tuple[str, ...]


def _database(folder: Path, header: head.Header, game: Game, rule: ValueRule | None, codes: DiskCodes) -> Database:
    """Return the database after checking that it fits the game's current rules."""
    found = with_numbering(game, folder, header)
    wanted = _find_rule(folder, header, found, rule)
    _check_index(folder, header, found)
    _check_rules(folder, header, found, wanted)
    parts = [record.part for record in header.parts]
    if header.reduction:
        whole = restored(codes, _reduction(folder, header), header.parts, found, wanted)
        return Database(found, wanted, whole, header.facts, header.command, folder, parts)
    return Database(found, wanted, codes, header.facts, header.command, folder, parts)


def refuse_certificate(path: Path) -> None:
    """Raise BadRequest if a path is a certificate, where a database is needed."""
    from searchbench.store.certificate import is_named_certificate

    if is_named_certificate(path):
        raise BadRequest(f"{path} is a certificate, no database: verify, stats, probe, line and play take it")


def read_header(folder: Path) -> head.Header:
    """Return the header of a database after checking it. Raises BadRequest and DamagedData."""
    if not folder.exists():
        raise BadRequest(f"{folder}: there is no database")
    refuse_certificate(folder)
    if not (folder / head.DOCUMENT).is_file():
        raise DamagedData(f"{folder} is no searchbench database: it has no {head.DOCUMENT}")
    if head.is_begun(folder):
        raise DamagedData(
            f"{folder} has no part yet: `solve` was stopped before the first was done; repeat the command to resume"
        )
    document = head.read_document(folder / head.DOCUMENT)
    try:
        attributes = document["attributes"]
        version, digest = attributes[head.KEY]["format"], attributes[head.KEY]["digest"]
    except (KeyError, TypeError):
        raise DamagedData(f"{folder} is no searchbench database: its attributes lack {head.KEY!r}") from None
    if version != head.FORMAT:
        raise DamagedData(f"{folder} has format {version!r}; this version of searchbench reads format {head.FORMAT}")
    if digest != head.metadata_digest(folder):
        raise DamagedData(f"{folder}: the metadata were altered: they do not match their digest")
    try:
        header = head.Header.of(attributes)
    except (KeyError, TypeError) as error:
        raise DamagedData(f"{folder}: the attributes are no header of a database: {error}") from None
    if header.form not in FORMS:
        raise DamagedData(f"{folder} has the form {header.form!r}; there are {', '.join(FORMS)}")
    for record in header.parts:
        form = FORMS[header.form]
        units = form.units(record.part.size)
        _check_array(folder, head.codes_path(record.name), units, record.dtype or header.dtype)
        chunks = math.ceil(units / head.chunk_of(record.part, header.chunk, form))
        _check_array(folder, head.digests_path(record.name), chunks, "uint64")
    return header


def _check_files(folder: Path, header: head.Header) -> None:
    """Compare the existing files with those that the metadata list."""
    expected = {head.DOCUMENT, f"parts/{head.DOCUMENT}", f"digests/{head.DOCUMENT}"}
    for record in header.parts:
        expected |= _files_of(folder, head.codes_path(record.name)) | _files_of(folder, head.digests_path(record.name))
    for array in array_paths(header.index):
        expected |= _files_of(folder, array) | {f"{PLACE}/{head.DOCUMENT}"}
    there = {
        (Path(where) / name).relative_to(folder).as_posix() for where, _, names in os.walk(folder) for name in names
    }
    names = {head.folder_name(record.name) for record in header.parts}
    unknown = {file for file in there - expected if not (_of_another_part(file, names) or head.is_half_written(file))}
    if unknown:
        raise DamagedData(f"{folder}: {min(unknown)} does not belong to the database")
    if expected - there:
        raise DamagedData(f"{folder}: {min(expected - there)} is missing (`searchbench repair` recomputes lost values)")


def _of_another_part(file: str, names: set[str]) -> bool:
    """Tell whether a file belongs to a part that the header does not list: unfinished, or left by a killed writer."""
    place, _, rest = file.partition("/")
    return place in {"parts", "digests"} and "/" in rest and rest.partition("/")[0] not in names


def _check_array(folder: Path, array: str, size: int, dtype: str) -> None:
    document = head.read_document(folder / array / head.DOCUMENT)
    found = (document.get("shape"), document.get("data_type"))
    if found != ([size], dtype):
        raise DamagedData(f"{folder / array} has shape and type {found}, expected {([size], dtype)}")


def _files_of(folder: Path, array: str) -> set[str]:
    document = head.read_document(folder / array / head.DOCUMENT)
    step = document["chunk_grid"]["configuration"]["chunk_shape"][0]
    tail = "/0" * (len(document["shape"]) - 1)
    files = {f"{array}/c/{place}{tail}" for place in range(math.ceil(document["shape"][0] / step))}
    return files | {f"{array}/{head.DOCUMENT}"}


def _reduction(folder: Path, header: head.Header) -> Reduction:
    try:
        return Reduction.of(header.reduction)
    except DamagedData as error:
        raise DamagedData(f"{folder}: {error}") from None


def find_game(folder: Path, kept: dict[str, Any], game: WhichGame, trust: bool = False) -> Game:
    """Return the game that a file's header describes; `game` where its file has moved.

    Raises BadRequest, DamagedData and NoConsent.
    """
    if isinstance(game, str | Game):
        found = _with_parameters(load(game), kept)
    else:
        given = (_with_parameters(load(one), kept) for one in game or ())
        found = next((one for one in given if _is_of(one, kept)), None) or _kept_game(folder, kept, trust)
    now = head.plain(found.identity())
    if not _is_of(found, kept):
        is_other = now["name"] != kept["name"] or now["parameters"].keys() == kept["parameters"].keys()
        if isinstance(game, str | Game) and is_other and found.spec != kept["spec"]:
            raise BadRequest(f"{folder} is of {kept['spec']}, not of {found}")
        raise DamagedData(f"{folder} is of {_text(kept)}, not of {_text(now)}")
    if now["version"] != kept["version"]:
        raise DamagedData(
            f"{folder} was made by version {kept['version']} of {kept['name']}, which is at version {now['version']}: "
            "solve the game again"
        )
    return found


def _is_of(game: Game, kept: dict[str, Any]) -> bool:
    now = head.plain(game.identity())
    return (now["name"], now["parameters"]) == (kept["name"], kept["parameters"])


def _with_parameters(game: Game, kept: dict[str, Any]) -> Game:
    """Give a game that was named without parameters those of the database."""
    try:
        if game.name == kept["name"] and game == type(game)():
            return type(game)(**_parameters(kept))
    except (TypeError, ValueError):  # a parameter has no default, or the parameters changed
        pass
    return game


def _parameters(kept: dict[str, Any]) -> dict[str, Any]:
    return {name: _frozen(value) for name, value in kept["parameters"].items()}


def _frozen(value: Any) -> Any:
    """Return a parameter as a game has it: lists were tuples before they were written."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _kept_game(folder: Path, kept: dict[str, Any], trust: bool) -> Game:
    """Load the database's game: by its file, relative to the database's folder or to the current one, or by its name."""
    path, _, rest = kept["spec"].partition(".py")
    places = _places_of_file(folder, kept)
    if not places:
        try:
            return load_with(kept["spec"], _parameters(kept))
        except UnknownGame as error:
            raise UnknownGame(f"{folder} is of {kept['spec']}, which is not found ({error}); {NAME_IT}") from None
    beside, here = places[0], Path(path + ".py")
    for file in places:
        if file.is_file():
            if not trust and not consent.given(folder, file):
                raise NoConsent(
                    f"{folder} is of a game in {file}, and opening it runs that file, which you have not run before as it "
                    f"is now. If you trust it, name it: --game {file}:CLASS on the command line, or say --trust; in Python "
                    "trust=True, or game=..."
                )
            near = os.path.relpath(file)
            return load_with(f"{file if near.startswith('..') else near}{rest}", _parameters(kept))
    raise UnknownGame(
        f"{folder} is of the game {kept['name']!r} in the file {here.name}, which is neither where it was when the database "
        f"was made ({beside}) nor at {here} from here ({Path.cwd()}); {NAME_IT}"
    )


def game_file(folder: Path) -> Path | None:
    """Return the Python file that opening a database or a certificate runs unless its game is named; None if there is none."""
    from searchbench.store.certificate import is_named_certificate, kept_game

    kept = kept_game(folder) if is_named_certificate(folder) else read_header(folder).game
    return next((file for file in _places_of_file(folder, kept) if file.is_file()), None)


def _places_of_file(folder: Path, kept: dict[str, Any]) -> list[Path]:
    """Return where the file of a game may be: beside the database as when it was made, or at the same path from here."""
    if not names_file(kept["spec"]):
        return []
    here = Path(kept["spec"].partition(".py")[0] + ".py").resolve()
    beside = Path(os.path.normpath(folder.resolve() / kept["file"])) if "file" in kept else here
    return list(dict.fromkeys((beside, here)))


def _text(identity: dict[str, Any]) -> str:
    return f"{identity['name']}({', '.join(f'{name}={value}' for name, value in identity['parameters'].items())})"


def _find_rule(folder: Path, header: head.Header, game: Game, rule: ValueRule | None) -> ValueRule:
    kept = header.rule
    own = value_rule(game.values)
    candidates = [rule] if rule is not None else [own, *(shipped() for shipped in SHIPPED.values())]
    for candidate in candidates:
        if head.plain(candidate.identity()) == kept:
            return candidate
    if rule is not None:
        raise DamagedData(f"{folder} has values of {kept}, not of {rule.identity()}")
    raise DamagedData(
        f"{folder} has values of the rule {kept}, which is not known: name the value rule, rule=... in Python"
    )


def _check_index(folder: Path, header: head.Header, game: Game) -> None:
    kept, now = [record.part for record in header.parts], [_as_kept(part) for part in game.parts()]
    if [part for part in now if part in kept] != kept:
        raise DamagedData(f"{folder} has the parts {kept}, the index of {game} has {now}: solve the game again")


def _as_kept(part: Any) -> Any:
    return part._replace(needs=tuple(part.needs))


def _check_rules(folder: Path, header: head.Header, game: Game, rule: ValueRule) -> None:
    if header.versions != head.versions():
        return  # other byte code: fingerprints are not comparable; version numbers were compared already
    for what, mark in head.fingerprints(game, rule).items():
        if mark != header.fingerprints[what]:
            changed = (
                f"the rules or the index of {game}" if what == "game" else f"the functions of the rule {rule.name}"
            )
            raise StaleDatabase(f"{folder}: {changed} have changed since it was made: solve the game again")
