"""Every shipped game, at a tiny size, and every game in `examples` keeps the laws of the contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs import GraphGame, outcome_games, puzzles, symmetric_games
from searchbench.catalogue import ABSTRACTIONS, load, shipped
from searchbench.games.pancake import Pancake
from searchbench.rules import State
from searchbench.run import Run
from searchbench.testing import LAWS, check_game
from searchbench.testing.bounds import LAWS as BOUND_LAWS
from searchbench.testing.moves import LAWS as MOVE_LAWS
from searchbench.testing.numbers import LAWS as NUMBER_LAWS
from searchbench.testing.subject import Subject

SIZES = {
    "awari": ["awari:3", "awari:4,kept"],
    "awari-match": ["awari-match:9"],
    "burnt-pancake": ["burnt-pancake:3"],
    "chess": ["chess:KQKR,4x4", "chess:KBNK", "chess:KRRK,3x5", "chess:KNKN,4x4", "chess:KPKP,5x4"],
    "connect4": ["connect4:3,4,3,yes"],
    "corner-cube": ["corner-cube:quarter-turn", "corner-cube:clockwise"],
    "dots-and-boxes": ["dots-and-boxes:1x2"],
    "double-letter": ["double-letter:aacca"],
    "fore-and-aft": ["fore-and-aft"],
    "fox-and-geese": ["fox-and-geese:5", "fox-and-geese:17,yes", "fox-and-geese:6,no,yes"],
    "frogs-and-toads": ["frogs-and-toads:2"],
    "giveaway-chess": ["giveaway-chess"],
    "gomoku": ["gomoku:6", "gomoku:5,renju"],
    "graph": ["graph:0>1;1>0;1>2;2=0"],
    "hanoi": ["hanoi:3,4"],
    "hex": ["hex:3x3", "hex:2x3,no"],
    "mnk": ["mnk:3,3,3,no,yes"],
    "morris": ["morris:3,3", "morris:9,9"],
    "morris-opening": ["morris-opening:3"],
    "othello": ["othello:4x4"],
    "pancake": ["pancake:5"],
    "pancake-pattern": ["pancake-pattern:5,3-4"],
    "peg-solitaire": ["peg-solitaire:triangle,6", "peg-solitaire:english,4,yes"],
    "pocket-cube": ["pocket-cube"],
    "pyraminx": ["pyraminx"],
    "qubic": ["qubic"],
    "rubik": ["rubik"],
    "rubik-pattern": ["rubik-pattern:UR,clockwise", "rubik-pattern:URF"],
    "sliding": ["sliding:2x3"],
    "sliding-groups": ["sliding-groups:2x3,1.4-2.3", "sliding-groups:3x3,inner"],
    "sliding-pattern": ["sliding-pattern:2,4,1-5-3", "sliding-pattern:3,3,1-2-5"],
    "sliding-subgoal": ["sliding-subgoal:3,3,6-7-8", "sliding-subgoal:3,3,1-2-3-4-5,6-7-8"],
    "small-town": ["small-town"],
    "sokoban": ["sokoban:#1"],
    "superpuzz": ["superpuzz:2x3", "superpuzz:2x4"],
    "tic-tac-toe": ["tic-tac-toe"],
    "top-spin": ["top-spin:7"],
    "top-spin-pattern": ["top-spin-pattern:6,4,0-2"],
}
"""The games with parameters that keep them small; the long tests are those of all but the first of each."""
SLOW = {"qubic": 8, "gomoku:5,renju": 30, "gomoku:6": 30}
"""Fewer states where a representative of 192 positions, or a forbidden move, takes long to find."""
EXAMPLES = sorted(str(path) for path in (Path(__file__).parents[2] / "examples").glob("*.py"))


def test_every_shipped_game_is_checked() -> None:
    assert {game.name for game in (*shipped(), *shipped(ABSTRACTIONS))} == set(SIZES)


@pytest.mark.parametrize(
    "spec",
    [
        *(
            pytest.param(spec, marks=[pytest.mark.long] * (place > 0))
            for specs in SIZES.values()
            for place, spec in enumerate(specs)
        ),
        *EXAMPLES,
    ],
)
def test_game_keeps_the_laws(spec: str, run: Run) -> None:
    check = check_game(load(spec), samples=SLOW.get(spec, 60), run=run)
    assert check, str(check)
    assert {*check.laws, *(law for law, _ in check.skipped)} == set(LAWS)
    assert "compiled-equals-interpreted" in check.laws
    assert all(reason for _, reason in check.skipped)


@pytest.mark.parametrize("spec", ["sliding:5x5", "pancake:30", "hanoi:40", "connect4"])
def test_games_too_large_to_number_or_solve_are_checked_by_what_play_meets(spec: str, run: Run) -> None:
    game = load(spec)
    subject = Subject(game, 40, 3)
    assert len(subject.states) >= 20
    for law in (*MOVE_LAWS, *(NUMBER_LAWS if subject.has("rank") else ()), *BOUND_LAWS):
        if not subject.obstacle(law):
            assert list(law.breaks(subject)) == []


@pytest.mark.parametrize(
    "strategy", [puzzles(), outcome_games(), symmetric_games("distance"), symmetric_games("outcome")]
)
@given(data=st.data())
@settings(max_examples=25)
def test_random_graphs_keep_the_laws(strategy: st.SearchStrategy[GraphGame], data: st.DataObject) -> None:
    """The games that the solvers are tested on are games; a node of two players without moves is a draw."""
    game = data.draw(strategy)
    subject = Subject(game, 20, 0)
    for law in (*MOVE_LAWS, *NUMBER_LAWS):
        if law.name != "two-player-undecided-has-move" and not subject.obstacle(law):
            assert list(law.breaks(subject)) == [], law.name


def test_samples_are_the_same_for_the_same_seed_only() -> None:
    game = load("sliding:3x3")
    assert Subject(game, 40, 1).states == Subject(game, 40, 1).states
    assert Subject(game, 40, 1).states != Subject(game, 40, 2).states
    assert len(Subject(game, 40, 1).numbers) > 10


class Dear(Pancake):
    """Pancakes each turn of which costs more than a request of retrograde analysis carries."""

    keeps = frozenset({"h", "h_step"})

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with the cost."""

        def cost(state: State, move: int) -> int:
            return 70_000 + move

        return {**super().rules(), "cost": cost}

    def known(self) -> Mapping[str, Any]:
        """Return nothing: the known figures count moves."""
        return {}


def test_bounds_are_compared_with_costs_of_any_size(run: Run) -> None:
    check = check_game(Dear(4), run=run)
    assert check, str(check)
    assert "admissible" in check.laws


def test_check_tells_what_it_skipped_and_why(run: Run) -> None:
    check = check_game(load("sliding:5x5"), samples=20, run=run)
    assert check, str(check)
    reasons = dict(check.skipped)
    assert reasons["rank-of-unrank"] == "the game supplies no `rank`"
    assert reasons["two-player-undecided-has-move"] == "the game is for one player"
    assert reasons["admissible"] == "the game has no index at this size"
    assert str(check).startswith("sliding:5x5: ")
