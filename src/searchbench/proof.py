"""A proof: the value of a state of a two-player game, with strategies that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from searchbench.game import Game


@dataclass(frozen=True)
class Claim:
    """Claim that a player gets at least `bound` from the root, and the move to play in each state that can arise.

    `player` is 0 for the player to move at the root, 1 for the other. `bound` is -1, 0 or +1 from that player's view.
    `strategy` maps the states where that player is to move (as the line of play reaches them) to a move.
    """

    player: int
    bound: int
    strategy: Mapping[tuple[int, ...], int] = field(repr=False)


@dataclass(frozen=True)
class Proof:
    """Hold the outcome (-1, 0, +1 for the player to move) of a state, with a claim for each side that fixes it."""

    game: Game
    state: tuple[int, ...]
    outcome: int
    method: str
    claims: tuple[Claim, ...] = ()
    nodes: int = 0
    seconds: float = 0.0

    @property
    def value(self) -> str:
        """Return "win", "draw" or "loss" for the player to move."""
        return {-1: "loss", 0: "draw", 1: "win"}[self.outcome]

    def verify(self) -> list[str]:
        """Return what is wrong with the proof by the rules alone; an empty list if nothing is."""
        from searchbench.verify import verify_proof

        return verify_proof(self)
