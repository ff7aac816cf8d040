"""Strategies by the facts of a search, also where tables have lost them, against naive checks of what they claim."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import naive
from graphs import GraphGame
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.proof import Claim, Proof, Strategy
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import DepthFirstProofNumber, prove_state, retracing
from searchbench.solvers.proof.bounding import Solved
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.dfpn import DepthFirstProofNumberSearch
from searchbench.solvers.proof.evidence import gather_claims
from searchbench.solvers.proof.retracing import Retracing
from searchbench.solvers.shared import transposition
from searchbench.solvers.shared.transposition import new_transpositions
from solvers.test_proof_combinations import naive_values, random_graph

MEMORY = 1 << 22


def claims_of(game: Game, run: Run, outcome: int, size: int) -> tuple[Claim, ...]:
    """Return the claims after a search with tables of so many entries, which do not grow."""
    root, budget = np.array(game.start(), game.dtype), Budget(game, run)
    tables = new_transpositions(size), new_transpositions(size)
    search = DepthFirstProofNumberSearch(game, budget, *tables, 0, "interpreted")
    assert search.holds(root, 1) == (outcome == 1)
    if outcome < 1:
        assert search.holds(root, 0) == (outcome == 0)
    solved = Solved(outcome, outcome, (search.table,) * 2, {})
    return tuple(gather_claims(game, tuple(root), solved, budget, target="interpreted", table_memory=0))


@pytest.fixture
def retraced(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that grows with each claim: whether the facts led to a strategy."""
    found: list[bool] = []

    class Noting(Retracing):
        def strategy(self, root: Any, claimer: int, bound: int) -> Strategy | None:
            strategy = super().strategy(root, claimer, bound)
            found.append(strategy is not None)
            return strategy

    monkeypatch.setattr("searchbench.solvers.proof.evidence.Retracing", Noting)
    return found


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("size", [2, 1 << 10])
def test_random_graphs(cyclic: bool, size: int, retraced: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transposition, "SMALLEST", 2)
    shown = 0
    for seed in range(40):
        rng = random.Random(f"{cyclic} {seed}")
        game = random_graph(rng, False, False, cyclic)
        outcome = naive_values(game, None)[0, 0]
        with monkeypatch.context() as patch, Run(memory=MEMORY, threads=1) as run:
            patch.setattr(retracing, "SLICE", rng.choice([1, 5, 1 << 18]))
            claims = claims_of(game, run, outcome, size)
        wanted = {1: [(0, 1)], 0: [(0, 0), (1, 0)], -1: [(1, 1)]}[outcome]
        assert [(claim.player, claim.bound) for claim in claims] == wanted
        for claim in claims:
            assert naive.claim_stands(game, game.start(), claim), (seed, game, claim)
            shown += len(claim.strategy)
    assert shown > 40
    assert all(retraced) if not cyclic else sum(retraced) > 0.9 * len(retraced)


def test_facts_that_lead_in_a_circle_make_no_strategy(retraced: list[bool]) -> None:
    # Node 0 is won by way of 4 or of 2, node 2 by way of 6 or of 0; the facts of 1 and 3 took less work than those of 4 and 6.
    edges = ((0, 1), (0, 4), (1, 2), (2, 3), (2, 6), (3, 0), (4, 5), (5, 7), (6, 5))
    results = (*[UNDECIDED] * 7, -1)
    game = GraphGame(tuple((a, b, 1, 0) for a, b in edges), results, "outcome")
    assert naive_values(game, None)[0, 0] == 1
    table = new_transpositions(16)
    for node, worth in {1: 1, 3: 1, 4: 9, 6: 9}.items():
        transposition.store(table, game.call("key", [node]), worth << transposition.WORTH_SHIFT | 3 << 4 | 2 << 2)
    with Run(memory=MEMORY, threads=1) as run:
        (claim,) = gather_claims(game, (0,), Solved(1, 1, (table, table), {}), Budget(game, run), target="interpreted")
    assert retraced == [False]
    assert naive.claim_stands(game, [0], claim)


def test_facts_of_no_win_are_searched_again_or_refused(run: Run) -> None:
    game = load("tic-tac-toe")
    table = new_transpositions(1 << 10)
    for move in game.moves(game.start()):  # as if every first move won
        after = game.play(game.start(), move)
        transposition.store(table, game.call("key", after), 1 << transposition.WORTH_SHIFT | 3 << 4 | 2 << 2)
    retrace = Retracing(game, Budget(game, run), table, 0, 1 << 20, "", "interpreted")
    assert retrace.strategy(np.array(game.start(), game.dtype), 0, 1) is None


@pytest.mark.parametrize("size", [2, 1 << 12])
def test_hex_with_tables_that_lose_what_is_proved(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transposition, "SMALLEST", 2)
    game = load("hex:3x3")
    with Run(memory=MEMORY, threads=1) as run:
        (claim,) = claims_of(game, run, 1, size)
    assert naive.claim_stands(game, game.start(), claim)
    assert Proof(game, tuple(game.start()), 1, "dfpn", (claim,)).verify() == []
    assert 1 < len(claim.strategy) < 100


def test_a_strategy_too_large_or_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retracing, "SMALLEST", 16)
    game = load("tic-tac-toe")
    for most, nodes, told in ((63, 0, "the strategy needs more than 32 states"), (1 << 20, 500, "within 500 nodes")):
        with Run(memory=MEMORY, threads=1) as run:
            budget, facts = Budget(game, run, nodes), new_transpositions(1 << 10)
            retrace = Retracing(game, budget, facts, 0, most, "", "interpreted")
            with pytest.raises(LimitReached, match=told):
                retrace.strategy(np.array(game.start(), game.dtype), 0, 0)


def test_the_move_that_proved_is_known(run: Run) -> None:
    game = load("hex:3x3")
    tables = new_transpositions(1 << 10), new_transpositions(1 << 10)
    search = DepthFirstProofNumberSearch(game, Budget(game, run), *tables, 0, "interpreted")
    assert search.holds(np.array(game.start(), game.dtype), 1)
    after = game.play(game.start(), search.proving_move)
    assert prove_state(game, after, DepthFirstProofNumber(evidence=False), run, target="interpreted").outcome == -1
