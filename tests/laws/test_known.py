"""Every shipped game at a tiny size: what its `known` says is what the solvers find."""

from __future__ import annotations

from typing import Any

import pytest

from searchbench.catalogue import ABSTRACTIONS, load, shipped
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

TINY = {
    "awari": ["awari:3"],
    "awari-match": [],  # has no index; test_deepening and test_four_searches search it
    "burnt-pancake": ["burnt-pancake:1", "burnt-pancake:4"],
    "chess": ["chess:KQK,4x4", "chess:KRK,5x5"],
    "connect4": ["connect4:4x4"],
    "corner-cube": [],  # 88,179,840 states
    "dots-and-boxes": ["dots-and-boxes:1x1", "dots-and-boxes:2x1", "dots-and-boxes:1x3", "dots-and-boxes:2x2"],
    "double-letter": ["double-letter"],
    "fore-and-aft": ["fore-and-aft"],
    "fox-and-geese": ["fox-and-geese:4"],
    "frogs-and-toads": ["frogs-and-toads:2"],
    "giveaway-chess": [],  # has no index, as go-moku and othello; test_games_placed proves what is known of them
    "gomoku": [],
    "graph": [],  # of a graph that a user gives nothing is known
    "hanoi": ["hanoi:1", "hanoi:5", "hanoi:4,4", "hanoi:3,5"],
    "hex": ["hex:1x1", "hex:2x2", "hex:3x3"],
    "mnk": ["mnk:2,2,1", "mnk:3,1,2", "mnk:3,3,3,no,yes"],
    "morris": ["morris:3,3"],
    "morris-opening": ["morris-opening:3"],
    "othello": [],
    "pancake": ["pancake:2", "pancake:5"],
    "pancake-pattern": ["pancake-pattern:5,3-4"],
    "peg-solitaire": ["peg-solitaire:triangle,6", "peg-solitaire:triangle,6,yes"],
    "pocket-cube": [],  # its 3,674,160 states are searched in test_games_bfs
    "pyraminx": ["pyraminx"],
    "qubic": [],  # 10^30 states; the method graph proves that the first player wins
    "rubik": [],  # 4.3 * 10^19 states
    "rubik-pattern": ["rubik-pattern:UR-UF", "rubik-pattern:URF,quarter-turn"],
    "sliding": ["sliding:2x2", "sliding:2x3", "sliding:3x2"],
    "sliding-groups": ["sliding-groups:2x3,inner", "sliding-groups:2x2,1.2", "sliding-groups:2x4,local"],
    "sliding-pattern": ["sliding-pattern:2,3,1-2", "sliding-pattern:3,2,1-3-5"],
    "sliding-subgoal": ["sliding-subgoal:2,3,4-5-3", "sliding-subgoal:3,2,1-2-3,4-5"],
    "small-town": ["small-town"],
    "sokoban": ["sokoban:#1"],
    "tic-tac-toe": ["tic-tac-toe"],
    "superpuzz": ["superpuzz:2x3", "superpuzz:2x4"],
    "top-spin": ["top-spin:6", "top-spin:7,4"],
    "top-spin-pattern": ["top-spin-pattern:6,4,0-3"],
}
"""One entry for each game and abstraction: sizes that are solved in a moment, each of which has known numbers."""

SLOW = ("fore-and-aft", "fox-and-geese:4", "morris-opening:3")
"""Those that take seconds to compile, each like one of the others."""


def measured(game: Game, solved: Database) -> dict[str, Any]:
    """Return what `known` may tell of a solved game, but for the states that its start can reach."""
    histogram = {game_text(solved, value): count for value, count in solved.histogram().items() if value is not None}
    depths = [value if isinstance(value, int) else value.depth for value in solved.histogram() if value is not None]
    return {
        "states": solved.states,
        "deepest": max(depths),
        "histogram": histogram,
        "start": game_text(solved, solved.probe()),
    }


def game_text(solved: Database, value: Any) -> str:
    """Return a value as `known` writes it."""
    return solved.rule.format(value)


def solve(game: Game, run: Run, solver: str | None = None) -> Database:
    """Solve compiled, or interpreted where that is quicker than to compile."""
    return solve_states(game, solver=solver, run=run, target=game.quickest_target)


def test_every_shipped_game_has_a_tiny_size() -> None:
    assert {game.name for game in (*shipped(), *shipped(ABSTRACTIONS))} == set(TINY)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, marks=[pytest.mark.long] * (place > 0 or spec in SLOW))
        for specs in TINY.values()
        for place, spec in enumerate(specs)
    ],
)
def test_known_numbers(spec: str, run: Run) -> None:
    game = load(spec)
    known = dict(game.known())
    assert known, "a size without known numbers tests nothing"
    if "histogram" in known:
        known["histogram"] = {str(value): count for value, count in known["histogram"].items()}
    found = measured(game, solve(game, run))
    if "reachable" in known:
        found["reachable"] = solve(game, run, "bfs").reachable
    assert {key: found[key] for key in known} == known
