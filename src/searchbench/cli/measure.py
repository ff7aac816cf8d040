"""Commands that measure: the speed of this machine, and the figures of the papers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.board import counted
from searchbench.cli import show
from searchbench.cli.commands import Argument, Exit, Option
from searchbench.cli.derived import derived
from searchbench.cli.options import Json, Progress, Threads

if TYPE_CHECKING:
    from searchbench.reproduce.record import Record
    from searchbench.reproduce.row import Reproduction


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


@dataclass(frozen=True)
class Recording:
    """Say which rows are wanted, where their verdicts are recorded, and where a report is written."""

    every: Annotated[
        bool, Option("--all", help="All rows; long ones are not measured, but shown as they were recorded.")
    ] = False
    report: Annotated[
        Path | None, Option(metavar="FILE.html", help="Write a report with the papers' plots, drawn again with ours.")
    ] = None
    record: Annotated[
        Path | None,
        Option(
            metavar="FILE.json",
            help="Keep verdicts here, each when it is measured; rows, and parts of rows, that are there are not measured again. "
            "With --report, by default a file beside it.",
        ),
    ] = None

    @property
    def file(self) -> Path | None:
        """Return where verdicts are kept."""
        return self.record or (self.report.with_suffix(".json") if self.report else None)


@derived
def reproduce(
    ids: Annotated[
        list[str] | None,
        Argument(
            metavar="[ID]...",
            help="Rows such as G1, or letters such as PN for all that begin so, but the long ones; by default all but those.",
        ),
    ] = None,
    *,
    parts: Annotated[
        str | None,
        Option(metavar="NAMES", help="Measure these parts of a row that has parts, such as 4-4,5-3; or all."),
    ] = None,
    recording: Recording,
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
    from searchbench.reproduce import ROWS, named
    from searchbench.reproduce import reproduce as measure
    from searchbench.reproduce.record import read_records, recorded, write_records
    from searchbench.run import parse_memory

    asked = named(ids or (), ROWS)
    if recording.every and ids:
        raise BadRequest("--all takes no rows: give names, or --all")
    names = asked or [row for row in ROWS if not ROWS[row].long]
    wanted = list(filter(None, (parts or "").split(",")))
    chosen = {
        name: ROWS[name].chosen(wanted) for name in names
    }  # what there is not is refused before anything is measured
    _check_places(recording)
    kept = read_records(recording.file) if recording.file else {}
    done = {name for name in names if name in kept and kept[name].fits(ROWS[name], chosen[name])}
    outcomes = []
    with Reporter(progress) as reporter:
        if told := _takes([name for name in names if name not in done]):
            reporter.tell(told)
        for name in names:
            if name in done:
                if not as_json:
                    show.write(f"{name:4} {kept[name].verdict:8} as recorded on {kept[name].date}")
                continue
            reporter(name, 0, 0)
            place = work / name if work is not None and (ROWS[name].long or ROWS[name].parts) else None
            run = Run(memory=parse_memory(memory or 0), threads=threads or 0, report=reporter, work=place)
            earlier = kept.get(name)
            outcome = measure(ROWS[name], run, earlier.lacks(ROWS[name], chosen[name]) if earlier else chosen[name])
            outcomes.append(outcome)
            if recording.file:
                kept[name] = recorded(outcome).joined(earlier, ROWS[name])
                write_records(recording.file, kept)
            if not as_json:
                _tell(outcome)
    if as_json:
        show.write_json(
            [dict(kept[name].outcome) for name in names if name in done] + [one.as_dict() for one in outcomes]
        )
    if recording.report:
        _write_report(recording, list(ROWS) if recording.every else names, kept, {one.id for one in outcomes})
        if not as_json:
            show.write(f"report in {recording.report}, verdicts in {recording.file}")
    verdicts = [*(outcome.verdict for outcome in outcomes), *(kept[name].verdict for name in done)]
    if "differs" in verdicts:
        raise Exit(10)


def _takes(names: list[str]) -> str:
    """Say how long rows took when the shipped records were made, if that is more than a minute; else nothing."""
    from searchbench.analyse.predict import format_seconds
    from searchbench.reproduce.record import shipped_records

    shipped = shipped_records()
    seconds = sum(shipped[name].outcome["seconds"] for name in names if name in shipped)
    return (
        f"{counted(str(len(names)), 'row')}: {format_seconds(seconds)} when they were recorded" if seconds > 60 else ""
    )


def _tell(outcome: Reproduction) -> None:
    """Print a row's verdict, and what its searches took."""
    show.write(f"{outcome.id:4} {outcome.verdict:8} {outcome.seconds:8.2f} s  {outcome.title}")
    for cost in outcome.costs:
        show.write(f"     {_told(cost)}")
    if outcome.tables:
        show.write(f"{outcome.tables}\n")
    if outcome.verdict == "differs":
        show.write(f"     paper    {outcome.paper}\n     measured {outcome.measured}\n     {outcome.note}")


def _check_places(recording: Recording) -> None:
    """Refuse places where nothing can be written, before anything is measured. Raises BadRequest."""
    from searchbench.errors import BadRequest
    from searchbench.store.writing import check_place

    if recording.report and recording.report.suffix != ".html":
        raise BadRequest(f"--report {recording.report}: expected a name that ends in .html")
    for path in filter(None, (recording.report, recording.file)):
        check_place(path)


def _write_report(recording: Recording, names: list[str], kept: dict[str, Record], measured: set[str]) -> None:
    """Write the report on rows: what was kept, and for rows that were not measured what comes with searchbench."""
    from searchbench.reproduce import ROWS
    from searchbench.reproduce.record import shipped_records
    from searchbench.reproduce.report import report_html

    assert recording.report is not None
    shipped = {name: one for name, one in shipped_records().items() if name in ROWS and one.fits(ROWS[name])}
    recording.report.write_text(report_html([ROWS[name] for name in names], shipped | kept, measured))


def _told(cost: dict[str, Any]) -> str:
    """Return what a search took, in a line; where it was not measured, only its states."""
    from searchbench.run import format_memory

    speed = (
        f" in {cost['seconds']:.2f} s, {cost['states a second'] / 1e6:.1f} million a second" if cost["seconds"] else ""
    )
    each = f", {cost['bytes a state']} bytes a state" if cost["states"] >= 10**6 and cost["bytes a state"] else ""
    peak = f", {format_memory(cost['peak memory'])} at the peak" if cost["peak memory"] else ""
    return f"{cost['name']}: {cost['states']:,} states{speed}{each}{peak}"
