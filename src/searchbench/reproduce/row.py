"""Define rows: a row is one result of a paper, with the function that measures it again and the judge."""

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
    """The cost of a search: its states, seconds, bytes of tables, and the peak memory of the process (0: unknown)."""

    name: str
    states: int
    seconds: float
    memory: int
    peak: int

    def as_dict(self) -> dict[str, Any]:
        """Return all figures, with states a second and bytes a state."""
        return {
            "name": self.name,
            "states": self.states,
            "seconds": self.seconds,
            "states a second": round(self.states / max(self.seconds, 0.001)),
            "bytes a state": round(self.memory / max(self.states, 1), 3),
            "peak memory": self.peak,
        }


class Measured(NamedTuple):
    """Our figures for a row, the costs of the searches for them, and tables as the paper prints them."""

    figures: Any
    costs: list[Cost]
    tables: str = ""


def forget_peak() -> None:
    """Reset the peak of this process's memory, if the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_memory() -> int:
    """Return the peak memory of this process in bytes; 0 if the system does not give it."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    found = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return 1024 * int(found[0].split()[1]) if found else 0


@dataclass(frozen=True)
class Reproduction:
    """The result of one row: the paper's figure, ours, the verdict, the cost of each search, and tables as text."""

    id: str
    title: str
    source: str
    paper: Any
    measured: Any
    verdict: Verdict
    note: str
    seconds: float
    costs: tuple[dict[str, Any], ...] = ()
    tables: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as printed with --json."""
        return asdict(self)


def exact(paper: Any, measured: Any) -> Verdict:
    """Judge a figure that must equal the paper's."""
    return "match" if paper == measured else "differs"


def faster(paper: Any, measured: Any) -> Verdict:
    """Judge {name: {"seconds": s, ...}}: all but the seconds must equal the paper's, and the seconds must be lower.

    The papers give whole seconds: any time below 1 s matches their 0.
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
    """One result of a paper: its source, its figure, the function that measures ours, and the judge.

    `measure` returns a figure, or Measured. A `long` row takes more than a few minutes or gigabytes, and is measured only on
    request by its name. In a row with `parts`, the paper has a figure for each of many parts; `parts` are measured by
    default, and `measure` also takes the names of the parts.
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
    curves: tuple[str, ...] = ()
    """What the figures of each entry of a list are, for its plot."""
    axes: tuple[str, str] | None = None
    """What a plot has across and up; figures with names are drawn only where these are told."""

    def chosen(self, parts: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the parts to measure; "all" selects all parts, and no name the default ones. Raises BadRequest."""
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
    figures, costs, tables = measured if isinstance(measured, Measured) else Measured(measured, [])
    told = tuple(cost.as_dict() for cost in costs)
    verdict = row.judge(paper, figures)
    return Reproduction(row.id, row.title, row.source, paper, figures, verdict, row.note, seconds, told, tables)
