"""Sokoban beyond the papers: sound detectors against exact sets, and levels with the least number of pushes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from searchbench.catalogue import load
from searchbench.reproduce.rolling_stone import Levels, at_least, levels_file, solved_by
from searchbench.reproduce.row import Cost, Measured, Row
from searchbench.run import Limits, Run
from searchbench.solvers.guided.enhanced import Enhanced

LEVELS: Final = 2_000
"""Random levels whose exact sets are compared."""
SEED: Final = 20
VARIABLE: Final = "SEARCHBENCH_MICROBAN"
"""The environment variable that names the file of the 155 levels of Microban."""
MICROBAN: Final = 155
SECONDS: Final = 60
"""The time for a level in optimal mode."""
OPTIMAL: Final = 145
"""Levels of Microban whose least pushes shall be proved in that time,"""
OPTIMAL_OF_XSOKOBAN: Final = 20
"""and of the 90 of XSokoban."""


def random_levels(seed: int) -> Iterator[str]:
    """Yield levels of two to four stones on at most 5 x 5 squares; not all can be solved."""
    chance = random.Random(seed)
    while True:
        height, width, stones = chance.randint(3, 5), chance.randint(4, 5), chance.choice((2, 2, 3, 4))
        walls = chance.choice((0.05, 0.15, 0.25))
        inside = [(y, x) for y in range(1, height + 1) for x in range(1, width + 1) if chance.random() >= walls]
        floor = _joined(set(inside), inside[0]) if inside else []
        if len(floor) < 2 * stones + 1:
            continue
        man, *standing = chance.sample(floor, stones + 1)
        goals = chance.sample(floor, stones + chance.choice((0, 0, 0, 1)))
        marks = {place: "." if place in goals else " " for place in floor}
        marks |= {place: "*" if place in goals else "$" for place in standing}
        marks[man] = "+" if man in goals else "@"
        yield "\n".join("".join(marks.get((y, x), "#") for x in range(width + 2)) for y in range(height + 2))


def _joined(inside: set[tuple[int, int]], first: tuple[int, int]) -> list[tuple[int, int]]:
    found = [first]
    for y, x in found:  # which grows
        for place in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if place in inside and place not in found:
                found.append(place)
    return sorted(found)


def detectors(run: Run) -> Measured:
    """Judge the sound detectors of enhanced search."""
    rules: Any = load("sokoban").enhanced()
    return _false_alarms(rules.judged, run)


def detectors_of_feature_space(run: Run) -> Measured:
    """Judge those of feature-space search."""
    rules: Any = load("sokoban").feature_space()
    return _false_alarms(rules.judged, run)


def _false_alarms(judged: Callable[[Iterator[Any]], tuple[Any, int, int]], run: Run) -> Measured:
    """Judge detectors on random levels until enough of them had a solution; return levels and false alarms."""
    found: dict[str, dict[str, int]] = {}
    levels = states = 0
    source = random_levels(SEED)
    while levels < LEVELS:
        claims, more, size = judged(load(f"sokoban:{next(source)}") for _ in range(100))
        for name, row in claims.items():
            known = found.get(name, {})
            found[name] = {word: known.get(word, 0) + count for word, count in row.items()}
        levels, states = levels + more, states + size
        run.progress("levels", min(levels, LEVELS), LEVELS)
    table = "\n".join(
        f"{name:<10} {row['claims']:>10,} claims {row['false alarms']:>5,} false {row['deadlocks']:>10,} to be found"
        for name, row in found.items()
    )
    figures = {name: row["false alarms"] for name, row in found.items() if name != "penalties"}
    return Measured(
        {"levels or more": LEVELS, **figures}, [Cost(f"{levels:,} levels", states, 0, 0, 0)], table
    )  # fmt: skip


def optimal_levels(file: str, count: int, name: str, run: Run) -> Measured:
    """Return how many levels of a file have their least pushes proved, each in a limited time; known ones are kept."""
    limits = Limits(seconds=SECONDS)
    rows = solved_by(Enhanced(optimal=True), name, run, limits, Levels(file, range(1, count + 1)))
    found = sum(row["status"] == "solved" for row in rows)
    nodes, seconds = sum(row["nodes"] for row in rows), sum(row["cpu"] for row in rows)
    missing = " ".join(str(row["level"]) for row in rows if row["status"] != "solved")
    return Measured(found, [Cost(f"{found} of {len(rows)}", nodes, seconds, 0, 0)], f"open: {missing}")


def microban(run: Run) -> Measured:
    """Return how many levels of Microban have their least pushes proved."""
    return optimal_levels(levels_file(VARIABLE, "microban1_155.xsb"), MICROBAN, "microban optimal", run)


def xsokoban(run: Run) -> Measured:
    """Return how many levels of XSokoban have their least pushes proved."""
    return optimal_levels(levels_file(), 90, "xsokoban optimal", run)


ROWS = [
    Row(
        "SK1", "sound detectors on 2,000 small levels: false alarms among the states of their exact sets", "searchbench",
        {"levels or more": LEVELS, "matching": 0, "freeze": 0, "windows": 0, "corrals": 0, "patterns": 0, "pairs": 0},
        detectors,
        note="penalties are counted beside them: they are not sound, and optimal mode has none", long=True,
    ),
    Row(
        "SK3", "dead positions that feature-space search tells, on the same levels: false alarms", "searchbench",
        {"levels or more": LEVELS, "cut off": 0, "corrals": 0, "jams": 0, "pairs": 0}, detectors_of_feature_space, long=True,
    ),
    Row(
        "SK2", "levels of Microban with their least pushes proved at 60 s each", "searchbench", OPTIMAL, microban,
        at_least, note="resumable: each level is kept in the folder of unfinished work", long=True,
    ),
    Row(
        "SK4", "levels of XSokoban with their least pushes proved at 60 s each", "searchbench", OPTIMAL_OF_XSOKOBAN, xsokoban,
        at_least, note="resumable, as SK2", long=True,
    ),
]  # fmt: skip
