"""A row: one result of a paper, and how it is measured again and judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from searchbench.errors import BadRequest
from searchbench.run import Run

Verdict = Literal["match", "better", "differs"]
Judge = Callable[[Any, Any], Verdict]


class Cost(NamedTuple):
    """Hold what a search took: its states, its seconds, the bytes of its tables, the peak of the process (0: unknown)."""

    name: str
    states: int
    seconds: float
    memory: int
    peak: int

    def as_dict(self) -> dict[str, Any]:
        """Return the figures that a reader wants: also states a second and bytes a state."""
        return {
            "name": self.name,
            "states": self.states,
            "seconds": self.seconds,
            "states a second": round(self.states / max(self.seconds, 0.001)),
            "bytes a state": round(self.memory / max(self.states, 1), 3),
            "peak memory": self.peak,
        }


class Measured(NamedTuple):
    """Hold our figures of a row, and what the searches for them took."""

    figures: Any
    costs: list[Cost]


def forget_peak() -> None:
    """Begin to measure the peak of this process's memory anew, where the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_memory() -> int:
    """Return the most memory that this process has had, in bytes; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    found = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return 1024 * int(found[0].split()[1]) if found else 0


@dataclass(frozen=True)
class Reproduction:
    """Hold what one row came to: the paper's figure, ours, the verdict, and what each search took."""

    id: str
    title: str
    source: str
    paper: Any
    measured: Any
    verdict: Verdict
    note: str
    seconds: float
    costs: tuple[dict[str, Any], ...] = ()

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
    """Name one result of a paper: where it stands, its figure, the function that measures ours, and the judge.

    `measure` returns a figure, or Measured. What is `long` takes more than a few minutes or gigabytes, and is measured only
    when it is asked for by its name. Where there are `parts`, the paper has a figure for each of many parts; these are
    measured unless others are asked for, and `measure` takes their names too.
    """

    id: str
    title: str
    source: str
    paper: Any
    measure: Callable[..., Any]
    judge: Judge = exact
    note: str = ""
    long: bool = False
    parts: tuple[str, ...] = ()

    def chosen(self, parts: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the parts to be measured; "all" are those that there are, and none means a few. Raises BadRequest."""
        known = self.paper if self.parts else {}
        if list(parts) == ["all"]:
            return tuple(known)
        if unknown := [part for part in parts if part not in known]:
            raise BadRequest(f"row {self.id} has no part {unknown[0]!r}; it has {', '.join(known) or 'none'}")
        return tuple(parts) or self.parts


def reproduce(row: Row, run: Run | None = None, parts: Sequence[str] = ()) -> Reproduction:
    """Measure a row again, all of it or some parts, and judge it against the paper's figure. Raises BadRequest."""
    started = time.perf_counter()
    paper, arguments = row.paper, []
    if chosen := row.chosen(parts):
        paper, arguments = {part: row.paper[part] for part in chosen}, [chosen]
    measured = row.measure(run or Run(), *arguments)
    seconds = round(time.perf_counter() - started, 3)
    figures, costs = measured if isinstance(measured, Measured) else (measured, [])
    told = tuple(cost.as_dict() for cost in costs)
    verdict = row.judge(paper, figures)
    return Reproduction(row.id, row.title, row.source, paper, figures, verdict, row.note, seconds, told)
