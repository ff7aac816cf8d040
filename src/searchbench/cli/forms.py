"""Commands about the forms in which a database is kept: convert it, and tell what each form takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from searchbench.cli import show
from searchbench.cli.commands import Option
from searchbench.cli.options import Codec, Folder, Json, OwnGame

if TYPE_CHECKING:
    from searchbench.store import Database


def convert(
    folder: Folder,
    to: Annotated[Path, Option(metavar="DIR", help="Keep the converted database in this folder.")],
    form: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="values, filled, base-3, two-bit, one-bit, best-move, every:D[,R] or parity; by default all values.",
        ),
    ] = None,
    codec: Codec = None,
    parts: Annotated[
        str | None, Option(metavar="NAMES", help="Keep only these parts, such as 3-3,4-3; by default all.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Replace the database that is there.")] = False,
    game: OwnGame = None,
    as_json: Json = False,
) -> None:
    """Keep a database in another form, compressed by another codec, or only some parts of it."""
    import searchbench as sb
    from searchbench.store.folder import bytes_on_disk
    from searchbench.store.opening import read_header

    database, before = sb.open_database(folder, game), bytes_on_disk(folder)
    converted = database.convert(to, form, codec, parts, force)
    header, after = read_header(to), bytes_on_disk(to)
    if as_json:
        show.write_json({"form": header.kept_as, "codec": header.codec, "values": converted.rule.name,
                         "parts": [part.name for part in converted.parts], "bytes": after, "before": before})  # fmt: skip
        return
    some = "" if parts is None else f" ({', '.join(part.name for part in converted.parts)})"
    show.write(
        f"{converted.game}{some}: {header.kept_as}, {header.codec}: {after:,} bytes, before {before:,}; kept in {to}"
    )


def words(text: str | None) -> list[str]:
    """Return names that stand between blanks or semicolons; the comma is part of such a name as every:4,1."""
    return (text or "").replace(";", " ").split()


def tell_compression(database: Database, forms: list[str], codecs: list[str], parts: list[str], as_json: bool) -> None:
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
