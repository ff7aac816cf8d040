"""Options of commands that come from dataclasses: the fields of configurations, and groups that several commands share.

A dataclass of the command line annotates its fields with options. Configurations of solvers say in their fields' metadata what
they take, and belong to modules that take a moment to import: their options are made when the command is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from searchbench.cli.commands import Command
from searchbench.cli.commands import Option as Asked
from searchbench.configuration import Option, all_options, takers

Methods = Mapping[str, type[Any]]
Places = dict[str, list[inspect.Parameter]]
"""The options and arguments that each parameter of a command stands for."""

_TYPES: Final = {"text": str, "whole": int, "number": float, "path": Path, "flag": bool}


@dataclass(frozen=True)
class FieldsOf:
    """Annotate a parameter, a dictionary, as the options of configurations that are given.

    `groups` returns the configurations by the names of their methods; where two groups have an option of the same name, its
    help tells both.
    """

    groups: Callable[[], Sequence[Methods]]


def derived(command: Command) -> Command:
    """Give a command the fields of the dataclasses among its parameters as options, each in its parameter's place."""

    def called(**given: Any) -> None:
        own: dict[str, Any] = {}
        derived_from = None
        for one in inspect.signature(command, eval_str=True).parameters.values():
            if _groups_of(one) is not None:
                derived_from = one.name
            elif is_dataclass(one.annotation):
                own[one.name] = _made(
                    one.annotation, {part.name: given.pop(part.name) for part in fields(one.annotation)}
                )
            else:
                own[one.name] = given.pop(one.name)
        if derived_from is not None:  # the rest are options of configurations
            own[derived_from] = {name: value for name, value in given.items() if value is not None}
        command(**own)

    def complete() -> inspect.Signature:
        return inspect.Signature([one for options in _places(command).values() for one in options])

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.complete = complete  # type: ignore[attr-defined]
    return called


def _places(command: Command) -> Places:
    places: Places = {}
    for one in inspect.signature(command, eval_str=True).parameters.values():
        groups = _groups_of(one)
        if groups is not None:
            places[one.name] = list(_of_configurations(groups.groups()))
        else:
            places[one.name] = list(_of_dataclass(one.annotation)) if is_dataclass(one.annotation) else [_by_name(one)]
    return places


def _groups_of(parameter: inspect.Parameter) -> FieldsOf | None:
    if get_origin(parameter.annotation) is not Annotated:
        return None
    return next((one for one in get_args(parameter.annotation) if isinstance(one, FieldsOf)), None)


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)


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
    asked = Asked(flag, metavar=option.metavar, min=option.least, help=told)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[_TYPES[option.kind] | None, asked],
    )
