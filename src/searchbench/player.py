"""A perfect player: it keeps the value of a position, and of the moves that do it takes the one hardest to answer.

A player who takes any move that does not lose is never beaten, and seldom wins: who keeps a draw with every reply is not
tempted to a mistake. So among equal moves the share of the opponent's replies that keep what she has decides (Gasser 1995,
section 5.2, thought of a second, heuristic program for that). A win is made as short, a loss as long as can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from searchbench.errors import BadRequest
from searchbench.game import Game, Position
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import Book, LeafDatabase
from searchbench.solvers.proof.bounding import Bounding
from searchbench.solvers.proof.budget import Budget
from searchbench.store import Database
from searchbench.store.database import Choice
from searchbench.values import Result, Value, ValueRule


class Values(Protocol):
    """Tell the values after the moves of a position."""

    game: Game
    rule: ValueRule

    def moves(self, what: Position) -> list[Choice]:
        """Return the moves with the values after them, for whoever moves then, best first."""
        ...

    def worth(self, state: Sequence[int], choice: Choice) -> Value:
        """Return what a move makes of a state."""
        ...


class Rated(NamedTuple):
    """Hold a move, what it is worth, and of how many replies of the opponent so many keep what she has then."""

    choice: Choice
    worth: Value
    keeping: int
    replies: int

    @property
    def ease(self) -> float:
        """Return the share of the replies that keep the opponent's value; 0 where there is none to find."""
        return self.keeping / self.replies if self.replies else 0.0


class SearchedValues:
    """Search what no database holds, with one at the leaves: the opening of morris, and its midgame.

    Outcomes of states that are searched have no depth. Where unknown leaves leave one open, it is the least that the player
    who has made the move is sure of. A `book` tells what a long search has found before.
    """

    def __init__(self, leaves: LeafDatabase, book: Book | None = None, run: Run | None = None) -> None:
        self.game, self.rule, self.leaves, self.book = leaves.game, leaves.database.rule, leaves, book
        self.run = run or Run(threads=1)
        self._bounding: Bounding | None = None

    def moves(self, what: Position) -> list[Choice]:
        """Return the moves with the values after them, best first."""
        choices = []
        for move in self.game.moves(what.state):
            after = Position(self.game, tuple(self.game.play(what.state, move)))
            choices.append(Choice(move, after, self.value(after)))
        return sorted(choices, key=lambda choice: self.rule.preference(choice.value, 1))

    def worth(self, state: Sequence[int], choice: Choice) -> Result:
        """Return what a move makes of a state."""
        return Result(-choice.value.outcome, choice.value.depth + 1 if choice.value.outcome else 0)

    def value(self, position: Position) -> Result:
        """Return the value of a position."""
        state = position.state
        result = self.game.terminal(state)
        if result != UNDECIDED:
            return Result((result > 0) - (result < 0))
        known = self.leaves.value(state)
        return known if known is not None else Result(self._searched(state))

    def _searched(self, state: Sequence[int]) -> int:
        if self._bounding is None:
            self._bounding = Bounding(self.game, Budget(self.game, self.run), self.leaves)
            for search in self._bounding.searches.values() if self.book is not None else ():
                self.book.tell(search)  # type: ignore[union-attr]
        self._bounding.budget.renew()
        found = self._bounding.solve(np.array(state, self.game.dtype))
        if found.facts["unknown leaves"]:
            self._bounding = None  # what its tables hold is true for the player to move in this state alone
        return found.upper


class Player:
    """Play a game of two players from the values of its positions.

    `values` is a database, or :class:`SearchedValues`. `seed` makes it choose by chance among moves that are equally good
    and equally hard to answer; without it the game's own order decides. Raises BadRequest for a puzzle.
    """

    def __init__(self, values: Database | Values, seed: int | None = None) -> None:
        if not values.rule.two_players:
            raise BadRequest(f"{values.game} is a puzzle: a player plays games of two players")
        self.values = values
        self.game = values.game
        self._random = None if seed is None else np.random.default_rng(seed)

    def choose(self, what: Position | str | Sequence[int] | None = None) -> int:
        """Return the move to play in a position. Raises BadMove where the game is over."""
        position = self.game.position(what)
        choices = self.values.moves(position)
        if not choices:
            raise BadRequest(f"{self.game}: the game is over in {position.text!r}")
        best = [choice for choice in choices if self._rank(position, choice) == self._rank(position, choices[0])]
        if len(best) > 1:
            rated = [self._rated(position, choice) for choice in best]
            hardest = min(rated, key=lambda one: (one.ease, one.keeping))
            best = [one.choice for one in rated if (one.ease, one.keeping) == (hardest.ease, hardest.keeping)]
        return best[0 if self._random is None else int(self._random.integers(len(best)))].move

    def rated(self, what: Position | str | Sequence[int] | None = None) -> list[Rated]:
        """Return all moves of a position, the one to be played first."""
        position = self.game.position(what)
        rated = [self._rated(position, choice) for choice in self.values.moves(position)]
        return sorted(rated, key=lambda one: (self._rank(position, one.choice), one.ease, one.keeping))

    def _rank(self, position: Position, choice: Choice) -> Any:
        """Return how good a move is, less being better."""
        return self.values.rule.preference(choice.value, self.game.call("gain", list(position.state), choice.move))

    def _rated(self, position: Position, choice: Choice) -> Rated:
        replies = self.values.moves(choice.position) if self.game.moves(choice.position.state) else []
        state = choice.position.state
        kept = [_kind(self.values.worth(state, reply)) for reply in replies]
        keeping = sum(kind == kept[0] for kind in kept)  # the first is the best
        return Rated(choice, self.values.worth(position.state, choice), keeping, len(replies))


def _kind(value: Value) -> Any:
    """Return what a reply must keep: whether the game is won, or so many points."""
    return getattr(value, "outcome", value)
