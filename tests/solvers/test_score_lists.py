"""Scores spread by lists: random games with lists of any size, several threads, and lists that overflow."""

from __future__ import annotations

import random
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings

import naive
from feature_combinations import drawn_game
from graphs import GraphGame, score_games, shared
from searchbench import game as games
from searchbench import jit, load
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import score_lists, scores, solve_states
from searchbench.store import Database

SIZES = {
    "lists alone": {"SMALL": 1 << 22},
    "lists that overflow": {"SMALL": 1 << 22, "ROOM": 5, "DEALT": 2, "ALONE": 1},
    "few states are dealt out": {"SMALL": 1 << 22, "DEALT": 300, "ALONE": 8},
    "lists and rounds": {"SMALL": -1, "FEW": 6, "BURSTS": 2, "ALONE": 2},
    "rounds alone": {"SMALL": -1, "FEW": 0},
}


def codes_of(game: Game, sizes: str, threads: int = 1, target: jit.Target = "interpreted") -> tuple[bytes, Database]:
    """Solve a game backwards with lists of these sizes; return its codes, in two bytes each, and the database."""
    few = 0 if target == "cpu" else games.FEW_STATES  # are compiled, too
    with mock.patch.multiple(score_lists, **SIZES[sizes]), mock.patch.object(games, "FEW_STATES", few):
        solved = solve_states(game, "score", "retrograde", Run(threads=threads, memory=64 << 20), target=target)
    assert solved.facts["solver"] == "retrograde"
    return solved.codes.astype("uint16").tobytes(), solved


def right(game: Game, database: Database) -> bool:
    """Compare a database with the values that a naive solver finds."""
    graph = naive.explicit(game)
    wanted = naive.table(graph, naive.scores(graph))
    return {number: database.rule.decode(int(database.codes[number])) for number in wanted} == wanted


@pytest.mark.parametrize("sizes", SIZES)
@given(game=score_games(largest=30))
@settings(max_examples=40)
def test_random_games_have_the_naive_scores(sizes: str, game: GraphGame) -> None:
    assert right(game, codes_of(game, sizes)[1])


def drawn(chance: random.Random, largest: int) -> GraphGame:
    """Draw a game for points, of which moves stay within a layer or lead down."""
    while (game := drawn_game(chance, largest)).values != "score" or game.mirror:
        pass
    return game


@pytest.mark.parametrize("seed", range(3))
def test_several_threads_write_to_the_same_states(seed: int) -> None:
    """Compiled: one state is decided once, whoever tells it; and no state is lost where a list has no room."""
    game = shared(drawn(random.Random(f"lists {seed}"), 20_000))
    alone, database = codes_of(game, "rounds alone", target="cpu")
    assert right(game, database)
    with mock.patch.object(scores, "FINE", 64):
        for sizes in SIZES:
            for threads in (1, 2, 4):
                assert codes_of(game, sizes, threads, target="cpu")[0] == alone


def test_one_worker_calls_and_the_others_stop() -> None:
    """Of two workers one has little to do: it calls, and the states of the other are dealt out."""
    game, dealt = load("awari:6"), []

    def deal(self: Any, told: list[Any], states: int) -> None:
        dealt.append((states, sum(len(one.dealt) for one in told)))
        plain(self, told, states)

    plain = score_lists.Lists._deal
    with mock.patch.object(score_lists.Lists, "_deal", deal):
        two, solved = codes_of(game, "few states are dealt out", threads=2, target="cpu")
    assert two == codes_of(game, "rounds alone", target="cpu")[0]
    assert {workers for _, workers in dealt} == {2}
    assert len(dealt) > solved.facts["levels"]  # bursts end early, and what is left is dealt out again


def test_a_state_that_all_workers_tell_at_once_loses_no_move() -> None:
    """Each of many hubs has 250 moves, all of them to states that are won at once: the last one told makes it a loss."""
    hubs, moves = 60, 250
    won = range(1, 1 + moves)
    edges = [(node, 0, 1, 0) for node in won]
    edges += [(hub, node, 1, 0) for hub in range(1 + moves, 1 + moves + hubs) for node in won]
    game = GraphGame(tuple(edges), (-1,) + (UNDECIDED,) * (moves + hubs), "score", first=1)
    for threads in (1, *[2, 4] * 10):
        database = codes_of(shared(game), "few states are dealt out", threads, target="cpu")[1]
        found = [database.rule.decode(code) for code in database.codes.tolist()]
        assert found == [-1] + [1] * moves + [-1] * hubs, threads
