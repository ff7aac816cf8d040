"""A database: the value of every state of a game, to be probed, searched and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.game import Game
from searchbench.values import ValueRule


class Database:
    """Hold the stored codes of all numbers of a game."""

    def __init__(self, game: Game, rule: ValueRule, codes: npt.NDArray[Any], facts: dict[str, Any]) -> None:
        self.game, self.rule, self.codes, self.facts = game, rule, codes, facts

    def histogram(self) -> dict[Any, int]:
        """Return how many states have each value."""
        top = np.iinfo(self.codes.dtype).max
        codes, counts = np.unique(self.codes, return_counts=True)
        return {self.rule.decode(int(c)): int(n) for c, n in zip(codes, counts, strict=True) if c != top}
