"""Commands about many states at once: all completions of a pattern, and solving in steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from searchbench.cli import show
from searchbench.cli.commands import Argument, Exit, Option
from searchbench.cli.options import GameName, Json, Memory, OwnGame, Progress, StateText, Threads

if TYPE_CHECKING:
    from searchbench import Detours

SHOWN: Final = 10
"""How many states are shown that may take more moves than a limit."""


def together(
    game: GameName,
    state: StateText,
    like: Annotated[
        Path, Option(metavar="DIR", help="The database of an abstraction: its states that look alike are solved.")
    ],
    limit: Annotated[int | None, Option(min=0, help="Leave states open that cost more.")] = None,
    work: Annotated[
        Path | None, Option(metavar="DIR", help="Keep the unfinished work here, and go on with it.")
    ] = None,
    hardest: Annotated[int, Option(min=0, metavar="N", help="Show so many of the most costly states.")] = 0,
    like_game: OwnGame = None,
    memory: Memory = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Solve together all states of a puzzle that look like one of them, and count them by cost."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        found = sb.together(game, state, like, limit, memory, reporter, work, like_game)
    dearest = sorted(found.costs.items(), key=lambda one: -one[1])[:hardest]
    if as_json:
        show.write_json(
            {
                "costs": {str(cost): count for cost, count in found.histogram().items()},
                "open": len(found.open),
                "bound": found.bound if found.open else None,
                "nodes": found.nodes,
                "seconds": round(found.seconds, 3),
                "hardest": [{"state": found.game.format(one), "cost": cost} for one, cost in dearest],
            }
        )
        return
    show.write(show.table([(str(cost), f"{count:,}") for cost, count in found.histogram().items()], ("cost", "states")))
    for one, cost in dearest:
        show.write(f"{found.game.format(one)}   {cost}")
    if found.open:
        show.write(f"{len(found.open):,} states are open: each costs at least {found.bound}")
    show.write(f"{found.nodes:,} nodes, {found.seconds:.3f} s")


def subgoals(
    game: GameName,
    steps: Annotated[
        list[str], Argument(metavar="STEP...", help="The pieces that each step brings home, such as 12-13-14-15.")
    ],
    state: Annotated[str | None, Option(metavar="STATE", help="Show a line from this state, step by step.")] = None,
    to: Annotated[Path | None, Option(metavar="DIR", help="Keep the steps' databases in this folder.")] = None,
    at_most: Annotated[
        int | None,
        Option(min=0, metavar="N", help="Prove that no state takes more moves, by detours in the first step."),
    ] = None,
    detour: Annotated[
        int | None, Option(min=0, metavar="N", help="How much longer than the shortest way a detour may be.")
    ] = None,
    work: Annotated[
        Path | None, Option(metavar="DIR", help="Keep the unfinished work of the proof here, and go on with it.")
    ] = None,
    memory: Memory = None,
    threads: Threads = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Solve a puzzle in steps that leave alone what is home: how many moves each takes, and all together at most."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest

    if at_most is None and (detour is not None or work is not None):
        raise BadRequest("--detour and --work are for a proof: say with --at-most what is to be proved")
    with Reporter(progress) as reporter:
        found = sb.subgoals(game, steps, to, memory, threads, reporter)
        proof = None
        if at_most is not None:
            proof = sb.prove_limit(found, at_most, detour, memory, threads, reporter, work)
    line = found.line(state) if state is not None else None
    if as_json:
        rows = [
            {"step": one.game.spec, "states": one.states, "average": round(one.average, 3), "longest": one.longest}
            for one in found.steps
        ]
        told = {"cost": line.cost, "moves": line.move_texts()} if line is not None else None
        looked = proof and {
            "limit": proof.limit, "proved": proof.proved, "patterns": proof.patterns, "states": proof.states,
            "ways": proof.ways, "open": [proof.game.format(one) for one in proof.open], "seconds": round(proof.seconds, 3),
        }  # fmt: skip
        answer = {
            "successor_ranks": rows,
            "average": round(found.average, 3),
            "longest": found.bound,
            "line": told,
            "proof": looked,
        }
        show.write_json(answer)
        _end(proof)
        return
    table = [(one.game.spec, f"{one.states:,}", f"{one.average:.1f}", str(one.longest)) for one in found.steps]
    table.append(("all", f"{sum(one.states for one in found.steps):,}", f"{found.average:.1f}", str(found.longest)))
    show.write(show.table(table, ("step", "states", "average", "longest")))
    show.write(f"no state takes more than {found.bound} moves")
    if proof is not None:
        first = "no state takes more" if proof.proved else f"{len(proof.open):,} states may take more"
        show.write(
            f"{first} than {proof.limit} moves with detours: {proof.states:,} states that look like {proof.patterns:,} patterns, "
            f"{proof.ways:,} ways, {proof.seconds:.1f} s"
        )
        for one in proof.open[:SHOWN]:
            show.write(proof.game.format(one))
    if line is not None:
        show.write(f"\n{show.line(line)}\n\n{line.cost} moves (perhaps not the least)")
    _end(proof)


def _end(proof: Detours | None) -> None:
    """End with the exit code of a limit where the proof leaves states open."""
    if proof is not None and not proof.proved:
        raise Exit(20)
