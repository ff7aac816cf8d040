"""Heuristics by name: those that a game has names for, and pattern databases by their folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.heuristics.patterns import PatternDatabases
from searchbench.store import open_database

_SWITCH: Final = re.compile(r"dual|modulo|images:\d+|min:\d+")


class NamedHeuristic:
    """Take one of the bounds that a game has names for."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = functions

    def names(self) -> Mapping[str, Callable[..., Any]]:
        """Return the functions."""
        return self._functions

    def tables(self, state: Sequence[int]) -> tuple[Any, ...]:
        """Return nothing: the functions hold what they look up."""
        return ()


def heuristic(game: Game, text: str) -> NamedHeuristic | PatternDatabases:
    """Return the heuristic that a text names: one of the game's, or pattern databases by their folders.

    "a.db+b.db" adds the bounds of two databases, "a.db,b.db" takes the larger one; both can be mixed. Among what is
    compared may stand switches: "dual", "modulo", "images:2", "min:4" (see `PatternDatabases`). Raises BadRequest.
    """
    named = game.heuristics()
    if text in named:
        return NamedHeuristic(named[text])
    words = [word.strip() for word in text.split(",")]
    switches = [word for word in words if _SWITCH.fullmatch(word)]
    sets = [[folder.strip() for folder in one.split("+")] for one in words if one not in switches]
    folders = dict.fromkeys(folder for one in sets for folder in one)
    for folder in folders or [""]:
        if not folder or not Path(folder).exists():
            raise BadRequest(
                f"heuristic {text!r}: there is no database {folder!r}, and {game} has the names "
                f"{', '.join(named) or 'none'}; databases are added with + and compared with a comma; "
                f"switches are dual, modulo, images:N and min:N"
            )
    opened = {folder: open_database(folder) for folder in folders}
    return PatternDatabases(game, [[opened[folder] for folder in one] for one in sets], **_options(switches))


def _options(switches: Sequence[str]) -> dict[str, Any]:
    """Return the arguments that switches stand for."""
    found: dict[str, Any] = {}
    for name, _, number in (switch.partition(":") for switch in switches):
        found[{"min": "block"}.get(name, name)] = int(number) if number else True
    return found
