"""Rows on Qubic that compare searches: on few subproblems they agree with the paper, and wrong figures differ."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import naive
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.games.mnk import MNK
from searchbench.games.qubic import Qubic
from searchbench.reproduce.qubic import (
    ALL,
    NO_SYMMETRY,
    ONES,
    THREATS,
    UNDIVIDED,
    attacks_by_dependency,
    each_helps,
    none_false,
    position,
    without,
)
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.dependency.classes import new_classes, wins_by_dependency

RIGHT: dict[str, Any] = {
    ALL: {"nodes": 10, "open": 0}, THREATS: {"nodes": 11, "open": 0}, ONES: {"nodes": 12, "open": 0},
    NO_SYMMETRY: {"nodes": 13, "open": 1}, UNDIVIDED: {"nodes": 100, "open": 1},
}  # fmt: skip


def test_positions_are_told_by_cells() -> None:
    state = position("0,12;1,63")
    assert [state[cell] for cell in (0, 12, 1, 63)] == [1, 1, 2, 2]
    assert sum(map(bool, state)) == 4
    assert Qubic().canonical(state)


@pytest.mark.long
def test_each_enhancement_of_qubic_saves_nodes(run: Run) -> None:
    found = without(run, ("0,3;12,5", "0,12;1,63"), 20_000)
    assert each_helps({}, found) == "match", found
    assert found[UNDIVIDED] == {"nodes": 20_000, "open": 1}
    assert without(run, ("0,12;1,63",), 100)[ALL] == {"nodes": 100, "open": 1}


def test_enhancements_that_do_not_help_differ() -> None:
    assert each_helps({}, RIGHT) == "match"
    for name in (THREATS, ONES, NO_SYMMETRY):
        assert each_helps({}, {**RIGHT, name: {"nodes": 10, "open": 0}}) == "differs"
    assert each_helps({}, {**RIGHT, UNDIVIDED: {"nodes": 99, "open": 0}}) == "differs"
    assert each_helps({}, {**RIGHT, ALL: {"nodes": 10, "open": 1}}) == "differs"


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 4), (4, 4, 3), (5, 4, 4), (5, 5, 4)])
def test_wins_by_dependency_are_wins_by_threats(size: tuple[int, int, int]) -> None:
    game, rng = MNK(*size), random.Random(f"dependency {size}")
    kernel = jit.bind(wins_by_dependency, game.names(target="interpreted"))
    board, found = new_classes(game.lines, 300), Counter[tuple[bool, bool]]()
    for _ in range(60):
        state = game.start()
        for _move in range(rng.randrange(max(0, game.width - 12), game.width - 2)):
            if game.terminal(state) == UNDECIDED:
                state = game.play(state, rng.choice(game.moves(state)))
        if game.terminal(state) == UNDECIDED:
            answer = bool(kernel(board, np.array(state, game.dtype)))
            assert board.owner.tolist() == state
            found[naive.wins_by_threats(game, state), answer] += 1
    assert found[False, True] == 0, found
    assert found[True, True] > 0, found
    assert found[True, False] <= found[True, True] // 10, found


@pytest.mark.long
def test_wins_of_qubic_by_dependency(run: Run) -> None:
    found = attacks_by_dependency(run, 150, 1_000)
    assert found["false"] == 0
    assert found["missed"] < found["wins"] / 5
    game = Qubic()
    kernel, board = jit.bind(wins_by_dependency, game.names()), new_classes(game.lines)
    state = [0] * 64  # Allis 1994, figure 4.2
    for cell, other in zip((0, 3, 15), (21, 38, 57), strict=True):
        state[cell], state[other] = 1, 2
    assert kernel(board, np.array(state, game.dtype))
    state[15] = 0
    assert not kernel(board, np.array(state, game.dtype))
    few = new_classes(game.lines, 2)
    state[15] = 1
    assert not kernel(few, np.array(state, game.dtype))


def test_false_and_missed_wins_differ() -> None:
    right = {"positions": 200, "wins": 50, "missed": 1, "false": 0}
    assert none_false({}, right) == "match"
    for change in ({"missed": 2}, {"false": 1}, {"wins": 0}):
        assert none_false({}, {**right, **change}) == "differs"


@pytest.mark.parametrize("game", ["connect4:4x4", "mnk:3,3,1"])
def test_boards_without_attacks_are_refused(game: str) -> None:
    with pytest.raises(BadRequest, match="forced sequences are searched"):
        new_classes(load(game).lines)  # type: ignore[attr-defined]
