"""Depth-first proof-number search on random tiny games, against the obvious twins."""

from __future__ import annotations

import random

import numpy as np
import pytest

import naive
from graphs import GraphGame, shared
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached
from searchbench.jit.backends import Target
from searchbench.rules import UNDECIDED
from searchbench.run import Limits, Run
from searchbench.solvers.proof import DepthFirstProofNumber, dfpn, prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.tree import INFINITE
from searchbench.solvers.shared.transposition import (
    WORTH_SHIFT,
    Transpositions,
    collect_garbage,
    new_transpositions,
    probe,
    store,
)
from searchbench.verify import verify_proof
from solvers.test_proof_combinations import naive_values, random_graph


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.25])
def test_random_graphs(cyclic: bool, epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(100):
        rng = random.Random(f"{cyclic} {epsilon} {seed}")
        game = random_graph(rng, False, rng.random() < 0.3, cyclic)
        monkeypatch.setattr(dfpn, "SLICE", rng.choice([1, 7, 1 << 17]))
        monkeypatch.setattr(dfpn, "CHECKED", rng.choice([1, 5, 1 << 10]))
        mobility, weak, symmetric = (rng.random() < 0.5 for _ in range(3))
        symmetric = symmetric and game.has("canonical")
        chosen = DepthFirstProofNumber(epsilon=epsilon, mobility=mobility, weak=weak, symmetric=symmetric)
        run = Run(memory=1 << 22, threads=rng.choice([1, 2, 4]))
        proof = prove_state(game, None, chosen, run, target="interpreted")
        assert proof.outcome == naive_values(game, None)[0, 0], (seed, game)
        assert proof.incomplete or verify_proof(proof) == [], (seed, game)


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_facts_hold_on_every_path_and_tables_of_two_entries_suffice(
    cyclic: bool, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(75):
        rng = random.Random(f"tiny {cyclic} {threads} {seed}")
        monkeypatch.setattr(dfpn, "SLICE", rng.choice([1, 7, 50]))
        ask_every_node(random_graph(rng, False, False, cyclic), rng, threads, "interpreted")


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 200), marks=pytest.mark.long)], ids=str)
def test_threads_at_the_same_time(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        rng = random.Random(f"at the same time {seed}")
        monkeypatch.setattr(dfpn, "CHECKED", rng.choice([1, 5, 1 << 10]))
        game = shared(random_graph(rng, False, rng.random() < 0.3, True))
        ask_every_node(game, rng, rng.choice([2, 4]), "cpu")


def ask_every_node(game: GraphGame, rng: random.Random, threads: int, target: Target) -> None:
    """Compare the answers about all nodes with the naive ones; the tables are kept from one question to the next."""
    values = naive_values(game, None)
    weak, size = rng.random() < 0.5, rng.choice([2, 2, 16])
    with Run(threads=threads, memory=1 << 24) as run:
        tables = new_transpositions(size), new_transpositions(size)
        search = dfpn.DepthFirstProofNumberSearch(game, Budget(game, run), *tables, 0, target)
        for node in rng.sample(range(len(game.results)), len(game.results)):
            if game.terminal([node]) == UNDECIDED:
                for bound in (0, 1):
                    found = search.holds(np.array([node], game.dtype), bound, weak=weak)
                    assert found == (values[node, 0] >= bound), (node, bound, weak, game)


def test_symmetric_states_are_one() -> None:
    run = Run(memory=1 << 22, threads=1)
    nodes = {}
    for symmetric in (False, True):
        chosen = DepthFirstProofNumber(symmetric=symmetric, evidence=False)
        proof = prove_state(load("mnk:3x3,k=3,symmetry=yes"), "X../.O./...", chosen, run, target="interpreted")
        assert proof.value == "draw"
        nodes[symmetric] = proof.nodes
    assert nodes[True] < 0.8 * nodes[False]
    game = load("hex:3x3")
    proof = prove_state(game, None, DepthFirstProofNumber(symmetric=True), run, target="interpreted")
    assert proof.value == "win"
    (claim,) = proof.claims
    assert claim.symmetric
    assert all(tuple(game.canonical(state)) == state for state in claim.strategy)
    assert proof.verify() == []
    assert naive.claim_stands(game, game.start(), claim)
    with pytest.raises(BadRequest, match="connect4:4,4,4 does not tell which states are symmetric"):
        prove_state(load("connect4:4x4"), None, DepthFirstProofNumber(symmetric=True))


def test_a_state_that_two_moves_lead_to_counts_once() -> None:
    edges = tuple((a, b, 1, 0) for a, b in [(0, 1), (0, 2), (0, 1), (1, 3), (2, 3), (3, 4)])
    game = GraphGame(edges, (UNDECIDED,) * 4 + (-1,), "outcome")
    with Run(threads=1, memory=1 << 24) as run:
        tables = new_transpositions(2), new_transpositions(2)
        search = dfpn.DepthFirstProofNumberSearch(game, Budget(game, run, 1), *tables, 0, "interpreted")
        with pytest.raises(LimitReached):
            search.holds(np.array([0], game.dtype), 1)
    assert [dfpn.is_open(child) for child in search._searches[0].children[0, :3]] == [True, True, False]


def test_halves_of_two_entries_are_no_entry() -> None:
    words = [work << WORTH_SHIFT | low for work in range(1, 9) for low in (1, 2, 5, 77)]
    for first in words:
        for second in words:
            table = new_transpositions(2)
            store(table, 5, first)
            place = int(np.flatnonzero(table.words)[0])
            table.words[place] = second  # another thread has written half of its entry
            found = [key for key in range(64) if probe(table, key)]
            assert found == ([5] if first == second else []), (first, second, found)


def test_garbage_is_what_saves_little() -> None:
    rng = random.Random(3)
    table = new_transpositions(1 << 10)
    entries = {key: rng.randrange(1, 50) << WORTH_SHIFT | 1 for key in range(300)}
    for key, word in entries.items():
        store(table, key, word)
    before = {key: word for key, word in entries.items() if probe(table, key)}
    collect_garbage(table)
    after = {key: word for key, word in entries.items() if probe(table, key)}
    assert 0 < len(after) <= len(before) // 2
    assert int(table.used[0]) == len(after)
    assert min(after.values()) > max(word for key, word in before.items() if key not in after)


def test_a_search_drops_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []

    def collect(table: Transpositions) -> None:
        collected.append(int(table.used[0]))
        collect_garbage(table)

    monkeypatch.setattr(dfpn, "collect_garbage", collect)
    monkeypatch.setattr(dfpn, "SLICE", 50)
    game = load("tic-tac-toe")
    with Run(threads=2, memory=1 << 24) as run:
        tables = new_transpositions(1 << 10), new_transpositions(32)
        search = dfpn.DepthFirstProofNumberSearch(game, Budget(game, run), *tables, 0, "interpreted")
        assert not search.holds(np.array(game.start(), game.dtype), 1)
    assert collected
    assert min(collected) > 28


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


@pytest.mark.long
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
