"""Rows on dependency-based search and the double-letter puzzle (Allis 1994, chapter 3 and appendix A)."""

from __future__ import annotations

import random
from typing import Any

from searchbench.analyse.double_letter import LETTERS, double_letter_system, neighbours, theorem, triangle
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.dependency import enumerate_classes, search_by_dependency

DEPTH_FIRST_LIMIT = 1_000_000
SEED = 1994
RATIO = "depth-first / dependency nodes, length 20"


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


def twenty(_run: Run) -> dict[str, float]:
    """Compare the searches on ten random axioms of length 20: searches past the limit, wrong solutions, nodes."""
    draw = random.Random(SEED)
    stopped = wrong = depth_first = dependency = 0
    for _ in range(10):
        axiom = "".join(draw.choices(LETTERS, k=20))
        found = search_by_dependency(double_letter_system(axiom))
        paths = depth_first_nodes(axiom)
        stopped += paths > DEPTH_FIRST_LIMIT
        wrong += {theorem(node.state) for node in found.solutions} != set(triangle(axiom)[0][-1])
        wrong += bool(found.verify())
        depth_first += min(paths, DEPTH_FIRST_LIMIT)
        dependency += len(found.nodes)
    ratio = round(depth_first / dependency)
    return {"depth-first searches stopped": stopped, "wrong solutions": wrong, RATIO: ratio}


def in_magnitude(paper: Any, measured: Any) -> Verdict:
    """Judge random axioms: no wrong solution, and a ratio above 400."""
    fits = measured["wrong solutions"] == paper["wrong solutions"] and measured[RATIO] > 400
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
        {"wrong solutions": 0, RATIO: 1200}, twenty, in_magnitude,
        note="other random axioms; the ratio varies much: a match is more than 400. A depth-first search ends at a million nodes",
    ),
]  # fmt: skip
