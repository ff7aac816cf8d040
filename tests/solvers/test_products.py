"""The search of product indexes against the search state by state, and against a plain one, of random puzzles."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import naive

from searchbench import check, load
from searchbench.errors import BadGame, BadRequest, OutOfMemory
from searchbench.index import Combination, Product, Radix
from searchbench.index.product_moves import ProductMoves, columns_of
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.exhaustive.by_products import PRODUCT, moves_for
from searchbench.solvers.exhaustive.permutations.levels import Layers, search_levels
from searchbench.solvers.exhaustive.products.search import ProductSearch
from searchbench.store import open_database
from twisty import Twisty, twisties


def searched(moves: ProductMoves, start: int, threads: int = 1, weight: int = 300) -> Layers:
    """Search with some weight of looking backwards."""
    with Run(threads=threads) as run:
        return search_levels(ProductSearch(moves, start, run, weight), start, run)


@settings(max_examples=25)
@given(twisties(), st.sampled_from([0, 300, 10**9]), st.integers(1, 3))
def test_depths_of_random_puzzles_are_those_of_a_plain_search(game: Twisty, weight: int, threads: int) -> None:
    depths = {game.rank(list(state)): depth for state, depth in naive.depths(game).items()}
    start = game.rank(game.start())
    found = searched(moves_for(game), start, threads, weight)
    counts = [list(depths.values()).count(depth) for depth in range(1 + max(depths.values()))]
    assert found.counts == counts
    size = game.index().size
    assert found.codes.whole().tolist() == [1 + depths[number] % 3 if number in depths else 0 for number in range(size)]
    assert found.few == {
        depth: sorted(number for number in depths if depths[number] == depth)
        for depth, count in enumerate(counts)
        if count <= 100
    }


@settings(max_examples=15)
@given(twisties())
def test_tables_lead_to_the_successors(game: Twisty) -> None:
    moves = moves_for(game)
    assert moves.one_to_one
    for number in range(game.index().size):
        state = game.unrank(number)
        assert moves.after(number) == [game.rank(game.play(state, move)) for move in game.moves(state)]


@settings(max_examples=15)
@given(st.data())
def test_actions_may_depend_on_the_row(data: st.DataObject) -> None:
    """Search random tables: rows and columns are rearranged at random, the columns as the row says."""
    seed = data.draw(st.integers(0, 10**6))
    chance = random.Random(seed)
    rows, columns, kinds = chance.randint(1, 40), chance.randint(1, 150), chance.randint(1, 4)
    tables = [chance.sample(range(columns), columns) for _ in range(kinds)]
    images = [chance.sample(range(rows), rows) for _ in range(2)]
    actions = [[chance.randrange(kinds) for _ in range(2)] for _ in range(rows)]
    moves = ProductMoves(
        np.array(images, np.int32).T.copy(), np.array(actions), np.array(tables).astype(np.uint16)
    )  # fmt: skip
    start = chance.randrange(rows * columns)
    reached, frontier, layers = {start}, {start}, []
    while frontier:
        layers.append(len(frontier))
        frontier = {after for number in frontier for after in moves.after(number)} - reached
        reached |= frontier
    for weight, threads in itertools.product((0, 300, 10**9), (1, 2)):
        found = searched(moves, start, threads, weight)
        assert found.counts == layers, (seed, weight)
        assert set(np.flatnonzero(found.codes.whole()).tolist()) == reached, (seed, weight)


@pytest.mark.parametrize(
    "spec",
    ["pyraminx", "pocket-cube:quarter-turn", "rubik-pattern:UR-UF-UL-UB", "rubik-pattern:URF-UFL-ULB,quarter-turn"],
)
def test_the_default_gives_the_depths_of_the_search_state_by_state(spec: str) -> None:
    game = load(spec)
    products = solve_states(game, solver="bfs", run=Run(threads=2))
    plain = solve_states(game, solver="bfs", form="values", block_bits=16)  # not by rows
    assert (products.facts["form"], products.modulus) == (PRODUCT, 3)
    assert products.histogram() == plain.histogram()
    whole = plain.codes.astype(np.int64)
    assert np.array_equal(products.codes, np.where(whole == 0, 0, 1 + (whole - 1) % 3))


def test_layers_of_the_corner_cube() -> None:
    game = load("corner-cube")
    found = solve_states(game, solver="bfs")
    assert found.facts["form"] == PRODUCT
    assert found.histogram() == game.known()["histogram"]
    chance = random.Random(0)
    for number in chance.sample(range(88_179_840), 20):
        state = game.unrank(number)
        around = {found.probe(game.play(state, move)) for move in game.moves(state)}
        assert found.probe(state) in {depth + 1 for depth in around}


@pytest.mark.parametrize("cut", range(1, 12, 3))
def test_a_search_goes_on_where_it_was_stopped(cut: int, tmp_path: Path) -> None:
    game = load("pyraminx")
    whole = solve_states(game, solver="bfs", run=Run(threads=1))
    done = ProductSearch.level

    def level(search: ProductSearch, depth: int) -> tuple[int, list[int]]:
        if depth == cut:
            raise KeyboardInterrupt
        return done(search, depth)

    def solve() -> Any:
        return solve_states(game, solver="bfs", run=Run(threads=2, work=tmp_path / "work"))

    with mock.patch("searchbench.store.working.WorkingFolder.due", True):
        with mock.patch.object(ProductSearch, "level", level), pytest.raises(KeyboardInterrupt):
            solve()
        begun: list[int] = []

        def noted(search: ProductSearch, depth: int) -> tuple[int, list[int]]:
            begun.append(depth)
            return done(search, depth)

        with mock.patch.object(ProductSearch, "level", noted):
            again = solve()
    assert begun[0] == cut
    assert again.histogram() == whole.histogram()
    assert np.array_equal(again.codes, whole.codes)


def test_a_database_is_kept_and_read(tmp_path: Path) -> None:
    game = load("pyraminx")
    found = solve_states(game, solver="bfs", form=PRODUCT)
    found.save(tmp_path / "pyraminx.db")
    with open_database(tmp_path / "pyraminx.db") as kept:
        assert kept.histogram() == found.histogram()
        assert np.array_equal(kept.codes, found.codes)
        assert kept.verify()


def test_factors_that_do_not_move_independently_are_refused() -> None:
    turns = (((1, 2, 0), (1, 0, 0)), ((1, 0, 2), (0, 1, 1)))
    game = Twisty(2, 3, turns)
    assert check(game).broken == ()
    wrong = replace(game, slips=True)
    with pytest.raises(BadGame, match="`independent` is claimed"):
        wrong.product_moves()
    with pytest.raises(BadGame, match="`independent` is claimed"):
        solve_states(wrong, solver="bfs")


def test_other_games_are_refused_the_form() -> None:
    for spec, why in (
        ("hanoi:3", "does not tell the moves of a product index"),
        ("pocket-cube:clockwise", "does not claim a `locality`"),
        ("tic-tac-toe", "expected|form"),
    ):
        with pytest.raises(BadRequest, match=why):
            solve_states(load(spec), solver="bfs", form=PRODUCT)
    with pytest.raises(OutOfMemory):
        solve_states(load("pyraminx"), solver="bfs", form=PRODUCT, run=Run(memory=100_000))
    assert solve_states(load("pyraminx"), solver="bfs", run=Run(memory=500_000)).facts["form"] == "two-bit"


def test_columns_are_the_last_factors_that_fit() -> None:
    assert columns_of(Product(Radix((5,)), Radix((7, 2)))) == 14
    assert columns_of(Product(Radix((5,)), Radix((7, 2)), Radix((3,)))) == 42
    assert columns_of(Product(Radix((5,)), Radix((256, 256)), Radix((3,)))) == 3
    assert columns_of(Product(Radix((5,)), Radix((257, 256)))) == 0
    assert columns_of(Product(Combination(5, 2))) == 0
