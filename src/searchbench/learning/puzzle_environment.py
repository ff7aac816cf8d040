"""A puzzle as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from searchbench.errors import BadState
from searchbench.learning.environments import Oracle
from searchbench.rules import UNDECIDED

Observation = np.ndarray[Any, Any]


class PuzzleEnvironment(gymnasium.Env[Observation, int]):
    """Solve a puzzle at the least cost: a move's reward is less its cost. An episode ends solved, or where no move is left.

    An observation is the cells of the state. An action is a place in `moves`; `info["action_mask"]` says which are legal. One
    that is not changes nothing and costs 1. `info` also has the state's `value`, the `best_actions`, and after a step its
    `regret`: how much more the way to the end costs after it.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012 - Gymnasium declares it so

    def __init__(self, oracle: Oracle, state: Any = None, limit: int = 1_000, render_mode: str | None = None) -> None:
        kind = np.iinfo(oracle.dtype)
        self.oracle, self.game, self.moves = oracle, oracle.game, oracle.moves
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(kind.min, kind.max, (self.game.width,), oracle.dtype.type)
        self.action_space: Any = gymnasium.spaces.Discrete(len(self.moves))
        self._begin, self._limit, self._steps = state, limit, 0
        self._state = self.game.start()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin in `options["state"]`, in the environment's state, or in a random position that can be solved, and is not."""
        super().reset(seed=seed)
        begin = (options or {}).get("state", self._begin)
        self._steps = 0
        self._state = self.oracle.begun(self._random() if begin is None else begin)
        return self.oracle.observed(self._state), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a move. Raises BadRequest for a number that is no action."""
        move = self.oracle.move_of(action)
        self._steps += 1
        cut = self._steps >= self._limit
        if move not in self.game.moves(self._state):
            return self.oracle.observed(self._state), -1.0, False, cut, self._info() | {"illegal": True}
        regret = self.oracle.regret(self._state, move)
        cost = self.game.call("cost", list(self._state), move)
        self._state = self.oracle.playable(self.game.play(self._state, move))
        over = self.game.terminal(self._state) != UNDECIDED or not self.game.moves(self._state)  # solved, lost or stuck
        return self.oracle.observed(self._state), -float(cost), over, cut, self._info() | {"regret": regret}

    def render(self) -> Any:
        """Return the state as text."""
        return self.game.format(self._state) if self.render_mode == "ansi" else None

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.oracle.mask(self._state), **self.oracle.truth(self._state)}

    def _random(self) -> list[int]:
        database = self.oracle.database
        ends = np.cumsum([part.stop - part.start for part in database.parts])
        for _ in range(10_000):
            drawn = int(self.np_random.integers(ends[-1]))
            part = int(np.searchsorted(ends, drawn, "right"))
            number = database.parts[part].stop - int(ends[part]) + drawn
            if database.residue(number) != database.illegal:
                state = self.game.unrank(number)
                if self.game.terminal(state) != 0 and database.probe(state) is not None:
                    return state
        raise BadState(
            f"{self.game}: no position that can be solved was found; begin in a state: options={{'state': ...}}"
        )
