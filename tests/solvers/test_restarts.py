"""Rounds of IDA* that begin again with other orders of the moves, and what a transposition table keeps."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import naive
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached
from searchbench.line import Line
from searchbench.run import Run
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.choices import PARTS, SEED, SHARE, scatter

GAME = load("sliding:3x3")
DEPTHS = naive.depths(GAME)


def search(state: tuple[int, ...], **options: Any) -> Line:
    return search_state(GAME, state, "idastar", Run(memory=64 << 20, threads=1), **options)


@pytest.fixture(scope="module")
def states() -> list[tuple[int, ...]]:
    return random.Random(11).sample(list(DEPTHS), 150)


@pytest.mark.parametrize(
    "options", [{}, {"table": "1MB"}, {"table": "1MB", "replacement": "always"}, {"step": 2}, {"order": "bound"}]
)
def test_lines_are_sound_and_claims_true(states: list[tuple[int, ...]], options: dict[str, Any]) -> None:
    """Whatever was given up on the way: a line leads home, and one that claims to be a cheapest is one."""
    claimed = []
    for state in states:
        line = search(state, restarts=300, impatience=2, **options)
        assert line.verify() == []
        assert line.cost >= DEPTHS[state]
        assert not line.optimal or line.cost == DEPTHS[state]
        claimed.append(line.optimal)
    assert 0.2 < sum(claimed) / len(claimed) < 0.9


def test_with_patience_enough_nothing_changes(states: list[tuple[int, ...]]) -> None:
    for state in states[:40]:
        line, usual = search(state, restarts=10_000_000), search(state, automaton=0)
        assert (line.moves, line.cost, line.nodes, line.optimal) == (usual.moves, usual.cost, usual.nodes, True)


def test_seeds_tell_orders_apart(states: list[tuple[int, ...]]) -> None:
    hard = [state for state in states if DEPTHS[state] > 24][:8]
    found = {seed: [search(state, restarts=200, seed=seed).nodes for state in hard] for seed in (0, 1, 2)}
    assert len({tuple(nodes) for nodes in found.values()}) == 3
    assert found[1] == [search(state, restarts=200, seed=1, target="interpreted").nodes for state in hard]


def test_a_limit_ends_restarts(states: list[tuple[int, ...]]) -> None:
    hardest = max(DEPTHS, key=lambda state: DEPTHS[state])
    with pytest.raises(LimitReached) as error:
        search(hardest, restarts=50, nodes=2000)
    assert 2000 <= error.value.nodes < 2010
    assert error.value.bound <= DEPTHS[hardest]


def test_chance_moves_as_many_moves_as_it_is_told() -> None:
    names, start, moved = GAME.names(target="interpreted"), list(GAME.start()), []
    exchange = jit.bind(scatter, names)
    for share in (0, 4, PARTS):
        seen = []
        for seed in range(200):
            chance, out = np.zeros(2, np.int64), [10, 11, 12, 13]
            chance[SEED], chance[SHARE] = seed, share
            exchange(start, out, 4, chance)
            assert sorted(out) == [10, 11, 12, 13]
            seen.append(tuple(out))
        moved.append(sum(one != (10, 11, 12, 13) for one in seen))
        assert share < PARTS or len(set(seen)) == 24
    assert moved[0] == 0 < moved[1] < moved[2]


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("astar", {"restarts": 9}, "idastar does"),
        ("idastar", {"restarts": -1}, "expected 0 or more"),
        ("idastar", {"restarts": 9, "automaton": 4}, "not with an automaton"),
        ("idastar", {"restarts": 9, "entries": 4}, "not with an automaton, entries"),
        ("idastar", {"impatience": 3}, "say after how many nodes with restarts"),
        ("idastar", {"seed": 1}, "say after how many nodes with restarts"),
        ("idastar", {"replacement": "always"}, "give it memory with table"),
        ("idastar", {"table": "1MB", "replacement": "oldest"}, "there are always, two-level"),
    ],
)
def test_what_does_not_go_together(method: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        search_state(GAME, None, method, Run(threads=1), **options)


def test_both_replacement_schemes_find_the_same(states: list[tuple[int, ...]]) -> None:
    for state in states[:60]:
        for replacement in ("always", "two-level"):
            line = search(state, table="33KB", replacement=replacement)
            assert (line.cost, line.optimal, line.verify()) == (DEPTHS[state], True, [])
