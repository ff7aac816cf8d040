"""Limit a proof: nodes and seconds, for all its searches and its evidence together.

A search from one state follows lines, and where positions repeat there are many more lines than positions. Retrograde
analysis visits each position a few times. So where the game fits it, the budget recommends it, and ends a search without
limits that has taken many times as long.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy.typing as npt

from searchbench.errors import BadRequest, LimitReached, OutOfMemory
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.run import Run

ADVISED: Final = 1 << 22
STOPPED: Final = 1 << 26
"""Least nodes before the warning about a search with repetitions, and before its end if it has no limit."""
ADVISED_TIMES: Final = 4
STOPPED_TIMES: Final = 64
"""The same thresholds, in multiples of the number of states; the larger one counts."""
EVIDENCE: Final = 1 << 22
EVIDENCE_TIMES: Final = 4
"""Nodes for evidence where no limit is set: EVIDENCE, and EVIDENCE_TIMES the nodes of the search."""
LARGEST_GRAPH: Final = 1 << 29
"""The most nodes of a graph: edges, of which there is room for four times as many, are numbered in 32 bits."""
FIRST_PIECE: Final = 1 << 6
"""Nodes of the first piece of a slice."""
SHORT, LONG = 0.1, 0.4
"""Seconds between which a piece should last: so limits of seconds and interrupts are seen soon, also where rules are slow."""
SHOWN: Final = 8
"""Moves of the line to the most-proving node that progress shows."""
Array = npt.NDArray[Any]
Result = TypeVar("Result")
Steps = Generator[None, None, Result]
"""A search that yields after each piece of a slice, and returns its result."""
log = logging.getLogger(__name__)


def nothing() -> None:
    """Do nothing."""


def ended(steps: Steps[Result]) -> Result:
    """Take all steps of a search; return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


class Budget:
    """Count the nodes of searches and the repetitions they meet; `limit` nodes and `seconds` are the limits, 0 for none."""

    def __init__(self, game: Game, run: Run, limit: int = 0, seconds: float = 0.0) -> None:
        if limit < 0 or seconds < 0:
            raise BadRequest(f"limits of {limit} nodes and {seconds} seconds: each must be positive, or 0 for none")
        self.game, self.run, self.limit, self.seconds = game, run, limit, seconds
        self.unlimited = not limit and not seconds
        self.size = 0 if game.has("repetition") else line_size(game.parts())
        self.turn = 0
        """The count of nodes at which a search that takes turns with others waits, 0 for one that has none beside it."""
        self._pace, self._piece, self._since = FIRST_PIECE, 0, 0.0
        self.renew()

    def renew(self) -> None:
        """Reset all counts."""
        self.nodes = self.repetitions = 0
        self.began = self.run.seconds
        self.advised = False

    def room(self, most: int) -> int:
        """Return the nodes allowed for the next slice of a search, up to `most`."""
        return max(0, min([most, *(end - self.nodes for end in (self.limit, self.turn) if end)]))

    @property
    def turn_ends(self) -> bool:
        """Return whether the turn of this search is over, if it has one."""
        return 0 < self.turn <= self.nodes

    def piece(self, most: int) -> int:
        """Return the nodes allowed for the next piece of a slice that has up to `most`: as many as take some tenths of a second.

        What it takes is told by the next call of `spend`.
        """
        self._since = self.run.seconds
        self._piece = self.room(min(most, self._pace))
        return self._piece

    def _keep_pace(self, nodes: int) -> None:
        """Make pieces longer or shorter by what the last one took, if there was one."""
        asked, self._piece = self._piece, 0
        took = self.run.seconds - self._since
        if asked and took > LONG:
            self._pace = max(1, self._pace // 2)
        elif took < SHORT and nodes >= asked == self._pace:
            self._pace *= 2

    def demand_larger(self, graph: Iterable[Array], nodes: int, threads: int = 1) -> None:
        """Raise OutOfMemory where threads cannot each have a graph of twice as many `nodes` beside theirs, or number it."""
        if 2 * nodes > LARGEST_GRAPH:
            raise OutOfMemory(f"{self.game}: no graph of more than {LARGEST_GRAPH:,} positions can be numbered")
        each = f" in each of {threads} threads" if threads > 1 else ""
        size = 3 * threads * sum(array.nbytes for array in graph)
        self.run.demand(size, f"a graph of {2 * nodes:,} positions{each}")

    def spend(self, stage: str, nodes: int, repetitions: int) -> None:
        """Count a slice of a search or a piece of it, and report it."""
        self._keep_pace(nodes)
        self.nodes += nodes
        self.repetitions += repetitions
        if self.cyclic and self.nodes >= max(ADVISED, ADVISED_TIMES * self.size):
            if not self.advised:
                log.warning("%s: %s", self.game, self.advice)
                self.advised = True
            stage = f"{stage} (positions repeat: solve would decide all {self.size:,} states)"
        self.run.progress(stage, self.nodes, self.limit)

    def told(self, root: Any, proof: int, disproof: int, line: Sequence[int]) -> str:
        """Return how far a proof-number search is: root numbers, nodes a second, and the line to the most-proving node."""
        numbers = f"proof number {proof:,}, disproof number {disproof:,}"
        if not self.run.reports:
            return numbers
        words: list[str] = []
        state = list(root)
        for move in line[:SHOWN]:
            words.append(self.game.format_move(state, move))
            state = self.game.play(state, move)
        rate = round(self.nodes / max(self.run.seconds - self.began, 0.001))
        more = " ..." if len(line) > SHOWN else ""
        return f"{numbers}, {rate:,} nodes/s, line {' '.join(words)}{more}" if words else f"{numbers}, {rate:,} nodes/s"

    def allow_evidence(self) -> None:
        """Set the limit of nodes for evidence if none is set."""
        if self.unlimited:
            self.limit = EVIDENCE + (1 + EVIDENCE_TIMES) * self.nodes

    @property
    def cyclic(self) -> bool:
        """Return whether positions have repeated in a game that fits retrograde analysis in memory."""
        return self.repetitions > 0 and 0 < self.size <= self.run.memory

    @property
    def advice(self) -> str:
        """Return the advice to solve the whole game."""
        return f"this game has cycles and {self.size:,} states: `searchbench solve {self.game}` decides all of them"

    def check(self, told: str = "") -> None:
        """Raise LimitReached if an unfinished search must stop; `told` describes its progress."""
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
                "give a limit of nodes to search further"
            )
