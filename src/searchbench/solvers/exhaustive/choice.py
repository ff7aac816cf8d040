"""Choose the value rule, solver and forms for a request about all states of a game; refuse those that do not fit."""

from __future__ import annotations

from typing import Final, NamedTuple

from searchbench.errors import BadRequest, MissingRule
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.numbered import diagram_of
from searchbench.solvers.exhaustive.bits.solve import BIT_FORMS
from searchbench.solvers.exhaustive.by_products import PRODUCT
from searchbench.solvers.exhaustive.by_streaming import STREAMING
from searchbench.solvers.exhaustive.configuration import METHODS, REACHED
from searchbench.solvers.exhaustive.strategy import goes_backwards, missing_rules, works_backwards
from searchbench.values import BFS, FIXPOINT, RETROGRADE, SHIPPED, SWEEP, Ending, ValueRule, value_rule

SOLVERS: Final = tuple(METHODS)
VALUES, SPREAD = "values", "spread"
LARGE: Final = 100_000_000
"""From how many numbers of the index on the sweep is chosen for a game that tells its digits: it has no numbers for positions
that are not reached, and finds no depths."""
FORMS: Final = (VALUES, STREAMING, PRODUCT, SPREAD, *BIT_FORMS)


class Choice(NamedTuple):
    """Name the value rule, the solver, and the forms that breadth-first search may choose from (none: another solver)."""

    rule: ValueRule
    solver: str
    forms: tuple[str, ...] = ()


def chosen(
    game: Game,
    rule: str | ValueRule | None = None,
    solver: str | None = None,
    form: str | None = None,
    by_parts: bool = False,
) -> Choice:
    """Return the rule, solver and form that solve a game as asked; choose those left open.

    Without a rule it is the game's own, but for breadth-first search, which finds depths, or what the form is for. Raises
    BadRequest where the solver does not find values of the rule, where the rule is for another kind of game, and for a form
    that holds other values.
    """
    if solver is not None and solver not in SOLVERS:
        raise BadRequest(f"unknown solver {solver!r}: there are {', '.join(SOLVERS)}")
    swept = solver == SWEEP and not game.has("blank")
    if swept or (solver is None and form is None and not by_parts and _swept_by_default(game, rule)):
        return _sweeping(game, rule, form, by_parts)
    if not game.has("rank", "unrank"):
        one = "" if game.two_players else "a state can be searched; or "
        one = "a state can be proved; or " if value_rule(game.values).outcomes else one
        raise BadRequest(
            f"{game} has no index (at this size): {one}all states that moves reach from the start can be solved with the index "
            f"{REACHED!r}, if they fit into the memory"
        )
    if by_parts and solver == BFS:
        raise BadRequest(f"solver {solver!r}: parts are solved by {RETROGRADE} or {FIXPOINT}")
    if game.has("blank"):
        return _spreading(game, rule, solver, form)
    if form is not None and form not in FORMS:
        raise BadRequest(_no_form(form))
    if rule is None and solver == BFS:
        found = [one() for one in _fitting(game) if BFS in one.solvers and form in (None, *one.forms)]
        if not found:
            raise BadRequest(
                f"form {form!r}: {game} has a number for each state; the form is for numbers that are shared"
            )
        return Choice(found[0], BFS, tuple(name for one in found for name in one.forms))
    wanted = value_rule(game.values if rule is None else rule)
    _check_kind(game, wanted)
    names = game.names(wanted)
    if solver is None:
        backwards = RETROGRADE in wanted.solvers and works_backwards(names, wanted)
        solver = RETROGRADE if backwards else next((one for one in wanted.solvers if one != RETROGRADE), RETROGRADE)
    if solver not in wanted.solvers:
        raise BadRequest(f"{game}: solver {solver!r} does not find values of {wanted.name!r}; {_ways(game, wanted)}")
    if solver == RETROGRADE and not goes_backwards(wanted, names):
        raise BadRequest(f"{game}: solver {solver!r} needs `propagate`, which the rule {wanted.name!r} does not supply")
    if solver == RETROGRADE and diagram_of(game) is not None and game.gains_symmetries:
        raise BadRequest(
            f"{game}: some moves gain symmetries, and with the index {REACHED!r} all states are one part, in which unmoves do "
            f"not lead to all predecessors: take the solver {FIXPOINT!r}, or the game's own index, if it has one"
        )
    if solver == RETROGRADE and (missing := missing_rules(names)):
        raise MissingRule(RETROGRADE, min(missing))
    if by_parts and solver == BFS:
        raise BadRequest(
            f"{game}: values of {wanted.name!r} are found from the start on, in all parts together: solve without parts"
        )
    if form is not None and solver != BFS:
        raise BadRequest(_no_form(form))
    if form is not None and form not in wanted.forms:
        raise BadRequest(
            f"form {form!r}: it does not hold values of {wanted.name!r}, which are found in the forms "
            f"{', '.join(wanted.forms)}"
        )
    return Choice(wanted, solver, wanted.forms if solver == BFS else ())


def _swept_by_default(game: Game, rule: str | ValueRule | None) -> bool:
    """Tell whether the sweep is for a game of whose solver nothing was said."""
    if rule is not None or not value_rule(game.values).outcomes or diagram_of(game) is not None:
        return False
    size = line_size(game.parts()) or LARGE
    return size >= LARGE and game.claimed("digits") is not None


def _sweeping(game: Game, rule: str | ValueRule | None, form: str | None, by_parts: bool) -> Choice:
    """Return the one choice for the sweep; refuse all else."""
    if form is not None:
        raise BadRequest(_no_form(form))
    if by_parts:
        raise BadRequest(f"solver {SWEEP!r} goes through all layers: leave the parts out")
    wanted = Ending() if rule is None else value_rule(rule)
    _check_kind(game, wanted)
    if SWEEP not in wanted.solvers:
        raise BadRequest(f"{game}: solver {SWEEP!r} does not find values of {wanted.name!r}; {_ways(game, wanted)}")
    if game.claimed("digits") is None:
        others = " or ".join(name for name in wanted.solvers if name != SWEEP)
        raise BadRequest(
            f"{game}: solver {SWEEP!r} needs `digits`, which the game does not tell: values of {wanted.name!r} are found by "
            f"{others}"
        )
    return Choice(wanted, SWEEP)


def _no_form(form: str) -> str:
    return f"form {form!r}: solver bfs takes {', '.join(FORMS)}, and no other solver takes a form"


def _spreading(game: Game, rule: str | ValueRule | None, solver: str | None, form: str | None) -> Choice:
    """Return the one choice that suits a game whose states share numbers; refuse all else."""
    wanted = value_rule(game.values if rule is None else rule)
    if solver not in (None, BFS) or form not in (None, SPREAD) or not wanted.shared:
        raise BadRequest(f"{game}: states share numbers, so only solver 'bfs' in the form {SPREAD!r} solves them all")
    return Choice(wanted, BFS, wanted.forms)


def _fitting(game: Game) -> list[type[ValueRule]]:
    """Return the shipped rules whose values some solver finds of a game whose states have numbers of their own."""
    return [rule for rule in SHIPPED.values() if rule.solvers and not _misfit(game, rule)]


def _misfit(game: Game, rule: ValueRule | type[ValueRule]) -> str:
    """Return why values of a rule mean nothing for such a game, "" if they do."""
    if rule.shared:
        return "is for numbers that several states share, and here each state has its own"
    if rule.two_players and not game.two_players:
        return "is for two players, and this is a puzzle"
    if game.two_players and not (rule.two_players or rule.from_start):
        return "is for a puzzle, and here two players move in turn"
    if value_rule(game.values).points and rule.two_players and not rule.points:
        return "is for results -1, 0 and +1, and here the results are points"
    return ""


def _check_kind(game: Game, rule: ValueRule) -> None:
    """Refuse a rule that is for another kind of game, of which the game's own is taken at its word, or for other endless play."""
    if rule.two_players and rule.claims and game.has("repetition"):
        raise BadRequest(
            f"{game}: the rule `repetition` tells what endless play is worth, and values of {rule.name!r} take it for a draw: "
            "its states are proved one by one (prove)"
        )
    misfit = _misfit(game, rule)
    if misfit and rule != value_rule(game.values):
        raise BadRequest(
            f"{game}: the rule {rule.name!r} {misfit}; rules that fit are {', '.join(one.name for one in _fitting(game))}"
        )


def _ways(game: Game, rule: ValueRule) -> str:
    """Say how values of a rule are found."""
    if not rule.solvers:
        others = [one.name for one in _fitting(game) if set(rule.reductions) & set(one.reductions)]
        return f"no solver does: solve for {' or '.join(others)} and keep that in the form {rule.reductions[0]!r}"
    return f"{' and '.join(rule.solvers)} {'do' if len(rule.solvers) > 1 else 'does'}"
