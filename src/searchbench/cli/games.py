"""Commands about games and abstractions: what there is, which solver runs on what, and whether a game keeps the laws."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.cli import show
from searchbench.cli.commands import Argument, Exit, Option
from searchbench.cli.options import GameName, Json, Progress

if TYPE_CHECKING:
    from searchbench.game import Game


def games(
    names: Annotated[list[str] | None, Argument(metavar="[GAME]...", help="By default all games.")] = None,
    matrix: Annotated[bool, Option("--matrix", help="Show which solver runs on which game.")] = False,
    as_json: Json = False,
) -> None:
    """List the games with their parameters, or show which solver runs on which."""
    from searchbench.catalogue import allowed, class_named, described, load, shipped

    classes = [
        class_named(name) if re.fullmatch(r"[\w-]+", name) else type(load(name)) for name in names or ()
    ] or list(shipped())
    if matrix:
        chosen = (
            [load(name) for name in names]
            if names
            else [one() for one in classes if None not in described(one)["parameters"].values()]
        )
        _matrix(chosen, as_json)
    elif as_json:
        show.write_json([{**described(one), **({"allowed": allowed(one)} if names else {})} for one in classes])
    else:
        rows = [
            (facts["name"], _usage(facts["parameters"]), str(facts["players"]), facts["title"])
            for facts in map(described, classes)
        ]
        show.write(show.table(rows, ("game", "parameters", "players", "what it is")))
        if names:
            values = [(one.name, name, told) for one in classes for name, told in allowed(one).items()]
            show.write()
            show.write(show.table(values, ("game", "parameter", "what it may be")))
            for one in classes:
                rules = (inspect.getdoc(one) or "").partition("\n")[2].strip()
                show.write(f"\n{rules}" if rules else "")


def abstractions(as_json: Json = False) -> None:
    """List the abstractions and subgoals of the games: games of their own, whose values bound those of a game."""
    from searchbench.catalogue import ABSTRACTIONS, described, shipped

    found = [{**described(one), "original": _original(one)} for one in shipped(ABSTRACTIONS)]
    if as_json:
        show.write_json(found)
    else:
        rows = [(facts["name"], facts["original"], _usage(facts["parameters"]), facts["title"]) for facts in found]
        show.write(show.table(rows, ("abstraction", "of", "parameters", "what it is")))


def _original(kind: type[Game]) -> str:
    """Return the name of the game that an abstraction or a subgoal with its default parameters belongs to."""
    made: Any = kind()
    return str(made.original().name)


def _usage(parameters: dict[str, Any]) -> str:
    def shown(default: Any) -> str:
        if isinstance(default, bool):
            return "=yes" if default else "=no"
        return "" if default is None else f"={default}"

    return ", ".join(name + shown(default) for name, default in parameters.items())


def _matrix(found: list[Game], as_json: bool) -> None:
    from searchbench.analyse.matrix import SOLVERS, obstacle

    answers = {game.spec: {solver: obstacle(game, solver) for solver in SOLVERS} for game in found}
    if as_json:
        show.write_json(answers)
    else:
        rows = [[spec, *(reason or "yes" for reason in row.values())] for spec, row in answers.items()]
        table = [("game", *SOLVERS), *rows]
        if len(found) < len(SOLVERS):  # a line for each solver is narrower
            table = list(zip(*table, strict=True))
            table[0] = ("solver", *table[0][1:])
        show.write(show.table(table[1:], table[0]))


def check(
    game: GameName,
    samples: Annotated[
        int | None,
        Option(min=1, metavar="N", help="Look at about so many states; by default as many as take some seconds."),
    ] = None,
    seed: Annotated[int, Option(min=0, metavar="N", help="Draw other states.")] = 0,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Check that a game keeps the laws of the contract; each broken law is shown with a state that breaks it."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter

    with Reporter(progress) as reporter:
        result = sb.check(game, samples=samples, seed=seed, run=sb.Run(report=reporter))
    if as_json:
        broken = [{"law": one.law, "state": one.state, "message": one.message} for one in result.broken]
        seen = {"states": result.states, "numbers": result.numbers, "size": result.size}
        show.write_json({**seen, "laws": list(result.laws), "broken": broken, "notes": list(result.notes)})
    else:
        show.write(result)
    if result.broken:
        raise Exit(10)
