"""Bound the outcome of a state by alpha-beta searches that end at leaves, some of them unknown.

Each search asks one question, with a window of width 1: "does the player to move at the root get at least this bound?",
and counts every unknown leaf as lost for her, or as won. The answer yes is certain if unknown leaves count as lost, and the
answer no if they count as won (Gasser 1995, section 5.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from searchbench import jit
from searchbench.game import Game
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.book import Book
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.solvers.shared.transposition import Transpositions, largest_size, new_transpositions

LOST: Final = -1
WON: Final = 1
_FIRST_SIZE: Final = 1 << 19
_ARRAYS: Final = ("keys", "words", "used")


class Solved(NamedTuple):
    """The bounds of an outcome, the tables of the searches that found each, their counts, and what filled their slots.

    `without` tells why the tables lead to no strategy, if they do not.
    """

    lower: int
    upper: int
    tables: tuple[Transpositions, Transpositions]
    facts: dict[str, Any]
    choices: Mapping[str, Any] = MappingProxyType({})
    without: str = ""


def first_size(memory: int) -> int:
    """Return the initial entries of a transposition table that may grow to `memory` bytes."""
    return min(_FIRST_SIZE, largest_size(memory))


class Bounding:
    """Search twice, with unknown leaves as losses and as wins; each search has its own table."""

    def __init__(
        self,
        game: Game,
        budget: Budget,
        leaves: LeafDatabase,
        book: Book | None = None,
        target: jit.Target = "cpu",
    ) -> None:
        self.book, self.budget = book, budget
        leaves.leaves(budget.run)
        memory = budget.run.memory // 4
        self.searches = {
            assumed: AlphaBetaSearch(game, budget, new_transpositions(first_size(memory // 2)), memory, leaves, target)
            for assumed in (LOST, WON)
        }

    @property
    def nodes(self) -> int:
        """Return the number of moves that all searches have played."""
        return sum(search.nodes for search in self.searches.values())

    def solve(self, root: Any) -> Solved:
        """Return the bounds of the outcome of a state; they are equal if no unknown leaf matters."""
        if self.reaches(root, 0, LOST):
            open_above = self.reaches(root, 1, WON)
            lower = 1 if open_above and self.reaches(root, 1, LOST) else 0
            upper = 1 if open_above else 0
        else:
            lower = -1
            upper = (1 if self.reaches(root, 1, WON) else 0) if self.reaches(root, 0, WON) else -1
        tables = self.searches[LOST].table, self.searches[WON].table
        unknown = sum(search.unknown for search in self.searches.values())
        facts = {"nodes": self.nodes, "unknown leaves": unknown}
        return Solved(lower, upper, tables, facts | ({"book": self.book.facts()} if self.book is not None else {}))

    def reaches(self, root: Any, bound: int, assumed: int) -> bool:
        """Return whether the player to move gets at least `bound`, if unknown leaves are `assumed` for her."""
        search, other = self.searches[assumed], self.searches[-assumed]
        search.stage = (
            f"at least a {'draw' if bound == 0 else 'win'}, unknown leaves {'lost' if assumed < 0 else 'won'}"
        )
        if self.book is not None:
            self.book.begin(search, root, bound, assumed)
        try:
            found = search.value(root, bound - 1, bound, assumed=assumed) >= bound
        finally:  # also if the search was stopped
            if self.book is not None:
                self.book.save()
        if search.unknown == 0 and other.nodes == 0 and self.book is None:  # no fact rests on an assumption
            other.table = search.table._replace(**{name: getattr(search.table, name).copy() for name in _ARRAYS})
        return found
