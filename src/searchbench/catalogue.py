"""Find a game by name, entry point or file."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import pkgutil
import re
import sys
import traceback
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from searchbench import consent
from searchbench.errors import BadGame, SearchBenchError, UnknownGame, line_of, raised_in, told
from searchbench.game import Game
from searchbench.user_code import check_class
from searchbench.values import value_rule

GAMES: Final = "searchbench.games"
ABSTRACTIONS: Final = "searchbench.abstractions"
"""The packages whose modules are found by name; installed packages offer more as entry points in groups of the same names."""
WhichGame = str | Game | Sequence[str | Game] | None
"""The game of a database: a game, what names it, several of which the fitting one is taken, or None: the database knows."""
OWN: Final = "searchbench_user_"
"""How the modules of users' own files begin."""


def shipped(home: str = GAMES) -> Iterator[type[Game]]:
    """Yield every game that comes with searchbench, and those that installed packages offer as entry points.

    With `home` ABSTRACTIONS, yield the abstractions and subgoals in their place.
    """
    package = importlib.import_module(home)
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        yield from _games_in(importlib.import_module(f"{home}.{module.name}"))
    for entry in importlib.metadata.entry_points(group=home):
        yield entry.load()


def described(game: type[Game]) -> dict[str, Any]:
    """Return a game's name, title with the defaults of its parameters (None: it must be given), these, players, value rule."""
    rule = value_rule(game.values)
    defaults = {
        field.name: None if field.default is dataclasses.MISSING else field.default
        for field in dataclasses.fields(game)  # type: ignore[arg-type]
    }
    return {
        "name": game.name,
        "title": _title(game, defaults),
        "parameters": defaults,
        "players": 2 if rule.two_players else 1,
        "values": rule.name,
    }


def allowed(kind: type[Game]) -> dict[str, str]:
    """Return the values that each parameter of a game may have, in the words in which the game refuses others.

    The rest has its defaults: a board of eight rows may allow more columns than one of twelve.
    """
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    given = {field.name: _NONE_SUCH[str] for field in fields if field.default is dataclasses.MISSING}
    words = {field.name: _allowed(kind, field.name, hints[field.name], given) for field in fields}
    needed = {words[name]: name for name in given}  # without it the game tells of nothing else
    return {
        name: one if name in given or one not in needed else f"depends on {needed[one]}" for name, one in words.items()
    }


def _allowed(kind: type[Game], name: str, of: type, given: Mapping[str, Any]) -> str:
    if of is bool:
        return "yes or no"
    try:
        kind(**{**given, name: _NONE_SUCH.get(of, _NONE_SUCH[str])})
    except (ValueError, SearchBenchError) as error:
        told = re.search(r"(?:expected|there are|graph has) (.+)", str(error), re.DOTALL)
        if told is not None:
            return told[1]
    return "any whole number" if of is int else "a text"


_KINDS: Final = {int: "a whole number", float: "a number", str: "a text"}
_NONE_SUCH: Final = {int: -1, str: "?"}
"""Values that hardly any parameter may have, by type."""


def title_of(game: Game) -> str:
    """Return the title of a game with the values of its parameters in the place of their names."""
    return _title(type(game), game.parameters)


def _title(kind: type[Game], values: Mapping[str, Any]) -> str:
    """Return the first sentence on a game, with the values of parameters in the place of their names, without quotes."""
    first = (inspect.getdoc(kind) or "").partition("\n")[0]
    known = {name: str(one) for name, one in values.items() if one not in ("", None) and not isinstance(one, bool)}
    return re.sub("`([^`]+)`", lambda found: known.get(found[1], found[1]), first)


def name_of(game: Game) -> str:
    """Return a game and its parameters in words, such as "Sliding on 3x3" or "Awari, 5 stones".

    Texts and switches that have their defaults are left out.
    """
    if game.called:
        return game.called
    usual = {field.name: field.default for field in dataclasses.fields(game)}  # type: ignore[arg-type]
    parameters = {
        name: value
        for name, value in game.parameters.items()
        if value != "" and not (isinstance(value, bool | str) and value == usual.get(name))
    }
    words = [game.name.replace("-", " ").capitalize()]
    if {"rows", "columns"} <= set(parameters):
        words[0] += f" on {parameters.pop('rows')}x{parameters.pop('columns')}"
    for name, value in parameters.items():
        noun = name.replace("_", " ")
        if isinstance(value, bool):
            words.append(noun if value else f"no {noun}")
        else:
            counted = isinstance(value, int) and noun.endswith("s") and not noun.endswith("ss")  # as in "across"
            words.append(f"{value} {noun.removesuffix('s') if value == 1 else noun}" if counted else f"{noun} {value}")
    return ", ".join(words)


def load(spec: str | Game) -> Game:
    """Return the game that a text names.

    "sliding:3x3" is a shipped game or abstraction (or an entry point in the group ``searchbench.games`` or
    ``searchbench.abstractions``) with its parameters, also "sliding:rows=3,columns=3"; "mygame.py", "mygame.py:MyGame" and
    "mygame.py:MyGame:5" are a class in a file of one's own.
    Raises UnknownGame, which names a right one.
    """
    if isinstance(spec, Game):
        return spec
    if not isinstance(spec, str):
        raise UnknownGame(f"{spec!r} is no game: expected one, or a text such as 'sliding:3x3' or 'mygame.py'")
    kind, arguments = _class_of(spec)
    return _make(kind, arguments, spec)


def load_with(spec: str, parameters: Mapping[str, Any]) -> Game:
    """Return the game that a text names, with these parameters, of which a text may not be able to tell all."""
    kind, arguments = _class_of(spec)
    told: Game | UnknownGame
    try:
        told = _make(kind, arguments, spec)
        if told.parameters == parameters:
            return told
    except UnknownGame as error:
        told = error
    try:
        return kind(**parameters)
    except (TypeError, ValueError):  # the class has other parameters now
        if isinstance(told, UnknownGame):
            raise told from None
        return told


def _class_of(spec: str) -> tuple[type[Game], str]:
    """Return the class that a text names, and the rest of the text: its parameters."""
    path, separator, rest = spec.partition(".py")
    if separator and names_file(spec):
        name, _, arguments = rest.removeprefix(":").partition(":")
        return _class_in_file(Path(path + ".py"), name), arguments
    name, _, arguments = spec.partition(":")
    return class_named(name), arguments


def names_file(spec: str) -> bool:
    """Tell whether a text names a class in a Python file, so that loading it runs that file."""
    _, separator, rest = spec.partition(".py")
    return bool(separator) and (not rest or rest.startswith(":"))


def source_file(game: type[Game]) -> Path | None:
    """Return the user's file that a game was loaded from, None for games that are shipped or installed."""
    if not game.__module__.startswith(OWN):
        return None
    file = getattr(sys.modules.get(game.__module__), "__file__", None)
    return None if file is None else Path(file)


def explained(error: Exception) -> BadGame | None:
    """Return the message for an exception that a user's own file raised where it was called for a game: None if none did."""
    found: Game | None = None
    trace = error.__traceback__
    while trace is not None:
        for value in list(trace.tb_frame.f_locals.values()):
            found = value if isinstance(value, Game) else found
        trace = trace.tb_next
    place = "" if found is None else raised_in(error, type(found))
    if found is None or not place:
        return None
    right = "`searchbench check` tries all of a game's functions, and shows a state where one fails"
    if isinstance(error, IndexError) and place.endswith((", in moves", ", in unmoves")):
        right = f"`out` has room for max_moves, {found.max_moves}, and max_unmoves, {found.max_unmoves}; {right}"
    return BadGame(f"{place}: the game {found.name!r} raised {told(error)}; {right}")


def class_named(name: str) -> type[Game]:
    """Return the class of a shipped or installed game or abstraction. Raises UnknownGame with those that there are."""
    module = name.replace("-", "_")
    for home in (GAMES, ABSTRACTIONS):
        if re.fullmatch(r"[a-z]\w*", module) and importlib.util.find_spec(f"{home}.{module}"):
            return _games_in(importlib.import_module(f"{home}.{module}"))[0]
        for entry in importlib.metadata.entry_points(group=home):
            if entry.name == name:
                game: type[Game] = entry.load()
                return game
    games, abstractions = (", ".join(game.name for game in shipped(home)) for home in (GAMES, ABSTRACTIONS))
    raise UnknownGame(
        f"unknown game {name!r}{meant(name)}: there are {games}, and the abstractions {abstractions}; "
        "or give a file such as mygame.py:MyGame"
    )


def meant(name: str) -> str:
    """Return a question after the shipped game whose name is most like one that is unknown, or nothing."""
    near = difflib.get_close_matches(name, [game.name for game in shipped()], 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _games_in(module: Any) -> list[type[Game]]:
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Game) and value.__module__ == module.__name__ and value.name
    ]


def _class_in_file(path: Path, name: str) -> type[Game]:
    if not path.is_file():
        raise UnknownGame(
            f"no file {path} (looked for in {Path.cwd()})" if not path.is_absolute() else f"no file {path}"
        )
    module = import_file(path)
    games = {game.__name__: game for game in _games_in(module)}
    if not name and len(games) == 1:
        (name,) = games
    if name not in games:
        asked = f" {name!r}" if name else ""
        if name or not games:
            there = ", ".join(games) or _without_name(module)
            more = f"; it has {there}" if there else ", a class derived from Game that has a name"
            raise UnknownGame(f"{path} has no game{asked}{more}")
        raise UnknownGame(f"{path} has the games {', '.join(games)}: say which, as in {path}:{next(iter(games))}")
    games[name].__searchbench_source__ = f"{path}:{name}"  # type: ignore[attr-defined]
    return games[name]


def _without_name(module: Any) -> str:
    """Say that a class of a module derives from Game but has no name: "" if there is none."""
    for value in vars(module).values():
        if inspect.isclass(value) and issubclass(value, Game) and value.__module__ == module.__name__:
            return (
                f"the class {value.__name__}, which has no name: write name: ClassVar[str] = {value.__name__.lower()!r}"
            )
    return ""


def import_file(path: Path) -> Any:
    """Import a user's file under a name that stays the same between processes, again whenever its text has changed."""
    path = path.resolve()
    text = path.read_bytes()
    consent.remember(path)
    name = f"{OWN}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__searchbench_text__", None) == text:
        return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__searchbench_text__ = text  # type: ignore[attr-defined]
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # so that the file may import its neighbours
    try:
        # Python's own byte code on disk goes by the second and the size: a quick edit of equal length would not be seen.
        exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        place = f"{path}, line {lines[-1]}" if lines else str(path)
        raise UnknownGame(f"{place}: the file cannot be imported: {told(error)}") from error
    return module


def _make(game: type[Game], text: str, spec: str) -> Game:
    if not dataclasses.is_dataclass(game):
        raise UnknownGame(f"game {spec!r}: class {game.__name__} must be marked @dataclass(frozen=True)")
    check_class(game)
    fields = dataclasses.fields(game)
    try:
        hints = typing.get_type_hints(game)
    except Exception as error:  # an annotation may be any text
        raise UnknownGame(f"{line_of(game)}: the types of the parameters of {game.__name__}: {told(error)}") from error
    source = getattr(game, "__searchbench_source__", game.name)
    usage = f"{source}:" + ",".join(field.name.upper() for field in fields)
    words = [word for word in re.split(r",|(?<=\d)x(?=\d)", text) if word]
    if len(fields) == 1 and hints[fields[0].name] is str:  # a text of any kind, a path among others, takes all of it
        words = [f"{fields[0].name}={text.removeprefix(f'{fields[0].name}=')}"] if text else []
    arguments: dict[str, Any] = {}
    for place, word in enumerate(words):
        key, separator, value = word.partition("=")
        if not separator or not key.isidentifier():
            if place >= len(fields):
                raise UnknownGame(f"game {spec!r}: too many parameters, expected {usage}")
            key, value = fields[place].name, word
        if key not in hints or key not in {field.name for field in fields}:
            raise UnknownGame(f"game {spec!r}: no parameter {key!r}, expected {usage}")
        if key in arguments:
            raise UnknownGame(f"game {spec!r}: parameter {key} is given twice, expected {usage}")
        arguments[key] = _convert(value, hints[key], spec, key)
    try:
        return game(**arguments)
    except TypeError as error:
        raise UnknownGame(f"game {spec!r}: expected {usage} ({error})") from None
    except ValueError as error:
        raise UnknownGame(f"game {spec!r}: {error}") from None
    except SearchBenchError:
        raise
    except Exception as error:
        place = raised_in(error, game)
        raise UnknownGame(f"game {spec!r}: it cannot be made ({place}: {told(error)})") from error


def _convert(value: str, kind: Any, spec: str, key: str) -> Any:
    if kind is bool:
        if value.lower() in {"yes", "true", "1"}:
            return True
        if value.lower() in {"no", "false", "0"}:
            return False
        raise UnknownGame(f"game {spec!r}: parameter {key} must be yes or no, not {value!r}")
    if kind not in (int, str, float):
        raise UnknownGame(
            f"game {spec!r}: parameter {key} is of the type {getattr(kind, '__name__', kind)}, which no text tells: only whole "
            "numbers, texts, and yes or no can be given in a game's name (int, str, bool); others from Python"
        )
    try:
        return kind(value)
    except ValueError:
        raise UnknownGame(f"game {spec!r}: parameter {key} must be {_KINDS[kind]}, not {value!r}") from None
