"""Let a program play itself, to get positions as games have them: a test set that anybody can make again.

A game begins with random moves. Then two alpha-beta searches play, one of them weaker: it counts fewer nodes. Now and then a move
is random. A game ends by the rules, when a state occurs for the third time, or after `MOST_PLIES`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Final

from searchbench import jit
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import LeafDatabase
from searchbench.solvers.proof.deepening import DeepeningSearch

RANDOM_PLIES: Final = 6
RANDOM_SHARE: Final = 0.1
NODES: Final = (4_000, 400)
"""The nodes for a move of the stronger and of the weaker side; they change sides from game to game."""
MOST_PLIES: Final = 200


def play_itself(
    game: Game, leaves: LeafDatabase, games: int, seed: int, run: Run, target: jit.Target = "cpu"
) -> Iterator[list[tuple[int, ...]]]:
    """Yield the states of each game from the end of its random opening on, in order; no two games are equal."""
    chance = random.Random(seed)
    search = DeepeningSearch(game, leaves, draw=0, run=Run(threads=1, memory=run.memory), target=target)
    found: set[tuple[tuple[int, ...], ...]] = set()
    while len(found) < games:
        played = tuple(_one_game(game, search, chance, len(found) % 2))
        if played and played not in found:
            found.add(played)
            run.progress("games", len(found), games)
            yield list(played)


def _one_game(game: Game, search: DeepeningSearch, chance: random.Random, strong: int) -> Iterator[tuple[int, ...]]:
    state = tuple(game.start())
    times: Counter[tuple[int, ...]] = Counter()
    for ply in range(MOST_PLIES):
        if ply >= RANDOM_PLIES:
            yield state
        times[state] += 1
        legal = game.moves(state)
        if game.terminal(state) != UNDECIDED or not legal or times[state] == 3:
            return
        if ply < RANDOM_PLIES or chance.random() < RANDOM_SHARE:
            move = chance.choice(legal)
        else:
            line = search.search(state, NODES[0 if ply % 2 == strong else 1]).line
            move = line[0] if line else legal[0]
        state = tuple(game.play(state, move))
