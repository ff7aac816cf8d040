"""Rows on Qubic (Allis 1994, chapter 4): the board, the division of the game, the proof, and its check."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import Exhausted, LimitReached
from searchbench.game import Game
from searchbench.proof import Proof
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.dependency.classes import new_classes, wins_by_dependency
from searchbench.solvers.dependency.lines import line_attributes, line_goals, line_operators
from searchbench.solvers.proof import GraphProofNumber, prove_state
from searchbench.solvers.proof.lines.forcing import new_forcing, set_stones
from searchbench.solvers.proof.lines.graph import Options, candidate_moves, evaluate, new_graph, plant, search
from searchbench.verify import verify_proof

ALL, THREATS, ONES, NO_SYMMETRY, UNDIVIDED = (
    "all", "with the claimer's threats in the tree", "first numbers 1", "without symmetry", "from the empty board",
)  # fmt: skip
"""The enhancements of section 4.4, all or without one."""

_TOLD = 100
"""Positions between two reports."""

MOST_STRATEGIC = 3254
"""Strategic moves of the thesis' proof (table 4.2)."""


def board(_: Run) -> dict[str, Any]:
    """Return the lines, the cells by their number of lines, and the symmetries."""
    found = load("qubic").lines  # type: ignore[attr-defined]
    degrees = Counter(sum(cell in line for line in found.lines) for cell in range(len(found.places)))
    return {"lines": len(found.lines), "cells of 7 lines": degrees[7], "cells of 4 lines": degrees[4],
            "symmetries": len(found.symmetries)}  # fmt: skip


def openings(_: Run) -> dict[str, Any]:
    """Return the classes of first moves, and the sizes of the classes of replies to the first cell."""
    game: Any = load("qubic")
    start = game.start()
    first = {tuple(game.canonical(game.play(start, move))) for move in game.moves(start)}
    state = game.play(start, next(move for move in game.moves(start) if move >> 1 == 0))
    replies = Counter(tuple(game.canonical(game.play(state, move))) for move in game.moves(state))
    return {"first moves": len(first), "replies": sorted(replies.values())}


def framework(_: Run) -> dict[str, int]:
    """Return the sizes of the system of attacks that is derived from the lines."""
    found = load("qubic").lines  # type: ignore[attr-defined]
    cells = range(len(found.places))
    return {
        "attributes": len(line_attributes(len(cells))), "operators": len(set(line_operators(found.lines))),
        "goals": len(set(line_goals(found.lines))),
    }  # fmt: skip


def division(_: Run) -> dict[str, Any]:
    """Return the classes of positions at each ply that the first player's opening leaves, and the moves beyond 13."""
    game: Any = load("qubic")
    opening = game.opening()
    classes, found = {tuple(game.start())}, {}
    for ply in range(0, 4, 2):
        found[f"ply {ply}"] = len(classes)
        after = {tuple(game.canonical(game.play(state, opening[state]))) for state in classes}
        found[f"ply {ply + 1}"] = len(after)
        classes = {tuple(game.canonical(game.play(state, move))) for state in after for move in game.moves(state)}
    return found | {"ply 4": len(classes), "exceptions": sum(state in opening for state in classes)}


@lru_cache(maxsize=1)
def _proof(memory: int, threads: int) -> Proof:
    return prove_state(load("qubic"), None, "graph", Run(memory=memory, threads=threads))


def proved(run: Run) -> dict[str, Any]:
    """Prove that the first player wins; return the sizes of the searches."""
    proof = _proof(run.memory, run.threads)
    facts = proof.facts
    return {"value": proof.value, "subproblems": facts["subproblems"], "nodes": proof.nodes, "median": facts["median nodes"],
            "hardest": facts["largest"], "evaluations, first player": facts["evaluations"],
            "evaluations, second player": facts["evaluations of the other player"]}  # fmt: skip


def in_magnitude(paper: Any, measured: Any) -> Verdict:
    """Judge a search: the same value and subproblems, and sizes within a factor of two and a half."""
    same = all(paper[name] == measured[name] for name in ("value", "subproblems"))
    sizes = [name for name in paper if name not in ("value", "subproblems")]
    return "match" if same and all(0.4 <= measured[name] / paper[name] <= 2.5 for name in sizes) else "differs"


def checked(run: Run) -> dict[str, Any]:
    """Check the proof by the rules; return its faults, and the strategic moves: no threat forces them."""
    proof = _proof(run.memory, run.threads)
    game: Any = proof.game
    strategic = sum(not _threatened(game, state) for state in proof.claims[0].strategy)
    plies = Counter(sum(map(bool, state)) for state in proof.claims[0].strategy)
    return {"faults": len(verify_proof(proof)), "strategic moves": strategic, "most at ply": max(plies, key=plies.__getitem__),
            "last ply": max(plies)}  # fmt: skip


def levels(run: Run) -> dict[str, int]:
    """Return the strategic moves of the proof by ply."""
    proof = _proof(run.memory, run.threads)
    strategy = [state for state in proof.claims[0].strategy if not _threatened(proof.game, state)]
    found = Counter(sum(map(bool, state)) for state in strategy)
    return {str(ply): found[ply] for ply in sorted(found)} | {"all": len(strategy)}


def as_table_4_2(paper: Any, measured: Any) -> Verdict:
    """Judge strategic moves: the same at the first three levels, about as many in all."""
    same = all(measured[ply] == paper[ply] for ply in ("0", "2", "4"))
    return "match" if same and paper["all"] / 2 <= measured["all"] <= 2 * paper["all"] else "differs"


SAMPLE = ("0,3;21,41", "0,3;12,5", "0,3;20,1", "0,3;24,7", "0,3;60,1", "0,3;61,22", "0,12;1,7", "0,12;1,63")
"""Subproblems: the first player's cells, and the second's."""


def without(run: Run, sample: Sequence[str] = SAMPLE, most: int = 1_000_000) -> dict[str, Any]:
    """Search some subproblems with each enhancement left out, and the whole game; return nodes, and how many are open.

    A search ends after `most` nodes, which are counted for it; that of the whole game is not among the others.
    """
    ways: dict[str, tuple[Game, GraphProofNumber]] = {
        ALL: (load("qubic"), GraphProofNumber(evidence=False)),
        THREATS: (load("qubic"), GraphProofNumber(threats=True, evidence=False)),
        ONES: (load("qubic"), GraphProofNumber(ones=True, evidence=False)),
        NO_SYMMETRY: (load("qubic:symmetry=no"), GraphProofNumber(evidence=False)),
    }
    found: dict[str, Any] = {}
    for name, (game, chosen) in ways.items():
        sizes = [_nodes(game, position(one), chosen, run, most) for one in sample]
        found[name] = {"nodes": sum(min(one, most) for one in sizes), "open": sum(one >= most for one in sizes)}
    whole = _nodes(load("qubic"), None, GraphProofNumber(undivided=True, evidence=False), run, most)
    return found | {UNDIVIDED: {"nodes": min(whole, most), "open": int(whole >= most)}}


def position(cells: str) -> list[int]:
    """Return a position by the cells of the first player, and of the second: "0,3;21,22"."""
    state = [0] * 64
    for player, own in enumerate(cells.split(";"), 1):
        for cell in own.split(","):
            state[int(cell)] = player
    return state


def _nodes(game: Game, state: list[int] | None, chosen: GraphProofNumber, run: Run, most: int) -> int:
    """Return the nodes that prove a win of the player to move, `most` where they do not suffice."""
    try:
        return min(prove_state(game, state, chosen, Run(memory=run.memory, threads=1), nodes=most).nodes, most)
    except (LimitReached, Exhausted):
        return most


def each_helps(paper: Any, measured: Any) -> Verdict:
    """Judge enhancements: all together prove all, without any of them it takes more nodes, and the whole game stays open."""
    every = measured[ALL]
    more = all(measured[name]["nodes"] > every["nodes"] for name in (THREATS, ONES, NO_SYMMETRY))
    return "match" if more and every["open"] == 0 and measured[UNDIVIDED]["open"] == 1 else "differs"


def attacks_by_dependency(run: Run, count: int = 10_000, nodes: int = 3_000) -> dict[str, Any]:
    """Evaluate positions of a search by dependency, too, with so many nodes; return the wins, those missed and false ones.

    The positions are those after random moves that the search may try in random nodes of its graph, half for each player.
    """
    game: Any = load("qubic")
    names, rng = game.names(), random.Random(1994)
    forcing, graph, board = new_forcing(game.lines), new_graph(game.width, 1 << 14), new_classes(game.lines, nodes)
    claimer = jit.bind(plant, names)(graph, forcing, np.array(position("0,3;21,22"), game.dtype))
    jit.bind(search, names)(graph, forcing, claimer, Options(1 << 20, 1, 1), (1 << 14) - game.width)
    put_stones, candidates = jit.bind(set_stones, names), jit.bind(candidate_moves, names)
    plain, by_dependency = jit.bind(evaluate, names), jit.bind(wins_by_dependency, names)
    out = np.zeros(game.width, np.int64)
    found = {"positions": count, "wins": 0, "missed": 0, "false": 0}
    for number in range(count):
        if number % _TOLD == 0:
            run.progress("positions by dependency", number, count)
        moves = 0
        while moves == 0:
            state = graph.states[rng.randrange(int(graph.note[0]))].copy()
            player = 1 + (int(np.count_nonzero(state)) & 1)
            put_stones(forcing, state)
            moves = int(candidates(forcing, player, player == claimer, out))
        state[out[rng.randrange(moves)]] = player
        wanted, answer = bool(plain(forcing, state, 1 << 20)), bool(by_dependency(board, state))
        found["wins"] += wanted
        found["missed"] += wanted and not answer
        found["false"] += answer and not wanted
    return found


def none_false(paper: Any, measured: Any) -> Verdict:
    """Judge a search by dependency: no false win, and less than one position in a hundred whose win is missed."""
    right = measured["false"] == 0 < measured["wins"] and measured["missed"] < measured["positions"] / 100
    return "match" if right else "differs"


def _threatened(game: Any, state: tuple[int, ...]) -> bool:
    """Tell whether the second player fills all cells of a line but one, which is empty."""
    return any(sorted(state[cell] for cell in line) == [0, 2, 2, 2] for line in game.lines.lines)


def as_the_thesis(paper: Any, measured: Any) -> Verdict:
    """Judge a checked proof: no fault, about as many strategic moves, most at ply 6, the last between 20 and 30."""
    close = MOST_STRATEGIC / 2 <= measured["strategic moves"] <= 2 * MOST_STRATEGIC
    shape = measured["most at ply"] == paper["most at ply"] and 20 <= measured["last ply"] <= 30
    return "match" if measured["faults"] == 0 and close and shape else "differs"


ROWS = [
    Row(
        "QB-1", "Qubic: lines, cells and symmetries", "Allis 1994, section 4.2",
        {"lines": 76, "cells of 7 lines": 16, "cells of 4 lines": 48, "symmetries": 192}, board,
    ),
    Row(
        "QB-2", "Qubic: classes of first moves, and of the replies to the first cell", "Allis 1994, section 4.2",
        {"first moves": 2, "replies": [1, 2, 3, 3, 6, 6, 6, 6, 6, 6, 6, 12]}, openings,
        axes=("class of replies", "replies in it"),
    ),
    Row(
        "QB-3", "Qubic: attacks as operators on attributes", "Allis 1994, section 4.3.2",
        {"attributes": 192, "operators": 912, "goals": 304}, framework,
        note="the thesis counts 1824 operators: the two stones that an operator needs in both orders",
    ),
    Row(
        "QB-4", "Qubic: forced sequences by dependency, compared with plain search", "Allis 1994, section 4.3.3",
        {"false": 0, "missed": "less than 1%"}, attacks_by_dependency, none_false,
        note="10,000 positions of the search of the hardest subproblem; 3,000 nodes a position",
    ),
    Row(
        "QB-7", "Qubic: positions after the first player's strategic moves", "Allis 1994, section 4.5.1",
        {"ply 0": 1, "ply 1": 1, "ply 2": 12, "ply 3": 7, "ply 4": 195, "exceptions": 2}, division,
        note="derived from the lines, not typed in",
    ),
    Row(
        "QB-8", "Qubic: the first player wins", "Allis 1994, section 4.5.2",
        {
            "value": "win", "subproblems": 195, "nodes": 2_000_000, "median": 4_000, "hardest": 310_424,
            "evaluations, first player": 3_500_000, "evaluations, second player": 900_000,
        },
        proved, in_magnitude, note="a match: within a factor of 2.5; about a minute of two cores", long=True,
    ),
    Row(
        "QB-9", "Qubic: the proof checked by the rules, and its strategic moves", "Allis 1994, section 4.5.3",
        {"faults": 0, "strategic moves": MOST_STRATEGIC, "most at ply": 6, "last ply": 28},
        checked, as_the_thesis, note="positions that a forced sequence wins have no record; a match: within a factor of two",
        long=True,
    ),
    Row(
        "QB-10", "Qubic: strategic moves by ply", "Allis 1994, table 4.2",
        {
            "0": 1, "2": 12, "4": 195, "6": 1960, "8": 668, "10": 248, "12": 113, "14": 41, "16": 14, "18": 2,
            "all": MOST_STRATEGIC,
        },
        levels, as_table_4_2, note="a match: the same up to ply 4, and within a factor of two in all", long=True,
    ),
    Row(
        "QB-11", "Qubic: eight subproblems with each enhancement left out", "Allis 1994, sections 4.4 and 4.5.1",
        {THREATS: "more", ONES: "more", NO_SYMMETRY: "more", UNDIVIDED: "not solved"}, without, each_helps,
        note="the thesis gives no figures. At most a million nodes a subproblem, as in the thesis, and for the whole game",
    ),
]  # fmt: skip
