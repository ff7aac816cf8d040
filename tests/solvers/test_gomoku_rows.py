"""Rows on the threats of go-moku: few positions agree with the paper, wrong figures differ; proofs are those of a full search."""

from __future__ import annotations

import random
from typing import Any

import pytest

import naive
from searchbench.catalogue import load
from searchbench.errors import BadRequest, Exhausted
from searchbench.reproduce import ROWS, gomoku_threats, reproduce
from searchbench.reproduce.gomoku_threats import (
    SMALL,
    cells,
    everywhere,
    false_wins,
    narrow,
    none_false,
    small_positions,
    some_refuted,
    stones,
    zones,
)
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.verify import verify_proof


@pytest.mark.parametrize("name", ["GM-3", pytest.param("GM-16", marks=pytest.mark.long)])
def test_short_rows_match(name: str) -> None:
    assert reproduce(ROWS[name]).verdict == "match"


def test_boards_of_the_rows() -> None:
    assert cells("a15 o1 h8") == [0, 224, 112]
    assert stones("h8", "a15")[112] == 1
    assert stones("h8", "a15")[0] == 2
    assert sum(1 for _ in everywhere("XXXXX")) == 572  # the lines of five of section 5.3.2


@pytest.mark.long
@pytest.mark.parametrize("rule", ["free", "standard"])
def test_wins_on_a_small_board_are_those_of_a_full_search(rule: Any, run: Run) -> None:
    found = false_wins(run, rule, 60)
    assert found["wins"] > 5
    assert found["false wins"] == 0
    game = load(f"gomoku:{SMALL},{rule}")
    for state in small_positions(game, 10, "legal"):
        assert game.terminal(state) == UNDECIDED
        assert state.count(1) - state.count(2) in (0, 1)


def test_few_zones_hold(run: Run) -> None:
    found = zones(run, 5)
    assert narrow({}, found) == "match", found
    assert narrow({}, {**found, "not won outside": 1}) == "differs"
    assert narrow({}, {**found, "left": found["in the zone"]}) == "differs"


def test_a_false_win_differs() -> None:
    right = {"false wins": 0, "with threes": 1, "wins of free-style alone": 1}
    assert none_false({}, right) == some_refuted({}, right) == "match"
    for name, judge in (("with threes", none_false), ("wins of free-style alone", some_refuted)):
        assert judge({}, {**right, "false wins": 1}) == "differs"
        assert judge({}, {**right, name: 0}) == "differs"


@pytest.mark.long
def test_false_wins_are_counted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gomoku_threats, "_wins", lambda *_: True)
    monkeypatch.setattr(gomoku_threats, "STONES", range(33, 36))
    assert false_wins(run, "free", 8)["false wins"] > 0


@pytest.mark.parametrize("rule", ["free", "standard", "renju"])
def test_what_threats_prove_is_what_the_rules_say(rule: str) -> None:
    """Nearly full boards, either player to move: a proof says what plain search says, and its certificate holds."""
    game, rng = load(f"gomoku:6,{rule}"), random.Random(f"proofs {rule}")
    proved: list[int] = []
    refused = 0
    wanted = 2 if rule == "renju" else 6
    while len(proved) < wanted or refused < wanted or len(set(proved)) < 2:
        state = [0] * game.width
        for number, cell in enumerate(rng.sample(range(game.width), rng.randrange(29, 33))):
            state[cell] = 1 + number % 2
        if not game.call("legal", state) or game.terminal(state) != UNDECIDED:
            continue
        try:
            proof = prove_state(game, state, "threats", Run(memory=1 << 26, threads=1), target="interpreted")
        except Exhausted:
            refused += 1
            continue
        assert naive.alphabeta(game, state) == 1 == proof.outcome, game.format(state)
        assert verify_proof(proof, "interpreted") == [], game.format(state)
        proved.append(sum(map(bool, state)) % 2)


def test_graphs_refuse_forbidden_points_and_threats_keep_no_work_for_renju() -> None:
    with pytest.raises(BadRequest, match="renju"):
        prove_state(load("gomoku:6,renju"), None, "graph", target="interpreted")
    with pytest.raises(BadRequest, match="renju"):
        prove_state(load("gomoku:6,renju"), None, "threats", work="work", target="interpreted")
    with pytest.raises(BadRequest, match="give the game"):
        Attack(6, 6, "renju")


def test_graphs_refuse_rows_that_must_be_exactly_five() -> None:
    with pytest.raises(BadRequest, match="standard"):
        prove_state(load("gomoku:6,standard"), None, "graph", target="interpreted")
