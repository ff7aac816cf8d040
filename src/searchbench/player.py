"""A perfect player: of the moves that keep the value of a position it plays the one that is hardest to answer.

A player who plays any move that does not lose is never beaten, but seldom wins: it does not tempt an opponent who can
keep the draw with every reply. So among equal moves, it prefers those with the smallest share of opponent's replies
that keep the opponent's value. (Gasser 1995, section 5.2, suggests a second, heuristic program for this.) Wins are as
short, losses as long as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest, LimitReached
from searchbench.game import Game, Position
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import Book, LeafDatabase
from searchbench.solvers.proof.bounding import Bounding
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.deepening import WON, DeepeningSearch
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.shared.transposition import SMALLEST, new_transpositions
from searchbench.store import Database
from searchbench.store.database import Choice
from searchbench.values import Result, Value, ValueRule


class Values(Protocol):
    """Provide the values after the moves of a position."""

    game: Game
    rule: ValueRule

    def moves(self, what: Position) -> list[Choice]:
        """Return the moves with the values after them, for the player to move then, best first."""
        ...

    def worth(self, state: Sequence[int], choice: Choice) -> Value:
        """Return the value of a state if `choice` is played."""
        ...


class Rated(NamedTuple):
    """A move, its value, and the number of the opponent's replies, in all and of those that keep the opponent's value."""

    choice: Choice
    worth: Value
    keeping: int
    replies: int

    @property
    def ease(self) -> float:
        """Return the share of the replies that keep the opponent's value; 0 if there are no replies."""
        return self.keeping / self.replies if self.replies else 0.0


class SearchedValues:
    """Search positions outside a database, with the database at the leaves: the opening of morris, and its midgame.

    Searched outcomes have no depth. If unknown leaves leave an outcome open, it is the least that the player who made
    the move is sure of. A `book` contains results of an earlier long search.
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
        """Return the value of a state if `choice` is played."""
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
            self._bounding = None  # its tables are valid only for the player to move in this state
        return found.upper


class Player:
    """Play a game of two players from the values of its positions.

    `values` is a database, or :class:`SearchedValues`. With `seed` it chooses at random among moves that are equally
    good and equally hard to answer; otherwise the game's order of moves decides. Raises BadRequest for a puzzle, and for
    values that tell no best move.
    """

    def __init__(self, values: Database | Values, seed: int | None = None) -> None:
        if not values.game.two_players:
            raise BadRequest(f"{values.game} is a puzzle: expected a game of two players")
        if not values.rule.two_players or not values.rule.ranks_moves:
            raise BadRequest(f"{values.game}: values of {values.rule.name!r} do not say which move is best")
        self.values = values
        self.game = values.game
        self._way = values.way if isinstance(values, Database) else None
        self._random = None if seed is None else np.random.default_rng(seed)

    def choose(self, what: Position | str | Sequence[int] | None = None) -> int:
        """Return the move to play in a position. Raises BadRequest if the game is over."""
        position = self.game.position(what)
        choices = self.values.moves(position)
        if not choices:
            raise BadRequest(f"{self.game}: the game is over in {position.text!r}")
        best = [choice for choice in choices if self._rank(position, choice) == self._rank(position, choices[0])]
        if self._way is not None:
            best = self._way.shortest(position, best)
        if len(best) > 1:
            rated = [self._rated(position, choice) for choice in best]
            hardest = min(rated, key=lambda one: (one.ease, one.keeping))
            best = [one.choice for one in rated if (one.ease, one.keeping) == (hardest.ease, hardest.keeping)]
        return best[0 if self._random is None else int(self._random.integers(len(best)))].move

    def rated(self, what: Position | str | Sequence[int] | None = None) -> list[Rated]:
        """Return all moves of a position, the one to play first."""
        position = self.game.position(what)
        choices = self.values.moves(position)
        best = [choice for choice in choices if self._rank(position, choice) == self._rank(position, choices[0])]
        first = best if self._way is None else self._way.shortest(position, best)
        rated = [self._rated(position, choice) for choice in choices]
        return sorted(
            rated, key=lambda one: (self._rank(position, one.choice), one.choice not in first, one.ease, one.keeping)
        )

    def _rank(self, position: Position, choice: Choice) -> Any:
        """Return a sort key of moves; the best move has the least."""
        return self.values.rule.preference(choice.value, self.game.call("gain", list(position.state), choice.move))

    def _rated(self, position: Position, choice: Choice) -> Rated:
        replies = self.values.moves(choice.position) if self.game.moves(choice.position.state) else []
        state = choice.position.state
        kept = [_kind(self.values.worth(state, reply)) for reply in replies]
        keeping = sum(kind == kept[0] for kind in kept)  # the first is the best
        return Rated(choice, self.values.worth(position.state, choice), keeping, len(replies))


def _kind(value: Value) -> Any:
    """Return the part of a value that a reply must keep: the outcome, or the points."""
    return getattr(value, "outcome", value)


class SearchingPlayer:
    """Play a game that is too large to be solved by alpha-beta, with a veto of proof-number search (Allis 1994, section 2.4.2).

    Alpha-beta counts `nodes` a move, with the game's `evaluate` at the horizon. Proof-number search, of up to `veto` nodes (0:
    none), drops its move if that loses, and alpha-beta chooses again; if all moves lose, the first choice is played. In positions
    that the database at the leaves knows, the best move is played at once. `seed` decides between moves that are equal there.
    """

    def __init__(
        self, game: Game, leaves: LeafDatabase | None = None, nodes: int = 200_000, veto: int = 200_000,
        seed: int = 0, run: Run | None = None, target: jit.Target = "cpu",
    ) -> None:  # fmt: skip
        if not game.two_players:
            raise BadRequest(f"{game} is a puzzle: expected a game of two players")
        self.game, self.leaves, self.nodes, self.veto = game, leaves, nodes, veto
        self.run, self.target = run or Run(threads=1), target
        self.dropped: list[int] = []
        """The moves in the last position that proof-number search has shown to lose."""
        self._search: DeepeningSearch | None = None
        self._random = np.random.default_rng(seed)

    def choose(self, what: Position | str | Sequence[int] | None = None) -> int:
        """Return the move to play in a position. Raises BadRequest if the game is over."""
        position = self.game.position(what)
        legal = self.game.moves(position.state)
        if not legal:
            raise BadRequest(f"{self.game}: the game is over in {position.text!r}")
        self.dropped = []
        if len(legal) == 1:
            return legal[0]
        known = self._known(position.state, legal)
        return self._searched(position.state, legal) if known is None else known

    def _known(self, state: Sequence[int], legal: Sequence[int]) -> int | None:
        """Return the best move in a position that the database knows: by outcome, by what it is worth, and urgent ones first."""
        if self.leaves is None or self.leaves.value(state) is None:
            return None
        ratings = []
        for move in legal:
            after = self.game.play(state, move)
            urgent = self.game.call("urgency", list(state), move)
            ratings.append((-self._outcome(after), self._worth(after, urgent), urgent))
        best = [move for move, rating in zip(legal, ratings, strict=True) if rating == max(ratings)]
        return best[int(self._random.integers(len(best)))]

    def _outcome(self, state: Sequence[int]) -> int:
        result = self.game.terminal(state)
        if result != UNDECIDED:
            return (result > 0) - (result < 0)
        known = None if self.leaves is None else self.leaves.outcome(state)
        return known if known is not None else 0

    def _worth(self, after: Sequence[int], urgent: int) -> int:
        """Return the points that a move gains in all, if the database counts points and the game's urgency is the gain."""
        if self.leaves is None or not self.leaves.scored:
            return 0
        left = self.leaves.stored(after)
        return urgent - (int(left) if left is not None else 0)

    def _searched(self, state: Sequence[int], legal: Sequence[int]) -> int:
        if self._search is None:
            self._search = DeepeningSearch(self.game, self.leaves, draw=0, run=self.run, target=self.target)
        first = None
        while len(self.dropped) < len(legal):
            found = self._search.search(state, self.nodes, without=self.dropped)
            left = [move for move in legal if move not in self.dropped]
            move = found.line[0] if found.line else left[0]
            first = move if first is None else first
            if found.value == WON or not self._loses(self.game.play(state, move)):
                return move
            self.dropped.append(move)
        assert first is not None
        return first

    def _loses(self, after: Sequence[int]) -> bool:
        """Return whether proof-number search shows that the opponent, to move, wins."""
        result = self.game.terminal(after)
        if result != UNDECIDED or not self.veto:
            return result != UNDECIDED and result > 0
        if self.leaves is not None and (known := self.leaves.outcome(after)) is not None:
            return known > 0
        budget = Budget(self.game, self.run, self.veto)
        search = ProofNumberSearch(
            self.game,
            budget,
            new_transpositions(SMALLEST),
            0,
            self.run.memory // 2,
            self.target,
            self.leaves,
        )
        try:
            return search.holds(np.array(after, self.game.dtype), 1, lookup=False)
        except LimitReached:
            return False
