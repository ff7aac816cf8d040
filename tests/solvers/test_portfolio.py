"""Alpha-beta and proof numbers in turns: the outcome of naive search, on any threads, whichever of the two ends first."""

from __future__ import annotations

import random
from typing import Any

import pytest

import naive
import searchbench as sb
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import portfolio, prove_state

HEX: Any = load("hex:3x3")
TURN = 16


def positions(game: Game, count: int, seed: int) -> list[tuple[int, ...]]:
    """Return positions that are not decided, from games at random."""
    rng = random.Random(seed)
    found: list[tuple[int, ...]] = []
    while len(found) < count:
        state = tuple(game.start())
        for _ in range(rng.randrange(2, 6)):
            if game.terminal(state) == UNDECIDED:
                state = tuple(game.play(state, rng.choice(list(game.moves(state)))))
        if game.terminal(state) == UNDECIDED:
            found.append(state)
    return found


def long_turns(monkeypatch: pytest.MonkeyPatch, turn: int = TURN) -> None:
    """Let turns be long ones from the beginning, over at once, taken at the same time where there are threads."""
    monkeypatch.setattr(portfolio, "LONG_TURN", turn)
    monkeypatch.setattr(portfolio, "LONG_SECONDS", 0.0)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("game", [TicTacToe(), HEX], ids=str)
def test_outcomes_are_those_of_naive_search(game: Game, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    long_turns(monkeypatch)
    winners = set()
    for state in positions(game, 5, 3):
        proof = prove_state(
            game, state, "portfolio", Run(memory=16 << 20, threads=threads), turn=TURN, target="interpreted"
        )
        assert proof.outcome == naive.minimax(game, state)
        assert proof.verify() == []
        winners.add(proof.method)
    assert winners <= {"alphabeta", "dfpn"}


@pytest.mark.parametrize(
    ("first", "method"), [("alpha_beta_steps", "dfpn"), ("proof_number_steps", "alphabeta")], ids=["dfpn", "alphabeta"]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_that_never_ends_does_not_keep_the_other_one_from_the_outcome(
    first: str, method: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_turns(monkeypatch)

    def never(_game: Game, _root: Any, budget: Any, *_: Any) -> Any:
        while True:
            budget.spend("for ever", 1, 0)
            yield

    monkeypatch.setattr(portfolio, first, never)
    proof = prove_state(
        TicTacToe(), None, "portfolio", Run(memory=16 << 20, threads=threads), turn=TURN, target="interpreted"
    )
    assert (proof.value, proof.method) == ("draw", method)
    assert proof.verify() == []


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_that_fails_leaves_it_to_the_other_one(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    long_turns(monkeypatch)

    def fails(*_: Any) -> Any:
        yield
        raise LimitReached("no more of this")

    monkeypatch.setattr(portfolio, "alpha_beta_steps", fails)
    run = Run(memory=16 << 20, threads=threads)
    assert prove_state(TicTacToe(), None, "portfolio", run, turn=TURN, target="interpreted").method == "dfpn"
    monkeypatch.setattr(portfolio, "proof_number_steps", fails)
    with pytest.raises(LimitReached, match="no more of this"):
        prove_state(TicTacToe(), None, "portfolio", run, turn=TURN, target="interpreted")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("nodes", [1, 2, 7, 100, 1001])
def test_both_together_stay_within_the_nodes(nodes: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    long_turns(monkeypatch)
    spent = 0

    def report(_stage: str, done: int, _total: int) -> None:
        nonlocal spent
        spent = max(spent, done)

    run = Run(memory=16 << 20, threads=threads, report=report)
    with pytest.raises(LimitReached, match=f"no result within {nodes:,} nodes; raise the limit"):
        prove_state(TicTacToe(), None, "portfolio", run, nodes=nodes, turn=TURN, target="interpreted")
    assert spent <= nodes + 20 * (nodes > 1)  # which the root of depth-first search takes at once


def test_seconds_end_both(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.15
        return now

    monkeypatch.setattr("searchbench.jit.compile_seconds", lambda: 0.0)
    run = Run(memory=16 << 20, threads=1, clock=clock)
    with pytest.raises(LimitReached, match="no result within 2 seconds"):
        prove_state(load("hex:4x4"), None, "portfolio", run, seconds=2, turn=TURN, target="interpreted")


@pytest.mark.long
def test_where_bitboards_keep_no_strategy_the_other_search_goes_on_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "MOST_EMPTY_FOR_EVIDENCE", 0)
    told: list[sb.Proof] = []
    run = Run(memory=256 << 20, threads=1)
    proof = prove_state(load("connect4:4x4"), None, "portfolio", run, told=told.append)
    assert [one.method for one in told] == ["alphabeta"]
    assert (proof.value, proof.incomplete) == ("draw", "")
    assert proof.verify() == []
    without = prove_state(load("connect4:4x4"), None, "portfolio", run, evidence=False)
    assert (without.value, without.nodes, without.claims) == ("draw", told[0].nodes, ())
    monkeypatch.setattr(portfolio, "FOR_EVIDENCE", 1000)
    short = prove_state(load("connect4:4x4"), None, "portfolio", run)
    assert "keeps no strategy" in short.incomplete
    assert short.value == "draw"


def test_an_interrupt_in_a_turn_long_turns_ends_both(monkeypatch: pytest.MonkeyPatch) -> None:
    long_turns(monkeypatch)

    def report(_stage: str, done: int, _total: int) -> None:
        if done > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Run(memory=16 << 20, threads=2, report=report) as run:
        prove_state(load("hex:4x4"), None, "portfolio", run, turn=TURN, target="interpreted")
    assert run.stopped


def test_it_is_the_default_where_no_option_asks_for_another_search() -> None:
    run = Run(memory=16 << 20, threads=1)
    ways = [prove_state(TicTacToe(), None, None, run, target="interpreted", **options).method for options in (
        {}, {"nodes": 100_000}, {"mobility": True}, {"evidence": False}, {"weak": True},
    )]  # fmt: skip
    assert ways == ["alphabeta", "alphabeta", "pns", "alphabeta", "dfpn"]
