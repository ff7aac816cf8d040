"""Arguments and options that several commands share, alone or as dataclasses (see :mod:`searchbench.cli.derived`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.cli.commands import Argument, Option

if TYPE_CHECKING:
    from searchbench.cli.progress import Reporter
    from searchbench.run import Limits, Run

GameName = Annotated[
    str, Argument(metavar="GAME", help="A game such as sliding:3x3, or a file such as mygame.py:MyGame.")
]
Folder = Annotated[Path, Argument(metavar="DIR", help="A database that `solve --to` has made.")]
Kept = Annotated[
    Path,
    Argument(metavar="DIR|FILE", help="A database that `solve --to` has made, or a certificate of `prove --to`."),
]
CertificateLeaves = Annotated[
    Path | None,
    Option("--leaves", metavar="DIR", help="The database on which a certificate rests, if it rests on one."),
]
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
Memory = Annotated[
    str | None, Option(metavar="SIZE", help="Memory budget such as 1GB; by default nine tenths of what is free.")
]
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


@dataclass(frozen=True)
class Resources:
    """Say what a computation may use, and whether it shows how far it is."""

    memory: Memory = None
    threads: Threads = None
    progress: Progress = None

    def run(self, reporter: Reporter | None = None) -> Run:
        """Return the run of a computation that tells the reporter. Raises BadRequest."""
        from searchbench.run import Run, parse_memory

        memory, threads = parse_memory(self.memory or 0), self.threads or 0
        return Run(memory, threads) if reporter is None else Run(memory, threads, reporter)


@dataclass(frozen=True)
class Ends:
    """Say where a search of one state ends unfinished."""

    nodes: Annotated[int | None, Option(min=1, help="Stop after so many nodes.")] = None
    seconds: Annotated[float | None, Option(min=0.0, help="Stop after so many seconds; 0 is no limit.")] = None

    def limits(self) -> Limits:
        """Return the limits of a search."""
        from searchbench.run import Limits

        return Limits(self.nodes or 0, self.seconds or 0.0)

    def given(self) -> dict[str, Any]:
        """Return what was given, by name."""
        told = {"nodes": self.nodes, "seconds": self.seconds}
        return {name: value for name, value in told.items() if value is not None}
