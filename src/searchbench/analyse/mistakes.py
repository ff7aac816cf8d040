"""The first mistakes: how soon a move can lose what was not lost (Gasser 1995, section 5.6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.game import Position
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import LeafDatabase
from searchbench.solvers.proof.alphabeta import AlphaBeta
from searchbench.solvers.proof.bounding import first_size
from searchbench.solvers.shared.transposition import new_transpositions


class Mistake(NamedTuple):
    """Hold a position that is not lost for the player to move, the move that loses it, and which ply of the game it is."""

    position: Position
    move: int
    ply: int

    @property
    def move_text(self) -> str:
        """Return the move as text."""
        return self.position.game.format_move(self.position.state, self.move)


def first_losing_moves(leaves: LeafDatabase, plies: int, run: Run | None = None) -> list[Mistake]:
    """Return the earliest moves, of the first `plies` of a game, that lose what was not lost; positions up to symmetry.

    All of them at that ply; an empty list if there are none. Raises BadRequest where the leaves do not tell enough.
    """
    game, active = leaves.game, run or Run(threads=1)
    memory = active.memory // 4
    search = AlphaBeta(game, active, 0, new_transpositions(first_size(memory)), memory, leaves)

    def outcome(state: tuple[int, ...]) -> int:
        result = game.terminal(state)
        if result != UNDECIDED:
            return (result > 0) - (result < 0)
        known = leaves.outcome(state)
        found = search.value(np.array(state, game.dtype), -1, 1) if known is None else known
        if search.unknown:
            raise BadRequest(f"{game.format(state)!r} leads to parts that {leaves.database!r} does not have")
        return found

    layer = {tuple(game.canonical(game.start())): outcome(tuple(game.start()))}
    for ply in range(1, plies + 1):
        mistakes: list[Mistake] = []
        following: dict[tuple[int, ...], int] = {}
        for place, (state, value) in enumerate(layer.items()):
            active.progress(f"ply {ply}", place, len(layer))
            seen = set()
            for move in game.moves(state):
                after = tuple(game.canonical(game.play(state, move)))
                if after not in following:
                    following[after] = outcome(after)
                if value >= 0 and following[after] > 0 and after not in seen:
                    mistakes.append(Mistake(Position(game, state), move, ply))
                seen.add(after)
        if mistakes:
            return mistakes
        layer = {state: value for state, value in following.items() if game.terminal(state) == UNDECIDED}
    return []
