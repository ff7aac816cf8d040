"""Configurations of methods: one frozen dataclass for each, whose fields are the method's options.

A field that is made with :func:`option` has its description in its metadata. Python's keywords, the options of the command
line, texts such as "idastar table=64MB" and the tables of the manual come from there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from shlex import quote
from typing import Any, Final, Literal, TypeVar

from searchbench.errors import BadRequest

Kind = Literal["text", "whole", "number", "path", "flag"]
_METADATA: Final = "option"


@dataclass(frozen=True)
class Option:
    """Describe a field: its name, its effect, and how it is written.

    `flag` is its name on the command line, `least` the smallest value that is taken there.
    """

    name: str
    default: Any
    told: str
    kind: Kind
    metavar: str | None
    least: int | None
    flag: str

    def read(self, text: str) -> Any:
        """Return the value that a text stands for. Raises BadRequest."""
        try:
            return _READ[self.kind](text)
        except ValueError:
            raise BadRequest(f"{self.name}={text}: expected {_EXPECTED[self.kind]}") from None


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def _flag(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError(text)
    return text == "yes"


_READ: Final[Mapping[Kind, Callable[[str], Any]]] = {
    "text": str, "whole": _whole, "number": float, "path": Path, "flag": _flag,
}  # fmt: skip
_EXPECTED: Final[Mapping[Kind, str]] = {
    "text": "a text", "whole": "a whole number", "number": "a number", "path": "a path", "flag": "yes or no",
}  # fmt: skip


LARGEST: Final = 1 << 40
"""The largest whole number that an option takes: kernels add such numbers to others, in 64 bits."""


def option(
    default: Any,
    told: str,
    kind: Kind = "text",
    *,
    metavar: str | None = None,
    least: int | None = None,
    flag: str = "",
) -> Any:
    """Return a field of a configuration with its description."""
    return field(default=default, metadata={_METADATA: (told, kind, metavar, least, flag)})


def options_of(configuration: type) -> dict[str, Option]:
    """Return the options of a configuration by name, in the order of its fields; other fields are no options."""
    found = {}
    for one in fields(configuration):
        if _METADATA not in one.metadata:
            continue
        told, kind, metavar, least, flag = one.metadata[_METADATA]
        assert one.default is not MISSING
        found[one.name] = Option(
            one.name, one.default, told, kind, metavar, least, flag or f"--{one.name.replace('_', '-')}"
        )
    return found


def given_options(configuration: Any) -> dict[str, Any]:
    """Return the options of a configuration whose values are not the default."""
    told = options_of(type(configuration))
    values = {name: getattr(configuration, name) for name in told}
    return {name: value for name, value in values.items() if value != told[name].default}


def as_words(configuration: Any) -> list[str]:
    """Return the options of a configuration as they are given on the command line, quoted for a shell, but for defaults."""
    told = options_of(type(configuration))
    return [
        told[name].flag if told[name].kind == "flag" else f"{told[name].flag} {quote(str(value))}"
        for name, value in given_options(configuration).items()
    ]


Configuration = TypeVar("Configuration")


def configured(methods: Mapping[str, type[Configuration]], method: str, options: Mapping[str, Any]) -> Configuration:
    """Return the configuration of a method by its name; an option of None was not given.

    Raises BadRequest with the methods that there are, or for an option that this one does not take with those that do.
    """
    if method not in methods:
        raise BadRequest(f"unknown method {method!r}: there are {', '.join(methods)}")
    chosen, taken = methods[method], options_of(methods[method])
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in sorted(given.items()):
        if name in taken:
            if taken[name].kind == "whole" and isinstance(value, int) and abs(value) > LARGEST:
                raise BadRequest(f"{name} {value}: expected at most {LARGEST:,}")
            continue
        others = takers(methods, name)
        if not others:
            raise BadRequest(f"unknown option {name!r}: {method} takes {', '.join(taken)}")
        if not any(value == options_of(methods[other])[name].default for other in others):
            told = f"{name} {value!r}" if isinstance(value, str | int | float) else name
            raise BadRequest(
                f"{told}: {method} takes none; {' and '.join(others)} {'does' if len(others) == 1 else 'do'}"
            )
    return chosen(**{name: value for name, value in given.items() if name in taken})


def completed(
    methods: Mapping[str, type[Configuration]], asked: Configuration | str, options: Mapping[str, Any]
) -> Configuration:
    """Return a configuration that is asked for as an object, or by its name with options. Raises BadRequest for both at once."""
    if isinstance(asked, str):
        return configured(methods, asked, options)
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise BadRequest(f"{', '.join(given)}: say it in the configuration, {type(asked).__name__}(...)")
    return asked


def fitting(methods: Mapping[str, type[Any]], options: Mapping[str, Any]) -> str:
    """Return the first method that takes all the options that are given, or else the one that takes the most."""
    given = {name for name, value in options.items() if value is not None}
    taken = {name: options_of(one).keys() for name, one in methods.items()}
    return next((name for name, own in taken.items() if own >= given), max(taken, key=lambda name: len(taken[name])))


def read_configuration(
    methods: Mapping[str, type[Configuration]], text: str
) -> tuple[type[Configuration], dict[str, Any]]:
    """Return the configuration and the values of its options in a text such as "idastar order=bound". Raises BadRequest."""
    method, *words = text.split() or [""]
    if method not in methods:
        raise BadRequest(f"configuration {text!r}: unknown method {method!r}: there are {', '.join(methods)}")
    known = all_options(methods.values())
    found: dict[str, Any] = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or name not in known or not value:
            wanted = ", ".join(f"{one}=..." for one in options_of(methods[method]))
            raise BadRequest(f"configuration {text!r}: {word!r}: expected {wanted}")
        try:
            found[name] = known[name].read(value)
        except BadRequest as error:
            raise BadRequest(f"configuration {text!r}: {error}") from None
    return methods[method], found


def all_options(configurations: Iterable[type[Any]]) -> dict[str, Option]:
    """Return the options of all configurations by name, each as the first of them tells it."""
    found: dict[str, Option] = {}
    for one in configurations:
        for name, told in options_of(one).items():
            found.setdefault(name, told)
    return found


def takers(methods: Mapping[str, type[Any]], name: str) -> list[str]:
    """Return the methods that take an option."""
    return [method for method, one in methods.items() if name in options_of(one)]


def table_of(methods: Mapping[str, type[Any]]) -> str:
    """Return the options of configurations as a table for the manual: the effect of each and the methods that take it."""
    columns = 3 if len(methods) > 1 else 2
    rows = [("option", "what it does", "for")]
    for name, told in all_options(methods.values()).items():
        of = takers(methods, name)
        rows.append((f"`{name}`", told.told, "all" if len(of) == len(methods) else ", ".join(of)))
    lines = [f"| {' | '.join(row[:columns])} |" for row in rows]
    return "\n".join([lines[0], "|---" * columns + "|", *lines[1:]])
