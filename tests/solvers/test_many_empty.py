"""Many-empty patterns against obvious twins: which are useful, what matches, and the best set; and the larger of two bounds."""

from __future__ import annotations

import json
import random
from collections import deque
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
from searchbench import jit, rules
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.heuristics import PatternDatabases, heuristic
from searchbench.heuristics.many_empty import MASK, ROOM, best_gain, many_empty, useful_patterns
from searchbench.heuristics.maximum import Maximum
from searchbench.heuristics.named import NamedHeuristic
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.contract import h_init, h_prefetch, h_update
from searchbench.solvers.guided.depthfirst import NEVER

KORF = json.loads((Path(__file__).parents[1] / "golden" / "korf100_15puzzle.json").read_text())["instances"]
Cells = tuple[int, ...]


def neighbours(cell: int, rows: int, columns: int) -> list[int]:
    """Return the cells beside a cell."""
    row, column = divmod(cell, columns)
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [r * columns + c for r, c in around if 0 <= r < rows and 0 <= c < columns]


@cache
def costs(tiles: Cells, rows: int, columns: int) -> dict[Cells, int]:
    """Return what each placement of some tiles costs, alone on the board."""
    found, waiting = {tiles: 0}, deque([tiles])
    while waiting:
        cells = waiting.popleft()
        for tile, cell in enumerate(cells):
            for to in neighbours(cell, rows, columns):
                after = (*cells[:tile], to, *cells[tile + 1 :])
                if to not in cells and after not in found:
                    found[after] = found[cells] + 1
                    waiting.append(after)
    return found


def is_useful(tiles: Cells, cells: Cells, rows: int, columns: int) -> bool:
    """Tell whether a pattern costs more than any two parts."""
    places = range(len(tiles))
    for size in range(1, len(tiles)):
        for chosen in combinations(places, size):
            parts = [chosen, tuple(place for place in places if place not in chosen)]
            total = sum(
                costs(tuple(tiles[at] for at in part), rows, columns)[tuple(cells[at] for at in part)] for part in parts
            )
            if costs(tiles, rows, columns)[cells] <= total:
                return False
    return True


@pytest.mark.parametrize(("rows", "columns", "most"), [(3, 3, 3), (2, 4, 3), (2, 3, 4)])
def test_useful_patterns(rows: int, columns: int, most: int) -> None:
    for size in range(2, most + 1):
        expected = {
            (tiles, cells)
            for tiles in combinations(range(1, rows * columns), size)
            for cells in costs(tiles, rows, columns)
            if is_useful(tiles, cells, rows, columns)
        }
        found = useful_patterns(rows, columns, size)
        assert {(one.tiles, one.cells) for one in found} == expected
        for one in found:
            alone = sum(costs((t,), rows, columns)[(c,)] for t, c in zip(one.tiles, one.cells, strict=True))
            assert one.gain == costs(one.tiles, rows, columns)[one.cells] - alone


def test_how_many_patterns_of_the_15_puzzle_are_useful() -> None:
    """Row G23."""
    assert [len(useful_patterns(4, 4, tiles)) for tiles in (2, 3)] == [252, 5135]


def best_sum(patterns: list[tuple[frozenset[int], int]]) -> int:
    """Return the largest sum of gains of patterns that share no tile."""
    if not patterns:
        return 0
    (tiles, gain), rest = patterns[0], patterns[1:]
    return max(best_sum(rest), gain + best_sum([one for one in rest if not one[0] & tiles]))


def naive_bound(state: list[int], rows: int, columns: int, most: int) -> int:
    """Return the bound of a board, anew."""
    place = {tile: cell for cell, tile in enumerate(state[: rows * columns])}
    alone = sum(costs((tile,), rows, columns)[(place[tile],)] for tile in place if tile)
    matching = [
        (frozenset(one.tiles), one.gain)
        for size in range(2, most + 1)
        for one in useful_patterns(rows, columns, size)
        if all(place[tile] == cell for tile, cell in zip(one.tiles, one.cells, strict=True))
    ]
    return alone + best_sum(matching)


@pytest.mark.parametrize(("rows", "columns", "most"), [(3, 3, 3), (3, 3, 4), (4, 4, 3)])
def test_what_is_carried_along_is_what_is_found_anew(rows: int, columns: int, most: int) -> None:
    game = load(f"sliding:{rows}x{columns}")
    names = jit.Names({**game.names(target="interpreted"), **many_empty(rows, columns, most)}, "interpreted")
    first, following, anew = (jit.bind(name, names) for name in (h_init, h_update, rules.h))
    chance, state = random.Random(most), game.start()
    carried = np.zeros((2, names["H_STATE_SIZE"]), np.int64)
    bound, before = first(state, (), carried, 0), -1
    for step in range(200):
        move = chance.choice([one for one in game.moves(state) if one != before])
        before = game.call("inverse", move)
        bound = following(state, move, (), bound, NEVER, carried, 0, 1)
        state = game.play(state, move)
        assert bound == anew(state, ())
        if step % 5 == 0:
            assert bound == naive_bound(state, rows, columns, most)
        carried[0] = carried[1]


def test_the_best_set_of_random_entries() -> None:
    chance = random.Random(5)
    for _ in range(200):
        patterns = [
            (frozenset(chance.sample(range(1, 16), chance.choice([2, 3, 4]))), chance.choice([2, 4, 6]))
            for _ in range(9)
        ]
        carried = np.zeros((1, 2 + len(patterns)), np.int64)
        carried[0, 1] = len(patterns)
        carried[0, 2:] = [sum(1 << tile for tile in tiles) | gain << 16 for tiles, gain in patterns]
        assert best_gain(carried, 0) == best_sum(patterns)
        assert [int(entry) & MASK for entry in carried[0, 2:]] == [sum(1 << t for t in tiles) for tiles, _ in patterns]


@pytest.mark.long
@pytest.mark.parametrize("name", ["many-empty:2", "many-empty:2-3", "many-empty:2-4", "many-empty:2-3,linear-conflict"])
def test_bounds_of_a_small_board(name: str) -> None:
    game = load("sliding:2x4")
    depths = naive.depths(game)
    chosen = heuristic(game, name)
    bound = jit.bind(rules.h, jit.Names({**game.names(), **chosen.names()}))
    conflict = jit.bind(rules.h, jit.Names({**game.names(), **heuristic(game, "linear-conflict").names()}))
    room = np.zeros(game.width, game.dtype)
    better = 0
    for state, depth in list(depths.items())[::3]:
        room[:] = state
        found = bound(room, ())
        assert found <= depth
        better += found > conflict(room, ())
    assert better > 500 or name == "many-empty:2"  # two tiles get in each other's way in a line only
    for state in random.Random(3).sample(list(depths), 8):
        for method in ("idastar", "astar"):
            line = search_state(game, state, method, Run(threads=1), h=chosen)
            assert (line.cost, line.verify()) == (depths[state], [])


@pytest.mark.long
def test_korf() -> None:
    """The lengths of some instances, and about as many nodes as the paper has (appendix B: 40,044, 28,715, 60,939)."""
    game = load("sliding:4x4")
    chosen = heuristic(game, "many-empty:2-3")
    for number, length, nodes in ((12, 45, 40_044), (42, 42, 28_715), (55, 41, 60_939)):
        text = " ".join(map(str, KORF[number - 1]["tiles"]))
        line = search_state(game, text, "idastar", Run(threads=1), h=chosen, automaton=0)
        assert (line.cost, line.verify()) == (length, [])
        assert abs(line.nodes - nodes) < 50
        pruned = search_state(game, text, "idastar", Run(threads=1), h=chosen, automaton=8)
        assert pruned.cost == length
        assert pruned.nodes < line.nodes


def test_entries_that_do_not_fit_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows in reverse have more entries than any other board that is known; with room for few the bound is less."""
    state = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3]
    carried = np.zeros((1, 2 + ROOM[2]), np.int64)
    whole = many_empty(4, 4, 2)
    names = jit.Names({**load("sliding:4x4").names(target="interpreted"), **whole}, "interpreted")
    bound = jit.bind(h_init, names)(state, (), carried, 0)
    assert carried[0, 1] == 21
    monkeypatch.setitem(ROOM, 2, 3)
    few = dict(many_empty.__wrapped__(4, 4, 2))
    names = jit.Names({**load("sliding:4x4").names(target="interpreted"), **few}, "interpreted")
    assert jit.bind(h_init, names)(state, (), carried, 0) < bound
    assert carried[0, 1] == 3


def test_the_larger_of_two_bounds() -> None:
    game = load("sliding:3x3")
    database = solve_states(
        load("sliding-pattern:3x3,1-2-5"), run=Run(memory=64 << 20, threads=1), target="interpreted"
    )
    one, other = PatternDatabases(game, [[database]]), NamedHeuristic(game.heuristics()["many-empty:2-3"])
    chosen = Maximum(one, other)
    names = {
        place: jit.Names({**game.names(target="interpreted"), **of.names()}, "interpreted")
        for place, of in enumerate((one, other, chosen))
    }
    first, ready, following = (jit.bind(name, names[2]) for name in (h_init, h_prefetch, h_update))
    chance, state = random.Random(9), game.start()
    carried = np.zeros((2, names[2]["H_STATE_SIZE"]), np.int64)
    tables: Any = chosen.tables(state)
    bound = first(state, tables, carried, 0)
    for _ in range(100):
        move = chance.choice(game.moves(state))
        ready(state, move, tables, carried, 0, 1)
        bound = following(state, move, tables, bound, NEVER, carried, 0, 1)
        state = game.play(state, move)
        carried[0] = carried[1]
        assert bound == max(jit.bind(rules.h, names[place])(state, tables) for place in (0, 1))
    with pytest.raises(BadRequest, match="tables of their own"):
        Maximum(one, one).tables(state)


def test_what_has_no_patterns_is_refused() -> None:
    for rows, columns, tiles in ((4, 4, 5), (4, 4, 1), (5, 5, 2), (2, 2, 4)):
        with pytest.raises(BadRequest, match="many-empty patterns"):
            useful_patterns(rows, columns, tiles)
    assert "many-empty:2" not in load("sliding:5x5").heuristics()
    with pytest.raises(BadRequest, match="many-empty:2-3"):
        heuristic(load("sliding:3x3"), "many-empty:5")
