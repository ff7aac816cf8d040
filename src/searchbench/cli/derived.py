"""Options of commands that are derived from configurations: each is a field there, and is told there.

The configurations belong to modules that take a moment to import, so a command gets such options when it is called, not when
the program starts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from searchbench.cli.commands import Command
from searchbench.cli.commands import Option as Asked
from searchbench.configuration import Option, all_options, takers

Methods = Callable[[], Mapping[str, type[Any]]]

_TYPES: Final = {"text": str, "whole": int, "number": float}


def derived(methods: Methods, after: str) -> Callable[[Command], Command]:
    """Give a command, in the place of its `**options`, the options of the configurations, behind the parameter `after`."""

    def decorate(command: Command) -> Command:
        def complete() -> inspect.Signature:
            whole = inspect.signature(command, eval_str=True)
            own = [one for one in whole.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
            chosen = methods()
            place = [one.name for one in own].index(after) + 1
            options = [_parameter(one, chosen) for one in all_options(chosen.values()).values()]
            return whole.replace(parameters=[*own[:place], *options, *own[place:]])

        command.complete = complete  # type: ignore[attr-defined]
        return command

    return decorate


def _parameter(option: Option, methods: Mapping[str, type[Any]]) -> inspect.Parameter:
    names = takers(methods, option.name)
    told = option.told.replace("`", "").replace("\\", "")
    told = f"{told[0].upper()}{told[1:]}" if len(names) == len(methods) else f"{', '.join(names)}: {told}"
    asked = Asked(option.flag, metavar=option.metavar, min=option.least, help=f"{told}.")
    return inspect.Parameter(
        option.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=Annotated[_TYPES[option.kind] | None, asked],
    )
