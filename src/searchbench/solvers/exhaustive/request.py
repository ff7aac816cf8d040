"""What is asked of a solver of all states, and of the database that it makes: by objects, or by names with options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from searchbench.configuration import all_options, as_words, completed, given_options, options_of, takers
from searchbench.errors import BadRequest
from searchbench.exchange.ranks import ALONE, current
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive.choice import FORMS, Choice, chosen
from searchbench.solvers.exhaustive.configuration import (
    METHODS,
    REACHED,
    BreadthFirst,
    Exhaustive,
    GroupByGroup,
    Numbered,
    Sweep,
)
from searchbench.store.keep import Keep
from searchbench.store.reductions import NAMES as STORED
from searchbench.store.writing import check_target
from searchbench.values import BFS, ValueRule


class Request(NamedTuple):
    """Hold a request: the choice of rule, solver and form; the solver's configuration; how the database is kept.

    Where numbers are by what is reached, the game has one for its start alone before `numbered`. `words` tell the rule and the
    solver as they were asked for.
    """

    game: Game
    choice: Choice
    solver: Exhaustive
    keep: Keep | None
    words: tuple[str, ...]

    @property
    def form(self) -> str | None:
        """Return the form of breadth-first search, None where it is left open and for other solvers."""
        return self.solver.form if isinstance(self.solver, BreadthFirst) else None

    @property
    def symbolic(self) -> int | None:
        """Return up to how many nodes the sweep leaves layers to binary diagrams, None for no layer."""
        return self.solver.symbolic if isinstance(self.solver, Sweep) else None

    @property
    def parts(self) -> str | None:
        """Return the names of the parts to be solved, with commas between them; None for all together."""
        parts = self.solver.parts if isinstance(self.solver, GroupByGroup) else None
        return parts if parts is None or isinstance(parts, str) else ",".join(parts)

    @property
    def take(self) -> str | Iterable[Any] | None:
        """Return the databases whose values are taken, None for none."""
        return self.solver.take if isinstance(self.solver, GroupByGroup) else None

    def numbered(self, run: Run) -> Request:
        """Return the same request with the game whose states get their numbers by what is reached, if that is asked for."""
        if not (isinstance(self.solver, Numbered) and self.solver.index == REACHED):
            return self
        from searchbench.solvers.exhaustive.diagrams.reached import reached_game

        if self.keep is not None and self.parts is None:
            check_target(self.keep.folder, self.keep.overwrite)  # before a long search
        work = self.keep.listing if self.keep is not None and current() is ALONE else None
        return self._replace(game=reached_game(self.game, run, work=work))

    def command(self, memory: str | int | None) -> str:
        """Return the command that asks for the same, quoted for a shell."""
        words = ["searchbench solve", quote(self.game.spec), *self.words, *as_words(self.solver)]
        if self.keep is not None:
            words += as_words(self.keep.described)
        return " ".join([*words, *([] if memory is None else [f"--memory {memory}"])])


def requested(
    game: Game,
    rule: str | ValueRule | None,
    solver: Exhaustive | str | None,
    to: str | Path | Keep | None,
    options: Mapping[str, Any],
) -> Request:
    """Return the request; options left open are chosen. An option of None was not given.

    An option is the solver's where the solver has it, and else says how the database is kept: so `form` is that of
    breadth-first search or, with another solver, that of the database. Raises BadRequest for options that contradict each other.
    """
    given = {name: value for name, value in options.items() if value is not None}
    known = [*all_options([*METHODS.values(), Keep])]
    for one in given:
        if one not in known:
            raise BadRequest(f"unknown option {one!r}: solve takes {', '.join([*known, 'device'])}")
    name = solver.method if isinstance(solver, Exhaustive) else solver
    if REACHED in (given.get("index"), getattr(solver, "index", None)):
        from searchbench.solvers.exhaustive.diagrams.reached import start_alone

        game = start_alone(game)
    by_parts = "parts" in given or (isinstance(solver, GroupByGroup) and solver.parts is not None)
    choice = chosen(game, rule, name, by_parts=by_parts)
    kept = options_of(Keep).keys() - options_of(METHODS[choice.solver]).keys()
    asked = solver if isinstance(solver, Exhaustive) else choice.solver
    configuration = completed(METHODS, asked, {name: value for name, value in given.items() if name not in kept})
    keep = _kept(to, {name: value for name, value in given.items() if name in kept}, choice.solver)
    words = {"solver": name, "rule": getattr(rule, "name", rule)}
    request = Request(
        game,
        choice,
        configuration,
        keep,
        tuple(f"--{key} {quote(str(word))}" for key, word in words.items() if word is not None),
    )
    _check(request)
    return request._replace(choice=chosen(game, rule, name, request.form)) if request.form is not None else request


def _kept(to: str | Path | Keep | None, options: Mapping[str, Any], solver: str) -> Keep | None:
    """Return how the database is to be kept, None where it is not; refuse options that are for one that is."""
    if to is not None:
        return Keep.at(to, options)
    for name, value in options.items():
        if value != options_of(Keep)[name].default:
            others = takers(METHODS, name)
            told = f"{solver} takes none, {' and '.join(others)} does; else " if others else ""
            raise BadRequest(
                f"{name} {str(value)!r}: {told}it is for a database that is kept: give `to` to searchbench.solve"
            )
    return None


def _check(request: Request) -> None:
    """Refuse ways of keeping a database that the solver has no use for."""
    keep = request.keep
    if keep is None:
        return
    if keep.form in FORMS and keep.form not in STORED and not isinstance(request.solver, BreadthFirst):
        raise BadRequest(
            f"form {keep.form!r} is one of breadth-first search, and the solver is {request.choice.solver}: say solver {BFS!r}"
        )
    if request.parts is not None:
        for name in given_options(keep.described):
            raise BadRequest(
                f"{name} {getattr(keep, name)!r}: parts are kept whole, each when it is done; convert the database afterwards"
            )
    if keep.form is not None and isinstance(request.solver, BreadthFirst):
        raise BadRequest(
            f"form {keep.form!r} of what is kept: breadth-first search keeps depths in the form in which it finds them: "
            "say BreadthFirst(form=...)"
        )
