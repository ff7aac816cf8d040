"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from searchbench.cli.commands import Argument, Option

GameName = Annotated[
    str, Argument(metavar="GAME", help="A game such as sliding:3x3, or a file such as mygame.py:MyGame.")
]
Folder = Annotated[Path, Argument(metavar="DIR", help="A database that `solve --to` has made.")]
OwnGame = Annotated[
    str | None,
    Option("--game", metavar="GAME", help="The database's game, where its file has moved: mygame.py:MyGame."),
]
OwnGames = Annotated[
    list[str] | None,
    Option(
        "--game", metavar="GAME", help="The game of a database, where its file has moved; more than once for several."
    ),
]
StateText = Annotated[
    str,
    Argument(metavar="STATE", help="A state in the game's notation, as one argument, or: start."),
]
StateInFolder = Annotated[
    str,
    Argument(metavar="STATE", help="A state in the game's notation, as one argument, or: start, hardest."),
]
Json = Annotated[bool, Option("--json", help="Print one JSON object instead of text.")]
Memory = Annotated[str | None, Option(metavar="SIZE", help="Memory budget such as 1GB; by default all that is free.")]
Threads = Annotated[int | None, Option(min=1, help="Number of threads; by default one for each core.")]
Progress = Annotated[
    bool | None,
    Option("--progress/--no-progress", help="Show progress on stderr; by default on a terminal only."),
]
Rule = Annotated[str | None, Option(metavar="NAME", help="Value rule; by default the game's own.")]
Codec = Annotated[
    str | None,
    Option(metavar="NAME", help="How it is compressed: zstd:3 (the default), zstd:19, gzip:6, lz4:5, none."),
]
