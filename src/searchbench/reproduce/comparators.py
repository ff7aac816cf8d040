"""Rows on searches that the thesis compares with proof-number search (Allis 1994, sections 2.4 and 2.5)."""

from __future__ import annotations

import contextlib
import math
from typing import Any, Final

import numpy as np

from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.hashing import key
from searchbench.reproduce.proof_numbers import GAMES, searching
from searchbench.reproduce.proof_trees import minimax, random_game
from searchbench.reproduce.row import Measured, Row, Verdict
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.comparators import CONSPIRACY, MST, PROVED, SSS, BestFirstSearch
from searchbench.solvers.proof.comparators.best_first import COUNT, CREATED, FIRST, ONE, OTHER
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.proof.tree import CHILD, DISPROOF, INFINITE, NONE, PROOF, SIBLING

METHODS: Final = ("alphabeta", "pns", "dfpn", "conspiracy", "sss", "bstar", "mst")
SMALL: Final = {"tic-tac-toe": "draw", "mnk:4,3,3": "win", "hex:3x3": "win"}
"""Games and their values."""


def best_first(game: Any, method: Any, **names: Any) -> BestFirstSearch:
    """Return an interpreted search."""
    budget = Budget(game, Run(threads=1, memory=1 << 26))
    return BestFirstSearch(game, budget, {**method, **names}, 1 << 22, "interpreted")


def smallest_solution(game: Any, node: int, bound: int, mine: bool) -> float:
    """Return the inner nodes of the smallest tree that shows that the player to move gets the bound, or that she does not."""
    result = game.digraph.results.get(node)
    if result is not None:
        return 0 if (result >= bound) == mine else math.inf
    below = [
        smallest_solution(game, int(game.play([node], move)[0]), 1 - bound, not mine) for move in game.moves([node])
    ]
    return 1 + (min(below) if mine else sum(below))


def solution_of_proof_numbers(search: ProofNumberSearch, node: int = 0) -> int:
    """Return the inner nodes of the solution tree in a tree that keeps what is solved; solved leaves are not in it."""
    rows, below = search.tree.node, []
    child = int(rows[node, CHILD])
    while child != NONE:
        below.append(child)
        child = int(rows[child, SIBLING])
    if rows[node, PROOF] == 0:
        return 1 + min([solution_of_proof_numbers(search, one) for one in below if rows[one, DISPROOF] == 0], default=0)
    return 1 + sum(solution_of_proof_numbers(search, one) for one in below)


def solution_trees(_: Run) -> dict[str, Any]:
    """Compare MST* with brute force, and with the solution trees of proof-number search."""
    wrong = smaller_by_pn = 0
    sizes = [0, 0]
    for seed in range(GAMES):
        game = random_game(f"solution {seed}", 6)
        root = np.array([0], game.dtype)
        found = best_first(game, MST).settle(root, 1)
        size = found.one if found.marks & PROVED else found.other
        wrong += size != smallest_solution(game, 0, 1, minimax(game) == 1)
        search = searching(game, KEEP_SOLVED=True)
        search.holds(root, 1, lookup=False)
        theirs = solution_of_proof_numbers(search)
        smaller_by_pn += theirs < size
        sizes = [sizes[0] + size, sizes[1] + theirs]
    return {
        "trees": GAMES, "other sizes than by brute force": wrong, "smaller ones by proof numbers": smaller_by_pn,
        "inner nodes, proof numbers / MST*": round(sizes[1] / sizes[0], 3),
    }  # fmt: skip


def smallest_is_smallest(paper: Any, measured: Any) -> Verdict:
    """Judge that no size is wrong, and none of proof-number search smaller."""
    right = measured["other sizes than by brute force"] == measured["smaller ones by proof numbers"] == 0
    return "match" if right and measured["inner nodes, proof numbers / MST*"] >= 1 else "differs"


def leaves_of_alpha_beta(game: Any, node: int, alpha: int, beta: int, seen: set[int]) -> int:
    """Return the value of a node by alpha-beta without a table; note the leaves it looks at."""
    result = game.digraph.results.get(node)
    if result is not None:
        seen.add(node)
        return int(result)
    best = -2
    for move in game.moves([node]):
        below = int(game.play([node], move)[0])
        best = max(best, -leaves_of_alpha_beta(game, below, -beta, -max(alpha, best), seen))
        if best >= beta:
            break
    return best


def _proof_numbers_differ(search: BestFirstSearch, game: Any, node: int, at: int) -> tuple[tuple[float, float], int]:
    """Return proof and disproof number of a node by their definition, and how many nodes have other conspiracy numbers."""
    result, row, wrong = game.digraph.results.get(at), search.tree.node[node], 0
    if result is not None:
        pair = (0.0, math.inf) if result > 0 else (math.inf, 0.0)
    elif row[COUNT] == NONE:
        pair = (1.0, 1.0)
    else:
        under = []
        for place, move in enumerate(game.moves([at])):
            below, more = _proof_numbers_differ(search, game, int(row[FIRST]) + place, int(game.play([at], move)[0]))
            under.append(below)
            wrong += more
        pair = (min(one[1] for one in under), sum(one[0] for one in under))
    ours = tuple(math.inf if number == INFINITE else float(number) for number in row[[ONE, OTHER]].tolist())
    return pair, wrong + (ours != pair)


def compared(run: Run) -> Measured:
    """Compare all methods on small games and on random trees, and their nodes."""
    values, table = {}, []
    for name, _value in SMALL.items():
        proofs = {
            method: prove_state(load(name), None, method, Run(threads=1, memory=1 << 30), evidence=False)
            for method in METHODS
        }
        values[name] = sorted({proof.value for proof in proofs.values()})
        table.append(f"{name:12}" + "".join(f"{proof.nodes:>12,}" for proof in proofs.values()))
    other = beyond = numbers = 0
    for seed in range(GAMES):
        game, wins = random_game(f"compared {seed}", 5, (-1, 0, 1)), random_game(f"numbers {seed}", 5)
        found = {
            prove_state(
                game, None, method, Run(threads=1, memory=1 << 22), evidence=False, target="interpreted"
            ).outcome
            for method in METHODS
        }
        other += found != {minimax(game)}
        looked: list[int] = []

        def look(code: int, looked: list[int] = looked) -> None:
            looked.append(code)

        root = np.array([0], game.dtype)
        best_first(game, SSS, on_examination=look).settle(root)
        seen: set[int] = set()
        leaves_of_alpha_beta(game, 0, -1, 1, seen)
        ends = {int(key([node])) for node in game.digraph.results}
        beyond += len(ends & set(looked) - {int(key([node])) for node in seen})
        search = best_first(wins, CONSPIRACY)
        search.budget.limit = 20
        with contextlib.suppress(LimitReached):
            search.settle(root)
        numbers += _proof_numbers_differ(search, wins, 0, 0)[1]
        assert search.tree.note[CREATED] > 1
    heading = f"{'nodes':12}" + "".join(f"{method:>12}" for method in METHODS)
    return Measured(
        {
            "values": values, "trees": GAMES, "other values": other,
            "leaves of SSS* that alpha-beta leaves out": beyond,
            "conspiracy numbers that are no proof numbers": numbers,
        },
        [], "\n".join([heading, *table]),
    )  # fmt: skip


ROWS = [
    Row(
        "PN-17", "MST*: the smallest solution trees", "Allis 1994, section 2.5",
        {
            "trees": GAMES, "other sizes than by brute force": 0, "smaller ones by proof numbers": 0,
            "inner nodes, proof numbers / MST*": "at least 1",
        },
        solution_trees, smallest_is_smallest, note="future work in the thesis",
    ),
    Row(
        "PN-18", "alpha-beta, proof numbers, conspiracy numbers, SSS*, B*, MST* agree", "Allis 1994, sections 2.4 and 2.5",
        {
            "values": {name: [value] for name, value in SMALL.items()}, "trees": GAMES, "other values": 0,
            "leaves of SSS* that alpha-beta leaves out": 0, "conspiracy numbers that are no proof numbers": 0,
        },
        compared,
    ),
]  # fmt: skip
