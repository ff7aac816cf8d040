"""The command that estimates the complexity of a game."""

from __future__ import annotations

from typing import Annotated

from searchbench.cli import show
from searchbench.cli.commands import Option
from searchbench.cli.options import GameName, Json, Progress


def complexity(
    game: GameName,
    games: Annotated[int, Option(min=1, metavar="N", help="Play so many random games.")] = 200,
    samples: Annotated[int, Option(min=1, metavar="N", help="Draw so many numbers of the index.")] = 10_000,
    seed: Annotated[int, Option(min=0, help="Seed of the random numbers.")] = 0,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Estimate the state space and the game tree of a game of two players by random play."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    chosen = sb.load(game)
    with Reporter(progress) as reporter:
        found = sb.analyse.estimate_complexity(chosen, games, samples, seed, sb.Run(threads=1, report=reporter))
    if as_json:
        show.write_json(found.as_dict())
        return
    show.write(str(found))
