"""Rows on games of Allis (1994): giveaway chess by proof numbers (section 2.3.3), complexities and notions (1.5, 6.2)."""

from __future__ import annotations

import random
from math import log10
from typing import Any, Final

from searchbench.analyse.complexity import (
    direction_of_classes,
    estimate_complexity,
    full_width_leaves,
    leaves_of_tree,
    piece_count,
    placements,
    sample_states,
    solution_depth,
    tree_exponent,
)
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.proof import Proof
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import prove_state

NODES: Final = 25_000
"""The limit of Allis's experiment with giveaway chess."""
GAMES: Final = 30
OPEN_NODES: Final = 5_000_000
"""The nodes after which a position is given up that standard numbers do not solve within NODES."""


# --- giveaway chess ---------------------------------------------------------------------------------------------------


def _solved(game: Game, state: list[int], mobility: bool, nodes: int = NODES) -> Proof | None:
    try:
        return prove_state(game, state, "pns", mobility=mobility, nodes=nodes, evidence=False)
    except LimitReached:
        return None


def first_moves(run: Run) -> dict[str, list[str]]:
    """Return white's first moves after which the outcome is found within the limit, by mobility and by standard numbers."""
    game = load("giveaway-chess")
    found: dict[str, list[str]] = {"mobility": [], "standard": []}
    for number, move in enumerate(game.moves(game.start())):
        run.progress("first moves", number, 20)
        for name, moves in found.items():
            proof = _solved(game, game.play(game.start(), move), name == "mobility")
            if proof is not None:
                moves.append(f"{game.format_move(game.start(), move)} {proof.value}")
    return found


def _factor(pairs: list[tuple[int, int]]) -> float:
    """Return the sum of the first numbers over the sum of the second ones."""
    return sum(first for first, _ in pairs) / sum(second for _, second in pairs)


def giveaway(run: Run) -> dict[str, float]:
    """Return how standard numbers compare with mobility on the first solved positions of random games.

    Every position of a game is searched with both; the game ends with the first that either solves. The factors are those
    of the sums over these positions, each once; standard numbers get more nodes there if they need them.
    """
    game, chance = load("giveaway-chess"), random.Random(1)
    ends: dict[tuple[int, ...], tuple[Proof, Proof]] = {}
    plies: list[int] = []
    only_standard = 0
    for number in range(GAMES):
        run.progress("random games of giveaway chess", number, GAMES)
        state, ply = game.start(), 0
        mobile = standard = None
        while mobile is None and standard is None:
            state = game.play(state, chance.choice(game.moves(state)))
            ply += 1
            mobile, standard = _solved(game, state, True), _solved(game, state, False)
        if tuple(state) in ends:
            continue
        plies.append(ply)
        only_standard += mobile is None
        mobile = mobile or _solved(game, state, True, OPEN_NODES)
        standard = standard or _solved(game, state, False, OPEN_NODES)
        if mobile is not None and standard is not None:
            ends[tuple(state)] = standard, mobile
    nodes = _factor([(standard.nodes, mobile.nodes) for standard, mobile in ends.values()])
    developments, peak = (
        _factor([(standard.facts[name], mobile.facts[name]) for standard, mobile in ends.values()])
        for name in ("developments", "peak")
    )
    return {
        "games": len(plies),
        "mean plies": round(sum(plies) / len(plies), 1),
        "solved by standard only": only_standard,
        "nodes": round(nodes, 1),
        "developments": round(developments, 1),
        "branching": round(nodes / developments, 1),
        "peak": round(peak, 1),
    }


BANDS: Final = {
    "mean plies": (5.0, 6.5), "solved by standard only": (0, 0), "nodes": (5, 14), "developments": (1.6, 3.5),
    "branching": (3, 5), "peak": (5, 14),
}  # fmt: skip
"""The factors of several runs of 30 random games each lie in these intervals."""


def within_bands(paper: Any, measured: Any) -> Verdict:
    """Judge whether every figure is one that random games may show."""
    inside = all(low <= measured[name] <= high for name, (low, high) in BANDS.items())
    return "match" if inside and paper.keys() == measured.keys() else "differs"


# --- complexities -----------------------------------------------------------------------------------------------------


def tic_tac_toe_counts(run: Run) -> dict[str, int]:
    """Return the boards of tic-tac-toe, those with right numbers of stones, those that are legal, and sequences of nine cells."""
    game = load("mnk:3,3,3")
    solved = solve_states(game, run=Run(memory=run.memory, threads=run.threads), target=game.quickest_target)
    return {"boards": 3**9, "stones": solved.size, "legal": solved.states, "sequences": placements(9, 9)}


def tic_tac_toe_samples(run: Run) -> dict[str, int]:
    """Return the mean of ten estimates of 1,000 samples each, and their extremes."""
    game = load("mnk:3,3,3")
    found = [
        sample_states(
            3**9, lambda chance: chance.choices((0, 1, 2), k=9), lambda state: game.call("legal", state), 1_000, seed
        ).estimate
        for seed in range(10)
    ]
    return {"mean": round(sum(found) / 10), "least": round(min(found)), "most": round(max(found))}


def near_tic_tac_toe(paper: Any, measured: Any) -> Verdict:
    """Judge the mean by three standard deviations, 280, and single runs by theirs."""
    good = abs(measured["mean"] - 5_478) <= 280 and measured["least"] >= 4_600 and measured["most"] <= 6_350
    return "match" if good else "differs"


def connected_discs(run: Run) -> float:
    """Return the exponent of the estimated number of boards of othello with an occupied centre and connected discs."""

    def legal(discs: list[int]) -> bool:
        own = {cell for cell, disc in enumerate(discs) if disc}
        if not {27, 28, 35, 36} <= own:
            return False
        found, seen = [27], {27}
        for cell in found:  # which grows
            for down in (-1, 0, 1):
                for across in (-1, 0, 1):
                    beside = cell + 8 * down + across
                    if 0 <= cell % 8 + across < 8 and beside in own and beside not in seen:
                        seen.add(beside)
                        found.append(beside)
        return len(seen) == len(own)

    return round(log10(sample_states(3**64, lambda chance: chance.choices((0, 1, 2), k=64), legal).estimate), 1)


EXPONENTS: Final = {
    "qubic, states": 30, "qubic, game tree": 34, "connect-four, states": 14, "connect-four, game tree": 21,
    "go-moku, states": 107, "go-moku, game tree": 70, "nine men's morris, states": 10, "nine men's morris, game tree": 50,
    "awari, states": 12, "awari, game tree": 32, "othello, states": 30, "othello, game tree": 58,
    "checkers, game tree": 31, "draughts, game tree": 54, "chess, game tree": 123, "Chinese chess, game tree": 150,
    "go, states": 172, "go, game tree": 360,
}  # fmt: skip


def exponents(run: Run) -> dict[str, float]:
    """Return the exponents of the table: from indexes, cells, and mean numbers of moves and plies as the paper has them."""
    size = {spec: line_size(load(spec).parts()) for spec in ("connect4:7x6", "awari:48", "morris")}
    trees = {
        "connect-four": (4, 36), "nine men's morris": (10, 50), "awari": (3.5, 60), "othello": (10, 58),
        "checkers": (2.8, 70), "draughts": (4, 90), "chess": (35, 80), "Chinese chess": (38, 95), "go": (250, 150),
    }  # fmt: skip
    found = {
        "qubic, states": 64 * log10(3),
        "qubic, game tree": log10(placements(64, 20)),
        "connect-four, states": log10(size["connect4:7x6"]),
        "go-moku, states": load("gomoku").width * log10(3),
        "go-moku, game tree": log10(placements(225, 30)),
        "nine men's morris, states": log10(size["morris"]),
        "awari, states": log10(size["awari:48"]),
        "othello, states": 64 * log10(3),
        "go, states": 361 * log10(3),
        **{f"{game}, game tree": tree_exponent(*mean) for game, mean in trees.items()},
    }
    return {name: round(found[name], 1) for name in EXPONENTS}


def within_one(paper: Any, measured: Any) -> Verdict:
    """Judge exponents: within one of the paper's."""
    good = paper.keys() == measured.keys() and all(abs(paper[name] - measured[name]) <= 1 for name in paper)
    return "match" if good else "differs"


def kinds(run: Run) -> dict[str, str]:
    """Return whether games converge or diverge, and for three of them whether they end in sudden death, by random play."""
    found = {}
    for spec in ("tic-tac-toe", "hex:3x3", "othello:6x6", "giveaway-chess"):
        told = estimate_complexity(load(spec), games=30, samples=1, run=Run(threads=1))
        ends = "sudden death" if told.sudden_death else "fixed termination"
        found[spec] = str(told.direction) if spec == "giveaway-chess" else f"{told.direction}, {ends}"
    awari = load("awari:8")
    state, chance, arcs = awari.start(), random.Random(1), set()
    while moves := awari.moves(state):
        before = piece_count(awari, state)
        state = awari.play(state, chance.choice(moves))
        arcs.add((before, piece_count(awari, state)))
    return {**found, "awari:8": direction_of_classes(arcs)}


def solution_trees(run: Run) -> dict[str, int]:
    """Return solution depths and the leaves of solution trees: mate in 3, 30 x 20 moves, and three stones for a row of two."""
    game = load("mnk:3,3,2")
    solved = solve_states(game, run=Run(memory=run.memory, threads=run.threads), target=game.quickest_target)
    depth = solved.probe().depth
    return {
        "mate in 3": solution_depth(3),
        "30 x 20": leaves_of_tree((30, 20)),
        "a row of two, depth": depth,
        "a row of two, leaves": full_width_leaves(game, None, depth),
    }


def notions(run: Run) -> dict[str, str]:
    """Return how a database and a proof solve a game, and who wins hex 3x3."""
    tic_tac_toe, small = load("tic-tac-toe"), load("hex:3x3")
    strong = solve_states(
        tic_tac_toe, run=Run(memory=run.memory, threads=run.threads), target=tic_tac_toe.quickest_target
    )
    weak = prove_state(small, None, "pns", target=small.quickest_target)
    value = prove_state(small, None, "pns", evidence=False, target=small.quickest_target)
    return {
        "a database of tic-tac-toe": strong.notion,
        "a proof of hex 3x3": f"{weak.notion}, {weak.value}",
        "its value alone": f"{value.notion}, {value.value}",
    }


ROWS = [
    Row(
        "PN-11",
        "giveaway chess: the first moves that are solved within 25,000 nodes",
        "Allis 1994, section 2.3.3",
        {"mobility": ["d2d3 win", "d2d4 win", "e2e4 win"], "standard": []},
        first_moves,
        note="the value is that of black, who is to move; the promotion pieces are queen, rook, bishop, knight and king",
    ),
    Row(
        "E-GIVEAWAY",
        "giveaway chess: standard proof numbers against mobility, on the ends of 30 random games",
        "Allis 1994, Table 2.8",
        {
            "games": 27,
            "mean plies": 5.6,
            "solved by standard only": 0,
            "nodes": 8.0,
            "developments": 2.2,
            "branching": 3.6,
            "peak": 8.2,
        },
        giveaway,
        within_bands,
        note="factors of random games: each must lie in the interval that several runs of 30 games show",
    ),
    Row(
        "CG-1",
        "tic-tac-toe: boards, boards with right numbers of stones, legal positions, sequences",
        "Allis 1994, section 6.2.4",
        {"boards": 19_683, "stones": 6_046, "legal": 5_478, "sequences": 362_880},
        tic_tac_toe_counts,
    ),
    Row(
        "CG-2",
        "tic-tac-toe: ten estimates of the legal positions by 1,000 samples each",
        "Allis 1994, section 6.2.4",
        {"mean": 5_479, "least": 4_920, "most": 5_983},
        tic_tac_toe_samples,
        near_tic_tac_toe,
        note="the mean must lie within 280 of 5,478, single runs between 4,600 and 6,350",
    ),
    Row(
        "CG-2-OTHELLO",
        "othello: the exponent of the number of boards, by samples",
        "Allis 1994, section 6.3",
        {"exponent": 28},
        lambda run: {"exponent": connected_discs(run)},
        lambda paper, measured: "match" if abs(measured["exponent"] - 29.7) <= 0.2 else "differs",
        note="the paper tests more than an occupied centre and connected discs, which alone give 29.7",
    ),
    Row(
        "CG-3",
        "exponents of state spaces and game trees",
        "Allis 1994, section 6.3",
        EXPONENTS,
        exponents,
        within_one,
        note="within one of the paper's; of go-moku's states 3^225 is 10^107, for which the paper has 10^105",
    ),
    Row(
        "CG-4",
        "games that converge or diverge, and their ends",
        "Allis 1994, section 6.2.2",
        {
            "tic-tac-toe": "diverging, sudden death",
            "hex:3x3": "diverging, sudden death",
            "othello:6x6": "diverging, fixed termination",
            "giveaway-chess": "converging",
            "awari:8": "converging",
        },
        kinds,
    ),
    Row(
        "CG-5",
        "solution depths and solution trees",
        "Allis 1994, section 6.2.4",
        {"mate in 3": 5, "30 x 20": 600, "a row of two, depth": 3, "a row of two, leaves": 9 * 8 * 7},
        solution_trees,
    ),
    Row(
        "CG-6",
        "the notions of a solved game, on results",
        "Allis 1994, section 1.5",
        {
            "a database of tic-tac-toe": "strong",
            "a proof of hex 3x3": "weak, win",
            "its value alone": "ultra-weak, win",
        },
        notions,
    ),
]
