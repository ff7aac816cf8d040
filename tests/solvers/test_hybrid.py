"""Values of layers by binary diagrams and by the sweep, handed from one to the other at every layer, against brute force."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from layered import RandomDigits, RandomLines
from naive import layers_with_values
from searchbench.errors import BadRequest, MissingPackage
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.dealt import empty_planes
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers
from searchbench.solvers.exhaustive.diagrams.hybrid import Hybrid, Sets, hybrid_counts, symbolic_first
from searchbench.solvers.exhaustive.diagrams.solve import solve_by_sweep, solve_into
from searchbench.solvers.exhaustive.diagrams.sweep import sweep_all
from searchbench.solvers.exhaustive.diagrams.symbolic import Symbolic, TablesFull
from searchbench.store.growing import GrowingDatabase

SEEDS = range(0, 40, 2)
GAMES = [*(RandomLines(seed) for seed in SEEDS), *(RandomDigits(seed) for seed in SEEDS)]


def planes_by(game: sb.Game, by_diagrams: Callable[[int], bool], target: Any = "cpu") -> tuple[list[Any], list[Any]]:
    """Return the words of all layers, of which some were found by diagrams, and those of the sweep alone."""
    run = Run(threads=1)
    diagram = reachable_layers(game, target=target).diagram
    hybrid = Hybrid(diagram, run, lambda layer, after: by_diagrams(layer), target)
    values: Any = empty_planes(0)
    found = []
    for layer in range(diagram.layers - 1, -1, -1):
        values = hybrid.layer(layer, values)
        assert isinstance(values, Sets) == by_diagrams(layer)
        found.append(hybrid.words(layer, values))
        won, drawn, lost = hybrid.counts(layer, values)
        assert (won, lost) == tuple(np.bitwise_count(found[-1]).reshape(-1, 2).sum(axis=0).tolist())
        assert won + drawn + lost == diagram.count(layer)
    return found[::-1], list(sweep_all(diagram, run, target))


@pytest.mark.parametrize(
    "game",
    [game if place % 6 == 0 else pytest.param(game, marks=pytest.mark.long) for place, game in enumerate(GAMES)],
    ids=str,
)
@pytest.mark.parametrize("turn", [0, 1])
def test_values_are_handed_over_in_both_directions(game: sb.Game, turn: int) -> None:
    found, right = planes_by(game, lambda layer: layer % 2 == turn, "interpreted")
    assert all(np.array_equal(one, other) for one, other in zip(found, right, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("turn", [0, 1])
def test_every_layer_of_connect_four_is_handed_over(turn: int) -> None:
    found, right = planes_by(sb.load("connect4:4,4"), lambda layer: layer % 2 == turn)
    assert all(np.array_equal(one, other) for one, other in zip(found, right, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("game", [*GAMES[::4], sb.load("connect4:4,4")], ids=str)
def test_both_orders_find_the_counts_of_brute_force(game: sb.Game) -> None:
    right = [
        [sum(value == one for value in values.values()) for one in (1, 0, -1)] for values in layers_with_values(game)
    ]
    ways = set()
    for prefer, limit in (("symbolic", 1), ("symbolic", 60), ("sweep", 20), ("sweep", 1500)):
        target: Any = "cpu" if game.name == "connect4" else "interpreted"
        found = hybrid_counts(game, Run(threads=1), prefer, limit, limit, target)
        assert [[one.won, one.drawn, one.lost + one.reachable - one.undecided] for one in found] == right
        ways.add("".join(one.way[1] for one in found))
    if game.name == "connect4":
        assert len(ways) == 4  # each limit changes hands at another layer
        assert all(set(way) == set("yw") for way in ways)


def test_tables_that_are_full_leave_the_rest_to_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Symbolic.values

    def full(self: Symbolic, here: Any, layer: int, *after: Any) -> Any:
        if layer == 9:
            raise TablesFull
        return own(self, here, layer, *after)

    monkeypatch.setattr(Symbolic, "values", full)
    game = sb.load("connect4:4,4")
    found = hybrid_counts(game, Run(threads=1), "symbolic", 1 << 30)
    assert [layer for layer, one in enumerate(found) if one.way == "sweep"] == [9]
    assert sum(one.won for one in found) == 38675


def test_a_database_is_the_same_with_diagrams_first(tmp_path: Path) -> None:
    game = sb.load("connect4:4,4")
    right = solve_by_sweep(game, Run())
    found = solve_by_sweep(game, Run(), symbolic=1000)
    kept = solve_into(game, tmp_path / "it.db", Run(), symbolic=1000)
    for part in right.parts:
        codes = right.read(part, part.start, part.stop)
        assert np.array_equal(found.read(part, part.start, part.stop), codes)
        assert np.array_equal(kept.read(part, part.start, part.stop), codes)
    asked = sb.solve(game, solver=sb.Sweep(symbolic=1000))
    assert asked.histogram() == right.histogram()


@pytest.mark.parametrize("then", [None, 1000])
def test_a_run_that_is_stopped_goes_on_in_either_way(
    then: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = sb.load("connect4:4,4")
    right = solve_by_sweep(game, Run())
    own, left = GrowingDatabase.add, [4]

    def add(self: GrowingDatabase, *arguments: Any) -> None:
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        own(self, *arguments)

    monkeypatch.setattr(GrowingDatabase, "add", add)
    with pytest.raises(KeyboardInterrupt):
        solve_into(game, tmp_path / "it.db", Run(), symbolic=1 << 30)
    monkeypatch.setattr(GrowingDatabase, "add", own)
    with solve_into(game, tmp_path / "it.db", Run(), symbolic=then) as kept:
        assert all(
            np.array_equal(kept.read(part, part.start, part.stop), right.read(part, part.start, part.stop))
            for part in right.parts
        )


def test_the_rule_of_the_order_is_kept() -> None:
    rule = symbolic_first(10)
    assert rule(5, empty_planes(0))

    class Large(Sets):
        @property
        def nodes(self) -> int:
            return 11

    assert not rule(4, Large(0, 0, 0))
    assert not rule(3, empty_planes(0))


def test_bad_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadRequest, match="symbolic or sweep"):
        hybrid_counts(sb.load("connect4:4,4"), Run(), "both")
    with pytest.raises(BadRequest, match="at least 1"):
        sb.Sweep(symbolic=0)
    with pytest.raises(BadRequest, match="fixpoint takes none; sweep does"):
        sb.solve("connect4:4,4", solver="fixpoint", symbolic=10)
    monkeypatch.setitem(__import__("sys").modules, "oxidd.bdd", None)
    with pytest.raises(MissingPackage, match=r"searchbench\[diagrams\]"):
        sb.solve("connect4:4,4", solver="sweep", symbolic=10)
