"""Conspiracy numbers, SSS*, B* and MST* against minimax, the papers' own formulations, and brute force on small trees."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import naive
from graphs import GraphGame
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.hashing import key
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.comparators import BSTAR, CONSPIRACY, MST, PROVED, SSS, BestFirstSearch
from searchbench.solvers.proof.comparators.best_first import COUNT, CREATED, FIRST, MARKS, ONE, OTHER, OWN
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.proof.tree import CHILD, DISPROOF, INFINITE, NONE, PROOF, SIBLING
from searchbench.solvers.shared.transposition import new_transpositions
from searchbench.verify import verify_proof
from solvers.test_proof_choices import random_tree
from solvers.test_proof_combinations import naive_values, random_graph

METHODS = ("conspiracy", "sss", "bstar", "mst")


def random_game(seed: str, depth: int, ends: tuple[int, ...] = (-1, 0, 1)) -> GraphGame:
    """Return a game whose positions are a tree; some inner nodes become leaves with a result."""
    rng = random.Random(seed)
    game = random_tree(rng, depth)
    results = tuple(rng.choice(ends) if result != UNDECIDED else UNDECIDED for result in game.results)
    return GraphGame(game.edges, results, "outcome")


def searching(game: GraphGame, method: Mapping[str, Any], nodes: int = 0, **names: Any) -> BestFirstSearch:
    """Return an interpreted search."""
    budget = Budget(game, Run(threads=1, memory=1 << 26), nodes)
    return BestFirstSearch(game, budget, {**method, **names}, 1 << 22, "interpreted")


def start_of(game: GraphGame) -> Any:
    """Return the start as an array."""
    return np.array(game.start(), game.dtype)


@pytest.mark.parametrize("method", METHODS)
def test_outcomes_of_random_trees_and_graphs(method: str) -> None:
    """Trees, graphs without cycles, and graphs with cycles, where play that never ends is a draw."""
    run = Run(memory=1 << 22, threads=1)
    seen = set()
    for seed in range(150):
        rng = random.Random(f"{method} {seed}")
        game = random_graph(rng, False, False, seed % 3 == 0) if seed % 2 else random_game(f"{seed}", 5)
        proof = prove_state(game, None, method, run, target="interpreted", nodes=200_000)
        assert proof.outcome == naive_values(game, None)[0, 0], seed
        assert proof.method == method
        assert proof.incomplete or verify_proof(proof) == [], seed
        seen.add(proof.outcome)
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize("method", METHODS)
def test_small_games(method: str, run: Run) -> None:
    """Compiled; a game without draws takes the same lines, and would be compiled for longer than it is searched."""
    games = (
        ("tic-tac-toe", "XX./OO./...", "cpu"),
        ("tic-tac-toe", "start", "cpu"),
        ("hex:3x3", "start", "interpreted"),
    )
    for name, moves, target in games:
        game = load(name)
        proof = prove_state(game, moves, method, run, target=target)
        assert proof.outcome == naive.alphabeta(game, game.position(moves).state)
        assert verify_proof(proof) == []


def node_of_keys(game: GraphGame) -> dict[int, int]:
    """Return the nodes by their keys."""
    return {int(key([node])): node for node in range(len(game.results))}


def leaves_in_order(game: GraphGame) -> tuple[int, list[int]]:
    """Return the outcome by SSS*, and the ends of lines in the order in which they are looked at."""
    seen: list[int] = []

    def look(code: int) -> None:
        seen.append(code)

    search = searching(game, SSS, on_examination=look)
    value = search.settle(start_of(game)).one
    nodes, inner = node_of_keys(game), {edge[0] for edge in game.edges}
    assert len(seen) == search.examined
    return value, [nodes[code] for code in seen if nodes[code] not in inner]


def test_sss_looks_at_leaves_in_the_order_of_stockman_and_at_none_that_alpha_beta_leaves_out() -> None:
    fewer = same = 0
    for seed in range(150):
        game = random_game(f"sss {seed}", 4)
        value, leaves = leaves_in_order(game)
        wanted, order = naive.sss_star(game)
        assert value == wanted == naive.minimax(game, game.start()), seed
        theirs = iter(state[0] for state in order)
        assert all(leaf in theirs for leaf in leaves), (
            seed
        )  # in the same order; those that lower bounds answer are left out
        same += len(leaves) == len(order)
        ends: list[tuple[int, ...]] = []
        naive.alphabeta(game, game.start(), -1, 1, ends)
        assert set(leaves) <= {state[0] for state in ends}, seed
        fewer += len(leaves) < len(ends)
    assert fewer > 20
    assert same > 75


def partial(search: BestFirstSearch, game: GraphGame, node: int, at: int) -> naive.Tree:
    """Return the tree of a search below a node as nested lists; `at` is the node's place in the game."""
    if game.results[at] != UNDECIDED:
        return game.results[at]
    row = search.tree.node[node]
    if row[COUNT] == NONE:
        return None
    below = [edge[1] for edge in game.edges if edge[0] == at]
    return [partial(search, game, int(row[FIRST]) + place, child) for place, child in enumerate(below)]


def stopped(game: GraphGame, method: Mapping[str, Any], nodes: int) -> BestFirstSearch:
    """Return a search that has created so many nodes or has ended."""
    search = searching(game, method, nodes)
    try:
        search.settle(start_of(game))
    except LimitReached:
        assert search.nodes >= nodes
    return search


def test_conspiracy_numbers_are_the_smallest_sets_of_leaves() -> None:
    compared = 0
    for seed in range(120):
        game = random_game(f"conspiracy {seed}", 5)
        search = stopped(game, CONSPIRACY, random.Random(seed).randrange(3, 20))
        tree = partial(search, game, 0, 0)
        if str(tree).count("None") > 11:
            continue
        compared += 1
        for column, wanted in ((ONE, 1), (OTHER, -1)):
            number = int(search.tree.node[0, column])
            assert (np.inf if number == INFINITE else number) == naive.conspirators(tree, wanted), (seed, wanted)
    assert compared > 80


def test_without_draws_conspiracy_numbers_are_proof_numbers() -> None:
    """The numbers of every node after the same developments as those of proof-number search would be."""
    for seed in range(60):
        game = random_game(f"numbers {seed}", 5, (-1, 1))
        search = stopped(game, CONSPIRACY, 25)

        def numbers(
            node: int, at: int, search: BestFirstSearch = search, game: GraphGame = game
        ) -> tuple[float, float]:
            """Return proof and disproof number by the definitions, for the player to move."""
            result, row = game.results[at], search.tree.node[node]
            if result != UNDECIDED:
                told = (0.0, np.inf) if result > 0 else (np.inf, 0.0)
            elif row[COUNT] == NONE:
                told = (1.0, 1.0)
            else:
                below = [edge[1] for edge in game.edges if edge[0] == at]
                under = [numbers(int(row[FIRST]) + place, child) for place, child in enumerate(below)]
                told = (min(one[1] for one in under), sum(one[0] for one in under))
            ours = [np.inf if number == INFINITE else number for number in row[[ONE, OTHER]].tolist()]
            assert ours == list(told), (str(game), at)
            return told

        numbers(0, 0)


def test_b_star_knows_the_best_move_before_the_value() -> None:
    sooner = 0
    for seed in range(100):
        game = random_game(f"best {seed}", 5)
        search = searching(game, BSTAR)
        value = search.settle(start_of(game)).one
        assert value == naive.minimax(game, game.start())
        known = int(search.tree.note[OWN])
        assert 0 < known <= int(search.tree.note[CREATED])
        sooner += known < int(search.tree.note[CREATED])
        again = stopped(game, BSTAR, known)  # the tree at that moment: one move is as good as any other can be
        first, count = again.tree.node[0, [FIRST, COUNT]].tolist()
        rows = again.tree.node[first : first + count]
        below = [edge[1] for edge in game.edges if edge[0] == 0]
        sure = [
            place
            for place in range(count)
            if all(-rows[place, OTHER] >= -row[ONE] for row in np.delete(rows, place, 0))
        ]
        assert sure, seed
        assert all(-naive.minimax(game, [below[place]]) == value for place in sure), seed
    assert sooner > 10


def test_mst_finds_the_smallest_solution_trees() -> None:
    smaller = 0
    for seed in range(100):
        game = random_game(f"smallest {seed}", 6)
        for bound in (0, 1):
            search = searching(game, MST)
            found = search.settle(start_of(game), bound)
            holds = naive.minimax(game, game.start()) >= bound
            assert bool(found.marks & PROVED) == holds, (seed, bound)
            smallest = naive.smallest_solution(game, game.start(), bound, holds)
            assert (found.one if holds else found.other) == smallest, (seed, bound)
            theirs = size_of_proof(game, bound)
            assert theirs >= smallest, (seed, bound)
            smaller += theirs > smallest
    assert smaller > 3


def size_of_proof(game: GraphGame, bound: int) -> int:
    """Return the inner nodes of the solution tree that proof-number search finds; solved leaves are not in its tree."""
    budget = Budget(game, Run(threads=1, memory=1 << 26))
    table = new_transpositions(1 << 12)
    search = ProofNumberSearch(game, budget, table, 1 << 16, 1 << 22, "interpreted", choices={"KEEP_SOLVED": True})
    search.holds(start_of(game), bound, lookup=False)
    rows = search.tree.node

    def size(node: int) -> int:
        below, child = [], int(rows[node, CHILD])
        while child != NONE:
            below.append(child)
            child = int(rows[child, SIBLING])
        if rows[node, PROOF] == 0:
            return 1 + min([size(one) for one in below if rows[one, DISPROOF] == 0], default=0)
        return 1 + sum(size(one) for one in below)

    return size(0)


def test_numbers_of_mst_only_rise() -> None:
    """And they never exceed the size of the smallest tree."""
    for seed in range(40):
        game = random_game(f"rising {seed}", 5)
        before = (0, 0)
        limits = [naive.smallest_solution(game, game.start(), 1, mine) for mine in (True, False)]
        for nodes in range(4, 60, 6):
            row = stopped(game, MST, nodes).tree.node[0]
            now = int(row[ONE]), int(row[OTHER])
            assert now[0] >= before[0]
            assert now[1] >= before[1]
            assert all(number <= limit for number, limit in zip(now, limits, strict=True) if number < INFINITE)
            before = now
            if row[MARKS]:
                break


def test_limits_of_nodes_and_memory() -> None:
    for method in METHODS:
        with pytest.raises(LimitReached, match="no result within 50 nodes"):
            prove_state(
                load("connect4:4x4"), None, method, Run(memory=1 << 26, threads=1), nodes=50, target="interpreted"
            )
    with pytest.raises(
        LimitReached, match=r"has none for one more step .*; give more nodes if they are limited, or more memory"
    ):
        prove_state(load("connect4:4x4"), None, "sss", Run(memory=1 << 16, threads=1), target="interpreted")
