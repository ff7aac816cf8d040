"""Commands about one state: search a puzzle, prove a game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.cli import show
from searchbench.cli.commands import Exit, Option
from searchbench.cli.derived import derived
from searchbench.cli.options import GameName, Json, Memory, OwnGame, OwnGames, Progress, StateText, Threads

if TYPE_CHECKING:
    from searchbench.line import Line
    from searchbench.proof import Proof
    from searchbench.solvers.guided import Guided

Nodes = Annotated[int | None, Option(min=1, help="Stop after so many nodes.")]
Seconds = Annotated[float | None, Option(min=0.0, help="Stop after so many seconds.")]


def _methods() -> Mapping[str, type[Guided]]:
    from searchbench.solvers.guided import METHODS

    return METHODS


@derived(_methods, after="method")
def search(
    game: GameName,
    state: StateText = "start",
    states: Annotated[
        str | None,
        Option("--from", metavar="FILE", help="Search all states in a file, one to a line; - is standard input."),
    ] = None,
    method: Annotated[
        str, Option(metavar="NAME", help="idastar, astar, bestfirst or dual; by default what suits the size.")
    ] = "",
    abstractions: OwnGames = None,
    nodes: Nodes = None,
    seconds: Seconds = None,
    memory: Memory = None,
    threads: Threads = None,
    work: Annotated[
        Path | None, Option(metavar="DIR", help="idastar: keep how far the search is, and go on from there.")
    ] = None,
    style: Annotated[str, Option("--format", metavar="NAME", help="text, json or csv.")] = "text",
    as_json: Json = False,
    progress: Progress = None,
    **options: Any,
) -> None:
    """Search for a line from one state of a puzzle to a solved one, or from each of many."""
    import searchbench as sb
    from searchbench.cli import instances
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest
    from searchbench.run import Limits, Run, parse_memory
    from searchbench.solvers.guided import search_many

    if style not in instances.FORMATS:
        raise BadRequest(f"format {style!r}: there are {', '.join(instances.FORMATS)}")
    style = "json" if as_json else style
    options = {name: value for name, value in options.items() if value is not None}
    if states is None and style != "csv":
        compiled = show.compilation("searched")
        with Reporter(progress) as reporter:
            if abstractions and "h" in options:
                options["h"] = sb.heuristic(sb.load(game), options["h"], abstractions)
            options |= _limits(nodes, seconds)
            line = sb.search(game, state, method or None, memory, reporter, threads, work, **options)
        _show_line(line, style == "json", compiled())
        return
    if work is not None:
        raise BadRequest(
            "--work: the search of one state, shown as text or JSON, can be kept; give no --from and no csv"
        )
    chosen = sb.load(game)
    if states is not None and state != "start":
        raise BadRequest(f"the state {state!r} and --from {states}: give one of them")
    wanted = [chosen.read(state)] if states is None else instances.states_in(chosen, states)
    if "h" in options:
        options["h"] = sb.heuristic(chosen, options["h"], abstractions)
    with Reporter(progress) as reporter:
        run = Run(memory=parse_memory(memory or 0), threads=threads or 0, report=reporter)
        limits = Limits(nodes or 0, seconds or 0.0)
        found = instances.write(search_many(chosen, wanted, method or None, run, limits, **options), chosen, style)
    if instances.exit_code(found):
        raise Exit(instances.exit_code(found))


def _show_line(line: Line, as_json: bool, compiled: str) -> None:
    if as_json:
        show.write_json(
            {"cost": line.cost, "moves": line.move_texts(), "nodes": line.nodes, "seconds": round(line.seconds, 6)}
        )
        return
    show.write(show.line(line))
    show.write(f"\ncost {line.cost}{'' if line.optimal else ' (perhaps not the least)'}, {line.nodes:,} nodes, "
               f"{compiled}{line.seconds:.3f} s")  # fmt: skip


def compare(
    game: GameName,
    states: Annotated[str, Option("--from", metavar="FILE", help="The states, one to a line; - is standard input.")],
    configurations: Annotated[
        list[str],
        Option("--with", metavar="CONFIG", help="A configuration such as 'idastar h=linear-conflict order=bound'."),
    ],
    nodes: Nodes = None,
    seconds: Seconds = None,
    memory: Memory = None,
    threads: Threads = None,
    abstractions: OwnGames = None,
    plot: Annotated[
        Path | None, Option(metavar="FILE", help="Draw how many are solved within how many nodes, as SVG.")
    ] = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Search many states with several configurations, and compare what they solve and what it takes."""
    import searchbench as sb
    from searchbench.analyse.compare import compare as compare_all
    from searchbench.analyse.compare import contestant
    from searchbench.cli import instances
    from searchbench.cli.progress import Reporter
    from searchbench.drawing import effort_rows, effort_svg
    from searchbench.run import Limits, Run, parse_memory

    chosen = sb.load(game)
    wanted = instances.states_in(chosen, states)
    chosen_ones = [contestant(chosen, text, abstractions) for text in configurations]
    with Reporter(progress) as reporter:
        run = Run(memory=parse_memory(memory or 0), threads=threads or 0, report=reporter)
        results = list(compare_all(chosen, wanted, chosen_ones, run, Limits(nodes or 0, seconds or 0.0)))
    efforts = {result.configuration: result.efforts for result in results}
    if plot is not None:
        _draw(effort_svg(efforts, len(wanted)), plot)
    if as_json:
        show.write_json([result.as_dict() for result in results])
        return
    rows = [
        (
            result.configuration,
            f"{result.solved} of {len(result.attempts)}",
            f"{result.unsolvable}",
            f"{result.cost:,}",
            f"{result.nodes:,}",
            f"{result.seconds:.3f} s",
            f"{result.nodes / max(result.seconds, 1e-9) / 1e6:.2f}",
        )
        for result in results
    ]
    show.write(show.table(rows, ("configuration", "solved", "unsolvable", "cost", "nodes", "time", "million nodes/s")))
    heading, counts = effort_rows(efforts)
    show.write("\n" + show.table(counts, heading))


def _draw(picture: str, place: Path) -> None:
    from searchbench.errors import BadRequest

    try:
        place.write_text(picture)
    except OSError as error:
        raise BadRequest(f"{place}: the graph cannot be written: {error}") from None


def prove(
    game: GameName,
    state: StateText = "start",
    method: Annotated[
        str | None, Option(metavar="NAME", help="pns or alphabeta; by default pns, with leaves alphabeta.")
    ] = None,
    leaves: Annotated[
        Path | None, Option(metavar="DIR", help="A database that knows the outcome of states where search ends.")
    ] = None,
    parts: Annotated[
        str | None, Option(metavar="NAMES", help="Use only these of its parts, such as 9-9,9-8,8-9,8-8.")
    ] = None,
    book: Annotated[
        Path | None, Option(metavar="FILE", help="Keep what is found near the start, and go on with it.")
    ] = None,
    plies: Annotated[int, Option(min=1, help="After how many plies that is.")] = 8,
    leaves_game: OwnGame = None,
    nodes: Nodes = None,
    seconds: Seconds = None,
    memory: Memory = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Prove the value of one state of a two-player game, for the player to move."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    compiled = show.compilation("proved")
    with Reporter(progress) as reporter:

        def told(proof: Proof) -> None:
            if not as_json:
                with reporter.paused():
                    _write_value(proof, compiled())

        proof = sb.prove(
            game, state, method, memory, reporter, leaves, parts, book, plies,
            leaves_game, evidence=leaves is None, told=told, **_limits(nodes, seconds),
        )  # fmt: skip
    evidence = "incomplete" if proof.incomplete else "complete"
    if as_json:
        found = {"value": proof.value, "nodes": proof.nodes, "seconds": round(proof.seconds, 6)}
        unknown = proof.facts.get("unknown leaves")
        found |= {"evidence": evidence} if leaves is None else {}
        show.write_json(found | ({} if unknown is None else {"unknown leaves": unknown}))
    elif leaves is None:
        sizes = " and ".join(f"{len(claim.strategy):,}" for claim in proof.claims)
        strategies = f": strategies of {sizes} states" if sizes else ""
        show.write(f"evidence {evidence}{strategies}")


def _write_value(proof: Proof, compiled: str) -> None:
    unknown = proof.facts.get("unknown leaves")
    met = "" if unknown is None else f", {unknown:,} unknown leaves"
    show.write(proof.game.picture(proof.state))
    show.write(
        f"\n{proof.value} for the player to move; {proof.method}, {proof.nodes:,} nodes{met}, "
        f"{compiled}{proof.seconds:.3f} s"
    )
    for answers in proof.facts.get("book", ()):
        show.write(answers)


def _limits(nodes: int | None, seconds: float | None) -> dict[str, Any]:
    return {name: value for name, value in (("nodes", nodes), ("seconds", seconds)) if value is not None}
