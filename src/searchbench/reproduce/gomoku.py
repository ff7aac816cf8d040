"""Rows on go-moku (Allis 1994, chapter 5): the board, the variants, the operators, and the proof as far as a folder has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from searchbench.catalogue import load
from searchbench.families.lines import grid
from searchbench.game import Game
from searchbench.proof import Proof
from searchbench.reproduce.row import Row, Verdict
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import ThreatProofNumber, prove_state
from searchbench.verify import verify_proof

SIZE = 15
VARIANTS = {"free-style": "gomoku:15", "standard": "gomoku:15,standard", "renju": "gomoku:15,renju"}


def variants(_: Run) -> dict[str, Any]:
    """Return the distinct replies to a stone in the centre, and which players win with six in a row under each rule."""
    game: Any = load(VARIANTS["free-style"])
    centre = game.play(game.start(), 2 * (game.width // 2))
    replies = {tuple(game.canonical(game.play(centre, move))) for move in game.moves(centre)}
    found: dict[str, Any] = {"replies": len(replies)}
    for name, variant in VARIANTS.items():
        found[name] = [player for stone, player in ((1, "black"), (2, "white")) if _wins_with_six(load(variant), stone)]
    return found


def _wins_with_six(game: Game, stone: int) -> bool:
    """Tell whether a player may fill the gap in a row of six, and wins by it."""
    state = [0] * game.width
    for column in (4, 5, 6, 8, 9):
        state[SIZE * 7 + column] = stone
    for place in range(5 if stone == 1 else 6):  # the other player's stones, none beside another
        state[2 * place] = 3 - stone
    move = 2 * (SIZE * 7 + 7) + stone - 1
    return move in game.moves(state) and game.terminal(game.play(state, move)) != UNDECIDED


def lines(_: Run) -> dict[str, int]:
    """Return the lines of five, six and seven cells, and the attributes: each cell is black, white or empty."""
    found = {f"lines of {length}": len(grid(SIZE, SIZE, length, False).lines) for length in (5, 6, 7)}
    return found | {"attributes": 3 * SIZE * SIZE}


@lru_cache(maxsize=2)
def _proof(variant: str, work: Path | None, threads: int) -> Proof:
    """Return the proof of a variant; the rows on one variant go on with the same work, beside the folders of single rows."""
    folder = None if work is None else work.parent / variant.replace(":", "-").replace(",", "-")
    return prove_state(load(variant), None, ThreatProofNumber(work=folder), Run(threads=threads))


def proved(variant: str) -> Callable[[Run], dict[str, Any]]:
    """Return the measurement that proves a variant and checks the proof by the rules: its records, and the deepest ply."""

    def measure(run: Run) -> dict[str, Any]:
        proof = _proof(variant, run.work, run.threads)
        plies = _plies(proof)
        return {"value": proof.value, "replies": plies[2], "faults": len(verify_proof(proof)),
                "records": plies.total(), "deepest": max(plies)}  # fmt: skip

    return measure


def levels(run: Run) -> dict[str, int]:
    """Return the positions with black to move that have a record, by ply."""
    plies = _plies(_proof(VARIANTS["free-style"], run.work, run.threads))
    return {str(ply): plies[ply] for ply in sorted(plies)}


def _plies(proof: Proof) -> Counter[int]:
    return Counter(sum(map(bool, state)) for state in proof.claims[0].strategy)


def as_the_thesis(paper: Any, measured: Any) -> Verdict:
    """Judge a checked proof: the same value after all replies, no fault, not more records, and not many more plies."""
    same = all(measured[name] == paper[name] for name in ("value", "replies", "faults"))
    return "match" if same and measured["records"] <= paper["records"] and measured["deepest"] <= 45 else "differs"


def first_levels(paper: Any, measured: Any) -> Verdict:
    """Judge records by ply: the same at plies 0 and 2, not more at ply 4 than white has replies, and not more in all."""
    same = all(measured[ply] == paper[ply] for ply in ("0", "2")) and measured["4"] <= 35 * 222
    return "match" if same and sum(measured.values()) <= sum(paper.values()) else "differs"


ROWS = [
    Row(
        "GM-1", "Go-moku: replies to the centre, and who wins with six in a row", "Allis 1994, section 5.2.1",
        {"replies": 35, "free-style": ["black", "white"], "standard": [], "renju": ["white"]}, variants,
    ),
    Row(
        "GM-2", "Go-moku: lines and attributes", "Allis 1994, section 5.3.2",
        {"lines of 5": 572, "lines of 6": 500, "lines of 7": 432, "attributes": 675}, lines,
    ),
    Row(
        "GM-13", "Go-moku, free-style: the first player wins, checked by the rules", "Allis 1994, section 5.5.3",
        {"value": "win", "replies": 35, "faults": 0, "records": 138_790, "deepest": 35}, proved("gomoku:15"), as_the_thesis,
        note="positions that threats win have no record; hours: name a folder with --work, in which a stopped proof resumes",
        long=True,
    ),
    Row(
        "GM-14", "Go-moku, standard: the first player wins, checked by the rules", "Allis 1994, section 5.5.3",
        {"value": "win", "replies": 35, "faults": 0, "records": 153_284, "deepest": 35}, proved("gomoku:15,standard"),
        as_the_thesis, note="as GM-13", long=True,
    ),
    Row(
        "GM-15", "Go-moku, free-style: records with black to move by ply", "Allis 1994, table 5.1",
        {
            "0": 1, "2": 35, "4": 7227, "6": 20859, "8": 20686, "10": 8959, "12": 5246, "14": 2999, "16": 2173, "18": 1351,
            "20": 710, "22": 408, "24": 193, "26": 85, "28": 40, "30": 7, "32": 1, "34": 1,
        },
        levels, first_levels, note="a match: the same at plies 0 and 2, and not more records in all", long=True,
    ),
]  # fmt: skip
