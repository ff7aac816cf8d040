"""Rows on games by proof search: Connect Four, Hex, random games with cycles, and proofs that are altered."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from searchbench.catalogue import load
from searchbench.proof import Claim, Proof
from searchbench.reproduce.proof_trees import graph
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import DepthFirstProofNumber, prove_state
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.dfpn import DepthFirstProofNumberSearch
from searchbench.solvers.proof.merged import MergedSearch
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.shared.transposition import SMALLEST, new_transpositions
from searchbench.verify import verify_proof

BOARDS: Final = {"4x4": "draw", "5x4": "draw", "4x5": "draw", "6x4": "loss", "5x5": "draw"}
"""Boards of Connect Four, columns x rows, and their values."""
PIECE: Final = 250
"""Random games that are one graph, small enough for interpreted searches: each graph would have to be compiled."""
WHOLE: Final = 100_000
PART: Final = 300
ASKED: Final = ("pns", "dfpn", "dfpn, tiny tables", "alphabeta", "merged")


def small_boards(run: Run) -> dict[str, str]:
    """Return the values of small boards of Connect Four by depth-first proof-number search."""
    return {
        board: prove_state(
            load(f"connect4:{board}"), None, "dfpn", Run(threads=1, memory=1 << 30), evidence=False
        ).value
        for board in BOARDS
    }


def whole_board(run: Run) -> str:
    """Return the value of Connect Four by alpha-beta on bitboards."""
    game = load("connect4:7x6")
    return prove_state(game, None, "alphabeta", Run(run.memory, 1, run.progress), evidence=False).value


def hex_boards(run: Run) -> dict[str, Any]:
    """Return the values of Hex by depth-first proof-number search, and the faults of the proofs; `run.work` keeps the rest."""
    found: dict[str, Any] = {}
    faults = 0
    for board in ("4x4", "5x5"):
        work = None if run.work is None else run.work / board
        chosen = DepthFirstProofNumber(work=work)
        proof = prove_state(load(f"hex:{board}"), None, chosen, Run(run.memory, run.threads, run.progress))
        found[board] = proof.value
        faults += len(verify_proof(proof))
    return found | {"faults of the proofs": faults}


# --- random games with cycles -------------------------------------------------------------------------------------------


def cyclic_games(piece: int, count: int) -> tuple[Any, list[int]]:
    """Return many random games as one graph that is not connected, and the first node of each."""
    chance = random.Random(f"cyclic games {piece}")
    words: list[str] = []
    roots: list[int] = []
    first = 0
    for _ in range(count):
        size, share = chance.randrange(3, 11), chance.choice([0.1, 0.2, 0.4])
        roots.append(first)
        for node in range(first, first + size):
            if node > first and chance.random() < share:
                words.append(f"{node}={chance.choice([-1, -1, 0, 1])}")
            else:
                ways = chance.choice([1, 2, 2, 3])
                words += [f"{node}>{first + chance.randrange(size)}" for _ in range(ways)]
        first += size
    return graph(" ".join(words)), roots


def _answers(game: Any, roots: list[int]) -> Iterator[tuple[str, int, int, bool]]:
    """Yield for each method, game and bound whether the bound holds, as method, root, bound and answer.

    The games share tables, so that what one game leaves there is in the way of the others.
    """
    run = Run(threads=1, memory=1 << 26)
    target = game.quickest_target
    budget = Budget(game, run, 1 << 40)
    numbers = ProofNumberSearch(game, budget, new_transpositions(1 << 12), 1 << 17, 1 << 22, target)
    depth_first = {
        name: DepthFirstProofNumberSearch(
            game, budget, new_transpositions(size), new_transpositions(size), 16 * size, target
        )
        for name, size in (("dfpn", 1 << 10), ("dfpn, tiny tables", SMALLEST))
    }
    windows = AlphaBetaSearch(game, budget, new_transpositions(1 << 12), 1 << 17, None, target)
    merged = MergedSearch(game, budget, False, game.names(target=target))
    for root in roots:
        state = np.array([root], game.dtype)
        value = windows.value(state, -1, 1)
        for bound in (0, 1):
            yield "pns", root, bound, numbers.holds(state, bound)
            for name, search in depth_first.items():
                yield name, root, bound, search.holds(state, bound)
            yield "alphabeta", root, bound, value >= bound
            answer = merged.answer(state, bound)
            if answer.reliable:
                yield "merged", root, bound, answer.holds


def check_piece(piece: int, count: int) -> dict[str, int]:
    """Return how many answers of each method are wrong in so many games, and how many there are in all."""
    game, roots = cyclic_games(piece, count)
    table = solve_states(game, run=Run(threads=1, memory=1 << 28), target=game.quickest_target)
    truth = {root: int(getattr(table.probe([root]), "outcome", 0)) for root in roots}
    found = {"games": count, "answers": 0, **dict.fromkeys(ASKED, 0)}
    for name, root, bound, holds in _answers(game, roots):
        found["answers"] += 1
        found[name] += holds != (truth[root] >= bound)
    return found


def games_with_cycles(run: Run, games: int = WHOLE) -> dict[str, int]:
    """Count wrong answers of five searches in random games with cycles; `run.work` keeps what is done."""
    place = None if run.work is None else run.work / "pieces.json"
    done: list[dict[str, int]] = [] if place is None or not place.exists() else json.loads(place.read_text())
    pieces = -(-games // PIECE)
    for piece in range(len(done), pieces):
        run.progress("random games with cycles", piece * PIECE, games)
        done.append(check_piece(piece, min(PIECE, games - piece * PIECE)))
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            fresh = place.with_suffix(".new")
            fresh.write_text(json.dumps(done))
            fresh.replace(place)
    return {name: sum(one[name] for one in done) for name in done[0]}


def part_of_games_with_cycles(run: Run) -> dict[str, int]:
    """Count wrong answers in the first few games."""
    return games_with_cycles(Run(run.memory, 1, run.progress), PART)


def none_wrong(paper: Any, measured: Any) -> Verdict:
    """Judge that all games were asked, and that no answer was wrong."""
    fits = measured["games"] >= paper["games"] and not any(measured[name] for name in ASKED)
    return "match" if fits and measured["answers"] > 8 * measured["games"] else "differs"


# --- altered proofs -----------------------------------------------------------------------------------------------------


def _altered(proof: Proof) -> Iterator[tuple[str, Proof]]:
    """Yield proofs with one record less, with another move, with another value, and the kind of each."""
    for place, claim in enumerate(proof.claims):
        for state, move in claim.strategy.items():
            rest = {one: told for one, told in claim.strategy.items() if one != state}
            others = [one for one in proof.game.moves(state) if one != move]
            yield "records removed", _with_strategy(proof, place, rest)
            for other in others[:1]:
                yield "moves changed", _with_strategy(proof, place, {**rest, state: other})
        if claim.bound < 1:
            raised = list(proof.claims)
            raised[place] = replace(claim, bound=claim.bound + 1)
            yield "values flipped", replace(proof, claims=tuple(raised))
    for outcome in {-1, 0, 1} - {proof.outcome}:
        yield "values flipped", replace(proof, outcome=outcome)


def _with_strategy(proof: Proof, place: int, strategy: dict[tuple[int, ...], int]) -> Proof:
    claims: list[Claim] = list(proof.claims)
    claims[place] = replace(claims[place], strategy=strategy)
    return replace(proof, claims=tuple(claims))


def altered_proofs(_: Run) -> dict[str, Any]:
    """Alter every record of two proofs; return what verification accepts, and what it refuses."""
    found: dict[str, Any] = {"faults of the proofs": 0}
    kinds = ("records removed", "values flipped")
    accepted = dict.fromkeys(kinds, 0)
    refused = dict.fromkeys(kinds, 0)
    changed = [0, 0]
    for state in ("X.../.O../....", "XO../.X../..O."):
        proof = prove_state(load("mnk:4,3,3"), state, "pns", Run(threads=1))
        found["faults of the proofs"] += len(verify_proof(proof))
        for kind, other in _altered(proof):
            faults = bool(verify_proof(other))
            if kind in kinds:
                accepted[kind] += not faults
                refused[kind] += faults
            else:
                changed[faults] += 1
    return found | {
        "accepted": accepted, "refused": refused, "moves changed: refused, or another proof": changed[::-1],
    }  # fmt: skip


def all_refused(paper: Any, measured: Any) -> Verdict:
    """Judge: whole proofs have no fault, and none with a record or a value altered is accepted."""
    whole = measured["faults of the proofs"] == 0 and not any(measured["accepted"].values())
    return "match" if whole and all(measured["refused"].values()) else "differs"


ROWS = [
    Row(
        "PN-19", "Connect Four on small boards by proof search", "Allis 1994, sections 2.5 and 6.3", BOARDS, small_boards,
        note="the values are those of Tromp's table",
    ),
    Row(
        "PN-19-7X6", "Connect Four: the first player wins", "Allis 1994, section 6.3", "win", whole_board,
        note="by alpha-beta on bitboards; the thesis took up to 25 hours with rules of knowledge", long=True,
    ),
    Row(
        "PN-HEX", "Hex 4x4 and 5x5 by proof search: the first player wins", "Allis 1994, section 6.3",
        {"4x4": "win", "5x5": "win", "faults of the proofs": 0}, hex_boards, long=True,
        note="the strategies are played against every reply, by the rules alone",
    ),
    Row(
        "PN-CYCLES", "random games with cycles: no value that depends on the path is claimed", "Allis 1994, section 2.3.4",
        {"games": WHOLE, **dict.fromkeys(ASKED, 0)}, games_with_cycles, none_wrong, long=True,
        note="the truth is that of retrograde analysis; answers over merged positions count where they are relied on",
    ),
    Row(
        "PN-CYCLES-300", f"the first {PART} of these games", "Allis 1994, section 2.3.4",
        {"games": PART, **dict.fromkeys(ASKED, 0)}, part_of_games_with_cycles, none_wrong,
    ),
    Row(
        "PN-20", "altered proofs are refused", "Allis 1994, sections 2.3.1, 4.5 and 5.5",
        {"faults of the proofs": 0, "accepted": {"records removed": 0, "values flipped": 0}}, altered_proofs, all_refused,
        note="a changed move may be another proof of the same value",
    ),
]  # fmt: skip
