"""The command that counts the states of a database by their value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.cli import show
from searchbench.cli.commands import Option
from searchbench.cli.conditions import Among
from searchbench.cli.derived import derived
from searchbench.cli.forms import tell_compression, words
from searchbench.cli.options import Json, Kept, OwnGame

if TYPE_CHECKING:
    from searchbench.store import Database
    from searchbench.values import Value


@dataclass(frozen=True)
class Compression:
    """Say how compression is measured."""

    compression: Annotated[
        bool, Option("--compression", help="Tell what it would take in each form and by each codec instead.")
    ] = False
    forms: Annotated[
        str | None, Option(metavar="NAMES", help="The forms to measure, with blanks or semicolons between them.")
    ] = None
    codecs: Annotated[str | None, Option(metavar="NAMES", help="The codecs to measure.")] = None


@dataclass(frozen=True)
class Counting:
    """Say which states are counted together."""

    solvable: Annotated[
        bool, Option("--solvable", help="Also count those that can still be solved, in layers of a dual game.")
    ] = False
    by: Annotated[
        str | None,
        Option(
            metavar="WHAT",
            help="Count for each `part`, each `side` to move, or `layer` of a game whose parts are layers.",
        ),
    ] = None
    csv: Annotated[bool, Option("--csv", help="Write the counts of --by as comma-separated values.")] = False


@derived
def stats(
    folder: Kept,
    measured: Compression,
    counting: Counting,
    among: Among,
    game: OwnGame = None,
    as_json: Json = False,
) -> None:
    """Count the states of a database by their value or the records of a certificate by ply, or measure forms of a database."""
    from searchbench.cli import certificates
    from searchbench.errors import BadRequest
    from searchbench.store import Certificate, open_kept
    from searchbench.store.slices import chosen_parts

    database = open_kept(folder, game)
    if isinstance(database, Certificate):
        if (counting, measured, among) != (Counting(), Compression(), Among()):
            raise BadRequest(f"{folder} is a certificate: of the options, it takes --game and --json")
        certificates.stats(database, as_json)
        return
    by = counting.by
    if counting.solvable and among != Among():
        raise BadRequest("--solvable counts all states: leave the conditions out")
    if measured.compression:
        if not among.by_part:
            raise BadRequest("--compression measures whole parts: of the conditions, it takes --parts")
        names = [] if among.parts is None else [part.name for part in chosen_parts(database, among.parts)]
        tell_compression(database, words(measured.forms), words(measured.codecs), names, as_json)
        return
    if measured != Compression():
        raise BadRequest("--forms and --codecs go with --compression")
    database = among.cut(database)
    if by is not None:
        _by(database, by, among, counting.csv, as_json)
        return
    if counting.csv:
        raise BadRequest("--csv goes with --by part, --by side or --by layer")
    counts = database.histogram() if among.by_part else _counts(database, among)
    rule, left = database.rule, _solvable(database) if counting.solvable else {}
    states, reachable = sum(counts.values()), sum(count for value, count in counts.items() if value is not None)
    if as_json:
        histogram = {rule.format(value): count for value, count in counts.items() if value is not None}
        facts: dict[str, Any] = {"states": states, "reachable": reachable, "histogram": histogram}
        show.write_json(facts | ({"solvable": {str(depth): n for depth, n in left.items()}} if left else {}))
        return
    show.write(f"{database.game}: {states:,} states, {reachable:,} with a value of {rule.name}")
    show.write()
    show.write(show.histogram(rule, counts))
    if left:
        show.write("\nof these can still be solved\n")
        show.write(show.histogram(rule, left))


def _counts(database: Database, among: Among) -> dict[Value, int]:
    """Return how many of the states that meet the conditions have each value."""
    return database.tally(among.interval(database), among.test(), among.condition(database.game))


def _counts_by(database: Database, by: str, among: Among) -> dict[str, dict[Value, int]]:
    """Return the same for each side to move, or for each part."""
    from searchbench.store.positions import side_names

    numbers, test = among.interval(database), among.test()
    if by == "side":
        return {
            name: database.tally(numbers, test, among.condition(database.game, side))
            for side, name in enumerate(side_names(database.game))
        }
    where, (first, stop) = among.condition(database.game), numbers or (0, database.size)
    shares = {part.name: (max(first, part.start), min(stop, part.stop)) for part in database.parts}
    return {name: database.tally((begin, max(begin, end)), test, where) for name, (begin, end) in shares.items()}


def _by(database: Database, by: str, among: Among, csv: bool, as_json: bool) -> None:
    from searchbench.analyse.by_part import counts_by_part, table_of
    from searchbench.errors import BadRequest

    if among.by_part and by != "side":
        heading, rows = counts_by_part(database, by)
    elif by == "layer":
        raise BadRequest("--by layer counts whole layers: of the conditions, it takes --parts")
    else:
        heading, rows = table_of(database.rule, by, _counts_by(database, by, among))
    if as_json:
        show.write_json([dict(zip(heading, (name, *counts), strict=True)) for name, counts in rows])
    elif csv:
        show.write("\n".join([",".join(heading), *(",".join([name, *map(str, counts)]) for name, counts in rows)]))
    else:
        show.write(show.table([[name, *(f"{count:,}" for count in counts)] for name, counts in rows], heading))


def _solvable(database: Database) -> dict[int, int]:
    from searchbench.analyse.duality import solvable_by_depth

    return solvable_by_depth(database)
