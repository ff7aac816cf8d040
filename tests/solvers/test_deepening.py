"""Alpha-beta that deepens, and proof-number search with a database at its leaves and numbers of the game's own."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import searchbench as sb
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.games.awari_match import AwariMatch
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import LeafDatabase
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.contract import ONES
from searchbench.solvers.proof.deepening import LOST_DRAWS, WON, DeepeningSearch
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.shared.transposition import SMALLEST, new_transpositions
from searchbench.store import Database


@pytest.fixture(scope="module")
def truth() -> Database:
    """Return all boards with up to four stones."""
    return solve_states(load("awari:4"), target="interpreted")


@pytest.fixture(scope="module")
def leaves() -> LeafDatabase:
    """Return those with up to two, at the leaves of a match."""
    return LeafDatabase(AwariMatch(12), solve_states(load("awari:2"), target="interpreted"))


def random_states(count: int, fewest: int, most: int) -> list[list[int]]:
    """Return matches of twelve stones, with some of them on the board and random stores."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    found = []
    while len(found) < count:
        board = [0] * 12
        for _ in range(chance.randint(fewest, most)):
            board[chance.randrange(12)] += 1
        own = chance.randint(0, 12 - sum(board))
        state = [*board, own, 12 - sum(board) - own]
        if AwariMatch(12).moves(state):
            found.append(state)
    return found


def naive(
    game: sb.Game, leaves: LeafDatabase | None, state: Sequence[int], plies: int, draw: int, at_root: bool
) -> int:
    """Return the minimax value for the player to move, by the words of the thesis."""
    result = game.terminal(state)
    if result == UNDECIDED and not at_root and leaves is not None and (known := leaves.outcome(state)) is not None:
        result = known
    if result != UNDECIDED:
        return draw if result == 0 else WON * (1 if result > 0 else -1)
    if plies == 0:
        return int(game.call("evaluate", list(state)))
    return max(-naive(game, leaves, game.play(state, move), plies - 1, -draw, False) for move in game.moves(state))


@pytest.mark.parametrize("draw", [LOST_DRAWS, 0])
@pytest.mark.parametrize("with_leaves", [False, True])
def test_values_are_those_of_minimax_to_the_same_horizon(leaves: LeafDatabase, draw: int, with_leaves: bool) -> None:
    game = leaves.game
    known = leaves if with_leaves else None
    search = DeepeningSearch(game, known, draw=draw, target="interpreted")
    for state in random_states(25, 3, 8):
        for depth in (1, 2, 3, 4):
            found = search.search(state, 10**6, depth)
            assert found.value == naive(game, known, state, found.depth, draw, True), (state, depth)
            assert found.depth == depth or found.solved
            after = state
            for place, move in enumerate(found.line):
                assert move in game.moves(after), (state, place)
                after = game.play(after, move)


@pytest.mark.long
def test_a_table_keeps_what_is_proved(truth: Database, leaves: LeafDatabase) -> None:
    """Tables so small that states displace each other, and large ones, give the answers of retrograde analysis."""
    game = leaves.game
    searches = [DeepeningSearch(game, leaves, entries, target="interpreted") for entries in (0, 7, 5_000)]
    solved = [0, 0, 0]
    for state in random_states(60, 3, 4):
        wins = state[12] - state[13] + truth.probe(state[:12]) > 0
        for place, search in enumerate(searches):
            found = search.search(state, 300, 12)
            if found.solved:
                assert found.value == (WON if wins else -WON), (state, place)
                solved[place] += 1
    assert min(solved) >= 5, solved  # of 60 in 300 nodes each: about 20 to 30


def test_a_table_saves_nodes(leaves: LeafDatabase) -> None:
    states = random_states(10, 8, 10)
    nodes = [
        sum(
            DeepeningSearch(leaves.game, leaves, entries, target="interpreted").search(state, 10**6, 5).nodes
            for state in states
        )
        for entries in (0, 10_000)
    ]
    assert nodes[1] < nodes[0]


@pytest.mark.parametrize("own_numbers", [False, True])
def test_proof_numbers_with_leaves_give_the_answers_of_retrograde_analysis(
    truth: Database, leaves: LeafDatabase, own_numbers: bool
) -> None:
    game, run = leaves.game, Run(threads=1, memory=1 << 26)
    solved = 0
    for state in random_states(30, 3, 4):
        lead = state[12] - state[13] + truth.probe(state[:12])
        for bound in (0, 1):
            search = ProofNumberSearch(
                game, Budget(game, run, 400), new_transpositions(SMALLEST), 0, 1 << 22, "interpreted", leaves,
                {} if own_numbers else ONES,
            )  # fmt: skip
            try:
                holds = search.holds(np.array(state, game.dtype), bound, lookup=False)
            except LimitReached:
                continue
            assert holds == (lead >= bound), (state, bound)
            solved += 1
    assert solved, solved


def test_stones_are_the_first_numbers() -> None:
    """To win 25 stones are needed, for a draw 24 (Allis 1994, section 2.4.3)."""
    game = load("awari-match")
    state = game.parse("4 4 4 4 0 0 0 0 0 0 0 0 20 12")
    numbers = [
        [game.call(name, list(state), bound, 0, []) for name in ("first_proof", "first_disproof")] for bound in (0, 1)
    ]
    assert numbers == [[4, 13], [5, 12]]


def test_the_compiled_search_is_the_interpreted_one(leaves: LeafDatabase) -> None:
    for entries in (0, 50):
        searches = [DeepeningSearch(leaves.game, leaves, entries, target=target) for target in ("interpreted", "cpu")]
        for state in random_states(5, 4, 12):
            found = [search.search(state, 2_000, 6) for search in searches]
            assert found[0] == found[1], (state, entries)
