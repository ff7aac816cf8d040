"""Commands about games: what there is, which solver runs on what, and whether a game keeps the laws."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from searchbench.cli import show
from searchbench.cli.options import GameName, Json, Progress

if TYPE_CHECKING:
    from searchbench.game import Game


def games(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="By default all games.")] = None,
    matrix: Annotated[bool, typer.Option("--matrix", help="Show which solver runs on which game.")] = False,
    as_json: Json = False,
) -> None:
    """List the games with their parameters, or show which solver runs on which."""
    from searchbench.catalogue import load, shipped

    classes = [type(load(name)) for name in names] if names else list(shipped())
    if matrix:
        chosen = (
            [load(name) for name in names]
            if names
            else [one() for one in classes if None not in _parameters(one).values()]
        )
        _matrix(chosen, as_json)
    elif as_json:
        show.write_json([_described(one) for one in classes])
    else:
        rows = [(one.name, _usage(one), str(_players(one)), _title(one)) for one in classes]
        show.write(show.table(rows, ("game", "parameters", "players", "what it is")))


def _parameters(game: type[Game]) -> dict[str, Any]:
    """Return the parameters with their defaults, None where one must be given."""
    fields = dataclasses.fields(game)  # type: ignore[arg-type]
    return {field.name: None if field.default is dataclasses.MISSING else field.default for field in fields}


def _usage(game: type[Game]) -> str:
    def shown(default: Any) -> str:
        if isinstance(default, bool):
            return "=yes" if default else "=no"
        return "" if default is None else f"={default}"

    return ", ".join(name + shown(default) for name, default in _parameters(game).items())


def _players(game: type[Game]) -> int:
    from searchbench.values import value_rule

    return 2 if value_rule(game.values).two_players else 1


def _title(game: type[Game]) -> str:
    return (inspect.getdoc(game) or "").partition("\n")[0]


def _described(game: type[Game]) -> dict[str, Any]:
    from searchbench.values import value_rule

    return {
        "name": game.name,
        "title": _title(game),
        "parameters": _parameters(game),
        "players": _players(game),
        "values": value_rule(game.values).name,
    }


def _matrix(found: list[Game], as_json: bool) -> None:
    from searchbench.analyse.matrix import SOLVERS, obstacle

    answers = {game.spec: {solver: obstacle(game, solver) for solver in SOLVERS} for game in found}
    if as_json:
        show.write_json(answers)
    else:
        rows = [[spec, *(reason or "yes" for reason in row.values())] for spec, row in answers.items()]
        show.write(show.table(rows, ("game", *SOLVERS)))


def check(game: GameName, as_json: Json = False, progress: Progress = None) -> None:
    """Check that a game keeps the laws of the contract; each broken law is shown with a state that breaks it."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        result = sb.check(game, run=sb.Run(report=reporter))
    if as_json:
        broken = [{"law": one.law, "state": one.state, "message": one.message} for one in result.broken]
        show.write_json({"laws": list(result.laws), "broken": broken})
    else:
        show.write(result)
    if result.broken:
        raise typer.Exit(10)
