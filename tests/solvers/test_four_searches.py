"""The comparison of four searches, games of a program against itself, and the player that they are for."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from searchbench.analyse import self_play
from searchbench.analyse.four_searches import (
    KNOWN,
    OVER,
    SOLVED,
    Compared,
    Comparison,
    Effort,
    Limits,
    compare_searches_on,
)
from searchbench.analyse.self_play import play_itself
from searchbench.catalogue import load
from searchbench.cli.adviser import SearchingAdviser, adviser
from searchbench.errors import BadRequest, DamagedData
from searchbench.games.awari_match import AwariMatch
from searchbench.player import SearchingPlayer
from searchbench.reproduce.awari import judged, positions
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import LeafDatabase
from searchbench.solvers.proof.pns import ProofNumberSearch

RUN = Run(threads=1, memory=1 << 26)


@pytest.fixture(scope="module")
def leaves() -> LeafDatabase:
    """Return boards with up to three stones, at the leaves of a match."""
    return LeafDatabase(AwariMatch(12), solve_states(load("awari:3"), target="interpreted"))


def solved(*nodes: int) -> Compared:
    """Return a solved position with these counts of nodes."""
    return Compared((sum(nodes),), SOLVED, tuple(Effort(count, count // 2, 1) for count in nodes))


def test_the_tables_of_a_comparison() -> None:
    made = Comparison((solved(10, 10, 20, 30), solved(1_000, 400, 200, 100), solved(101, 50, 40, 40)))
    assert [one.efforts[0].nodes for one in made.halves["easy"]] == [10, 101]
    assert (made.best("easy"), made.best("hard")) == ([0.5, 0.5, 0.5, 0.5], [0, 0, 0, 1])
    assert (made.beats("easy", 0, 1), made.beats("easy", 1, 0), made.beats("easy", 3, 2)) == (0.5, 1.5, 0.5)
    assert made.totals() == [1_111, 460, 260, 170]
    assert made.factors() == [6.54, 2.71, 1.53, 1]
    assert made.sizes(0) == {1: 1, 3: 2}
    assert {size: len(group) for size, group in made.groups().items()} == {1: 1, 2: 2}
    assert made.advantage(1) == {1: 0.33, 2: 7.86}
    text = made.tables()
    for number in ("2.9", "2.10", "2.11", "2.12", "2.13", "2.14"):
        assert f"\n\n{number} " in f"\n\n{text}"


def test_a_comparison_goes_on_where_it_was_stopped(leaves: LeafDatabase, tmp_path: Path) -> None:
    game, kept = leaves.game, tmp_path / "work" / "positions.jsonl"
    chance = random.Random(5)
    states = [[0] * 12 + [7, 5], [0] * 5 + [1] + [0] * 5 + [2, 5, 4]]
    while len(states) < 8:
        board = [0] * 12
        for _ in range(5):
            board[chance.randrange(12)] += 1
        states.append([*board, 4, 3])
    limits = Limits(200, 300, 300)
    whole = compare_searches_on(game, leaves, states, limits, RUN, target="interpreted")
    assert [one.kind for one in whole[:2]] == [OVER, KNOWN]
    assert any(one.kind == SOLVED for one in whole)
    assert compare_searches_on(game, leaves, states, limits, RUN, kept, "interpreted") == whole
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join(lines[:4]) + "\n" + lines[4][:9])
    assert compare_searches_on(game, leaves, states, limits, RUN, kept, "interpreted") == whole
    assert sorted(kept.read_text().splitlines()[1:]) == sorted(lines[1:])
    with pytest.raises(DamagedData, match="another comparison"):
        compare_searches_on(game, leaves, states, Limits(201, 300, 300), RUN, kept, "interpreted")


def test_the_test_set_is_large_and_sound() -> None:
    game = load("awari-match")
    found = positions()
    assert len(set(found)) == len(found) >= 1_500
    for state in found:
        assert game.parse(game.format(state)) == list(state)


def test_games_against_itself_can_be_played_again(leaves: LeafDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_play, "NODES", (60, 10))
    first, second = ([*play_itself(leaves.game, leaves, 3, 7, RUN, "interpreted")] for _ in range(2))
    assert first == second
    assert len({tuple(game) for game in first}) == 3


def test_the_inequalities_can_fail() -> None:
    figures = {
        "(a) solved by both pn searches": True, "(b) in order": True, "(b) alpha-beta / stones pn": 128.8,
        "(b) transposition / stones pn": 68.0, "(c) hard: pn beats transposition": [0.85, 0.86],
        "(c) hard: pn beats alpha-beta": [0.96, 0.96], "(d) easy: share of the fewest nodes": [0.14, 0.36, 0.24, 0.26],
        "(e) basic / stones pn": 1.5, "(f) peak / created": [0.51, 0.45],
        "(g) alpha-beta / stones pn, by group": {1: 0.9, 2: 1.1, 3: 5, 4: 60},
    }  # fmt: skip
    assert all(judged(figures).values())
    worse = {
        "(a) solved by both pn searches": False, "(b) transposition / stones pn": 9, "(c) hard: pn beats alpha-beta": [0.8, 0.9],
        "(d) easy: share of the fewest nodes": [0, 0.4, 0.3, 0.3], "(e) basic / stones pn": 1.1, "(f) peak / created": [0.8, 0.5],
        "(g) alpha-beta / stones pn, by group": {1: 5, 2: 5, 3: 5, 4: 4},
    }  # fmt: skip
    for name, value in worse.items():
        assert [letter for letter, holds in judged(figures | {name: value}).items() if not holds] == [name[:3]]


def test_the_player_wins_what_the_database_knows_and_drops_what_loses(leaves: LeafDatabase) -> None:
    """The player never makes a move after which the opponent is proved to win, unless all moves are."""
    game = leaves.game
    player = SearchingPlayer(game, leaves, 100, 300, 1, RUN, "interpreted")
    blind = SearchingPlayer(game, leaves, 1, 300, 1, RUN, "interpreted")
    chance = random.Random(3)
    dropped = 0
    for _ in range(40):
        board = [0] * 12
        for _stone in range(chance.randint(1, 6)):
            board[chance.randrange(12)] += 1
        state = [*board, 12 - sum(board) - chance.randint(0, 12 - sum(board)), 0]
        state[13] = 12 - sum(state)
        if not (legal := game.moves(state)):
            continue
        known = leaves.outcome(state)
        move = player.choose(state)
        if known is not None:
            after = game.play(state, move)
            outcome = game.terminal(after)
            assert (outcome if -1 <= outcome <= 1 else leaves.outcome(after)) == -known, state
        move = blind.choose(state)
        assert move in legal
        assert move not in blind.dropped or len(blind.dropped) == len(legal)
        dropped += len(blind.dropped)
    assert dropped
    with pytest.raises(BadRequest, match="the game is over"):
        player.choose([0] * 12 + [6, 6])
    with pytest.raises(BadRequest, match="is a puzzle"):
        SearchingPlayer(load("hanoi:2"))


def test_the_veto_is_searched_for_the_target_of_the_player(
    leaves: LeafDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player whose searches are interpreted compiles nothing for its veto."""
    targets = []

    class Watched(ProofNumberSearch):
        def holds(self, *arguments: Any, **options: Any) -> bool:
            targets.append(self.names.target)
            return super().holds(*arguments, **options)

    monkeypatch.setattr("searchbench.player.ProofNumberSearch", Watched)
    game = leaves.game
    state = [0, 0, 0, 1, 2, 2, 0, 0, 1, 2, 1, 1, 1, 1]
    assert leaves.outcome(state) is None
    SearchingPlayer(game, leaves, 100, 300, 1, RUN, "interpreted").choose(state)
    assert set(targets) == {"interpreted"}


def test_play_is_by_searches_where_the_rules_evaluate_states(leaves: LeafDatabase) -> None:
    assert isinstance(adviser(leaves.game), SearchingAdviser)
    assert not isinstance(adviser(load("tic-tac-toe")), SearchingAdviser)
    helper = SearchingAdviser(leaves.game, leaves)
    helper.player = SearchingPlayer(leaves.game, leaves, 100, 300, 1, RUN, "interpreted")
    known = leaves.game.position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 5])
    assert helper.value(known) == {1: "win", 0: "draw", -1: "loss"}[leaves.outcome(known.state) or 0]
    assert helper.best(known) in leaves.game.moves(known.state)
    assert helper.value(leaves.game.position()) == ""
    with pytest.raises(BadRequest, match="database of the whole game"):
        helper.line(known)
