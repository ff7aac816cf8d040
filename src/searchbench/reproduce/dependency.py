"""Rows on dependency-based search and the double-letter puzzle (Allis 1994, chapter 3 and appendix A)."""

from __future__ import annotations

from itertools import product
from typing import Any

from searchbench.analyse.double_letter import (
    LETTERS,
    compare_searches,
    double_letter_system,
    random_axioms,
    triangle,
)
from searchbench.reproduce.row import Row, Verdict
from searchbench.run import Run
from searchbench.solvers.dependency import (
    Operator,
    enumerate_classes,
    explicit_system,
    search_by_dependency,
    search_paths,
)

SEED = 1994
RATIO = "depth-first / dependency nodes, length 20"
STOPPED = "depth-first searches stopped"


def independent(_: Run) -> dict[str, list[int]]:
    """Return the nodes by dependency and the states of ten independent operators, without and with one that needs all."""
    rules = [Operator(f"r{i}", frozenset({f"{i}"}), frozenset({f"{i}'"}), frozenset({f"{i}"})) for i in range(10)]
    word = frozenset(f"{i}'" for i in range(10))
    goal = frozenset({"goal"})
    systems = {
        "without a goal": explicit_system(map(str, range(10)), rules),
        "with a goal": explicit_system(map(str, range(10)), [*rules, Operator("r10", word, goal, word)], [goal]),
    }
    return {
        name: [
            sum(node.kind != "combination" for node in search_by_dependency(system, together=10).nodes),
            search_paths(system, transpositions=True).nodes,
        ]
        for name, system in systems.items()
    }


def conditions(_: Run) -> dict[str, bool]:
    """Test the three conditions of completeness on all axioms of up to five letters and on a hundred of eight."""
    axioms = ["".join(one) for length in range(1, 6) for one in product(LETTERS, repeat=length)]
    systems = [double_letter_system(axiom) for axiom in axioms + random_axioms((8,), 100, SEED)]
    enumerated = [enumerate_classes(system) for system in systems]
    return {
        "all paths monotonous": all(
            found.paths == search_paths(system).nodes for system, found in zip(systems, enumerated, strict=True)
        ),
        "goals singular": all(system.singular for system in systems),
        "redundant paths": any(found.redundant for found in enumerated),
    }


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


def twenty(run: Run) -> dict[str, float]:
    """Compare the searches on ten random axioms of length 20: wrong solutions would end it."""
    found = compare_searches(random_axioms((20,), 10, SEED), run)
    return {RATIO: round(found.mean("depth_first", 20) / found.mean("dependency", 20))}


def two_thousand(run: Run) -> dict[str, float]:
    """Compare the searches on a hundred random axioms of each length up to 20."""
    found = compare_searches(random_axioms(range(1, 21), 100, SEED), run)
    stopped, with_table = found.stopped
    below = [length for length in found.lengths if found.mean("dependency", length) < length * (length + 1) / 2]
    return {
        STOPPED: stopped,
        "depth-first searches with a table stopped": with_table,
        RATIO: round(found.mean("depth_first", 20) / found.mean("dependency", 20)),
        "depth-first with a table / dependency nodes, length 20": round(
            found.mean("transpositions", 20) / found.mean("dependency", 20)
        ),
        "longest axioms with fewer nodes than the triangle": max(below),
    }


def in_magnitude(paper: Any, measured: Any) -> Verdict:
    """Judge random axioms: a ratio above 400, and of 2,000 axioms 100 to 160 depth-first searches that are stopped."""
    fits = measured[RATIO] > 400 and 100 <= measured.get(STOPPED, 100) <= 160
    return "match" if fits else "differs"


ROWS = [
    Row(
        "DB-1", "ten independent operators: nodes by dependency, states of a plain search", "Allis 1994, section 3.1",
        {"without a goal": [11, 1024], "with a goal": [12, 1025]}, independent,
    ),
    Row(
        "DB-3", "double-letter puzzle: the conditions under which no solution is missed", "Allis 1994, section 3.4",
        {"all paths monotonous": True, "goals singular": True, "redundant paths": False}, conditions,
    ),
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
        {RATIO: 1200}, twenty, in_magnitude,
        note="other random axioms; the ratio varies much: a match is more than 400. A depth-first search ends at a million nodes",
    ),
    Row(
        "E-DLP", "double-letter puzzle: a hundred random axioms of each length up to 20", "Allis 1994, section 3.6",
        {
            STOPPED: 129, "depth-first searches with a table stopped": 26, RATIO: 1200,
            "depth-first with a table / dependency nodes, length 20": 60,
            "longest axioms with fewer nodes than the triangle": 18,
        },
        two_thousand, in_magnitude,
        note="other random axioms; with a table, theorems are counted, the thesis does not say what it counts. "
        "`searchbench analyse double-letter --random 100 --svg FILE` draws the means",
        long=True,
    ),
]  # fmt: skip
