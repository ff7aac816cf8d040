"""A game of two players as an environment of PettingZoo."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from searchbench.learning.environments import Oracle
from searchbench.rules import UNDECIDED

PLAYERS = ("first", "second")


class MatchEnvironment(AECEnv):  # type: ignore[misc]
    """Play a game to its end: the reward is the result for each player, 1, 0 or -1, or points.

    An observation has the cells of the state, as the player to move sees them, and the `action_mask`; an action is a place in
    `moves`. `infos` of the player to move have the state's `value` and the `best_actions`; those of a player who has moved
    the `regret` of the last move, until the next one.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "searchbench", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, oracle: Oracle, state: Any = None, limit: int = 1_000, render_mode: str | None = None) -> None:
        super().__init__()
        kind = np.iinfo(oracle.dtype)
        self.oracle, self.game, self.moves = oracle, oracle.game, oracle.moves
        self.render_mode, self._begin, self._limit = render_mode, state, limit
        self.possible_agents = list(PLAYERS)
        cells = spaces.Box(kind.min, kind.max, (self.game.width,), oracle.dtype.type)
        masks = spaces.Box(0, 1, (len(self.moves),), np.int8)
        self.observation_spaces = dict.fromkeys(PLAYERS, spaces.Dict({"observation": cells, "action_mask": masks}))
        self.action_spaces = {player: spaces.Discrete(len(self.moves)) for player in PLAYERS}

    def observation_space(self, agent: str) -> Any:
        """Return what a player observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin in `options["state"]`, in the environment's state, or at the start."""
        begin = (options or {}).get("state", self._begin)
        self._state = self.oracle.begun(begin)
        self._plies = 0
        self.agents = list(PLAYERS)
        self.agent_selection = PLAYERS[0]
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, self._over())
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos: dict[str, dict[str, Any]] = {player: {} for player in PLAYERS}
        self._tell()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the state and the legal actions; those of the player who waits are none."""
        moves = agent == self.agent_selection
        mask = self.oracle.mask(self._state) if moves else np.zeros(len(self.moves), np.int8)
        return {"observation": self.oracle.observed(self._state), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Make a move. Raises ValueError for one that is not legal, BadRequest for a number that is no action."""
        player = self.agent_selection
        if self.terminations[player] or self.truncations[player]:
            self._was_dead_step(action)
            return
        move = self.oracle.move_of(action)
        if move not in self.game.moves(self._state):
            state = self.game.format(self._state)
            raise ValueError(f"action {action} is not legal in {state!r}; `action_mask` tells which ones are")
        self._cumulative_rewards[player] = 0.0
        self._clear_rewards()
        self.infos[player] = {"regret": self.oracle.regret(self._state, move)}
        gained = self._gain(move)
        self._state = self.oracle.playable(self.game.play(self._state, move))
        self._plies += 1
        other = PLAYERS[1 - PLAYERS.index(player)]
        self.agent_selection = other
        result = self.game.terminal(self._state)
        points = gained - (result if result != UNDECIDED else 0)
        self.rewards = {player: float(points), other: float(-points)}
        if self._over():
            self.terminations = dict.fromkeys(PLAYERS, True)
        elif self._plies >= self._limit:
            self.truncations = dict.fromkeys(PLAYERS, True)
        self._tell()
        self._accumulate_rewards()

    def render(self) -> Any:
        """Return the state as text."""
        return self.game.format(self._state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing."""

    def _over(self) -> bool:
        """Tell whether the game has ended: by the rules, or because there is no move, which is a draw."""
        return not self.game.moves(self._state)

    def _gain(self, move: int) -> int:
        """Return the points of a move, where the game counts points."""
        return int(self.game.call("gain", list(self._state), move)) if self.oracle.database.rule.points else 0

    def _tell(self) -> None:
        """Tell the player to move what is known of the state, beside the regret of the player's own last move."""
        player = self.agent_selection
        last = {name: told for name, told in self.infos[player].items() if name == "regret"}
        self.infos[player] = {**self.oracle.truth(self._state), **last}
