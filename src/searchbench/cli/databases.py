"""Commands that make, check and count a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.board import counted
from searchbench.cli import show
from searchbench.cli.commands import Exit, Option
from searchbench.cli.derived import FieldsOf, derived
from searchbench.cli.options import (
    CertificateLeaves,
    Folder,
    GameName,
    Json,
    Kept,
    Memory,
    OwnGame,
    Progress,
    Resources,
    Rule,
    Threads,
)

if TYPE_CHECKING:
    from searchbench.analyse import RanksPrediction
    from searchbench.cli.progress import Reporter
    from searchbench.game import Game
    from searchbench.run import Run


def _solving() -> Sequence[Mapping[str, type[Any]]]:
    from searchbench.solvers.exhaustive import METHODS
    from searchbench.store import Keep

    return METHODS, {"to": Keep}


@derived
def solve(
    game: GameName,
    to: Annotated[Path | None, Option(metavar="DIR", help="Keep the database in this folder.")] = None,
    solver: Annotated[
        str | None, Option(metavar="NAME", help="retrograde, fixpoint, bfs or sweep; by default what suits the game.")
    ] = None,
    rule: Rule = None,
    device: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Solve on a graphics processor: cuda:0 is the first one; cuda:0,8GB takes so much of its memory.",
        ),
    ] = None,
    *,
    options: Annotated[dict[str, Any], FieldsOf(_solving)],
    resources: Resources,
    as_json: Json = False,
) -> None:
    """Solve every state of a game."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.exchange.mpi import world

    chosen, memory, threads = sb.load(game), resources.memory, resources.threads
    with Reporter(resources.progress) as reporter:
        if reporter.on_terminal and options.get("index") is None:
            form = options.get("form") if solver == "bfs" else None
            _announce(reporter, chosen, solver, options.get("parts"), rule, form, resources.run())
        database = sb.solve(chosen, rule, solver, to, memory, threads, reporter, device=device, **options)
    if world().rank > 0:
        return  # the first rank tells what all have done
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
    how += " by rows" * ("rows" in facts)
    compiled = f"compiled in {facts['compile_seconds']} s, " if facts.get("compile_seconds") else ""
    where = f"on {facts['device']}" if "device" in facts else counted(str(facts["threads"]), "thread")
    show.write(
        f"{facts['game']}: {facts['states']:,} states, {facts['reachable']:,} with a value; "
        f"{how}, {counted(str(facts['levels']), 'level')}, {compiled}solved in {facts['seconds']} s, "
        f"{where}{' (simulated)' * ('simulated' in facts)}"
    )
    if not facts["reachable"] and not database.game.two_players:
        show.write(
            "  no state is solved: `terminal` returns 0 for a solved state, and UNDECIDED for all others; "
            'a game of two players says values = "outcome"'
        )
    for name, group in database.facts.get("groups", {}).items():
        show.write(f"  part {name}: {counted(str(group['levels']), 'level')}, {group['seconds']} s")
    show.write("not kept: give --to DIR" if to is None else f"kept in {to}")


def _announce(
    reporter: Reporter, game: Game, solver: str | None, parts: str | None, rule: str | None, form: str | None, run: Run
) -> None:
    """Say on a terminal what it will take, if that is known at once; what is wrong with the request, `solve` will say."""
    from searchbench.analyse.predict import predict_at_once
    from searchbench.errors import SearchBenchError

    try:
        prediction = predict_at_once(game, solver, parts, rule, form, run)
    except SearchBenchError:
        return
    if prediction is not None:
        reporter.tell(str(prediction))


@dataclass(frozen=True)
class Extent:
    """Say what is predicted: the states that are reached, some layers, or several ranks."""

    index: Annotated[
        str | None, Option(metavar="NAME", help="reached: number the states that moves reach, which are listed first.")
    ] = None
    layers: Annotated[
        int | None,
        Option(
            metavar="N", help="Count the positions that up to so many moves reach, of a game that tells its digits."
        ),
    ] = None
    ranks: Annotated[
        int | None,
        Option(min=1, metavar="N", help="Predict for so many ranks, each with the memory and threads given."),
    ] = None
    memory_per_rank: Annotated[
        str | None, Option(metavar="SIZE", help="Memory of a rank, such as 200GB; the same as --memory with --ranks.")
    ] = None
    network: Annotated[
        str | None,
        Option(metavar="RATE", help="What a rank sends and receives, and perhaps the delay of a message: 10GB/s,5us."),
    ] = None


@derived
def predict(
    game: GameName,
    solver: Annotated[
        str | None, Option(metavar="NAME", help="retrograde, fixpoint, bfs or sweep; by default what suits the game.")
    ] = None,
    parts: Annotated[
        str | None, Option(metavar="NAMES", help="These parts and those they need, such as 4-4,5-3; or all.")
    ] = None,
    rule: Rule = None,
    memory: Memory = None,
    threads: Threads = None,
    *,
    extent: Extent,
    as_json: Json = False,
) -> None:
    """Predict from samples how much time, memory and disk `solve` will take."""
    import searchbench as sb
    from searchbench.analyse.predict import format_seconds
    from searchbench.errors import BadRequest

    index, layers, ranks = extent.index, extent.layers, extent.ranks
    memory_per_rank, network = extent.memory_per_rank, extent.network
    if ranks is None and (memory_per_rank, network) != (None, None):
        raise BadRequest("--memory-per-rank and --network belong to ranks: say how many, --ranks 64")
    if index is not None and (ranks, layers) != (None, None):
        raise BadRequest(f"--index {index}: {'--ranks' if layers is None else '--layers'} is not predicted with it")
    if layers is not None and (solver not in (None, "sweep") or (parts, rule) != (None, None)):
        raise BadRequest(
            "--layers predicts the solver sweep, of the whole game: it takes no other --solver, --parts or --rule"
        )
    if ranks is not None:
        from searchbench.analyse import predict_on_ranks, predict_sweep_on_ranks

        run, told = Resources(memory_per_rank or memory, threads).run(), {} if network is None else {"network": network}
        if layers is not None:
            _show_on_ranks(predict_sweep_on_ranks(sb.load(game), layers, ranks, run, **told), as_json)
        else:
            _show_on_ranks(predict_on_ranks(sb.load(game), ranks, solver, parts, rule, run, **told), as_json)
        return
    if layers is not None:
        _predict_layers(sb.load(game), layers, Resources(memory, threads).run(), as_json)
        return

    found = sb.predict(game, solver, parts, rule, memory, threads, index)
    if as_json:
        show.write_json(found.as_dict())
        return
    rows = [
        (
            group.name,
            f"{group.numbers:,}",
            f"{group.positions:,}",
            f"{group.expanded:,}",
            f"{group.rates.edges:.2f}" if group.rates.edges else "-",
            f"{1e9 * group.rates.initialise:.0f}",
            f"{1e9 * group.rates.expand:.0f}",
            f"{1e9 * group.rates.apply:.0f}" if group.rates.edges else "-",
            format_seconds(group.cpu),
            format_seconds(group.most),
        )
        for group in found.groups
    ]
    heading = (
        "parts",
        "numbers",
        "positions",
        "expanded",
        "edges",
        "look ns",
        "expand ns",
        "edge ns",
        "CPU",
        "at most",
    )
    show.write(show.table(rows, heading))
    show.write(f"\n{found}")


def _show_on_ranks(found: RanksPrediction, as_json: bool) -> None:
    from searchbench.analyse.predict import format_seconds
    from searchbench.run import format_memory

    if as_json:
        show.write_json(found.as_dict())
        return
    first = found.scaling[0].seconds
    rows = [
        (
            f"{cost.ranks:,}",
            format_seconds(cost.seconds),
            f"{first / cost.seconds:.1f}" if cost.seconds else "",
            format_memory(cost.traffic),
            format_memory(cost.memory),
        )
        for cost in found.scaling
    ]
    show.write(show.table(rows, ("ranks", "time", "times as quick", "traffic", "memory of each")))
    show.write(f"\n{found}")


def _predict_layers(game: Game, most: int, run: Run, as_json: bool) -> None:
    from searchbench.analyse.diagrams import predict_layers

    found = predict_layers(game, most, run)
    if as_json:
        show.write_json(found.as_dict())
        return
    rows = [
        (str(layer), f"{reached:,}", f"{undecided:,}")
        for layer, (reached, undecided) in enumerate(zip(found.reachable, found.undecided, strict=True))
    ]
    show.write(show.table(rows, ("layer", "reachable", "undecided")))
    show.write(f"\n{found}")


@derived
def verify(
    folder: Kept,
    resources: Resources,
    work: Annotated[
        Path | None, Option(metavar="DIR", help="Note here what was found right, and go on with the rest.")
    ] = None,
    parts: Annotated[
        str | None, Option(metavar="NAMES", help="Check these parts only, such as 4-4,5-3; by default all.")
    ] = None,
    leaves: CertificateLeaves = None,
    game: OwnGame = None,
    as_json: Json = False,
) -> None:
    """Check every value of a database by looking one move ahead, or every record of a certificate, with the rules alone."""
    from searchbench.cli import certificates
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest
    from searchbench.store import Certificate, open_kept

    database = open_kept(folder, game)
    with Reporter(resources.progress) as reporter:
        run = resources.run(reporter)
        if isinstance(database, Certificate):
            if work is not None or parts is not None:
                raise BadRequest(f"{folder} is a certificate: --work and --parts are for databases")
            certificates.verify(database, leaves, run, as_json)
            return
        if leaves is not None:
            raise BadRequest(f"{folder} is a database: --leaves is for certificates")
        report = database.verify(run, work=work, parts=parts)
    if as_json:
        found = {"found": [str(fault) for fault in report.faults]} if report.count else {}
        note = {"note": report.note} if report.note else {}
        show.write_json({"states": report.states, "faults": report.count, **found, **note})
    else:
        show.write(report)
    if report.count:
        raise Exit(10)


def repair(
    folder: Folder,
    game: OwnGame = None,
    memory: Memory = None,
    threads: Threads = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Work out anew what `verify` finds wrong, what is in damaged or missing chunks, and what rests on it."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        found = sb.repair(folder, game, memory=memory, threads=threads, progress=reporter)
    if as_json:
        show.write_json(found.as_dict())
    else:
        show.write(found)
