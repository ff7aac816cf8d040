"""Commands that measure: the speed of this machine, and the figures of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from searchbench.cli import show
from searchbench.cli.commands import Argument, Exit, Option
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
    ids: Annotated[
        list[str] | None, Argument(metavar="[ID]...", help="Rows such as G1; by default all but the long ones.")
    ] = None,
    parts: Annotated[
        str | None,
        Option(metavar="NAMES", help="Measure these parts of a row that has parts, such as 4-4,5-3; or all."),
    ] = None,
    memory: Annotated[str | None, Option(metavar="SIZE", help="Memory budget such as 1GB.")] = None,
    threads: Threads = None,
    work: Annotated[
        Path | None, Option(metavar="DIR", help="Keep the unfinished work of long rows here, and go on with it.")
    ] = None,
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
    names = ids or [row for row in ROWS if not ROWS[row].long]
    wanted = list(filter(None, (parts or "").split(",")))
    chosen = {
        name: ROWS[name].chosen(wanted) for name in names
    }  # what there is not is refused before anything is measured
    outcomes = []
    with Reporter(progress) as reporter:
        for name in names:
            reporter(name, 0, 0)
            place = work / name if work is not None and (ROWS[name].long or ROWS[name].parts) else None
            run = Run(memory=parse_memory(memory or 0), threads=threads or 0, report=reporter, work=place)
            outcome = measure(ROWS[name], run, chosen[name])
            outcomes.append(outcome)
            if not as_json:
                show.write(f"{outcome.id:4} {outcome.verdict:8} {outcome.seconds:8.2f} s  {outcome.title}")
                for cost in outcome.costs:
                    show.write(f"     {_told(cost)}")
                if outcome.tables:
                    show.write(f"{outcome.tables}\n")
                if outcome.verdict == "differs":
                    show.write(f"     paper    {outcome.paper}\n     measured {outcome.measured}\n     {outcome.note}")
    if as_json:
        show.write_json([outcome.as_dict() for outcome in outcomes])
    if any(outcome.verdict == "differs" for outcome in outcomes):
        raise Exit(10)


def _told(cost: dict[str, Any]) -> str:
    """Return what a search took, in a line."""
    from searchbench.run import format_memory

    each = f", {cost['bytes a state']} bytes a state" if cost["states"] >= 10**6 else ""
    peak = f", {format_memory(cost['peak memory'])} at the peak" if cost["peak memory"] else ""
    return (
        f"{cost['name']}: {cost['states']:,} states in {cost['seconds']:.2f} s, "
        f"{cost['states a second'] / 1e6:.1f} million a second{each}{peak}"
    )
