"""Rows on dependency-based search and the double-letter puzzle (Allis 1994, chapter 3 and appendix A)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from searchbench.analyse.double_letter import LETTERS, double_letter_system, neighbours, theorem, triangle
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.dependency import enumerate_classes, search_by_dependency

DEPTH_FIRST_LIMIT = 1_000_000
SEED = 1994


def depth_first_nodes(axiom: str) -> int:
    """Count the nodes of a depth-first search without a table: all paths. Equal strings have equally many."""
    known: dict[str, int] = {}

    def paths(string: str) -> int:
        if string not in known:
            known[string] = 1 + sum(
                paths(string[:place] + letter + string[place + 2 :])
                for place in range(len(string) - 1)
                if string[place] == string[place + 1]
                for letter in neighbours(string[place])
            )
        return known[string]

    return paths(axiom)


def classes(_: Run) -> dict[str, list[int]]:
    """Return the numbers of paths, classes and key classes of two axioms."""
    found = {axiom: enumerate_classes(double_letter_system(axiom)) for axiom in ("aacc", "aaccadd")}
    return {axiom: [one.paths, len(one.classes), len(one.keys)] for axiom, one in found.items()}


def hardest(_: Run) -> dict[str, int]:
    """Return the nodes of the hardest axiom of the paper, and its solutions."""
    found = search_by_dependency(double_letter_system("dbdeabbaacccddaeecda"))
    return {"nodes": len(found.nodes), "solutions": len(found.solutions)}


def letters(_: Run) -> str:
    """Return the letters that the axiom of appendix A can become."""
    return triangle("aabdcbbdcaa")[0][-1]


def compare(lengths: Sequence[int], axioms: int) -> dict[str, float]:
    """Compare searches of random axioms of each length: depth-first searches past the limit, wrong solutions, mean nodes."""
    draw = random.Random(SEED)
    stopped = wrong = 0
    depth_first = dependency = 0
    for length in lengths:
        depth_first = dependency = 0
        for _ in range(axioms):
            axiom = "".join(draw.choices(LETTERS, k=length))
            found = search_by_dependency(double_letter_system(axiom))
            paths = depth_first_nodes(axiom)
            stopped += paths > DEPTH_FIRST_LIMIT
            wrong += {theorem(node.state) for node in found.solutions} != set(triangle(axiom)[0][-1])
            wrong += bool(found.verify())
            depth_first += min(paths, DEPTH_FIRST_LIMIT)
            dependency += len(found.nodes)
    return {
        "axioms": len(lengths) * axioms,
        "depth-first searches stopped": stopped,
        "wrong solutions": wrong,
        f"depth-first / dependency nodes, length {lengths[-1]}": round(depth_first / dependency),
    }


def twenty(_: Run) -> dict[str, float]:
    """Compare the searches on ten axioms of length 20."""
    return compare([20], 10)


def all_lengths(_: Run) -> dict[str, float]:
    """Compare the searches on a hundred axioms of each length."""
    return compare(range(1, 21), 100)


def in_magnitude(paper: Any, measured: Any) -> Verdict:
    """Judge random axioms: no wrong solution, a ratio above 400, and as often stopped as the paper within a quarter."""
    ratio = "depth-first / dependency nodes, length 20"
    stopped = "depth-first searches stopped"
    fits = measured["wrong solutions"] == 0 and measured[ratio] > 400
    if stopped in paper:
        fits = fits and abs(measured[stopped] - paper[stopped]) <= paper[stopped] / 4
    return "match" if fits else "differs"


ROWS = [
    Row(
        "DB-2", "double-letter puzzle: paths, classes and key classes", "Allis 1994, section 3.3",
        {"aacc": [17, 11, 7], "aaccadd": [179, 41, 13]}, classes,
        note="the paper gives the figures of aacc; those of aaccadd follow from its figures 3.1 to 3.4",
    ),
    Row(
        "DB-5", "dependency-based search of dbdeabbaacccddaeecda", "Allis 1994, section 3.6",
        {"nodes": 3934, "solutions": 0}, hardest,
    ),
    Row("DB-6", "double-letter puzzle: letters that aabdcbbdcaa becomes", "Allis 1994, appendix A", "abce", letters),
    Row(
        "DB-8", "double-letter puzzle: ten random axioms of length 20", "Allis 1994, section 3.6",
        {"wrong solutions": 0, "depth-first / dependency nodes, length 20": 1200}, twenty, in_magnitude,
        note="other random axioms; the ratio varies much: a match is more than 400. A depth-first search ends at a million nodes",
    ),
    Row(
        "DB-8-all", "double-letter puzzle: a hundred random axioms of each length to 20", "Allis 1994, section 3.6",
        {
            "axioms": 2000, "depth-first searches stopped": 129, "wrong solutions": 0,
            "depth-first / dependency nodes, length 20": 1200,
        },
        all_lengths, in_magnitude, note="other random axioms; a match is 97 to 161 stopped and a ratio above 400", long=True,
    ),
]  # fmt: skip
