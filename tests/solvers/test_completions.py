"""All completions of a pattern against the distances of all states; kept, killed, and gone on with."""

from __future__ import annotations

import itertools
import pkgutil
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
import searchbench as sb
from searchbench.analyse import solve_completions
from searchbench.analyse.orders import compose, kinds_of, order_of, orders, rank_order, reorder, unrank_order
from searchbench.catalogue import load
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

GAME = load("sliding:3x3")
DEPTHS = naive.depths(GAME)


def solve(spec: str, **options: Any) -> Database:
    return solve_states(load(spec), run=Run(memory=256 << 20, threads=1), solver="bfs", **options)


def alike(state: tuple[int, ...], kinds: list[int]) -> set[tuple[int, ...]]:
    """Return the solvable states that have tiles of the same kinds on the same cells."""
    look = [kinds[tile] for tile in state[:9]]
    return {other for other in DEPTHS if [kinds[tile] for tile in other[:9]] == look}


# --- orders -------------------------------------------------------------------------------------------------------------


def test_orders_have_numbers_of_their_own() -> None:
    kinds = kinds_of([0, 1, 1, 2, 1, 2])
    assert orders(kinds) == 12
    found = []
    for number in range(12):
        order = np.zeros(6, np.int64)
        unrank_order(number, order, kinds)
        assert rank_order(order, kinds) == number
        found.append(tuple(order))
    assert sorted(set(found)) == found  # all different, and in lexicographic order


def test_a_move_changes_every_order_alike() -> None:
    """What `compose` says of a change is what the game makes of a state with that order."""
    kinds = kinds_of(load("sliding-groups:3x3,1.2.3-4.5").kinds())  # type: ignore[attr-defined]
    chance = random.Random(1)
    order, filled = np.zeros(9, np.int64), np.zeros(len(kinds.first), np.int64)
    for state in chance.sample(list(DEPTHS), 10):
        plain = list(state)
        unrank_order(0, order, kinds)
        reorder(plain, order, filled, kinds)
        for move in GAME.moves(state):
            order_of(GAME.play(plain, move), order, filled, kinds)
            row = np.zeros(orders(kinds), np.uint16)
            compose(rank_order(order, kinds), kinds, row)
            for number in chance.sample(range(orders(kinds)), 5):
                other = list(plain)
                unrank_order(number, order, kinds)
                reorder(other, order, filled, kinds)
                order_of(GAME.play(other, move), order, filled, kinds)
                assert rank_order(order, kinds) == row[number]


# --- completions --------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "form"),
    [
        ("sliding-groups:3x3,1-2-5", "values"),
        ("sliding-groups:3x3,8-6", "two-bit"),
        ("sliding-groups:3x3,1.2-3.6.4.5", None),
        ("sliding-groups:3x3,1.3.5-2.4.6-7", "values"),
    ],
)
def test_all_completions_have_their_distances(spec: str, form: str | None) -> None:
    database = solve(spec, form=form)
    kinds = database.game.kinds()  # type: ignore[attr-defined]
    for state in random.Random(2).sample(list(DEPTHS), 3):
        found = solve_completions(GAME, state, database, Run(threads=1))
        assert found.open == ()
        assert found.costs == {other: DEPTHS[other] for other in alike(state, kinds)}
        assert sum(found.histogram().values()) == len(found.costs)


def test_interpreted_and_from_the_solved_state() -> None:
    database = solve("sliding-groups:2x3,1.2-3.4.5")
    game = load("sliding:2x3")
    depths = naive.depths(game)
    for state in ([0, 1, 2, 3, 4, 5, 0], [3, 0, 5, 1, 4, 2, 1]):
        ours = solve_completions(game, state, database, Run(threads=1))
        assert ours.costs == {other: depths[other] for other in ours.costs}
        assert len(ours.costs) == 6
        interpreted = solve_completions(game, state, database, Run(threads=1), target="interpreted")
        assert (interpreted.costs, interpreted.nodes) == (ours.costs, ours.nodes)


@pytest.mark.long
def test_what_costs_more_than_the_limit_stays_open() -> None:
    database, state = solve("sliding-groups:3x3,1.2-3.6.4.5"), max(DEPTHS, key=lambda state: DEPTHS[state])
    whole = solve_completions(GAME, state, database, Run(threads=1))
    for limit in (0, 21, 25):
        found = solve_completions(GAME, state, database, Run(threads=1), limit)
        assert found.costs == {one: cost for one, cost in whole.costs.items() if cost <= limit}
        assert set(found.open) == set(whole.costs) - set(found.costs)
        assert limit < found.bound <= min(whole.costs[one] for one in found.open)


class Stopped(Exception):
    """What ends a search in these tests."""


@pytest.mark.parametrize("after", [1, 9, 30, 55])
def test_what_was_stopped_goes_on(tmp_path: Path, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchbench.store.working.WorkingFolder.due", property(lambda _: True))
    database, state = solve("sliding-groups:3x3,1.2-3.6.4.5"), max(DEPTHS, key=lambda state: DEPTHS[state])
    seen = itertools.count(1)

    def stop(stage: str, _done: int, _total: int) -> None:
        if next(seen) == after:
            raise Stopped(stage)

    with pytest.raises(Stopped):
        solve_completions(GAME, state, database, Run(threads=1, report=stop, work=tmp_path / "work"))
    other = random.Random(3).choice(list(DEPTHS))
    if (tmp_path / "work").exists():
        with pytest.raises(BadRequest, match="another task"):
            solve_completions(GAME, other, database, Run(threads=1, work=tmp_path / "work"))
    whole = solve_completions(GAME, state, database, Run(threads=1))
    again = solve_completions(GAME, state, database, Run(threads=1, work=tmp_path / "work"))
    assert (again.costs, again.open, again.nodes) == (whole.costs, (), whole.nodes)
    assert not (tmp_path / "work").exists()


def test_what_does_not_serve_is_refused() -> None:
    state = [8, 7, 6, 0, 4, 1, 2, 5, 3, 3]
    with pytest.raises(BadRequest, match="no database of an abstraction of sliding:3x3"):
        solve_completions(GAME, state, solve("sliding:3x3"))
    with pytest.raises(BadRequest, match="every move costs 1"):
        solve_completions(GAME, state, solve("sliding-pattern:3x3,1-2-5"))
    with pytest.raises(BadRequest, match="completions: expected at most 65,536"):
        kinds_of([0] + [1] * 9)
    with pytest.raises(OutOfMemory):
        solve_completions(GAME, state, solve("sliding-groups:3x3,1"), Run(memory=1000, threads=1))


def test_from_python(tmp_path: Path) -> None:
    sb.solve("sliding-groups:3x3,1.2-3.6.4.5", to=tmp_path / "look.db", solver="bfs")
    found = sb.analyse.solve_completions("sliding:3x3", "8 7 6 0 4 1 2 5 3", tmp_path / "look.db", limit=27)
    assert found.costs == {state: DEPTHS[state] for state in found.costs}
    assert isinstance(found, sb.analyse.Completions)


def test_the_names_of_analyses_are_no_modules() -> None:
    """Importing a module puts it in the place of a name of its package."""
    modules = {found.name for found in pkgutil.iter_modules(sb.analyse.__path__)}
    assert not modules & set(sb.analyse.__all__)
    for name in sb.analyse.__all__:
        assert getattr(sb.analyse, name).__module__.startswith("searchbench.analyse.")
