"""Find heuristics by name: the named bounds of a game, and pattern databases by their folders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Final, Protocol

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.heuristics.by_name import Functions
from searchbench.heuristics.maximum import Maximum
from searchbench.heuristics.patterns import PatternDatabases, SeenAs
from searchbench.inherited import why_left_out
from searchbench.store import open_database

_SWITCH: Final = re.compile(r"dual|modulo|loaded|images:\d+|min:\d+")


class Heuristic(Protocol):
    """Supply a bound instead of the game's own (`solvers.guided.Heuristic`)."""

    def names(self) -> Functions:
        """Return the functions."""
        ...

    def tables(self, state: Sequence[int]) -> tuple[Any, ...]:
        """Return the tables of the functions."""
        ...


class NamedHeuristic:
    """One of the named bounds of a game."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def names(self) -> Functions:
        """Return the functions."""
        return self._functions

    def tables(self, state: Sequence[int]) -> tuple[Any, ...]:
        """Return no tables: the functions hold their own."""
        return ()


def heuristic(game: Game, text: str, abstractions: Sequence[str | Game] | None = None) -> Heuristic:
    """Return the heuristic that a text names: a named bound of the game, or pattern databases by their folders.

    "a.db+b.db" adds the bounds of two databases, "a.db,b.db" takes the larger one. Both can be combined, and names can stand
    in the list, too. "a.db@7-8" looks up pieces 7 and 8 in a database of other pieces, to which a symmetry maps them. The
    list may contain the switches "dual", "modulo", "loaded", "images:2" and "min:4" (see `PatternDatabases`).
    `abstractions` are games of such databases whose files have moved. Raises BadRequest.
    """
    named = game.claimed("heuristics")
    words = [word.strip() for word in text.split(",")]
    folders = [word for word in words if word not in named]
    found: list[Heuristic] = [_databases(game, folders, text, abstractions)] if folders else []
    return reduce(Maximum, (*found, *(NamedHeuristic(named[word]) for word in words if word in named)))


def _databases(
    game: Game, words: Sequence[str], text: str, abstractions: Sequence[str | Game] | None
) -> PatternDatabases:
    """Return the pattern databases named by some words, each a sum of folders or a switch."""
    named = game.claimed("heuristics")
    switches = [word for word in words if _SWITCH.fullmatch(word)]
    sums = [word for word in words if word not in switches]
    sets = [[tuple(map(str.strip, word.partition("@")[::2])) for word in one.split("+")] for one in sums]
    folders = dict.fromkeys(folder for one in sets for folder, _ in one)
    for folder in folders or [""]:
        if not folder or not Path(folder).exists():
            own = (
                f"the bounds {', '.join(named)}" if named else f"no bound with a name{why_left_out(game, 'heuristics')}"
            )
            raise BadRequest(
                f"heuristic {text!r}: there is no database {folder!r}, and {game} has {own}; "
                f"databases are added with + and compared with a comma; "
                f"switches are dual, modulo, loaded, images:N and min:N"
            )
    opened = {folder: open_database(folder, abstractions) for folder in folders}
    return PatternDatabases(
        game,
        [[SeenAs(opened[folder], pieces) if pieces else opened[folder] for folder, pieces in one] for one in sets],
        **_options(switches),
    )


def _options(switches: Sequence[str]) -> dict[str, Any]:
    """Return the keyword arguments for some switches."""
    found: dict[str, Any] = {}
    for name, _, number in (switch.partition(":") for switch in switches):
        found[{"min": "block"}.get(name, name)] = int(number) if number else True
    return found
