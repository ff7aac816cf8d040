"""Commands about one state: search a puzzle, prove a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.cli import show
from searchbench.cli.commands import Exit, Option
from searchbench.cli.derived import FieldsOf, derived
from searchbench.cli.options import Ends, GameName, Json, OwnGames, Resources, StateText

if TYPE_CHECKING:
    from searchbench.analyse.compare import Result
    from searchbench.line import Line
    from searchbench.proof import Proof


def _guided() -> Sequence[Mapping[str, type[Any]]]:
    from searchbench.solvers.guided import METHODS

    return (METHODS,)


def _proving() -> Sequence[Mapping[str, type[Any]]]:
    from searchbench.solvers.proof import METHODS

    return (METHODS,)


@dataclass(frozen=True)
class Instances:
    """Say which states are searched."""

    state: StateText = "start"
    states: Annotated[
        str | None,
        Option(
            "--from",
            metavar="FILE",
            help="Search all states in a file, one to a line; - is standard input. Of a game with levels, all levels.",
        ),
    ] = None


@dataclass(frozen=True)
class Resumable(Resources):
    """Say what a search may use, and where it keeps how far it is."""

    work: Annotated[
        Path | None, Option(metavar="DIR", help="idastar: keep how far the search is, and go on from there.")
    ] = None


@dataclass(frozen=True)
class Output:
    """Say how results are printed."""

    style: Annotated[str, Option("--format", metavar="NAME", help="text, json or csv.")] = "text"
    as_json: Json = False

    def chosen(self) -> str:
        """Return the format. Raises BadRequest."""
        from searchbench.cli.instances import FORMATS
        from searchbench.errors import BadRequest

        if self.style not in FORMATS:
            raise BadRequest(f"format {self.style!r}: there are {', '.join(FORMATS)}")
        return "json" if self.as_json else self.style


@derived
def search(
    game: GameName,
    of: Instances,
    method: Annotated[
        str,
        Option(
            metavar="NAME",
            help="idastar, astar, bestfirst or dual; of games with features or enhancements, such as Sokoban, also featurespace "
            "and enhanced. By default what suits the game.",
        ),
    ] = "",
    *,
    options: Annotated[dict[str, Any], FieldsOf(_guided)],
    abstractions: OwnGames = None,
    ends: Ends,
    resources: Resumable,
    output: Output,
) -> None:
    """Search for a line from one state of a puzzle to a solved one, or from each of many."""
    import searchbench as sb
    from searchbench.cli import instances, levels
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest
    from searchbench.solvers.guided import search_levels, search_many
    from searchbench.tried import try_before, try_levels

    style = output.chosen()
    if of.states is None and style != "csv":
        compiled = show.compilation("searched")
        with Reporter(resources.progress) as reporter:
            if abstractions and "h" in options:
                options["h"] = sb.heuristic(sb.load(game), options["h"], abstractions)
            memory, threads, work = resources.memory, resources.threads, resources.work
            options |= ends.given()
            line = sb.search(game, of.state, method or None, memory, reporter, threads, work, **options)
        _show_line(line, style == "json", compiled())
        return
    if resources.work is not None:
        raise BadRequest(
            "--work: the search of one state, shown as text or JSON, can be kept; give no --from and no csv"
        )
    if method == "dual":
        raise BadRequest(
            "method 'dual': it searches from the start alone, shown as text or JSON; give no --from and no csv"
        )
    chosen = sb.load(game)
    if of.states is not None and of.state != "start":
        raise BadRequest(f"the state {of.state!r} and --from {of.states}: give one of them")
    games = None if of.states is None else instances.levels_in(chosen, of.states)
    if "h" in options:
        options["h"] = sb.heuristic(chosen, options["h"], abstractions)
    if games is None:
        wanted = [chosen.read(of.state)] if of.states is None else instances.states_in(chosen, of.states)
        try_before("search", chosen)
    else:
        try_levels(games)
    with Reporter(resources.progress) as reporter:
        how = method or None, resources.run(reporter), ends.limits()
        searched = (
            search_many(chosen, wanted, *how, **options) if games is None else search_levels(games, *how, **options)
        )
        checked = instances.tried(searched)
        found = instances.write(checked, chosen, style) if games is None else levels.write(games, checked, style)
    if instances.exit_code(found):
        raise Exit(instances.exit_code(found))


def _show_line(line: Line, as_json: bool, compiled: str) -> None:
    solution = line.game.solution(line.moves) if list(line.start) == line.game.start() else ""
    if as_json:
        figures = {
            "cost": line.cost,
            "optimal": line.optimal,
            "moves": line.move_texts(),
            "nodes": line.nodes,
            "seconds": round(line.seconds, 6),
        }
        show.write_json(figures | ({"solution": solution} if solution else {}))
        return
    show.write(show.line(line))
    if solution:
        show.write(f"\nsolution {solution}")
    show.write(f"\ncost {line.cost}{'' if line.optimal else ' (perhaps not the least)'}, {line.nodes:,} nodes, "
               f"{compiled}{line.seconds:.3f} s")  # fmt: skip


@derived
def compare(
    game: GameName,
    states: Annotated[
        str,
        Option(
            "--from",
            metavar="FILE",
            help="The states, one to a line; - is standard input. Of a game with levels, all levels.",
        ),
    ],
    configurations: Annotated[
        list[str],
        Option("--with", metavar="CONFIG", help="A configuration such as 'idastar h=linear-conflict order=bound'."),
    ],
    ends: Ends,
    resources: Resources,
    abstractions: OwnGames = None,
    plot: Annotated[
        Path | None, Option(metavar="FILE", help="Draw how many are solved within how many nodes, as SVG.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search many states with several configurations, and compare what they solve and what it takes."""
    import searchbench as sb
    from searchbench.analyse.compare import compare as compare_all
    from searchbench.analyse.compare import compare_on_levels, contestant
    from searchbench.cli import instances
    from searchbench.cli.progress import Reporter
    from searchbench.drawing import effort_svg
    from searchbench.tried import try_before, try_levels

    show.check_drawing(plot)
    chosen = sb.load(game)
    games = instances.levels_in(chosen, states)
    chosen_ones = [contestant(chosen, text, abstractions) for text in configurations]
    results = []
    with Reporter(resources.progress) as reporter:
        how = chosen_ones, resources.run(reporter), ends.limits()
        if games is None:
            wanted = instances.states_in(chosen, states)
            try_before("search", chosen)
            compared = compare_all(chosen, wanted, *how)
        else:
            try_levels(games)
            compared = compare_on_levels(games, *how)
        for result in compared:
            instances.try_lines(result.attempts)
            results.append(result)
    if plot is not None:
        efforts = {result.configuration: result.efforts for result in results}
        show.draw(effort_svg(efforts, len(results[0].attempts)), plot)
    refused = results[0].refused
    if as_json:
        show.write_json([result.as_dict() for result in results])
    else:
        _show_results(results)
        for reason in refused:
            show.write(f"refused: {reason}")
    if refused:
        raise Exit(30)


def _show_results(results: Sequence[Result]) -> None:
    from searchbench.drawing import effort_rows

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
    heading, counts = effort_rows({result.configuration: result.efforts for result in results})
    show.write("\n" + show.table(counts, heading))


@dataclass(frozen=True)
class CertificateFile:
    """Say where a proof is kept."""

    to: Annotated[Path | None, Option(metavar="FILE", help="Write the proof to this file, as a certificate.")] = None
    force: Annotated[bool, Option("--force", help="Replace the certificate that is there.")] = False


@derived
def prove(
    game: GameName,
    state: StateText = "start",
    method: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="portfolio, pns, alphabeta, dfpn, graph or threats; to compare with: conspiracy, sss, bstar, mst. By default "
            "portfolio, with its options pns, with leaves alphabeta, for qubic graph.",
        ),
    ] = None,
    *,
    options: Annotated[dict[str, Any], FieldsOf(_proving)],
    file: CertificateFile,
    ends: Ends,
    resources: Resources,
    as_json: Json = False,
) -> None:
    """Prove the value of one state of a two-player game, for the player to move."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest
    from searchbench.store.certificate import certificate_of, check_new

    to = file.to
    if to is not None:
        check_new(to, file.force)
        if options.get("evidence") is False:
            raise BadRequest("--no-evidence: a certificate is evidence; give no --to")
    # With leaves, evidence takes far longer than the proof.
    compiled = show.compilation("proved")
    gathered = options.setdefault("evidence", to is not None or "leaves" not in options)
    with Reporter(resources.progress) as reporter:

        def told(proof: Proof) -> None:
            if not as_json:
                with reporter.paused():
                    _write_value(proof, compiled())

        memory, threads = resources.memory, resources.threads
        proof = sb.prove(game, state, method, memory, reporter, threads, told=told, **options, **ends.given())
    evidence = "incomplete" if proof.incomplete else "complete"
    kept = None if to is None else certificate_of(proof)
    if to is not None and kept is not None:
        kept.write(to, file.force)
    if as_json:
        found = {"value": proof.value, "nodes": proof.nodes, "seconds": round(proof.seconds, 6)}
        # A search that asks a database of the same game goes on where that has no answer: it leaves nothing unknown.
        unknown = proof.facts.get("unknown leaves", None if gathered or proof.leaves is None else 0)
        found |= {"evidence": evidence} if gathered else {}
        if to is not None and kept is not None:
            found |= {"certificate": str(to), "records": kept.records, "bytes": to.stat().st_size}
        show.write_json(found | ({} if unknown is None else {"unknown leaves": unknown}))
    elif gathered:
        sizes = " and ".join(f"{len(claim.strategy):,}" for claim in proof.claims)
        strategies = f": strategies of {sizes} states" if sizes else ""
        why = f", {proof.incomplete}" if proof.incomplete else ""
        show.write(f"evidence {evidence}{strategies}{why}")
        if to is not None:
            show.write(f"kept in {to}, {to.stat().st_size:,} bytes")
    if proof.is_open:
        raise Exit(20)


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
