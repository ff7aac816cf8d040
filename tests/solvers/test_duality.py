"""Search by duality finds lines as short as those of whole searches, and tells which states can still be solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench.analyse.duality import solvable_by_depth
from searchbench.errors import BadRequest, OutOfMemory, Unsolvable
from searchbench.families.pegs import symmetries
from searchbench.game import Game
from searchbench.games.fore_and_aft import ForeAndAft
from searchbench.games.frogs_and_toads import FrogsAndToads
from searchbench.games.hanoi import Hanoi
from searchbench.games.pancake import Pancake
from searchbench.games.peg_solitaire import PegSolitaire
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.reproduce.symmetry import states_of_classes
from searchbench.rules import State
from searchbench.run import Run
from searchbench.solvers.exhaustive import search_by_duality, solve_states
from searchbench.store import Database

TRIANGLE = PegSolitaire("triangle", 6)
TURNED = PegSolitaire("triangle", 6, True)
SMALL = PegSolitaire("oo-oo/ ooo", 8)
ROUND = PegSolitaire(" ooo/ooooo/oo-oo/ooooo/ ooo", 4)
ROUND_TURNED = PegSolitaire(" ooo/ooooo/oo-oo/ooooo/ ooo", 4, True)
GAMES = (TRIANGLE, TURNED, FrogsAndToads("2"), FrogsAndToads("xx-oo"), FrogsAndToads("x-o"), Hanoi(4), Hanoi(5, 4))
COMPILED = (TRIANGLE, TURNED, FrogsAndToads("xx-oo"), Hanoi(5, 4))
"""One of each kind: other boards are other constants of the same rules."""


@lru_cache(maxsize=16)
def shortest(game: Game) -> int | None:
    """Return the least number of moves from the start to a solved state, by interpreted rules and sets."""
    layer = {tuple(game.start())}
    seen = set(layer)
    depth = 0
    while layer:
        if any(game.terminal(state) == 0 for state in layer):
            return depth
        layer = {tuple(game.play(state, move)) for state in layer for move in game.moves(state)} - seen
        seen |= layer
        depth += 1
    return None


@pytest.mark.parametrize(
    ("game", "target"), [*((one, "cpu") for one in COMPILED), *((one, "interpreted") for one in GAMES)], ids=str
)
def test_the_line_is_a_shortest_one(game: Game, target: Any) -> None:
    line = search_by_duality(game, run=Run(threads=2), target=target)
    assert line.verify() == []
    assert len(line) == line.cost == shortest(game)
    assert line.optimal
    assert line.complete
    assert line.start == tuple(game.start())


@pytest.mark.parametrize("spec", ["hanoi:3,3", "hanoi:4,3", "hanoi:3,4", "hanoi:6,4", "hanoi:1,3"])
def test_lines_of_odd_and_even_length(spec: str) -> None:
    game = sb.load(spec)
    line = sb.search(game, method="dual", target="interpreted")
    assert (len(line), line.verify()) == (int(game.known()["start"]), [])


def test_fore_and_aft_is_reversed_in_46_moves_by_half_of_the_depth() -> None:
    line = search_by_duality(ForeAndAft())
    assert (len(line), line.verify()) == (46, [])
    layers = list(solve_states(ForeAndAft(), solver="bfs").histogram().values())
    assert line.nodes == sum(layers[:24])


def test_only_the_upper_half_of_the_layers_is_searched() -> None:
    line = search_by_duality(TRIANGLE)
    layers = list(solve_states(TRIANGLE, solver="bfs", form="layers").histogram().values())
    assert line.nodes == sum(layers[:8])


def test_what_cannot_be_solved_is_told() -> None:
    for game in (SMALL, PegSolitaire("ooo/o-o/ooo", 4), FrogsAndToads("xx x/-  o/oo  ")):
        assert shortest(game) is None
        with pytest.raises(Unsolvable, match="no line leads from the start to the goal"):
            search_by_duality(game, target="interpreted")


def test_what_cannot_be_searched_by_duality_is_refused() -> None:
    with pytest.raises(BadRequest, match="supplies no `reversal`"):
        sb.search("pancake:5", method="dual")
    with pytest.raises(BadRequest, match="supplies no `reversal`"):
        search_by_duality(TicTacToe())
    with pytest.raises(BadRequest, match="no index at this size"):
        search_by_duality(Hanoi(60))
    with pytest.raises(BadRequest, match="from the start"):
        sb.search("hanoi:3", "1 1 1", "dual")
    with pytest.raises(BadRequest, match="nodes: the method dual takes no such option"):
        sb.search("hanoi:3", method="dual", nodes=5)
    with pytest.raises(OutOfMemory, match="by duality in the form layers needs"):
        sb.search(TRIANGLE, method="dual", memory="1kB")

    class Dear(Hanoi):
        keeps = frozenset({"reversal"})

        def rules(self) -> Mapping[str, Callable[..., Any]]:
            def cost(state: State, move: int) -> int:
                return 2

            return {**super().rules(), "cost": cost}

    with pytest.raises(BadRequest, match="have costs"):
        search_by_duality(Dear(3))


def solvable(game: Game) -> list[int]:
    """Return how many states of each layer lead to the goal, by interpreted rules and sets of representatives."""
    layers = [{tuple(game.canonical(game.start()))}]
    while layers[-1]:
        layers.append({tuple(game.canonical(game.play(s, move))) for s in layers[-1] for move in game.moves(s)})
    good: set[tuple[int, ...]] = set()
    counts = []
    for layer in reversed(layers[:-1]):
        good = {
            state
            for state in layer
            if game.terminal(state) == 0
            or any(tuple(game.canonical(game.play(state, move))) in good for move in game.moves(state))
        }
        counts.append(len(good))
    return counts[::-1]


@pytest.mark.parametrize("game", [TRIANGLE, TURNED, SMALL], ids=str)
def test_what_can_be_solved_is_counted(game: Game, tmp_path: Path) -> None:
    database = solve_states(game, solver="bfs", form="layers")
    right = solvable(game)
    counts = solvable_by_depth(database)
    assert list(counts) == list(range(len(game.parts())))
    assert [count for count in counts.values() if count] == [count for count in right if count]
    assert list(counts.values())[: len(right)] == right
    database.save(tmp_path / "it.db")
    with Database.open(tmp_path / "it.db", game) as kept:
        assert solvable_by_depth(kept, Run(threads=2)) == counts
    whole = solve_states(game, solver="bfs", form="values")
    assert solvable_by_depth(whole) == counts


def test_what_can_be_solved_is_told_by_layers_only() -> None:
    with pytest.raises(BadRequest, match="supplies no `reversal`"):
        solvable_by_depth(solve_states(Pancake(4), solver="bfs", target="interpreted"))
    with pytest.raises(BadRequest, match="of the form layers"):
        solvable_by_depth(solve_states(TRIANGLE, solver="bfs", form="two-bit"))
    with pytest.raises(BadRequest, match="of the form layers"):
        solvable_by_depth(solve_states(SMALL, target="interpreted"))
    with pytest.raises(BadRequest, match="are no layers"):
        solvable_by_depth(solve_states(Hanoi(3), solver="bfs", target="interpreted"))


@pytest.mark.parametrize(("game", "turned"), [(TRIANGLE, TURNED), (ROUND, ROUND_TURNED)], ids=str)
def test_classes_of_symmetric_states_make_up_the_full_layers(game: PegSolitaire, turned: PegSolitaire) -> None:
    moved = symmetries(game.cells, game.directions)
    assert len(moved) > 1
    full = solve_states(game, solver="bfs", form="layers")
    classes = solve_states(turned, solver="bfs", form="layers")
    for part in game.parts():
        reached = {game.unrank(int(n))[0] for n in part.start + full.read(part, part.start, part.stop).nonzero()[0]}
        numbers = part.start + classes.read(part, part.start, part.stop).nonzero()[0]
        together = set()
        for number in numbers.tolist():
            word = turned.unrank(number)[0]
            cells = [cell for cell in range(len(game.cells.places)) if word >> cell & 1]
            orbit = {sum(1 << goes[cell] for cell in cells) for goes in moved}
            assert min(orbit) == word
            together |= orbit
        assert together == reached
    counted = [count for depth, count in full.histogram().items() if depth is not None]
    assert states_of_classes(classes, Run(threads=2)) == counted
    for form in ("two-bit", "reachability"):
        assert solve_states(turned, solver="bfs", form=form).reachable == classes.reachable
    assert classes.reachable < full.reachable
