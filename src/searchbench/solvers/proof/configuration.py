"""Configure the searches that prove an outcome."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from searchbench.catalogue import WhichGame
from searchbench.configuration import given_options, option
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.protocol import part_names
from searchbench.run import parse_memory
from searchbench.solvers.proof.book import Book
from searchbench.solvers.proof.contract import half_depth
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.store import Database, open_database

_BY_DEPTH: Final = (
    "let proof numbers begin with 1 and half the depth: trees become broad and shallow (Allis 1994, section 5.4)"
)
_WORK: Final = "a folder that keeps unfinished work: a stopped proof resumes with it"
FIRST_TURN: Final = 1 << 18
"""Nodes of the first turn in a portfolio: alpha-beta alone may need no more, and then nothing else is compiled."""
LARGEST_EPSILON: Final = 1_000_000
"""A number of a node, up to 2^30, times this is a whole number of 64 bits."""


@dataclass(frozen=True, kw_only=True)
class Proving(ABC):
    """Configure a search that proves the outcome of a state."""

    method: ClassVar[str]

    evidence: bool = option(
        True, "gather the strategies that show the outcome; without them a proof cannot be verified", "flag"
    )


def _check_first_numbers(mobility: bool, by_depth: bool) -> None:
    if mobility and by_depth:
        raise BadRequest("mobility and by_depth: proof numbers begin with one of the two")


def _first_numbers(by_depth: bool) -> dict[str, Any]:
    return {"first_proof": half_depth, "first_disproof": half_depth} if by_depth else {}


@dataclass(frozen=True, kw_only=True)
class Portfolio(Proving):
    """Prove by alpha-beta and depth-first proof-number search in turns, whichever ends first."""

    method = "portfolio"

    turn: int = option(FIRST_TURN, "how many nodes a turn has", "whole", least=1)


@dataclass(frozen=True, kw_only=True)
class ProofNumber(Proving):
    """Prove by proof-number search."""

    method = "pns"

    mobility: bool = option(
        False, "let proof numbers begin with the number of moves (Allis 1994, section 2.3.3)", "flag"
    )
    by_depth: bool = option(False, _BY_DEPTH, "flag")
    work: str | Path | None = option(None, _WORK, "path", metavar="DIR")
    delayed: bool = option(
        False, "evaluate states when they are selected, not when they are created: for slow rules", "flag"
    )
    second: bool = option(
        False,
        "develop a node by a second search, of as many nodes as the tree has, whose tree is dropped (pn^2)",
        "flag",
    )
    merge: str = option(
        "none",
        "which occurrences of a position are one node: `none`, `all`, or those after irreversible `conversions`",
        metavar="NAME",
    )
    cached: int = option(0, "how many trees of second searches are kept", "whole")
    keep_solved: bool = option(False, "keep solved subtrees in the tree, to compare with", "flag")
    from_root: bool = option(False, "renew numbers up to the root and select from there, to compare with", "flag")

    def __post_init__(self) -> None:
        _check_first_numbers(self.mobility, self.by_depth)
        if self.merge not in ("none", "all", "conversions"):
            raise BadRequest(f"merge {self.merge!r}: there are none, all, conversions")
        others = ("mobility", "by_depth", "work", "delayed", "second", "keep_solved", "from_root")
        given = [name for name in others if getattr(self, name)]
        if self.merge != "none" and given:
            raise BadRequest(f"merge {self.merge!r}: a graph takes no {', '.join(given)}; merge 'none' does")
        if self.cached < 0:
            raise BadRequest(f"cached {self.cached}: expected a number of trees, 0 for none")
        if self.cached and not self.second:
            raise BadRequest(f"cached {self.cached}: only trees of second searches are kept; give second as well")

    def choices(self) -> dict[str, Any]:
        """Return what fills the slots and constants of the kernels."""
        constants = {"DELAYED": self.delayed, "KEEP_SOLVED": self.keep_solved, "FROM_ROOT": self.from_root}
        return {name: True for name, chosen in constants.items() if chosen} | _first_numbers(self.by_depth)


@dataclass(frozen=True, kw_only=True)
class DepthFirstProofNumber(Proving):
    """Prove by depth-first proof-number search, in bounded memory."""

    method = "dfpn"

    mobility: bool = option(
        False, "let proof numbers begin with the number of moves (Allis 1994, section 2.3.3)", "flag"
    )
    by_depth: bool = option(False, _BY_DEPTH, "flag")
    epsilon: float = option(
        0.25, "leave a child when its number passes the second best by this share; 0: at once", "number"
    )
    weak: bool = option(
        False,
        "let a sum of numbers be the largest and one for each other open child: transpositions count less often "
        "(Ueda and others 2008)",
        "flag",
    )
    symmetric: bool = option(
        False, "let symmetric states be one, where the rules tell them: fewer nodes, each of which takes longer", "flag"
    )
    table: str | int | None = option(
        None, "memory of the table, such as `64MB`, at most half of the memory; by default that half", metavar="SIZE"
    )
    work: str | Path | None = option(None, _WORK, "path", metavar="DIR")

    def __post_init__(self) -> None:
        _check_first_numbers(self.mobility, self.by_depth)
        if not 0 <= self.epsilon <= LARGEST_EPSILON:
            raise BadRequest(f"epsilon {self.epsilon}: expected a number, 0 to {LARGEST_EPSILON:,}")
        if self.table is not None and self.table_memory <= 0:
            raise BadRequest(f"table {self.table}: expected a size such as 64MB")

    def choices(self) -> dict[str, Any]:
        """Return what fills the slots of the kernels."""
        return _first_numbers(self.by_depth) | ({"SYMMETRIC_STATES": True} if self.symmetric else {})

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
    proved: str | Path | None = option(
        None, "begin with what the files of this folder prove, such as proofs/gomoku", "path", metavar="DIR"
    )


@dataclass(frozen=True, kw_only=True)
class AlphaBeta(Proving):
    """Prove by alpha-beta search, optionally down to states whose outcome is in a database."""

    method = "alphabeta"

    leaves: LeafDatabase | Database | str | Path | None = option(
        None, "a database of outcomes with their depths, for the states where search ends", "path", metavar="DIR"
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
        return LeafDatabase(game, database, None if self.parts is None else part_names(self.parts, database.parts))

    def book_of(self, game: Game, leaves: LeafDatabase | None) -> Book | None:
        """Return the book of a game's search, opened if it is given as a file."""
        if self.book is None or isinstance(self.book, Book) or leaves is None:
            return self.book if isinstance(self.book, Book) else None
        return Book(game, leaves, self.plies, self.book)


@dataclass(frozen=True, kw_only=True)
class ConspiracyNumber(Proving):
    """Prove by conspiracy numbers of a win and of a loss, to compare with."""

    method = "conspiracy"


@dataclass(frozen=True, kw_only=True)
class SSSStar(Proving):
    """Prove by SSS*, the highest value within reach first, to compare with."""

    method = "sss"


@dataclass(frozen=True, kw_only=True)
class BStar(Proving):
    """Prove by B*, which works on the best move or on the others, to compare with."""

    method = "bstar"


@dataclass(frozen=True, kw_only=True)
class MSTStar(Proving):
    """Prove by MST*, which finds the smallest solution tree, to compare with."""

    method = "mst"


METHODS: Final[Mapping[str, type[Proving]]] = {
    one.method: one
    for one in (
        Portfolio,
        ProofNumber,
        AlphaBeta,
        DepthFirstProofNumber,
        GraphProofNumber,
        ThreatProofNumber,
        ConspiracyNumber,
        SSSStar,
        BStar,
        MSTStar,
    )
}
