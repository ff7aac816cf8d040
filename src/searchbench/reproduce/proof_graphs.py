"""Rows on proof-number search over graphs of positions, and for three outcomes (Allis 1994, sections 2.3.4 and 2.5)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.reproduce.proof_numbers import GAMES
from searchbench.reproduce.proof_trees import graph, minimax
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.configuration import ProofNumber
from searchbench.solvers.proof.merged import (
    DISPROOF,
    FIRST_ROOM,
    NODES,
    PROOF,
    MergedSearch,
    develop,
    most_proving,
    new_merged,
    plant,
    renew_above,
)


def _lettered(letters: str, edges: str) -> Any:
    """Return the graph of a figure, in which edges are pairs of letters; a frontier node has a move to a draw."""
    pairs = [(letters.index(pair[0]), letters.index(pair[1])) for pair in edges.split()]
    frontier = set(range(len(letters))) - {a for a, _ in pairs}
    pairs += [(node, len(letters)) for node in sorted(frontier)]
    return graph(" ".join(f"{a}>{b}" for a, b in pairs) + f" {len(letters)}=0")


def _numbers_after(letters: str, edges: str, order: str, bound: int) -> dict[str, Any]:
    """Return the numbers of the nodes of a figure, those of the mover, after these were developed; and the most-proving one."""
    game = _lettered(letters, edges)
    names = game.names(target="interpreted")
    merged = new_merged(game, FIRST_ROOM)
    jit.bind(plant, names)(merged, np.array([0], game.dtype))
    for letter in order:
        node = merged.states[: merged.note[NODES], 0].tolist().index(letters.index(letter))
        jit.bind(develop, names)(merged, node, bound, 0)
        jit.bind(renew_above, names)(merged, node)
    found: dict[str, Any] = {
        letters[int(merged.states[node, 0])]: [int(row[PROOF]), int(row[DISPROOF])]
        for node, row in enumerate(merged.nodes[: merged.note[NODES]])
    }
    leaf = int(jit.bind(most_proving, names)(merged))
    return {letter: found[letter] for letter in sorted(found)} | {"most proving": letters[int(merged.states[leaf, 0])]}


def without_cycles(run: Run) -> dict[str, Any]:
    """Return the numbers of figure 2.4, and compare the search of a graph with that of a tree on three games."""
    found: dict[str, Any] = {"2.4": _numbers_after("ABCDEFG", "AB AC BD BE CE CF EG FG", "ABCEF", 1)}
    roots = []
    for end in (-1, 1):
        for other in (-1, 1):
            text = f"0>1 0>2 1>3 1>4 2>4 2>5 4>6 5>6 3={other} 6={end}"
            game = graph(text)
            proof = prove_state(
                game, None, ProofNumber(merge="all", evidence=False), Run(threads=1), target="interpreted"
            )
            roots.append(proof.outcome == minimax(game))
    found["either value of G solves the root"] = all(roots)
    nodes = {}
    for name in ("tic-tac-toe", "mnk:4,3,3", "connect4:4x4"):
        merged, tree = (
            prove_state(load(name), None, ProofNumber(merge=merge, evidence=False), Run(threads=1))
            for merge in ("all", "none")
        )
        nodes[name] = [merged.value == tree.value, merged.facts["positions"] < tree.nodes]
    return found | {"same value, fewer nodes": nodes}


def cyclic_game(seed: str) -> Any:
    """Return a random small graph with cycles."""
    chance = random.Random(seed)
    size = chance.randrange(3, 11)
    share = chance.choice([0.1, 0.2, 0.4])
    words = []
    for node in range(size):
        if node and chance.random() < share:
            words.append(f"{node}={chance.choice([-1, -1, 0, 1])}")
        else:
            words += [f"{node}>{chance.randrange(size)}" for _ in range(chance.choice([1, 2, 2, 3]))]
    return graph(" ".join([*words, f"{size}=0"]))


def by_retrograde_analysis(game: Any) -> int:
    """Return the outcome of the first node."""
    table = solve_states(game, run=Run(threads=1, memory=1 << 26), target="interpreted")
    return int(table.probe([0]).outcome)


def conversions(run: Run) -> dict[str, int]:
    """Compare the search that merges positions after irreversible moves alone with retrograde analysis."""
    wrong = shared = 0
    for seed in range(GAMES):
        game = cyclic_game(f"cycles {seed}")
        edges = game.digraph.edges
        after = {node: {node} for node in range(game.digraph.nodes)}
        for _ in after:
            for source, target, _cost in edges:
                after[source] |= after[target]
        forth = [source not in after[target] for source, target, _ in edges]

        def irreversible(state: Any, move: int, forth: list[bool] = forth) -> bool:
            return forth[move]

        names = game.names(target="interpreted").with_(irreversible=irreversible)
        search = MergedSearch(game, Budget(game, Run(threads=1, memory=1 << 26)), True, names)
        root = np.array([0], game.dtype)
        outcome = 1 if search.answer(root, 1).holds else 0 if search.answer(root, 0).holds else -1
        wrong += outcome != by_retrograde_analysis(game)
        shared += any(forth)
    return {"games": GAMES, "wrong values": wrong, "with irreversible moves": shared}


def two_nodes(_: Run) -> dict[str, Any]:
    """Return the numbers of figure 2.5, and compare the search that merges all positions with retrograde analysis."""
    found: dict[str, Any] = {"2.5": _numbers_after("ABCDEF", "AB AC BD CD CE DC DF", "ABDC", 0)}
    wrong = flagged = flagged_wrong = 0
    for seed in range(4 * GAMES):
        game = cyclic_game(f"two nodes {seed}")
        outcome = by_retrograde_analysis(game)
        search = MergedSearch(
            game, Budget(game, Run(threads=1, memory=1 << 26)), False, game.names(target="interpreted")
        )
        for bound in (0, 1):
            answer = search.answer(np.array([0], game.dtype), bound)
            wrong += answer.reliable and answer.holds != (outcome >= bound)
            flagged += not answer.reliable
            flagged_wrong += not answer.reliable and answer.holds != (outcome >= bound)
    return found | {
        "answers": 8 * GAMES, "wrong and relied on": wrong, "not relied on": flagged, "of which wrong": flagged_wrong,
    }  # fmt: skip


def reliable(paper: Any, measured: Any) -> Verdict:
    """Judge: the figure's numbers, and no wrong answer without the flag, which is set at times."""
    fits = measured["2.5"] == paper["2.5"] and measured["wrong and relied on"] == 0 and measured["not relied on"] > 0
    return "match" if fits else "differs"


def mostly_shared(paper: Any, measured: Any) -> Verdict:
    """Judge: no wrong value, in games of which many have irreversible moves."""
    return "match" if measured["wrong values"] == 0 and measured["with irreversible moves"] > GAMES // 2 else "differs"


def many_values(_: Run) -> dict[str, str]:
    """Return values that two questions find."""
    names = ("tic-tac-toe", "connect4:4x4", "connect4:5x4", "mnk:4,3,3", "othello:4x4")
    return {name: prove_state(load(name), None, "pns", Run(threads=1), evidence=False).value for name in names}


ROWS = [
    Row(
        "PN-13", "graphs without cycles: figure 2.4, and fewer nodes", "Allis 1994, section 2.3.4",
        {
            "2.4": {
                "A": [2, 2], "B": [1, 2], "C": [1, 2], "D": [1, 1], "E": [1, 1], "F": [1, 1], "G": [1, 1],
                "most proving": "D",
            },
            "either value of G solves the root": True,
            "same value, fewer nodes": {name: [True, True] for name in ("tic-tac-toe", "mnk:4,3,3", "connect4:4x4")},
        },
        without_cycles, note="numbers are those of the player to move: at AND nodes the two change places",
    ),
    Row(
        "PN-14", "graphs with cycles: shared behind irreversible moves alone", "Allis 1994, section 2.3.4",
        {"games": GAMES, "wrong values": 0, "with irreversible moves": "many"}, conversions, mostly_shared,
    ),
    Row(
        "PN-15", "graphs with cycles: figure 2.5, and answers that are not relied on", "Allis 1994, section 2.3.4",
        {"2.5": {"A": [1, 3], "B": [2, 1], "C": [1, 1], "D": [1, 2], "E": [1, 1], "F": [1, 1], "most proving": "E"},
         "answers": 8 * GAMES, "wrong and relied on": 0, "not relied on": "some", "of which wrong": "may be"},
        two_nodes, reliable,
        note="the root's sum is 3 as in the unfolded tree, its true number 2; a repetition speaks for a draw",
    ),
    Row(
        "PN-16", "values of games with three outcomes by two questions", "Allis 1994, section 2.5",
        {"tic-tac-toe": "draw", "connect4:4x4": "draw", "connect4:5x4": "draw", "mnk:4,3,3": "win", "othello:4x4": "loss"},
        many_values,
    ),
]  # fmt: skip
