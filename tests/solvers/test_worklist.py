"""Worklists: the forward fixpoint gathers a state again only where a successor has changed, and finds the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import naive
from graphs import GraphGame, chain, long_games, puzzles, shared
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import edges, solve_states, worklist


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a worklist of few states, too, and after the first sweep."""
    monkeypatch.setattr(worklist, "LEAST", 1)
    monkeypatch.setattr(worklist, "FULL_SWEEPS", 1)


def forwards(game: GraphGame, memory: int = 64 << 20, threads: int = 1, target: Any = "interpreted") -> list[Any]:
    """Return the value of each node."""
    database = solve_states(game, solver="fixpoint", run=Run(threads=threads, memory=memory), target=target)
    return [database.probe((node,)) for node in range(game.size)]


def upwards(count: int) -> GraphGame:
    """Return a puzzle whose node i leads to node i + 1, the last one solved: each sweep in order finds one more distance."""
    return GraphGame(tuple((node, node + 1, 1, 0) for node in range(count)), (UNDECIDED,) * count + (0,))


@settings(max_examples=60, deadline=None)
@given(long_games())
def test_games_that_last_long_have_the_right_outcomes(game: GraphGame) -> None:
    right = naive.outcomes(naive.explicit(game))
    assert forwards(game) == [right[(node,)] for node in range(game.size)]


@settings(max_examples=60, deadline=None)
@given(puzzles())
def test_puzzles_have_the_right_distances(game: GraphGame) -> None:
    right = naive.distances(naive.explicit(game))
    assert forwards(game) == [right.get((node,)) for node in range(game.size)]


@pytest.mark.parametrize("threads", [1, 2])
def test_only_what_waits_is_gathered(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Count the states that wait: on a path each of the many sweeps gathers one or two, and the last one all of them."""
    count, gathered = 3000, []
    sweep = worklist.Worklist.sweep

    def counted(self: worklist.Worklist, table: Any) -> int:
        gathered.append(int(np.count_nonzero(self.waiting)))
        return sweep(self, table)

    monkeypatch.setattr(worklist.Worklist, "sweep", counted)
    assert forwards(shared(upwards(count)), threads=threads, target="cpu") == [
        count - node for node in range(count + 1)
    ]
    assert len(gathered) >= count - 2
    assert sum(gathered) < 4 * count
    assert gathered[-1] == count


@pytest.mark.parametrize("costs", [(65_535, 1, 65_534), (65_536, 1, 70_000), (1, 1, 1)])
def test_weights_of_any_size_are_listed(costs: tuple[int, ...]) -> None:
    """A weight shares a word with its successor where it fits in 16 bits."""
    game = chain(costs)
    words = edges.in_one_word(np.array([(3, cost) for cost in costs]))
    assert words.shape == (3, 1 if max(costs) < 1 << 16 else 2)
    assert edges.targets_of(words).tolist() == [3, 3, 3]
    assert edges.weights_of(words).tolist() == list(costs)
    assert forwards(game) == [0, *np.cumsum(costs).tolist()]


def test_codes_of_finished_successors_are_kept_in_one_word() -> None:
    words = edges.in_one_word(np.array([(-1, 2), (-200, 65_535)]))
    assert edges.targets_of(words).tolist() == [-1, -200]
    assert edges.weights_of(words).tolist() == [2, 65_535]


def test_without_room_all_states_are_gathered_in_every_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "LIST_MEMORY", 0)
    monkeypatch.setattr(worklist.Worklist, "sweep", None)
    assert forwards(upwards(40)) == [40 - node for node in range(41)]
