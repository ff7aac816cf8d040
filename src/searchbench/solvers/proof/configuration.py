"""Configure the searches that prove an outcome."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from searchbench.configuration import option
from searchbench.solvers.proof.book import Book
from searchbench.solvers.proof.leaves import LeafDatabase


@dataclass(frozen=True, kw_only=True)
class Proving(ABC):
    """Configure a search that proves the outcome of a state."""

    method: ClassVar[str]

    evidence: bool = option(
        True, "gather the strategies that show the outcome; without them a proof cannot be verified"
    )


@dataclass(frozen=True, kw_only=True)
class ProofNumber(Proving):
    """Prove by proof-number search."""

    method = "pns"

    mobility: bool = option(False, "let proof numbers begin with the number of moves (Allis 1994, section 2.3.3)")


@dataclass(frozen=True, kw_only=True)
class AlphaBeta(Proving):
    """Prove by alpha-beta search, optionally down to states whose outcome is in a database."""

    method = "alphabeta"

    leaves: LeafDatabase | None = option(None, "a database that knows the outcome of some states")
    book: Book | None = option(
        None,
        "a book of results a few plies from the start; it is saved at intervals, and a stopped search resumes with it",
    )


METHODS: Final[Mapping[str, type[Proving]]] = {one.method: one for one in (ProofNumber, AlphaBeta)}
