"""What a proof may take: nodes and seconds, for all its searches and its evidence together.

A search from one state looks at lines, and where positions repeat there are many more lines than positions. Retrograde
analysis looks at each position a few times, so where it could do that it is recommended, and a search without limits
ends once it has taken many times as much.
"""

from __future__ import annotations

import logging
from typing import Final

from searchbench.errors import BadRequest, LimitReached
from searchbench.game import Game
from searchbench.run import Run

ADVISED: Final = 1 << 22
STOPPED: Final = 1 << 26
"""After how many nodes at least a search with repetitions is advised against, and stopped if it has no limit."""
ADVISED_TIMES: Final = 4
STOPPED_TIMES: Final = 64
"""The same as multiples of the number of states."""
EVIDENCE: Final = 1 << 22
EVIDENCE_TIMES: Final = 4
"""How many nodes evidence may take without a limit: so many, and so many times as many as the search took."""
log = logging.getLogger(__name__)


class Budget:
    """Count the nodes of searches and the repetitions they meet; `limit` nodes and `seconds` are the limits, 0 for none."""

    def __init__(self, game: Game, run: Run, limit: int = 0, seconds: float = 0.0) -> None:
        if limit < 0 or seconds < 0:
            raise BadRequest(f"limits of {limit} nodes and {seconds} seconds: each must be positive, or 0 for none")
        self.game, self.run, self.limit, self.seconds = game, run, limit, seconds
        self.unlimited = not limit and not seconds
        self.size = max((part.stop for part in game.parts()), default=0)
        self.renew()

    def renew(self) -> None:
        """Count from nothing again."""
        self.nodes = self.repetitions = 0
        self.began = self.run.seconds
        self.advised = False

    def room(self, most: int) -> int:
        """Return how many nodes the next slice of a search may take, up to `most`."""
        return max(0, min(most, self.limit - self.nodes)) if self.limit else most

    def spend(self, stage: str, nodes: int, repetitions: int) -> None:
        """Count a slice of a search, and report it."""
        self.nodes += nodes
        self.repetitions += repetitions
        if self.cyclic and self.nodes >= max(ADVISED, ADVISED_TIMES * self.size):
            if not self.advised:
                log.warning("%s: %s", self.game, self.advice)
                self.advised = True
            stage = f"{stage} (positions repeat: solve would decide all {self.size:,} states)"
        self.run.progress(stage, self.nodes, self.limit)

    def allow_evidence(self) -> None:
        """Set the limit for evidence where none is set."""
        if self.unlimited:
            self.limit = EVIDENCE + (1 + EVIDENCE_TIMES) * self.nodes

    @property
    def cyclic(self) -> bool:
        """Tell whether positions have repeated in a game that retrograde analysis could hold in memory."""
        return self.repetitions > 0 and 0 < self.size <= self.run.memory

    @property
    def advice(self) -> str:
        """Return the other way to the value."""
        return f"this game has cycles and {self.size:,} states: `searchbench solve {self.game}` decides all of them"

    def check(self, told: str = "") -> None:
        """Raise LimitReached where a search that is not done must stop; `told` is what is known about it."""
        about = f" ({told})" if told else ""
        advice = f"; {self.advice}" if self.cyclic else ""
        if self.limit and self.nodes >= self.limit:
            raise LimitReached(f"{self.game}: no result within {self.limit:,} nodes{about}; raise the limit{advice}")
        if self.seconds and self.run.seconds - self.began >= self.seconds:
            raise LimitReached(
                f"{self.game}: no result within {self.seconds:g} seconds{about}; raise the limit{advice}"
            )
        if self.unlimited and self.cyclic and self.nodes >= max(STOPPED, STOPPED_TIMES * self.size):
            raise LimitReached(
                f"{self.game}: no result within {self.nodes:,} nodes{about}, and positions repeat{advice}; "
                "with a limit of nodes the search goes on as far as that"
            )
