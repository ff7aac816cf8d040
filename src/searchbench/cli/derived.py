"""Parameters of commands that stand for several options: the fields of a dataclass.

A dataclass that belongs to the command line has options of :mod:`typer` for the types of its fields. Configurations of solvers
belong to modules that take a moment to import, so a command gets their options when it is called, not when the program starts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from searchbench.configuration import Option, all_options, takers

Command = Callable[..., None]
Methods = Mapping[str, type[Any]]

_TYPES: Final = {"text": str, "whole": int, "number": float, "path": Path, "flag": bool}
_COMPLETE: Final[dict[str, Callable[[], Command]]] = {}


@dataclass(frozen=True)
class FieldsOf:
    """Annotate a parameter, a dictionary, as the options of configurations that are given.

    `groups` returns the configurations by the names of their methods; where two groups have an option of the same name, its
    help tells both.
    """

    groups: Callable[[], Sequence[Methods]]


def derived(command: Command) -> Command:
    """Give a command the fields of the dataclasses among its parameters as options, each in its parameter's place."""
    whole = list(inspect.signature(command, eval_str=True).parameters.values())
    if any(_groups_of(one) is not None for one in whole):
        _COMPLETE[command.__name__] = lambda: _with_options(command, whole, complete=True)
    return _with_options(command, whole, complete=False)


class Commands(TyperGroup):
    """Hold the commands; one with options of configurations gets them when it is looked for by its name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of a command, the command with all its options, and the other words."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in _COMPLETE:
            alone = typer.Typer(add_completion=False)
            alone.command(name)(_COMPLETE[name]())
            command = typer.main.get_command(alone)
        return name, command, rest


def _groups_of(parameter: inspect.Parameter) -> FieldsOf | None:
    if get_origin(parameter.annotation) is not Annotated:
        return None
    return next((one for one in get_args(parameter.annotation) if isinstance(one, FieldsOf)), None)


def _with_options(command: Command, whole: Sequence[inspect.Parameter], complete: bool) -> Command:
    """Return a command with the parameters that typer sees; only a `complete` one has the options of configurations."""
    places: dict[str, dict[str, inspect.Parameter]] = {}
    for one in whole:
        groups = _groups_of(one)
        if groups is not None:
            found = list(_of_configurations(groups.groups())) if complete else []
        else:
            found = list(_of_dataclass(one.annotation)) if is_dataclass(one.annotation) else [one]
        places[one.name] = {each.name: each for each in found}

    def called(**given: Any) -> None:
        own: dict[str, Any] = {}
        for one in whole:
            values = {name: given[name] for name in places[one.name]}
            if _groups_of(one) is not None:
                own[one.name] = {name: value for name, value in values.items() if value is not None}
            else:
                own[one.name] = _made(one.annotation, values) if is_dataclass(one.annotation) else given[one.name]
        command(**own)

    shown = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for options in places.values() for one in options.values()
    ]
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    called.__annotations__ = {}
    return called


def _made(told: Any, values: dict[str, Any]) -> Any:
    return told(**values)


def _of_dataclass(told: Any) -> Iterator[inspect.Parameter]:
    types = get_type_hints(told, include_extras=True)
    for one in fields(told):
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        yield inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=types[one.name])


def _of_configurations(groups: Sequence[Methods]) -> Iterator[inspect.Parameter]:
    for name in dict.fromkeys(name for methods in groups for name in all_options(methods.values())):
        tellers = [methods for methods in groups if takers(methods, name)]
        told = " ".join(_help(all_options(methods.values())[name], methods) for methods in tellers)
        yield _parameter(all_options(tellers[0].values())[name], told)


def _help(option: Option, methods: Methods) -> str:
    names = takers(methods, option.name)
    told = option.told.replace("`", "").replace("\\", "")
    return f"{told[0].upper()}{told[1:]}." if len(names) == len(methods) else f"{', '.join(names)}: {told}."


def _parameter(option: Option, told: str) -> inspect.Parameter:
    flag = f"{option.flag}/--no-{option.flag[2:]}" if option.default is True else option.flag
    asked = typer.Option(flag, metavar=option.metavar, min=option.least, help=told, show_default=False)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[_TYPES[option.kind] | None, asked],
    )
