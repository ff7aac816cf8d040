"""Commands that hand ground truth to those who learn: export positions, grade a policy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from searchbench.cli import show
from searchbench.cli.commands import Option
from searchbench.cli.conditions import function_in
from searchbench.cli.derived import derived
from searchbench.cli.options import Folder, Json, OwnGame, Progress

if TYPE_CHECKING:
    from searchbench.store import Database


@dataclass(frozen=True)
class Chosen:
    """Say which positions are wanted."""

    sample: Annotated[int | None, Option(min=1, metavar="N", help="Only so many positions, chosen at random.")] = None
    seed: Annotated[int, Option(min=0, help="Seed of the random choice.")] = 0
    value: Annotated[
        str | None, Option(metavar="V", help="Only positions with this value: 31, 20-25, draw, 'win 3-9'.")
    ] = None
    where: Annotated[
        str | None, Option(metavar="EXPR", help="Only positions that meet this condition, such as 'mover == 0'.")
    ] = None


@dataclass(frozen=True)
class Tabled:
    """Say what a table holds, a file that ends in .npz."""

    parts: Annotated[
        str | None, Option(metavar="NAMES", help="Of a table: only these parts, such as 3-3,4-3; by default all.")
    ] = None
    cells: Annotated[bool, Option("--cells", help="Of a table: also the cells of every position.")] = False


@dataclass(frozen=True)
class Written:
    """Say how a file is written."""

    symmetric: Annotated[
        bool,
        Option(
            "--symmetric",
            help="Also the symmetric copies of each position, of a game that tells its symmetries; of a table with --cells.",
        ),
    ] = False
    force: Annotated[bool, Option("--force", help="Replace a file that exists.")] = False


@derived
def export(
    folder: Folder,
    to: Annotated[
        Path, Option(metavar="FILE", help="What to write: FILE.parquet, or FILE.npz, a table of values by number.")
    ],
    chosen: Chosen,
    tabled: Tabled,
    written: Written,
    game: OwnGame = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Write positions with values, moves and best moves into a Parquet file, or a table of all values into an .npz file."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest
    from searchbench.learning import export as write

    database = sb.open_database(folder, game)
    if to.suffix == ".npz":
        if chosen != Chosen():
            raise BadRequest(
                f"{to}: a table has all positions; --sample, --seed, --value and --where are for Parquet files"
            )
        _export_table(database, to, tabled, written, as_json)
        return
    if tabled != Tabled():
        raise BadRequest(
            f"{to}: --parts and --cells are for tables, files that end in .npz; a Parquet file takes --value and --where"
        )
    with Reporter(progress) as reporter:
        done = write(
            database,
            to,
            chosen.sample,
            chosen.seed,
            written.force,
            sb.Run(report=reporter),
            written.symmetric,
            value=chosen.value,
            where=chosen.where,
        )
    if as_json:
        show.write_json({"path": str(done.path), "positions": done.positions, "moves": done.moves, "bytes": done.bytes})
        return
    show.write(f"{database.game}: {done.positions:,} positions, {done.moves:,} moves, {done.bytes:,} bytes in {to}")


def _export_table(database: Database, to: Path, tabled: Tabled, written: Written, as_json: bool) -> None:
    from searchbench.learning import write_table

    done = write_table(database, to, tabled.parts, tabled.cells, written.force, symmetric=written.symmetric)
    if as_json:
        show.write_json(
            {"path": str(done.path), "positions": done.positions, "parts": list(done.parts), "bytes": done.bytes}
        )
        return
    show.write(f"{database.game}: {done.positions:,} positions, {done.bytes:,} bytes in {to}")


@derived
def grade(
    folder: Folder,
    policy: Annotated[
        str,
        Option(
            metavar="FILE.py:FUNCTION", help="Your function: called with the cells and the legal moves, returns a move."
        ),
    ],
    chosen: Chosen,
    game: OwnGame = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Grade a policy of your own: how often, and by how much, its moves are worse than the best ones."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.learning import grade as compare
    from searchbench.learning.truths import UNBOUNDED

    database = sb.open_database(folder, game)
    function = function_in(policy, "--policy")
    with Reporter(progress) as reporter:
        sample, run = chosen.sample or 10_000, sb.Run(report=reporter)
        found = compare(database, function, sample, chosen.seed, run, value=chosen.value, where=chosen.where)
    if as_json:
        show.write_json(found.as_dict())
        return
    show.write(
        f"{database.game}: {found.positions:,} positions; best {found.best / found.positions:.1%}, value kept "
        f"{found.kept / found.positions:.1%}, mean regret {found.regret:.3f}"
        + (f"; after {found.spoiled:,} moves it cannot be solved any more" if found.spoiled else "")
    )
    format_move = database.game.format_move
    for one in found.worst:
        state, text = one.position.state, one.position.text
        lost = "no solution any more" if one.regret == UNBOUNDED else f"-{one.regret:,}"
        show.write(f"{text}   {format_move(state, one.move)}, best {format_move(state, one.best)}: {lost}")
