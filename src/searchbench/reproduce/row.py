"""A row: one result of a paper, and how it is measured again and judged."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from searchbench.run import Run

Verdict = Literal["match", "better", "differs"]
Judge = Callable[[Any, Any], Verdict]


@dataclass(frozen=True)
class Outcome:
    """Hold what one row came to: the paper's figure, ours, and the verdict."""

    id: str
    title: str
    source: str
    paper: Any
    measured: Any
    verdict: Verdict
    note: str
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the row as it is printed with --json."""
        return asdict(self)


def exact(paper: Any, measured: Any) -> Verdict:
    """Judge a figure that has one right value."""
    return "match" if paper == measured else "differs"


def faster(paper: Any, measured: Any) -> Verdict:
    """Judge {name: {"seconds": s, ...}}: all but the seconds must be the paper's, and the seconds are to be beaten.

    The papers give whole seconds: less than one is as good as their 0.
    """
    if paper.keys() != measured.keys():
        return "differs"
    for name, figures in paper.items():
        ours = measured[name]
        if {**figures, "seconds": 0} != {**ours, "seconds": 0}:
            return "differs"
    beaten = all(measured[name]["seconds"] < max(1, figures["seconds"]) for name, figures in paper.items())
    return "better" if beaten else "differs"


@dataclass(frozen=True)
class Row:
    """Name one result of a paper: where it stands, its figure, the function that measures ours, and the judge."""

    id: str
    title: str
    source: str
    paper: Any
    measure: Callable[[Run], Any]
    judge: Judge = exact
    note: str = ""


def reproduce(row: Row, run: Run | None = None) -> Outcome:
    """Measure a row again and judge it against the paper's figure."""
    started = time.perf_counter()
    measured = row.measure(run or Run())
    seconds = round(time.perf_counter() - started, 3)
    verdict = row.judge(row.paper, measured)
    return Outcome(row.id, row.title, row.source, row.paper, measured, verdict, row.note, seconds)
