"""Options of commands that are derived from configurations: each is a field there, and is told there.

The configurations belong to modules that take a moment to import, so a command gets such options when it is called, not when
the program starts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from searchbench.configuration import Option, all_options, takers

Command = Callable[..., None]
Methods = Callable[[], Mapping[str, type[Any]]]

_TYPES: Final = {"text": str, "whole": int, "number": float}
_COMPLETE: Final[dict[str, Callable[[], Command]]] = {}


def derived(methods: Methods, after: str) -> Callable[[Command], Command]:
    """Give a command, in the place of its `**options`, the options of the configurations, behind the parameter `after`."""

    def decorate(command: Command) -> Command:
        whole = inspect.signature(command, eval_str=True)
        own = [one for one in whole.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]

        def complete() -> Command:
            chosen = methods()
            place = [one.name for one in own].index(after) + 1
            options = [_parameter(one, chosen) for one in all_options(chosen.values()).values()]
            return _with_signature(command, whole.replace(parameters=[*own[:place], *options, *own[place:]]))

        _COMPLETE[command.__name__] = complete
        return _with_signature(command, whole.replace(parameters=own))

    return decorate


class Commands(TyperGroup):
    """Hold the commands; one with derived options gets them when it is looked for by its name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of a command, the command with all its options, and the other words."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in _COMPLETE:
            alone = typer.Typer(add_completion=False)
            alone.command(name)(_COMPLETE[name]())
            command = typer.main.get_command(alone)
        return name, command, rest


def _with_signature(command: Command, signature: inspect.Signature) -> Command:
    """Return a command that looks as if it had been written with these parameters."""

    def called(**given: Any) -> None:
        command(**given)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = signature  # type: ignore[attr-defined]
    called.__annotations__ = {}
    return called


def _parameter(option: Option, methods: Mapping[str, type[Any]]) -> inspect.Parameter:
    names = takers(methods, option.name)
    told = option.told.replace("`", "").replace("\\", "")
    told = f"{told[0].upper()}{told[1:]}" if len(names) == len(methods) else f"{', '.join(names)}: {told}"
    asked = typer.Option(option.flag, metavar=option.metavar, min=option.least, help=f"{told}.")
    return inspect.Parameter(
        option.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=Annotated[_TYPES[option.kind] | None, asked],
    )
