"""Random tiny games that are written as a user's files: a short part of the runs that `tests/*_combinations.py` do by hand."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import command_combinations
import proof_combinations
import rank_combinations
import search_combinations
import searchbench as sb
import stop_combinations
import take_combinations
from searchbench.exchange import shards
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.guided import search_state
from searchbench.store import working
from written_games import Written, drawn, load, right_values

Area = Callable[[int, Counter[str]], Iterator[str]]
AREAS: list[tuple[Area, int]] = [
    (take_combinations.taking, 10), (stop_combinations.solving, 4), (stop_combinations.proving, 4),
    (proof_combinations.proving, 15), (proof_combinations.leaving, 10), (search_combinations.searching, 12),
    (rank_combinations.ranks, 8), (command_combinations.environments, 10),
]  # fmt: skip


@pytest.mark.parametrize(("area", "count"), AREAS, ids=lambda one: one.__name__ if callable(one) else "")
def test_random_games(
    area: Area, count: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.ERROR)
    monkeypatch.setattr(shards, "SMALL", 0)
    monkeypatch.setattr(working, "SHARE", 0)
    monkeypatch.setattr(take_combinations, "FORMS", (None,))
    monkeypatch.setattr(stop_combinations, "COMPILED", False)
    assert [f"seed {seed}: {fault}" for seed in range(count) for fault in area(seed, Counter())] == []


def test_games_are_solved_as_the_naive_solver_says() -> None:
    graph = Written(
        ((0,), (1,), (2,), (3,)), ((0, 1, 2, 0), (1, 2, 3, 0), (0, 2, 9, 0)), (UNDECIDED,) * 2 + (0, -1), (0, 1, 2, 3)
    )
    assert right_values(replace(graph, values="distance")) == {0: 5, 1: 3, 2: 0, 3: None}
    two = replace(graph, results=(UNDECIDED,) * 2 + (-1, 1))
    assert right_values(two) == {0: (1, 1), 1: (1, 1), 2: (-1, 0), 3: (1, 0)}
    assert len({drawn(random.Random(seed)) for seed in range(50)}) == 50


CHAIN = Written(
    tuple((node,) for node in range(5)), tuple((node + 1, node, 1, 0) for node in range(4)), (0, *(UNDECIDED,) * 4),
    tuple(range(5)), start=4, values="distance",
)  # fmt: skip


def test_points_in_some_of_the_parts_are_verified(tmp_path: Path) -> None:
    game = replace(
        CHAIN, values="score", results=(1, *(UNDECIDED,) * 3, 0), edges=((1, 0, 1, 2), (3, 2, 1, 1), (2, 1, 1, 0))
    )
    loaded = load(replace(game, cuts=(2, 4), numbers=(4, 3, 2, 1, 0)), tmp_path)
    database = sb.solve(loaded, parts="p1", to=tmp_path / "points.db", threads=1)
    assert [part.name for part in database.parts] == ["p1", "p2"]
    assert not database.verify().count


def test_a_relevance_cut_beside_forced_moves_is_given_the_data(tmp_path: Path) -> None:
    rules = "def forced_move(state, move, tables, data):\n    return False\n"
    rules += "def relevance_cut(state, previous, move, tables, data):\n    return data.results[0] != 0"
    game = load(replace(CHAIN, data=True, extra=rules, names=("forced_move", "relevance_cut")), tmp_path)
    assert search_state(game, None, "idastar", Run(threads=1), target="interpreted").cost == 4


def test_a_line_by_values_of_ones_own_follows_the_best_moves(tmp_path: Path) -> None:
    line = sb.solve(load(replace(CHAIN, own_rule=True), tmp_path), threads=1).line()
    assert (line.cost, line.optimal, len(line.moves)) == (4, False, 4)


def test_a_computer_that_goes_round_in_a_puzzle_leaves_the_moves_to_the_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = replace(CHAIN, edges=((4, 3, 1, 0), (3, 4, 1, 0)))
    sb.solve(load(loop, tmp_path), to=tmp_path / "loop.db", threads=1)
    lines: Any = iter(["quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    code, out, _ = command_combinations.command("play", tmp_path / "loop.db", "--computer", "first")
    assert (code, out.count("the computer plays")) == (0, 2)
    assert "the position has come again: the moves are yours" in out


def test_merging_is_not_relied_on_where_the_game_tells_what_a_repetition_is_worth() -> None:
    assert list(proof_combinations.proving(1254, Counter())) == []
