"""Every value rule with every solver: the values of the obvious twin, or a refusal that names what fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import naive
import searchbench as sb
from graphs import GraphGame, outcome_games, puzzles, score_games
from searchbench.catalogue import load
from searchbench.errors import BadRequest, NoFixpoint
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.exhaustive import SOLVERS, solve_states
from searchbench.solvers.exhaustive.choice import FORMS, chosen
from searchbench.values import SHIPPED, Result, ValueRule
from searchbench.verify import verify_database

FOUND_BY = {
    "distance": {None, "retrograde", "fixpoint"},
    "depth": {None, "bfs"},
    "reached": {None, "bfs"},
    "outcome": {None, "retrograde", "fixpoint"},
    "ending": {None, "fixpoint"},
    "score": {None, "retrograde", "fixpoint"},
}
"""Which solvers find the values of a rule; None is the one that is chosen."""
FITTING = {
    "distance": {"distance", "depth", "reached"},
    "outcome": {"outcome", "ending", "score", "depth", "reached"},
    "score": {"score", "depth", "reached"},
}
"""Which rules make sense for a game, by its own rule."""
EVERY = [(rule, solver) for rule in SHIPPED for solver in (None, *SOLVERS)]


def run() -> Run:
    return Run(memory=8 << 20, threads=1)


def right_values(game: GraphGame, rule: str) -> dict[int, Any]:
    """Return the value of every number by the twins."""
    graph = naive.explicit(game)
    if rule in {"depth", "reached"}:
        depths = naive.depths(game)
        found: dict[Any, Any] = dict(depths) if rule == "depth" else dict.fromkeys(depths, True)
    elif rule == "distance":
        found = naive.distances(graph)
    elif rule == "score":
        found = naive.scores(graph)
    else:
        outcomes = naive.outcomes(graph)
        words = {-1: "loss", 0: "draw", 1: "win"}
        found = {
            state: Result(*outcome) if rule == "outcome" else words[outcome[0]] for state, outcome in outcomes.items()
        }
    return naive.table(graph, found)


def right_or_refused(game: GraphGame, rule: str, solver: str | None) -> None:
    """Solve a game and compare, or require a refusal where the tables above have no such pair."""
    if rule not in FITTING[game.values] or solver not in FOUND_BY[rule]:
        with pytest.raises(BadRequest, match=re.escape(repr(rule))) as refusal:
            solve_states(game, rule, solver, run(), target="interpreted")
        fitting = FOUND_BY.get(rule, set()) - {None} if rule in FITTING[game.values] else FITTING[game.values]
        if rule == "won" and game.values == "outcome":
            fitting = {"outcome", "ending", "one-bit"}  # it is read off those
        assert all(str(name) in str(refusal.value) for name in fitting), refusal.value
        return
    if rule == "score":
        game = game if game.values == "score" else replace(game, cuts=())  # the twin goes part by part
        try:
            right_values(game, rule)
        except RecursionError:
            with pytest.raises(NoFixpoint):
                solve_states(game, rule, solver, run(), target="interpreted")
            return
    database = solve_states(game, rule, solver, run(), target="interpreted")
    assert database.rule.name == rule
    assert solver in (None, database.facts["solver"])
    top = np.iinfo(database.codes.dtype).max
    found = {number: database.rule.decode(int(code)) for number, code in enumerate(database.codes) if code != top}
    assert found == right_values(game, rule)
    if not (game.values == "outcome" and rule == "score"):  # where these are open, that is a matter of points
        report = verify_database(database, run(), target="interpreted")
        assert report, report


@pytest.mark.parametrize(("rule", "solver"), EVERY)
@settings(max_examples=15, deadline=None)
@given(game=puzzles())
def test_every_rule_with_every_solver_on_puzzles(rule: str, solver: str | None, game: GraphGame) -> None:
    right_or_refused(game, rule, solver)


@pytest.mark.parametrize(("rule", "solver"), EVERY)
@settings(max_examples=15, deadline=None)
@given(game=outcome_games())
def test_every_rule_with_every_solver_on_games_of_two(rule: str, solver: str | None, game: GraphGame) -> None:
    right_or_refused(game, rule, solver)


@pytest.mark.parametrize(("rule", "solver"), EVERY)
@settings(max_examples=10, deadline=None)
@given(game=score_games())
def test_every_rule_with_every_solver_on_games_of_points(rule: str, solver: str | None, game: GraphGame) -> None:
    right_or_refused(game, rule, solver)


def test_a_form_holds_the_values_of_one_rule() -> None:
    game = load("hanoi:3")
    shipped: list[type[ValueRule]] = list(SHIPPED.values())
    assert sorted(FORMS) == sorted(form for rule in shipped for form in rule.forms)
    for form in FORMS:
        (holds,) = (rule for rule in shipped if form in rule.forms)
        for rule in shipped:
            asked = (game, rule.name, "bfs", form)
            if rule is holds and not rule.shared:
                assert chosen(*asked).rule.name == chosen(game, None, "bfs", form).rule.name == rule.name
            else:
                with pytest.raises(BadRequest, match=rf"{rule.name}|shared"):
                    chosen(*asked)
    with pytest.raises(BadRequest, match="shared"):
        chosen(game, None, "bfs", "spread")


def test_shared_numbers_take_bounds_alone() -> None:
    game = load("sliding-pattern:2,3,1-2")
    for rule, solver in EVERY:
        if rule == "bound" and solver in (None, "bfs"):
            assert chosen(game, rule, solver).forms == ("spread",)
        else:
            with pytest.raises(BadRequest, match="states share numbers, so only solver 'bfs' in the form 'spread'"):
                chosen(game, rule, solver)


def test_parts_are_solved_neither_from_the_start_nor_for_what_no_solver_finds() -> None:
    for rule, match in (("depth", "solve without parts"), ("won", "no solver does: solve for outcome or ending")):
        with pytest.raises(BadRequest, match=match):
            chosen(load("tic-tac-toe"), rule, by_parts=True)


class Judged(GraphGame):
    """Tell what endless play is worth."""

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules of the graph with `repetition`: the first node, where play is endless, is won."""

        def repetition(state: State) -> int:
            return 1

        return {**super().rules(), "repetition": repetition}


@pytest.mark.parametrize("index", [None, "reached"])
def test_what_endless_play_is_worth_is_not_taken_for_a_draw(index: str | None) -> None:
    game = Judged(((0, 1, 1, 0), (1, 0, 1, 0)), (UNDECIDED, UNDECIDED), "outcome")
    for rule, solver in (("outcome", None), ("outcome", "fixpoint"), ("ending", None), ("score", None)):
        with pytest.raises(BadRequest, match="`repetition` tells what endless play is worth") as caught:
            sb.solve(game, rule, solver, index=index)
        assert "(prove)" in str(caught.value)
    assert sb.solve(game, "depth", index=index).histogram() == {0: 1, 1: 1}
