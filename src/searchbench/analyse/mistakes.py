"""The first mistakes: how soon a move can lose a position that was not lost (Gasser 1995, section 5.6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Position
from searchbench.rules import UNDECIDED, State, canonical, moves, new_state, play, unplay
from searchbench.run import Run
from searchbench.solvers.proof import LeafDatabase
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.bounding import first_size
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.facts import outcome_of
from searchbench.solvers.proof.leaves import Leaves, outcome_of_leaf
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


def look_after(state: State, leaves: Leaves, out: Any, after: Any, known: Any, over: Any) -> int:
    """Write the moves, the representatives of the states after them, and their outcomes as far as they are known at once.

    `over` tells after which moves the game is over: a state whose outcome the leaves know goes on.
    """
    scratch = new_state()
    count = moves(state, out)
    for place in range(count):
        play(state, out[place])
        known[place] = outcome_of(state)
        over[place] = known[place] != UNDECIDED
        if known[place] == UNDECIDED:
            known[place] = outcome_of_leaf(state, scratch, 0, leaves)
        for cell in range(len(state)):
            after[place, cell] = state[cell]
        unplay(state, out[place])
        canonical(after[place])
    return count


def first_losing_moves(leaves: LeafDatabase, plies: int, run: Run | None = None) -> list[Mistake]:
    """Return the earliest moves, of the first `plies` of a game, from a position not lost to a lost one, up to symmetry.

    All of them at that ply; an empty list if there are none. Raises BadRequest where the leaves do not tell enough.
    """
    game, active = leaves.game, run or Run(threads=1)
    memory = active.memory // 4
    search = AlphaBetaSearch(game, Budget(game, active), new_transpositions(first_size(memory)), memory, leaves)
    kernel = jit.bind(look_after, search.names)
    out, after = np.zeros(game.max_moves, np.int64), np.zeros((game.max_moves, game.width), game.dtype)
    known, over = np.zeros(game.max_moves, np.int64), np.zeros(game.max_moves, np.bool_)
    at_leaves = leaves.leaves(active)
    loses: dict[tuple[int, ...], bool] = {}
    layer = [tuple(game.canonical(game.start()))]
    for ply in range(1, plies + 1):
        mistakes: list[Mistake] = []
        following: dict[tuple[int, ...], None] = {}
        for place, state in enumerate(layer):
            active.progress(f"ply {ply}", place, len(layer))
            count = kernel(np.array(state, game.dtype), at_leaves, out, after, known, over)
            losing: dict[tuple[int, ...], int] = {}
            states = list(map(tuple, after[:count].tolist()))
            for number, one in enumerate(states):
                if one not in loses:
                    loses[one] = known[number] > 0 if known[number] != UNDECIDED else _wins(search, one)
                if loses[one]:
                    losing.setdefault(one, int(out[number]))
                if not over[number]:
                    following[one] = None
            if len(losing) < len(set(states)):
                mistakes += [Mistake(Position(game, state), move, ply) for move in losing.values()]
        if mistakes:
            return mistakes
        layer = list(following)
    return []


def _wins(search: AlphaBetaSearch, state: tuple[int, ...]) -> bool:
    """Tell whether the player to move wins."""
    search.budget.renew()
    found = search.value(np.array(state, search.game.dtype), 0, 1) > 0
    if search.unknown:
        raise BadRequest(f"{search.game.format(state)!r} leads to parts that the leaves do not have")
    return found
