"""Pairs of stones, lost or dear together, against a search of all pushes of two stones, forwards and backwards."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from naive_sokoban import Maze, Node, Place
from searchbench import jit
from searchbench.errors import Unsolvable
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced.pairs import NEVER, pushes_of_pairs
from searchbench.games.sokoban.featurespace import GUIDED, pairs
from searchbench.games.sokoban.featurespace.backward import backward_work
from searchbench.games.sokoban.featurespace.base import base_work
from searchbench.games.sokoban.featurespace.packing import NO_PLAN
from searchbench.games.sokoban.rules import state_of, stones_of
from searchbench.reproduce.sokoban import random_levels
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.enhanced import Enhanced
from searchbench.solvers.guided.featurespace.contract import restore
from sokoban_levels import Level, is_lost_alone

PEN = """\
#######
#  .  #
#.### #
#@# $ #
### $ #
  #####
"""
"""Both stones stand in a room of two by three squares, and only one of them can leave it."""


def nodes_of(maze: Maze) -> Iterator[Node]:
    """Yield two stones on any squares, with each part of the floor where the man can be."""
    for stones in map(frozenset, itertools.combinations(sorted(maze.free), 2)):
        left = maze.free - stones
        while left:
            area = maze.area(min(left), stones)
            left = left - area
            yield stones, area


def names_of(game: Sokoban) -> jit.Names:
    return jit.Names(dict(game.feature_space().names(GUIDED)), "interpreted", None)


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_told_lost_where_no_pushes_bring_both_to_goals(seed: int) -> None:
    level = Level(random.Random(seed), 3, (4, 5))
    told = {False: 0, True: 0}
    for node in nodes_of(level.maze):
        level.put_up(node)
        numbers = [level.number[stone] for stone in node[0]]
        dead = [pairs.has_dead_pair(level.work.base, level.work.pairs, number) for number in numbers]
        if not any(area & node[1] for area in map(set, map(_around, node[0]))):
            continue  # the man stands next to neither: he is where a wall keeps him from all stones
        assert dead == 2 * [is_lost_alone(level.maze, node)], (level.text, node)
        told[dead[0]] += 1
    assert min(told.values()) > 0, (level.text, told)


def _around(place: tuple[int, int]) -> list[tuple[int, int]]:
    y, x = place
    return [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]


@pytest.mark.parametrize("seed", range(8))
def test_pulled_pairs_are_told_lost_where_no_pushes_from_the_start_lead_to_them(seed: int) -> None:
    level = Level(random.Random(seed + 100), 3, (4, 5))
    maze = level.maze
    reached: set[Node] = set()
    for stones in map(frozenset, itertools.combinations(maze.stones, 2)):
        left = maze.free - stones
        while left:
            area = maze.area(min(left), stones)
            left = left - area
            waiting = [(stones, area)]
            for node in waiting:  # which grows
                if node not in reached:
                    reached.add(node)
                    waiting.extend(maze.successors(node))
    base = base_work(level.game.tables, level.game.start())
    told = backward_work(level.game.tables, stones_of(level.game.start()), base, NO_PLAN, level.names).pairs
    verdicts = {False: 0, True: 0}
    for stones, area in nodes_of(maze):
        one, other = (level.number[stone] for stone in stones)
        man = min(level.number[place] for place in area)
        work = level.work._replace(pairs=told)
        jit.bind(restore, level.names)(work, np.array(state_of({one, other}, man, len(level.number)), np.int64))
        if any(set(_around(stone)) & area for stone in stones):
            dead = pairs.has_dead_pair(work.base, told, one)
            assert dead == ((stones, area) not in reached), (level.text, stones)
            verdicts[dead] += 1
    assert min(verdicts.values()) > 0, (level.text, verdicts)


def test_a_large_floor_has_no_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Sokoban(PEN)
    base, names = base_work(game.tables, game.start()), names_of(game)
    assert (pairs.new_pairs(base, names).sides != pairs.ANY_SIDE).any()
    monkeypatch.setattr(pairs, "MOST_SQUARES", len(game.maze.cells) - 1)
    assert (pairs.new_pairs(base, names).sides == pairs.ANY_SIDE).all()


def values_of(maze: Maze, prices: dict[Place, int]) -> dict[Node, int]:
    """Return the fewest pushes of two stones to goals, less the prices of these, of all nodes from which they come to goals."""
    found: dict[Node, int] = {}
    for node in nodes_of(maze):
        seen, layer, pushes = {node}, [node], 0
        while layer:
            for stones, _ in layer:
                if stones <= maze.goals:
                    value = pushes - sum(prices[stone] for stone in stones)
                    found[node] = min(found.get(node, value), value)
            layer = list({after for one in layer for after in maze.successors(one)} - seen)
            seen.update(layer)
            pushes += 1
    return found


@pytest.mark.parametrize("seed", range(6))
def test_values_of_pairs_are_the_fewest_pushes_less_the_prices_of_goals(seed: int) -> None:
    chance = random.Random(seed + 200)
    level = Level(chance, 3, (4, 5))
    prices = {goal: -chance.randrange(6) for goal in level.maze.goals}
    by_number = {level.number[goal]: price for goal, price in prices.items()}
    found = pushes_of_pairs(level.work.base.maze, by_number, level.names)
    expected, places = values_of(level.maze, prices), 0
    for stones, area in nodes_of(level.maze):
        for one, other in itertools.permutations(stones):
            for side, place in enumerate(_around(one)):
                if place in area:
                    told = found[level.number[one], level.number[other], side]
                    assert told == expected.get((stones, area), NEVER), (level.text, stones, place)
                    places += 1
    assert places > 200


@pytest.mark.long
def test_pairs_save_nodes_and_keep_the_least_pushes() -> None:
    """On levels with and without a solution; a floor that is too large has no pairs."""
    nodes = dict.fromkeys(("with", "without", "no room"), 0)
    configurations = {
        "with": Enhanced(optimal=True),
        "without": Enhanced(optimal=True, without="pair-database"),
        "no room": Enhanced(optimal=True, control="pair-database.squares=5"),
    }
    for text in itertools.islice(random_levels(3), 120):
        least = Maze(text).least_pushes()
        for name, configuration in configurations.items():
            try:
                line = search_state(Sokoban(text), None, configuration)
                told, searched = line.cost if line.optimal else -1, line.nodes
            except Unsolvable as error:
                told, searched = None, error.nodes
            assert told == least, (text, name)
            nodes[name] += searched
    assert nodes["with"] < nodes["without"] == nodes["no room"], nodes
