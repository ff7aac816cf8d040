"""Depth-first proof-number search on random tiny games, against the obvious twins."""

from __future__ import annotations

import random

import numpy as np
import pytest

import naive
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached
from searchbench.rules import UNDECIDED
from searchbench.run import Limits, Run
from searchbench.solvers.proof import DepthFirstProofNumber, dfpn, prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.tree import INFINITE
from searchbench.solvers.shared.transposition import new_transpositions
from searchbench.verify import verify_proof
from solvers.test_proof_combinations import naive_values, random_graph


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.25])
def test_random_graphs(cyclic: bool, epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(100):
        rng = random.Random(f"{cyclic} {epsilon} {seed}")
        game = random_graph(rng, False, rng.random() < 0.3, cyclic)
        monkeypatch.setattr(dfpn, "SLICE", rng.choice([1, 7, 1 << 17]))
        chosen = DepthFirstProofNumber(epsilon=epsilon, mobility=rng.random() < 0.5)
        proof = prove_state(game, None, chosen, Run(memory=1 << 22, threads=1), target="interpreted")
        assert proof.outcome == naive_values(game, None)[0, 0], (seed, game)
        assert proof.incomplete or verify_proof(proof) == [], (seed, game)


@pytest.mark.parametrize("cyclic", [False, True])
def test_facts_hold_on_every_path_and_tables_of_two_entries_suffice(cyclic: bool) -> None:
    for seed in range(150):
        rng = random.Random(f"tiny {cyclic} {seed}")
        game = random_graph(rng, False, False, cyclic)
        values = naive_values(game, None)
        with Run(threads=1) as run:
            search = dfpn.DepthFirstProofNumberSearch(
                game, Budget(game, run), new_transpositions(2), new_transpositions(2), 0, "interpreted"
            )
            for node in rng.sample(range(len(game.results)), len(game.results)):  # the tables are kept
                state = game.position([node]).state
                if game.terminal(state) != UNDECIDED:
                    continue
                for bound in (0, 1):
                    root = np.array(state, game.dtype)
                    assert search.holds(root, bound) == (values[node, 0] >= bound), (seed, node, bound, game)


def test_tic_tac_toe() -> None:
    game = load("tic-tac-toe")
    rng = random.Random(1)
    for _ in range(10):
        state = list(game.start())
        for _ in range(5):
            after = game.play(list(state), rng.choice(game.moves(state)))
            if game.terminal(after) == UNDECIDED:
                state = list(after)
        proof = prove_state(game, state, "dfpn", target="interpreted")
        assert proof.outcome == naive.alphabeta(game, state)
        assert verify_proof(proof) == []


def test_connect_four() -> None:
    game = load("connect4:4x4")
    assert prove_state(game, None, "dfpn", table="64KB", evidence=False).value == "draw"


def test_limit_and_bad_options() -> None:
    with pytest.raises(LimitReached, match="within 20 nodes"):
        prove_state(load("tic-tac-toe"), None, "dfpn", limits=Limits(20), target="interpreted")
    for options in ({"epsilon": -1.0}, {"epsilon": float("nan")}, {"table": 0}):
        with pytest.raises(BadRequest):
            DepthFirstProofNumber(**options)


def test_packed_numbers() -> None:
    for number in [*range(1, 2000), INFINITE - 1, *(1 << bit for bit in range(30))]:
        word = dfpn.packed(number)
        assert word < 1 << 12
        assert number - number / 64 <= dfpn.unpacked(word) <= number
