"""Rows of H. Berliner and G. Goetsch, A Quantitative Study of Search Methods and the Effect of Constraint Satisfaction, 1984."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import Unsolvable
from searchbench.game import Game
from searchbench.reproduce.experiment import LARGE, SOLVED, TABLE, UNSOLVABLE, Try, average, programs, solvable, tries
from searchbench.reproduce.row import Row, Verdict
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.guided import AStar, BestFirst, search_state
from searchbench.solvers.guided.contract import dead

PRINTED: Final = "C2 S1(Z) D4 D3 D4 C1(Y) C2 D1(X) C3 S2 H2 S4 C4 D2 S5 C5 H4 S3 D1(W) H1(X) S4 D2 H2 S5 D3 D4 D5 H5"
"""The line at the end of the paper, for the layout of its figure 1A."""
TABLE_1: Final = """
BF1+ 23 2800 8170   32 9624 41407    47 22611 82139    A*+ 22 5489 8167   33 24187 41407   62 59162 82134
DF+ 22 4618 9299    31 21906 41331   50 50636 81276    BF2+ 26 1775 8320  36 6600 41450    48 10770 82135
BF1 23 2896 15760   32 10140 42121   48 24603 85665    A* 22 5711 15760   34 25923 42121   65 62705 85665
DF 22 4834 15760    33 24476 42121   54 54647 85665    BF2 26 2912 15760  37 8376 42121    50 15145 85665
"""
"""For each program and size: moves, nodes on solvable deals, nodes on unsolvable deals; + is with deadlock detection."""
FROZEN: Final = 200
"""Frozen layouts of each size."""
MOST_MOVES: Final = 300


def _table_1() -> dict[str, dict[str, dict[str, float]]]:
    words = iter(TABLE_1.split())
    found: dict[str, dict[str, dict[str, float]]] = {"4x6": {}, "4x7": {}, "4x8": {}}
    for program in words:
        for size in found:
            found[size][program] = {name: float(next(words)) for name in ("moves", "nodes", "nodes unsolvable")}
    return found


def example(run: Run) -> dict[str, int]:
    """Return the number of moves of the printed line, if it solves the layout, and the least number of moves."""
    game = load("superpuzz:4x6")
    position = game.position()
    for move in PRINTED.split():
        position = position.play(move)
    line = search_state(game, None, AStar(), Run(run.memory, 1))
    won = game.terminal(position.state) == 0
    return {"moves of the line": len(PRINTED.split()) if won else 0, "least moves": line.cost if line.optimal else 0}


def whole_table(size: str, run: Run, entries: int = TABLE) -> dict[tuple[str, bool], list[Try]]:
    """Return the results of the eight programs on all deals of a size, with tables of `entries` states."""
    return {program: tries(size, *program, run, entries) for program in programs()}


def share_solved(run: Run, sizes: Sequence[str]) -> dict[str, int]:
    """Return the number of deals of each size, out of 100, that some program solves."""
    return {size: sum(solvable(whole_table(size, run))) for size in sizes}


def claims(run: Run, sizes: Sequence[str]) -> dict[str, dict[str, bool | int]]:
    """Return whether the results of the eight programs on each deal are consistent."""
    found: dict[str, dict[str, bool | int]] = {}
    for size in sizes:
        table = whole_table(size, run)
        least = [{ones[deal].length for ones in table.values() if ones[deal].optimal} for deal in range(100)]
        ends = [{ones[deal].ended for ones in table.values()} for deal in range(100)]
        found[size] = {
            "programs": len(table),
            "optimal ones agree": all(len(lengths) <= 1 for lengths in least),
            "no other is shorter": all(
                one.length >= min(lengths)
                for ones in table.values()
                for one, lengths in zip(ones, least, strict=True)
                if one.length and lengths
            ),
            "none solves what another refutes": not any({SOLVED, UNSOLVABLE} <= kinds for kinds in ends),
        }
    return found


def averages(run: Run, sizes: Sequence[str], entries: int = TABLE) -> dict[str, dict[str, dict[str, float]]]:
    """Return table 1: moves and nodes (distinct states) of each program, by the paper's rules for unsolved deals."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for size in sizes:
        table = whole_table(size, run, entries)
        can = solvable(table)
        found[size] = {}
        for (method, detects), ones in table.items():
            means = average(size, ones, can, entries)
            found[size][method + "+" * detects] = {
                "moves": means.length, "nodes": means.states, "nodes unsolvable": means.states_unsolvable,
                "seconds": means.seconds, "seconds unsolvable": means.seconds_unsolvable,
                "not solved": means.failed, "not refuted": means.failed_unsolvable,
            }  # fmt: skip
    return found


def averages_with_room(run: Run, sizes: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the same with a table that is large enough for nearly all deals."""
    return averages(run, sizes, LARGE)


def same_order(paper: Any, measured: Any) -> Verdict:
    """Judge table 1 by the paper's conclusion: BF1 is far ahead of A* and DF, with slightly longer solutions.

    BF2 must be the best only at the width 8, where the deals are hardest.
    """
    for size, ours in measured.items():
        for plus in ("+", ""):
            first = ours[f"BF1{plus}"]
            if any(first["nodes"] > 0.75 * ours[other + plus]["nodes"] for other in ("A*", "DF")):
                return "differs"
        if size == "4x6" and ours["BF1+"]["moves"] > 1.1 * ours["A*+"]["moves"]:
            return "differs"
        if size == "4x8" and ours["BF2+"]["nodes"] != min(one["nodes"] for one in ours.values()):
            return "differs"
    return "match"


def detection_ratios(run: Run, sizes: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return table 3: the ratio of the nodes with deadlock detection to those without it."""
    table = averages(run, sizes)
    return {
        size: {
            method: round(table[size][f"{method}+"]["nodes"] / table[size][method]["nodes"], 2)
            for method in ("BF1", "A*", "DF", "BF2")
        }
        for size in sizes
    }


def detection_helps(paper: Any, measured: Any) -> Verdict:
    """Judge table 3: detection saves nodes with every method, and with BF2 more than with A* and DF."""
    for ours in measured.values():
        if max(ours.values()) > 1 or ours["BF2"] > min(ours["A*"], ours["DF"]):
            return "differs"
    return "match"


class Rejections(NamedTuple):
    """Counts of frozen layouts, of solvable ones, and of those that each procedure rejects, rightly and wrongly."""

    layouts: int
    solvable: int
    rejected: dict[str, int]
    wrong: dict[str, int]


def frozen_layouts(game: Game, chance: random.Random, count: int) -> list[list[int]]:
    """Return layouts from random play after the last ace has reached the left edge, where aces stay."""
    columns: int = game.parameters["columns"]
    found: list[list[int]] = []
    while len(found) < count:
        state = game.start()
        chance.shuffle(state)
        for _ in range(MOST_MOVES):
            staying = [
                move for move in game.moves(state) if (move // game.width) % columns or (move % game.width) % columns
            ]
            if not staying:
                break
            state = game.play(state, chance.choice(staying))
            names = game.pieces(state)
            if all(names[row].endswith("1") for row in range(0, game.width, columns)):
                found.append(state)
                break
    return found


def rejections(game: Game, layouts: Sequence[Sequence[int]], run: Run) -> Rejections:
    """Compare the layouts that both procedures reject with the proofs of a search without them."""
    usual = game.names(target="interpreted")
    others = game.enhancements()
    procedures = {
        "figure 2": usual.with_(**others["figure-2"]),
        "improved": usual.with_(**others["pairs"]),
        "improved, at once": usual,
    }
    rejected, wrong = dict.fromkeys(procedures, 0), dict.fromkeys(procedures, 0)
    known = 0
    for state in layouts:
        try:
            search_state(game, state, BestFirst(weight=1.8, without="dead,relevance"), Run(run.memory, 1))
            can = True
        except Unsolvable:
            can = False
        known += can
        for name, names in procedures.items():
            if game.terminal(state) == UNDECIDED and jit.bind(dead, names)(list(state), None):
                (wrong if can else rejected)[name] += 1
    return Rejections(len(layouts), known, rejected, wrong)


def rejected_shares(run: Run, sizes: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return each procedure's share of rejected unsolvable layouts, and the solvable ones rejected by the improved one."""
    found = {}
    for size in sizes:
        game = load(f"superpuzz:{size}")
        counts = rejections(game, frozen_layouts(game, random.Random(f"frozen {size}"), FROZEN), run)
        lost = max(1, counts.layouts - counts.solvable)
        found[size] = {name: round(number / lost, 2) for name, number in counts.rejected.items()}
        found[size]["solvable ones rejected by the improved"] = (
            counts.wrong["improved"] + counts.wrong["improved, at once"]
        )
    return found


def at_least(paper: Any, measured: Any) -> Verdict:
    """Judge shares, which must be reached, and a number of errors, which must be 0."""
    for size, figures in paper.items():
        ours = measured[size]
        if any(ours[name] < share for name, share in figures.items()) or ours["solvable ones rejected by the improved"]:
            return "differs"
    return "match"


def about(paper: Any, measured: Any) -> Verdict:
    """Judge shares of 100 random deals: they may differ by two standard deviations."""
    return "match" if all(abs(measured[size] - share) <= 9 for size, share in paper.items()) else "differs"


SOURCE: Final = "Berliner and Goetsch 1984"
SHORT: Final = ("4x6",)
LONG: Final = ("4x6", "4x7", "4x8")
_EXPERIMENT: Final = [
    Row("B2", "Superpuzz: how many of 100 random deals can be solved", f"{SOURCE}, the domain",
        {"4x6": 83, "4x7": 78, "4x8": 75}, share_solved, about, parts=SHORT),
    Row("B3", "Superpuzz: eight programs on the same deals, with a table of 64K states", f"{SOURCE}, the search paradigms",
        {size: {"programs": 8, "optimal ones agree": True, "no other is shorter": True,
                "none solves what another refutes": True} for size in LONG}, claims, parts=SHORT),
    Row("B4", "Superpuzz: moves and nodes of the eight programs (table 1)", f"{SOURCE}, table 1", _table_1(), averages,
        same_order, parts=SHORT),
    Row("B4-1M", "Superpuzz: the same with room for a million states", f"{SOURCE}, table 1", _table_1(), averages_with_room,
        same_order, long=True, parts=LONG),
    Row("B5", "Superpuzz: nodes with deadlock detection as a part of those without (table 3)", f"{SOURCE}, table 3",
        {"4x6": {"BF1": 0.97, "A*": 0.96, "DF": 0.96, "BF2": 0.61}, "4x7": {"BF1": 0.95, "A*": 0.93, "DF": 0.89, "BF2": 0.79},
         "4x8": {"BF1": 0.92, "A*": 0.94, "DF": 0.93, "BF2": 0.71}}, detection_ratios, detection_helps, parts=SHORT),
]  # fmt: skip

ROWS = [
    Row(
        "B1",
        "Superpuzz: the line that is printed for figure 1A, and the least number of moves",
        f"{SOURCE}, figure 1 and the end",
        {"moves of the line": 28, "least moves": 28},
        example,
        note="the line is printed without its length",
    ),
    *(
        replace(row, note="the deals are ours; docs/superpuzz.md has all figures beside the paper's")
        for row in _EXPERIMENT
    ),
    Row(
        "B6",
        "Superpuzz: frozen layouts that cannot be solved, and are rejected at once",
        f"{SOURCE}, the constraint satisfaction method",
        {size: {"figure 2": 0.5, "improved": 0.88} for size in LONG},
        rejected_shares,
        at_least,
        note="layouts met in random play; the improved procedures are our own: use=pairs, and the one that is always used",
        parts=SHORT,
    ),
]
