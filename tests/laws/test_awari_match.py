"""Awari as a match: the positions that Allis 1994 prints, and proofs with a database of scores at the leaves."""

from __future__ import annotations

import random

import pytest

from searchbench.catalogue import load
from searchbench.errors import BadState
from searchbench.games.awari_match import AwariMatch
from searchbench.rules import UNDECIDED
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.testing.check import check_game

FIGURE_2_7 = "1 0 4 19 4 2  1 1 3 1 0 0  5 7"
FIGURE_2_8 = "0 1 0 0 1 0  0 0 0 0 0 1  22 23"


class Play:
    """Play a match by the names of the moves."""

    def __init__(self, text: str) -> None:
        self.game = load("awari-match")
        self.rules = self.game.rules()
        self.state = self.game.parse(text)

    def named(self) -> dict[str, int]:
        """Return the legal moves by name."""
        out = [0] * self.game.max_moves
        count = self.rules["moves"](self.state, out)
        return {self.game.format_move(self.state, move): move for move in out[:count]}

    def move(self, name: str) -> None:
        """Play a move; no stone is lost."""
        self.rules["play"](self.state, self.named()[name])
        assert sum(self.state) == 48


def test_figure_2_7_has_exactly_the_printed_moves() -> None:
    assert set(Play(FIGURE_2_7).named()) == {"A1", "C4x2", "D19x7", "E4", "F2x4"}


def test_figure_2_8_first_line_starves_north_whatever_south_plays() -> None:
    play = Play(FIGURE_2_8)
    play.move("B1")
    play.move("F1")
    before = list(play.state)
    for name in play.named():
        play.state = list(before)
        play.move(name)
        assert play.rules["terminal"](play.state) == -1  # north cannot move: south takes 3 stones, 25-23


def test_figure_2_8_second_line_is_forced_and_returns_after_12_plies() -> None:
    play = Play(FIGURE_2_8)
    first = list(play.state)
    for ply, name in enumerate(["E1", "F1", "F1", "A1", "B1", "B1", "C1", "C1", "D1", "D1", "A1", "E1"]):
        if ply == 2:
            assert set(play.named()) == {"F1"}
        assert play.rules["terminal"](play.state) == UNDECIDED
        play.move(name)
    assert play.state == first
    assert play.rules["repetition"](play.state) == -1  # 23.5 to 24.5


@pytest.mark.parametrize("text", ["1 2 3", "4 4 4 4 4 4 4 4 4 4 4 4 0 1", "5 3 4 4 4 4 4 4 4 4 4 5 0 -1"])
def test_a_state_must_have_all_stones(text: str) -> None:
    with pytest.raises(BadState, match="two stores, the mover's first"):
        load("awari-match").parse(text)


def test_check_is_clean() -> None:
    found = check_game(AwariMatch(12), samples=200)
    assert found, str(found)


def test_outcomes_at_the_leaves_are_those_of_the_scores() -> None:
    """Every board with up to 3 stones, with random stores: the outcome is the sign of the final lead."""
    database = solve_states(load("awari:3"))
    game = AwariMatch(12)
    leaves = LeafDatabase(game, database)
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(100):
        board = [0] * 12
        for _ in range(chance.randint(0, 3)):
            board[chance.randrange(12)] += 1
        own = chance.randint(0, 12 - sum(board))
        lead = own - (12 - sum(board) - own) + database.probe(board)
        assert leaves.outcome([*board, own, 12 - sum(board) - own]) == (lead > 0) - (lead < 0)
    assert leaves.outcome(game.parse("1 1 1 1 0 0 0 0 0 0 0 0 4 4")) is None
