"""Rows on the opening of morris, and on decision trees, of R. Gasser, Harnessing Computational Resources, 1995.

The parts of a row are numbers of men. The midgame's parts are solved into the folder of the run's unfinished work; parts
of "morris" with nine men that are already there are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from searchbench.analyse.mistakes import first_losing_moves
from searchbench.analyse.tree import decision_tree
from searchbench.catalogue import load
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.solvers.proof import AlphaBeta, Book, LeafDatabase, prove_state
from searchbench.store import Database

MIDGAME: Final = "morris"
OPENING: Final = "morris-opening"
PLIES: Final = 8


@contextmanager
def _midgame(run: Run, parts: Sequence[str]) -> Iterator[Database]:
    own = Run(memory=run.memory, threads=run.threads, report=run.report)
    with TemporaryDirectory(prefix="searchbench-") as scratch:
        folder = run.work if run.work is not None else Path(scratch) / MIDGAME
        yield solve_parts(load(MIDGAME), parts, folder, run=own)


def values(run: Run, men: Sequence[str]) -> dict[str, str]:
    """Return the value of the game for the first player, for each number of men."""
    found = {}
    for number in men:
        with _midgame(run, [f"{number}-{number}"]) as database:
            leaves = LeafDatabase(load(f"{OPENING}:{number}"), database)
            found[number] = prove_state(leaves.game, None, AlphaBeta(evidence=False, leaves=leaves), run).value
    return found


def three_databases(run: Run, men: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the value of the game by only those databases in which each side lacks at most one man.

    Also return, for each bound, the number of positions after 8 plies where it was proven, and of the others.
    """
    found: dict[str, dict[str, Any]] = {}
    for number in men:
        most, less = int(number), int(number) - 1
        parts = [f"{a}-{b}" for a, b in ((most, most), (most, less), (less, most), (less, less)) if less >= 3]
        with _midgame(run, parts) as database:
            leaves = LeafDatabase(load(f"{OPENING}:{number}"), database, parts)
            place = None if run.work is None else run.work.with_name(f"{OPENING}-{number}.book")
            book = Book(leaves.game, leaves, min(PLIES, 2 * most - 2), place)
            proof = prove_state(leaves.game, None, AlphaBeta(evidence=False, leaves=leaves, book=book), run)
        found[number] = {"value": proof.value, "at least a draw": [], "at most a draw": []}
        for question, known in book.answers.items():
            shares = [known.proven, len(known.reached) - known.proven]
            if question == (0, -1):
                found[number]["at least a draw"] = shares
            elif question == (1, 1):
                found[number]["at most a draw"] = shares[::-1]
    return found


def same_value(paper: dict[str, dict[str, Any]], measured: dict[str, dict[str, Any]]) -> Verdict:
    """Judge the values only: the number of positions searched depends on the order of the moves."""
    return "match" if all(measured[men]["value"] == paper[men]["value"] for men in paper) else "differs"


def first_mistakes(run: Run, men: Sequence[str]) -> dict[str, int]:
    """Return the first ply at which a move can lose a game that was not lost."""
    found = {}
    for number in men:
        with _midgame(run, [f"{number}-{number}"]) as database:
            mistakes = first_losing_moves(LeafDatabase(load(f"{OPENING}:{number}"), database), 2 * int(number), run)
            found[number] = mistakes[0].ply
    return found


def not_later(paper: dict[str, int], measured: dict[str, int]) -> Verdict:
    """Judge the first mistake: the paper gives the earliest one found in its game, of nine men; 0 where it gives none."""
    return "match" if all(not paper[men] or measured[men] <= paper[men] for men in paper) else "differs"


def wins_told_apart(run: Run) -> dict[str, int]:
    """Return the number of states with three men each, and of those that a decision tree puts in a wrong class."""
    tree = decision_tree(solve_states(load("morris:3,3"), run=run), "win", run=run)
    return {"attributes": len(tree.attributes), "states": tree.states, "in a wrong class": tree.wrong}


ROWS = [
    Row(
        "G18",
        "morris with few men: the value for the first player",
        "Gasser 1995, section 5.6",
        {"3": "win", "4": "draw", "5": "draw"},
        values,
        parts=("3", "4"),
    ),
    Row(
        "G19",
        "morris: the value by three databases, and the positions searched after 8 plies",
        "Gasser 1995, section 5.6",
        {
            "4": {"value": "draw", "at least a draw": [], "at most a draw": []},
            "5": {"value": "draw", "at least a draw": [], "at most a draw": []},
            "9": {"value": "draw", "at least a draw": [15501, 12], "at most a draw": [4364, 29]},
        },
        three_databases,
        same_value,
        note="the paper proves it for nine men alone; with nine men it takes the parts 9-9, 9-8, 8-9 and 8-8, and all below",
        parts=("4",),
    ),
    Row(
        "G20",
        "morris: the first ply whose move can lose",
        "Gasser 1995, section 5.6",
        {"3": 0, "4": 0, "5": 0, "9": 5},
        first_mistakes,
        not_later,
        note="the paper tells of nine men alone; all moves before the first that loses are looked at",
        parts=("3",),
    ),
    Row(
        "G21",
        "morris, three men each: a decision tree of 26 attributes tells won positions from all others",
        "Gasser 1995, section 5.7",
        {"attributes": 26, "states": 56922, "in a wrong class": 0},
        wins_told_apart,
        note="wins, losses and draws all at once: with our reading of the attributes one draw and one loss look alike, and with "
        "balanced points read to the letter eight such sets of positions; the paper has none",
    ),
]
