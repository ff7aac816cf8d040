"""Commands about one state: search a puzzle, prove a game."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from searchbench.cli import show
from searchbench.cli.options import GameName, Json, Memory, Progress, StateText

Nodes = Annotated[int | None, typer.Option(min=1, help="Stop after so many nodes.")]
Seconds = Annotated[float | None, typer.Option(min=0.0, help="Stop after so many seconds.")]


def search(
    game: GameName,
    state: StateText = "start",
    method: Annotated[
        str, typer.Option(metavar="NAME", help="idastar, astar, bestfirst or dual; by default what suits the size.")
    ] = "",
    nodes: Nodes = None,
    seconds: Seconds = None,
    memory: Memory = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Search for a line from one state of a puzzle to a solved one."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        line = sb.search(game, state, method or None, memory, reporter, **_limits(nodes, seconds))
    if as_json:
        show.write_json(
            {"cost": line.cost, "moves": line.move_texts(), "nodes": line.nodes, "seconds": round(line.seconds, 6)}
        )
        return
    show.write(show.line(line))
    show.write(f"\ncost {line.cost}{'' if line.optimal else ' (perhaps not the least)'}, {line.nodes:,} nodes, "
               f"{line.seconds:.3f} s")  # fmt: skip


def prove(
    game: GameName,
    state: StateText = "start",
    method: Annotated[str, typer.Option(metavar="NAME", help="pns or alphabeta.")] = "pns",
    nodes: Nodes = None,
    memory: Memory = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Prove the value of one state of a two-player game, for the player to move."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        proof = sb.prove(game, state, method, memory, reporter, **_limits(nodes, None))
    if as_json:
        show.write_json({"value": proof.value, "nodes": proof.nodes, "seconds": round(proof.seconds, 6)})
    else:
        show.write(proof.game.picture(proof.state))
        show.write(
            f"\n{proof.value} for the player to move; {proof.method}, {proof.nodes:,} nodes, {proof.seconds:.3f} s"
        )


def _limits(nodes: int | None, seconds: float | None) -> dict[str, Any]:
    return {name: limit for name, limit in (("nodes", nodes), ("seconds", seconds)) if limit is not None}
