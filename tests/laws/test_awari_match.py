"""Awari as a match: the positions that Allis 1994 prints, and proofs with a database of scores at the leaves."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import searchbench as sb
from searchbench.catalogue import load
from searchbench.errors import BadState, LimitReached
from searchbench.games.awari_match import AwariMatch
from searchbench.proof import Claim
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import LeafDatabase, prove_state
from searchbench.store import open_certificate
from searchbench.testing.check import check_game
from searchbench.verify.claim import check_claim

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
    database = solve_states(load("awari:3"), target="interpreted")
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


def random_match(chance: random.Random, game: AwariMatch, most: int) -> list[int]:
    """Return a match with up to `most` stones on the board and random stores."""
    board = [0] * 12
    for _ in range(chance.randint(1, most)):
        board[chance.randrange(12)] += 1
    own = chance.randint(0, game.stones - sum(board))
    return [*board, own, game.stones - sum(board) - own]


@pytest.mark.parametrize("method", ["pns", "dfpn", "alphabeta"])
def test_proofs_count_repetition_as_won_or_lost(method: str) -> None:
    """Without a database, outcomes are those of retrograde analysis, and the strategies hold against every reply.

    The scores of all boards with up to three stones come from `awari`, where endless play gains nothing. The repetitions of
    some boards are too many for a tree.
    """
    database = solve_states(load("awari:3"), target="interpreted")
    game = AwariMatch(12)
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    outcomes, repeated = set(), 0
    for _ in range(120):
        state = random_match(chance, game, 3)
        lead = state[12] - state[13] + database.probe(state[:12])
        try:
            proof = prove_state(game, state, method, Run(threads=1, memory=1 << 26), target="interpreted", nodes=3_000)
        except LimitReached:
            continue
        assert proof.outcome == (lead > 0) - (lead < 0), state
        assert proof.incomplete or not proof.verify(), state
        outcomes.add(proof.outcome)
        repeated += proof.outcome != 0 and database.probe(state[:12]) == 0 and not proof.incomplete
    assert outcomes == {-1, 0, 1}
    assert repeated


def test_a_cycle_shows_no_more_than_its_repetition() -> None:
    """In figure 2.8 play of twelve plies comes back, with one stone more for the opponent of the player to move."""
    play = Play(FIGURE_2_8)
    strategies: tuple[dict[tuple[int, ...], int], ...] = ({}, {})
    for ply, name in enumerate(["E1", "F1", "F1", "A1", "B1", "B1", "C1", "C1", "D1", "D1", "A1", "E1"]):
        strategies[ply % 2][tuple(play.state)] = play.named()[name]
        play.move(name)
    root = tuple(play.state)
    for player, bound, endless in ((0, 0, True), (0, -1, False), (1, 1, False)):
        claim = Claim(player, bound, strategies[player])
        assert any("need not end" in fault for fault in check_claim(play.game, root, claim).faults) == endless


def test_a_proof_with_scores_at_its_leaves_is_kept_and_checked(tmp_path: Path) -> None:
    sb.solve("awari:3", to=tmp_path / "awari.db")
    database = sb.open_database(tmp_path / "awari.db")
    game = AwariMatch(12)
    proof = prove_state(
        game,
        "0 0 0 0 0 2  1 0 0 0 1 0  4 4",
        "alphabeta",
        leaves=database,
        evidence=True,
        nodes=2_000,
        target="interpreted",
    )
    assert (proof.outcome, len(proof.claims)) == (-1, 1)
    assert not proof.incomplete
    proof.write(tmp_path / "proof.cert")
    report = open_certificate(tmp_path / "proof.cert").verify(database)
    assert (report.count, report.unreached) == (0, 0)
