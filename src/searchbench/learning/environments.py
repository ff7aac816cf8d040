"""Environments for learning agents: Gymnasium's for puzzles, PettingZoo's for games of two players."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from searchbench.errors import BadRequest, MissingPackage
from searchbench.game import Position
from searchbench.late import late
from searchbench.learning.truths import Array, TruthReader, batches, figures_of, regret
from searchbench.run import Run
from searchbench.store import Database


class Oracle:
    """Know of each position of a database the actions that are legal there, what they are worth, and which are best.

    An action is a place in `moves`: all moves that some position of the database has, in order.
    """

    def __init__(self, database: Database, run: Run | None = None) -> None:
        rule = database.rule
        if not rule.ranks_moves or rule.from_start:
            raise BadRequest(f"{database!r}: values by the rule {rule.name!r} do not say which move is best")
        self.database, self.game = database, database.game
        self._reader = TruthReader(database, run)
        self.dtype = np.dtype(self.game.dtype)

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """Return all moves; looks at every position once."""
        found: set[int] = set()
        for numbers in batches(self.database):
            found.update(self._reader.distinct_moves(numbers).tolist())
        return tuple(sorted(found))

    @cached_property
    def _actions(self) -> dict[int, int]:
        return {move: action for action, move in enumerate(self.moves)}

    def move_of(self, action: Any) -> int:
        """Return the move that an action stands for. Raises BadRequest for a number that is no action."""
        if not 0 <= int(action) < len(self.moves):
            raise BadRequest(f"action {action}: {self.game} has the actions 0 to {len(self.moves) - 1}")
        return self.moves[int(action)]

    def playable(self, state: list[int]) -> list[int]:
        """Return a state, or its representative where no position of the database has some move of the state itself."""
        known = all(move in self._actions for move in self.game.moves(state))
        return state if known else self.game.canonical(state)

    def begun(self, what: Position | str | Sequence[int] | None) -> list[int]:
        """Return the state in which an episode begins. Raises BadState for what is none of the database."""
        self.database.number(what)
        return self.playable(list(self.game.position(what).state))

    def observed(self, state: list[int]) -> Array:
        """Return the cells of a state as an observation."""
        return np.array(state, self.dtype)

    def mask(self, state: list[int]) -> Array:
        """Return 1 for each action that is legal in a state, 0 for the others."""
        found = np.zeros(len(self.moves), np.int8)
        for move in self.game.moves(state):
            found[self._actions[move]] = 1
        return found

    def truth(self, state: list[int]) -> dict[str, Any]:
        """Return what is known of a state: its value's figures, and the best actions."""
        value = self.database.probe(state)
        told: dict[str, Any] = {"value": self.database.rule.format(value)}
        choices = self.database.moves(state)
        if choices:
            keys = [self.database.preference(state, choice) for choice in choices]
            told["best_actions"] = [
                self._actions[one.move] for one, key in zip(choices, keys, strict=True) if key == keys[0]
            ]
        return told

    def regret(self, state: list[int], move: int) -> int:
        """Return by how much a move is worth less than the best one, as :meth:`Truths.regrets` counts."""
        rule = self.database.rule
        choices = self.database.moves(state)
        worth = {one.move: figures_of(rule, self.database.worth(state, one))[0] for one in choices}
        return int(regret(np.array(worth[choices[0].move]), np.array(worth[move])))


def environment(database: Database, state: Any = None, limit: int = 1_000, run: Run | None = None) -> Any:
    """Return an environment with exact values: `PuzzleEnvironment`, or `MatchEnvironment` for two players.

    Episodes begin in `state`, by default in random positions of a puzzle and at the start of a game of two players, and are
    cut short after `limit` moves. Raises BadRequest where nobody can move, and MissingPackage without Gymnasium or PettingZoo.
    """
    oracle = Oracle(database, run)
    if not oracle.moves:
        raise BadRequest(f"{database!r}: no position has a move, so there is nothing to play")
    name = "match_environment:MatchEnvironment" if database.rule.two_players else "puzzle_environment:PuzzleEnvironment"
    try:
        return late(f"searchbench.learning.{name}")(oracle, state, limit)
    except ImportError as error:
        extra = "pip install 'searchbench[learning]'"
        raise MissingPackage(f"environments need Gymnasium and PettingZoo: {extra} ({error})") from None
