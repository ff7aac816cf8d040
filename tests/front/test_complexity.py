"""Complexities of games: estimates against counts, the bounds they must keep, and the notions of a solved game."""

from __future__ import annotations

import json
import random
from math import factorial, log10, prod

import pytest

from searchbench import cli
from searchbench.analyse.complexity import (
    StateSpace,
    direction_of_classes,
    estimate_complexity,
    full_width_leaves,
    leaves_of_tree,
    numbered_states,
    piece_count,
    placements,
    sample_states,
    solution_depth,
    tree_exponent,
)
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.reproduce import ROWS, reproduce
from searchbench.reproduce.complexities import BANDS
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import prove_state


@pytest.mark.parametrize("row", ["CG-1", "CG-2", "CG-2-OTHELLO", "CG-3", "CG-5", "CG-6"])
def test_rows(row: str) -> None:
    outcome = reproduce(ROWS[row])
    assert outcome.verdict == "match", outcome.measured


def test_samples_come_near_to_the_count() -> None:
    """Of random sets the estimate lies within five standard deviations."""
    for seed in range(20):
        chance = random.Random(seed)
        size = chance.randrange(100, 10_000)
        members = set(chance.sample(range(size), chance.randrange(1, size)))
        found = sample_states(
            size, lambda source, size=size: source.randrange(size), members.__contains__, 2_000, seed + 99
        )
        assert abs(found.estimate - len(members)) <= 5 * max(found.error, size / 2_000)


def test_positions_of_an_index() -> None:
    game = load("mnk:3,3,3")
    found = numbered_states(game, 2_000)
    assert found.size == 6_046
    assert abs(found.estimate - 5_478) <= 5 * found.error
    with pytest.raises(BadRequest, match="no index"):
        numbered_states(load("othello"))
    assert StateSpace(8, 4, 1).estimate == 2


def test_numbers_of_trees() -> None:
    assert [solution_depth(moves) for moves in (1, 2, 3)] == [1, 3, 5]
    assert leaves_of_tree((30, 20)) == 600
    for cells in range(1, 8):
        for plies in range(cells + 1):
            assert placements(cells, plies) == factorial(cells) // factorial(cells - plies)
    assert tree_exponent(10, 58) == 58
    game = load("tic-tac-toe")
    assert [full_width_leaves(game, None, depth) for depth in range(5)] == [1, 9, 72, 504, 3024]
    assert full_width_leaves(load("mnk:2,2,2"), None, 9) == prod((4, 3, 2))


def test_a_win_of_n_moves_is_the_depth_of_the_database() -> None:
    game = load("mnk:3,3,2")
    assert solve_states(game, target="interpreted").probe().depth == solution_depth(2)


@pytest.mark.parametrize(
    ("arcs", "direction"),
    [
        ([(3, 2), (3, 2), (2, 3), (2, 1)], "converging"),
        ([(1, 2), (2, 3), (3, 3)], "diverging"),
        ([(1, 2), (2, 1), (5, 5)], "unchangeable"),
        ([], "unchangeable"),
    ],
)
def test_direction_of_classes(arcs: list[tuple[int, int]], direction: str) -> None:
    assert direction_of_classes(arcs) == direction


def test_pieces_are_counted() -> None:
    awari, hexes = load("awari:8"), load("hex:3x3")
    assert piece_count(awari, awari.start()) == 8
    assert piece_count(hexes, hexes.read("a1b2c3")) == 3


@pytest.mark.parametrize("spec", ["tic-tac-toe", "hex:2x3", "othello:4x4", "gomoku:5"])
def test_estimates_keep_their_bounds(spec: str) -> None:
    game = load(spec)
    found = estimate_complexity(game, games=30, samples=500)
    assert found == estimate_complexity(game, games=30, samples=500)
    assert found.shortest <= found.plies <= found.longest
    assert 1 <= found.branching <= game.max_moves
    assert found.direction == "diverging"
    assert found.game_tree == pytest.approx(found.plies * log10(found.branching))
    if found.states is not None:
        assert found.states <= 10**found.most_states * 1.000001


def test_ends_of_games() -> None:
    assert estimate_complexity(load("tic-tac-toe"), samples=1).sudden_death
    assert not estimate_complexity(load("othello:4x4"), games=30).sudden_death


@pytest.mark.parametrize(
    ("spec", "state", "notion"),
    [("tic-tac-toe", None, "weak"), ("tic-tac-toe", "XX./OO./...", "weak"), ("mnk:2,2,2", "XO/..", "weak")],
)
def test_notions(spec: str, state: str | None, notion: str) -> None:
    game = load(spec)
    assert prove_state(game, state, "pns", target="interpreted").notion == notion
    assert prove_state(game, state, "pns", evidence=False, target="interpreted").notion == "ultra-weak"
    assert solve_states(load("mnk:2,2,2"), target="interpreted").notion == "strong"


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.app.run(["analyse", "complexity", "tic-tac-toe", "--games", "20", "--samples", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["direction"], found["longest"]) == (20, "diverging", 9)
    assert cli.app.run(["analyse", "complexity", "othello:4x4", "--games", "2"]) == 0
    assert "fill the cells" in capsys.readouterr().out
    assert cli.app.run(["analyse", "complexity", "hanoi:3"]) == 30
    assert "puzzle" in capsys.readouterr().err


def test_judges_see_wrong_figures() -> None:
    row = ROWS["E-GIVEAWAY"]
    assert row.judge(row.paper, row.paper) == "match"
    for name in BANDS:
        assert row.judge(row.paper, {**row.paper, name: row.paper[name] + 20}) == "differs"
    exponents = ROWS["CG-3"].paper
    assert ROWS["CG-3"].judge(exponents, {**exponents, "go, states": 174}) == "differs"
    samples = ROWS["CG-2"].paper
    assert ROWS["CG-2"].judge(samples, samples) == "match"
    assert ROWS["CG-2"].judge(samples, {**samples, "mean": 5_800}) == "differs"
    assert ROWS["CG-2-OTHELLO"].judge({}, {"exponent": 30.5}) == "differs"
