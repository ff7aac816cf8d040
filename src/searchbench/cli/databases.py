"""Commands that make, check and count a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from searchbench.cli import show
from searchbench.cli.options import Codec, Folder, GameName, Json, Memory, Progress, Rule, Threads

if TYPE_CHECKING:
    from searchbench.store import Database


def solve(
    game: GameName,
    to: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep the database in this folder.")] = None,
    solver: Annotated[
        str | None, typer.Option(metavar="NAME", help="retrograde, fixpoint or bfs; by default what suits the game.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="How bfs keeps depths: values, two-bit, ...; else what is kept: see convert."
        ),
    ] = None,
    codec: Codec = None,
    parts: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Solve only these parts and those they need, such as 4-4,5-3; or all."),
    ] = None,
    rule: Rule = None,
    mapped: Annotated[
        bool, typer.Option("--mapped", help="Keep it uncompressed, to be mapped into memory: for pattern databases.")
    ] = False,
    memory: Memory = None,
    threads: Threads = None,
    work: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep unfinished work here, and go on with it; by default beside --to."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the database that is in DIR.")] = False,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Solve every state of a game."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        database = sb.solve(game, rule, solver, to, memory, threads, reporter, force, form, work, parts, mapped, codec)
    facts: dict[str, Any] = {
        "game": database.game.spec,
        "states": database.states,
        "reachable": database.reachable,
        **{name: fact for name, fact in database.facts.items() if name not in {"few", "groups"}},
        "database": None if to is None else str(to),
    }
    if as_json:
        show.write_json(facts)
        return
    how = f"{facts['solver']} ({facts['form']})" if "form" in facts else facts["solver"]
    levels = "1 level" if facts["levels"] == 1 else f"{facts['levels']} levels"
    show.write(
        f"{facts['game']}: {facts['states']:,} states, {facts['reachable']:,} with a value; "
        f"{how}, {levels}, {facts['seconds']} s, {facts['threads']} threads"
    )
    for name, group in database.facts.get("groups", {}).items():
        show.write(f"  part {name}: {group['levels']} levels, {group['seconds']} s")
    show.write("not kept: give --to DIR" if to is None else f"kept in {to}")


def convert(
    folder: Folder,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Keep the converted database in this folder.")],
    form: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="values, filled, base-3, two-bit, one-bit, best-move, every:D[,R] or parity; by default all values.",
        ),
    ] = None,
    codec: Codec = None,
    as_json: Json = False,
) -> None:
    """Keep a database in another form, or compressed by another codec."""
    import searchbench as sb
    from searchbench.store.opening import read_header

    converted = sb.open_database(folder).convert(to, form, codec)
    header = read_header(to)
    before, after = disk_usage(folder), disk_usage(to)
    if as_json:
        show.write_json({"form": header.kept_as, "codec": header.codec, "values": converted.rule.name,
                         "bytes": after, "before": before})  # fmt: skip
        return
    show.write(f"{converted.game}: {header.kept_as}, {header.codec}: {after:,} bytes, before {before:,}; kept in {to}")


def disk_usage(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def verify(
    folder: Folder,
    memory: Memory = None,
    threads: Threads = None,
    work: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Note here what was found right, and go on with the rest.")
    ] = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Check every value of a database by looking one move ahead, with the rules alone."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.run import parse_memory

    database = sb.open_database(folder)
    with Reporter(progress) as reporter:
        run = sb.Run(memory=parse_memory(memory or 0), threads=threads or 0, report=reporter)
        report = database.verify(run, work=work)
    if as_json:
        found = {"found": [str(fault) for fault in report.faults]} if report.count else {}
        note = {"note": report.note} if report.note else {}
        show.write_json({"states": report.states, "faults": report.count, **found, **note})
    else:
        show.write(report)
    if report.count:
        raise typer.Exit(10)


def repair(
    folder: Folder, memory: Memory = None, threads: Threads = None, as_json: Json = False, progress: Progress = None
) -> None:
    """Work out anew what `verify` finds wrong, what is in damaged or missing chunks, and what rests on it."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        found = sb.repair(folder, memory=memory, threads=threads, progress=reporter)
    if as_json:
        show.write_json(found.as_dict())
    else:
        show.write(found)


def stats(
    folder: Folder,
    solvable: Annotated[
        bool, typer.Option("--solvable", help="Also count those that can still be solved, in layers of a dual game.")
    ] = False,
    compression: Annotated[
        bool, typer.Option("--compression", help="Tell what it would take in each form and by each codec instead.")
    ] = False,
    forms: Annotated[
        str | None, typer.Option(metavar="NAMES", help="The forms to measure, with blanks or semicolons between them.")
    ] = None,
    codecs: Annotated[str | None, typer.Option(metavar="NAMES", help="The codecs to measure.")] = None,
    parts: Annotated[str | None, typer.Option(metavar="NAMES", help="The parts to measure.")] = None,
    as_json: Json = False,
) -> None:
    """Count the states of a database by their value, or measure how small it can be kept."""
    import searchbench as sb
    from searchbench.analyse.duality import solvable_by_depth
    from searchbench.errors import BadRequest

    database = sb.open_database(folder)
    if compression:
        _compression(database, _words(forms), _words(codecs), _words(parts), as_json)
        return
    if forms or codecs or parts:
        raise BadRequest("--forms, --codecs and --parts go with --compression")
    counts, rule = database.histogram(), database.rule
    left = solvable_by_depth(database) if solvable else {}
    if as_json:
        histogram = {rule.format(value): count for value, count in counts.items() if value is not None}
        facts: dict[str, Any] = {"states": database.states, "reachable": database.reachable, "histogram": histogram}
        show.write_json(facts | ({"solvable": {str(depth): n for depth, n in left.items()}} if solvable else {}))
        return
    show.write(f"{database.game}: {database.states:,} states, {database.reachable:,} with a value of {rule.name}")
    show.write()
    show.write(show.histogram(rule, counts))
    if solvable:
        show.write("\nof these can still be solved\n")
        show.write(show.histogram(rule, left))


def _words(text: str | None) -> list[str]:
    """Return names that stand between blanks or semicolons; the comma is part of such a name as every:4,1."""
    return (text or "").replace(";", " ").split()


def _compression(database: Database, forms: list[str], codecs: list[str], parts: list[str], as_json: bool) -> None:
    """Print what a database takes in each form and by each codec, and each part of it."""
    from searchbench.analyse.compression import CODECS, measure

    found = list(measure(database, forms, codecs or CODECS, parts))
    if as_json:
        show.write_json(
            [
                {
                    "form": kept.form,
                    "codec": kept.codec,
                    "numbers": kept.whole.numbers,
                    "bytes": kept.whole.bytes,
                    "factor": round(kept.whole.factor, 2),
                    "random": round(kept.random, 1),
                    "sequential": round(kept.sequential, 4),
                    "parts": {name: size._asdict() for name, size in kept.parts.items()},
                }
                for kept in found
            ]
        )
        return
    rows = [
        (
            kept.form,
            kept.codec,
            f"{kept.whole.bytes:,}",
            f"{kept.whole.factor:.2f}",
            f"{kept.random:.0f}",
            f"{kept.sequential:.3f}",
        )
        for kept in found
    ]
    numbers = found[0].whole.numbers
    show.write(
        f"{database.game}: {numbers:,} numbers; the factor is against a byte for each; probes in CPU microseconds\n"
    )
    show.write(show.table(rows, ("form", "codec", "bytes", "factor", "random", "in order")))
    if len(found[0].parts) > 1:
        heading = ("part", *(f"{kept.form} {kept.codec}" for kept in found))
        lines = [(name, *(f"{kept.parts[name].factor:.2f}" for kept in found)) for name in found[0].parts]
        show.write("\nfactors of the parts\n")
        show.write(show.table(lines, heading))
