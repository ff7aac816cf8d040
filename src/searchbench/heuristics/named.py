"""Heuristics by name: those that a game has names for, and pattern databases by their folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.heuristics.patterns import PatternDatabases, SeenAs
from searchbench.store import open_database


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

    "a.db+b.db" adds the bounds of two databases, "a.db,b.db" takes the larger one; both can be mixed. "a.db@7-8" looks
    pieces 7 and 8 up in a database of other pieces, to which a symmetry takes them. Raises BadRequest.
    """
    named = game.heuristics()
    if text in named:
        return NamedHeuristic(named[text])
    sets = [[tuple(map(str.strip, word.partition("@")[::2])) for word in one.split("+")] for one in text.split(",")]
    folders = dict.fromkeys(folder for one in sets for folder, _ in one)
    for folder in folders:
        if not folder or not Path(folder).exists():
            raise BadRequest(
                f"heuristic {text!r}: there is no database {folder!r}, and {game} has the names "
                f"{', '.join(named) or 'none'}; databases are added with + and compared with a comma"
            )
    opened = {folder: open_database(folder) for folder in folders}
    return PatternDatabases(
        game,
        [[SeenAs(opened[folder], pieces) if pieces else opened[folder] for folder, pieces in one] for one in sets],
    )
