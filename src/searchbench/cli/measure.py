"""Commands that measure: the speed of this machine, and the figures of the papers."""

from __future__ import annotations

from typing import Annotated

import typer

from searchbench.cli import show
from searchbench.cli.options import Json, Progress, Threads


def bench(threads: Threads = None, as_json: Json = False, progress: Progress = None) -> None:
    """Measure a few fixed workloads; their signature changes only when the behaviour of a solver does."""
    from searchbench.analyse.bench import measure_all
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        report = measure_all(threads, reporter)
    if as_json:
        show.write_json(report.as_dict())
        return
    rows = [
        (
            one.name,
            f"{one.amount:,} {one.unit}",
            f"{one.seconds:.3f} s",
            f"{one.rate / 1e6:.2f} million {one.unit}/s",
            f"{one.bytes} bytes/state" if one.bytes else "",
        )
        for one in report.measurements
    ]
    show.write(show.table(rows, ("workload", "amount", "time", "rate", "")))
    show.write(f"signature {report.signature}")


def reproduce(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Rows such as G1; by default all.")] = None,
    memory: Annotated[str | None, typer.Option(metavar="SIZE", help="Memory budget such as 1GB.")] = None,
    threads: Threads = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Measure what the papers report, and compare; exit code 10 where a figure differs."""
    from searchbench import Run
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest
    from searchbench.reproduce import ROWS
    from searchbench.reproduce import reproduce as measure
    from searchbench.run import parse_memory

    unknown = [row for row in ids or () if row not in ROWS]
    if unknown:
        raise BadRequest(f"no row {', '.join(unknown)}: there are {', '.join(ROWS)}")
    outcomes = []
    with Reporter(progress) as reporter:
        for name in ids or ROWS:
            reporter(name, 0, 0)
            run = Run(memory=parse_memory(memory or 0), threads=threads or 0, report=reporter)
            outcome = measure(ROWS[name], run)
            outcomes.append(outcome)
            if not as_json:
                show.write(f"{outcome.id:4} {outcome.verdict:8} {outcome.seconds:8.2f} s  {outcome.title}")
                if outcome.verdict == "differs":
                    show.write(f"     paper    {outcome.paper}\n     measured {outcome.measured}\n     {outcome.note}")
    if as_json:
        show.write_json([outcome.as_dict() for outcome in outcomes])
    if any(outcome.verdict == "differs" for outcome in outcomes):
        raise typer.Exit(10)
