"""The command that solves all completions of a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from searchbench.cli import show
from searchbench.cli.derived import derived
from searchbench.cli.options import GameName, Json, Memory, OwnGame, Progress, StateText


@dataclass(frozen=True)
class Like:
    """Say in which abstraction states look alike."""

    like: Annotated[
        Path, typer.Option(metavar="DIR", help="The database of an abstraction: its states that look alike are solved.")
    ]
    game_of_like: OwnGame = None


@dataclass(frozen=True)
class OneThread:
    """Say what a search on one thread may use, where it keeps unfinished work, and whether it shows how far it is."""

    work: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the unfinished work here, and go on with it.")
    ] = None
    memory: Memory = None
    progress: Progress = None


@derived
def completions(
    game: GameName,
    state: StateText,
    like: Like,
    limit: Annotated[int | None, typer.Option(min=0, help="Leave states open that cost more.")] = None,
    hardest: Annotated[int, typer.Option(min=0, metavar="N", help="Show so many of the most costly states.")] = 0,
    *,
    uses: OneThread,
    as_json: Json = False,
) -> None:
    """Solve all states of a puzzle that look like one of them in an abstraction, and count them by cost."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.run import parse_memory

    database = sb.open_database(like.like, like.game_of_like)
    with Reporter(uses.progress) as reporter:
        run = sb.Run(parse_memory(uses.memory or 0), 1, reporter, uses.work)
        found = sb.analyse.solve_completions(game, state, database, run, limit)
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
