"""Configure the searches that prove an outcome."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import ClassVar, Final

from searchbench.catalogue import WhichGame
from searchbench.configuration import given_options, option
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.run import parse_memory
from searchbench.solvers.proof.book import Book
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.store import Database, open_database

_WORK: Final = "a folder that keeps unfinished work: a stopped proof resumes with it"


@dataclass(frozen=True, kw_only=True)
class Proving(ABC):
    """Configure a search that proves the outcome of a state."""

    method: ClassVar[str]

    evidence: bool = option(
        True, "gather the strategies that show the outcome; without them a proof cannot be verified", "flag"
    )


@dataclass(frozen=True, kw_only=True)
class ProofNumber(Proving):
    """Prove by proof-number search."""

    method = "pns"

    mobility: bool = option(
        False, "let proof numbers begin with the number of moves (Allis 1994, section 2.3.3)", "flag"
    )
    work: str | Path | None = option(None, _WORK, "path", metavar="DIR")


@dataclass(frozen=True, kw_only=True)
class DepthFirstProofNumber(Proving):
    """Prove by depth-first proof-number search, in bounded memory."""

    method = "dfpn"

    mobility: bool = option(
        False, "let proof numbers begin with the number of moves (Allis 1994, section 2.3.3)", "flag"
    )
    epsilon: float = option(
        0.25, "leave a child when its number passes the second best by this share; 0: at once", "number"
    )
    weak: bool = option(
        False,
        "let a sum of numbers be the largest and one for each other open child: transpositions count less often "
        "(Ueda and others 2008)",
        "flag",
    )
    table: str | int | None = option(
        None, "memory of the table, such as `64MB`, at most half of the memory; by default that half", metavar="SIZE"
    )
    work: str | Path | None = option(None, _WORK, "path", metavar="DIR")

    def __post_init__(self) -> None:
        if not (isfinite(self.epsilon) and self.epsilon >= 0):
            raise BadRequest(f"epsilon {self.epsilon}: expected a number, at least 0")
        if self.table is not None and self.table_memory <= 0:
            raise BadRequest(f"table {self.table}: expected a size such as 64MB")

    @property
    def table_memory(self) -> int:
        """Return the bytes of the table, 0 for the default."""
        return 0 if self.table is None else parse_memory(self.table)


@dataclass(frozen=True, kw_only=True)
class GraphProofNumber(Proving):
    """Prove a win in a game of lines by proof-number search over a graph, with forced sequences as evaluation."""

    method = "graph"

    forced: int = option(100_000, "most nodes of the search for a forced sequence", "whole", least=1)
    threats: bool = option(
        False,
        "let the winner make threats outside forced sequences, too: slower, but a search that fails proves that",
        "flag",
    )
    ones: bool = option(
        False, "let proof numbers begin with 1, not with the number of good moves (Allis 1994, section 4.4)", "flag"
    )
    undivided: bool = option(False, "search from the state itself, without the game's own first moves", "flag")
    work: str | Path | None = option(None, _WORK, "path", metavar="DIR")


@dataclass(frozen=True, kw_only=True)
class ThreatProofNumber(Proving):
    """Prove a win in go-moku, free or standard, by threats and quiet moves between them."""

    method = "threats"

    work: str | Path | None = option(
        None, "a folder that keeps white's replies that are proved to lose: a stopped proof resumes with it", "path",
        metavar="DIR",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AlphaBeta(Proving):
    """Prove by alpha-beta search, optionally down to states whose outcome is in a database."""

    method = "alphabeta"

    leaves: LeafDatabase | Database | str | Path | None = option(
        None, "a database that knows the outcome of states where search ends", "path", metavar="DIR"
    )
    parts: str | Iterable[str] | None = option(
        None, "use only these of its parts, such as `9-9,9-8,8-9,8-8`", metavar="NAMES"
    )
    book: Book | str | Path | None = option(
        None,
        "a book of results some plies from the start, saved at intervals: a stopped search resumes with it",
        "path",
        metavar="FILE",
    )
    plies: int = option(8, "the plies from the start to the book's states; by default 8", "whole", least=1)
    leaves_game: WhichGame = option(
        None, "the database's game, where its file has moved: `mygame.py:MyGame`", metavar="GAME", flag="--game"
    )

    def __post_init__(self) -> None:
        for name, owner, made in (
            ("parts", "leaves", isinstance(self.leaves, LeafDatabase)),
            ("leaves_game", "leaves", isinstance(self.leaves, LeafDatabase | Database)),
            ("plies", "book", isinstance(self.book, Book)),
        ):
            if made and name in given_options(self):
                raise BadRequest(f"{name}: say it where {owner} is made, or give {owner} as a path")
        if self.leaves is None and given_options(self).keys() & {"parts", "book", "plies", "leaves_game"}:
            raise BadRequest("parts and a book belong to a database at the leaves: give leaves as well")

    def leaves_of(self, game: Game) -> LeafDatabase | None:
        """Return the leaf database of a game's search, opened if it is given as a folder."""
        if self.leaves is None or isinstance(self.leaves, LeafDatabase):
            return self.leaves
        told = self.leaves
        database = told if isinstance(told, Database) else open_database(told, self.leaves_game)
        return LeafDatabase(game, database, self.parts.split(",") if isinstance(self.parts, str) else self.parts)

    def book_of(self, game: Game, leaves: LeafDatabase | None) -> Book | None:
        """Return the book of a game's search, opened if it is given as a file."""
        if self.book is None or isinstance(self.book, Book) or leaves is None:
            return self.book if isinstance(self.book, Book) else None
        return Book(game, leaves, self.plies, self.book)


METHODS: Final[Mapping[str, type[Proving]]] = {
    one.method: one for one in (ProofNumber, AlphaBeta, DepthFirstProofNumber, GraphProofNumber, ThreatProofNumber)
}
