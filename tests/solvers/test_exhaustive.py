"""Retrograde analysis, forward fixpoint and breadth-first search against their obvious twins."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, MutableSequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from itertools import permutations
from typing import Any, ClassVar
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from graphs import (
    EMPTY_PARTS,
    GraphGame,
    RotatedGame,
    chain,
    long_games,
    outcome_games,
    puzzles,
    rotated_games,
    score_games,
    symmetric_games,
)
from searchbench.catalogue import load
from searchbench.errors import BadGame, BadRequest, BrokenRule, MissingRule, NoFixpoint, OutOfMemory, ValueOverflow
from searchbench.exchange import Table
from searchbench.exchange.memory import PAGE
from searchbench.game import Game, _names
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import score_lists, scores, solve_states
from searchbench.solvers.exhaustive.budget import BUCKET_MEMORY
from searchbench.solvers.exhaustive.schedule import CHUNK, Chunks
from searchbench.store import Database
from searchbench.values import Score, ValueRule


def solve(game: Game, solver: str, target: Any = "interpreted", **options: Any) -> Database:
    """Solve with one thread, interpreted unless told otherwise."""
    run = options.pop("run", None) or Run(memory=8 << 20, threads=1)
    return solve_states(game, solver=solver, run=run, target=target, **options)


def values(database: Database) -> dict[int, Any]:
    """Return the value of every number that is a position."""
    top = np.iinfo(database.codes.dtype).max
    return {number: database.rule.decode(int(code)) for number, code in enumerate(database.codes) if code != top}


def same_tables(tables: list[Database]) -> bool:
    """Tell whether databases are the same, bit for bit."""
    return len({(table.codes.dtype.str, table.codes.tobytes()) for table in tables}) == 1


def expected(game: Game) -> dict[int, Any]:
    """Return the naive value of every legal number by the game's own value rule."""
    graph = naive.explicit(game)
    if game.values == "distance":
        return naive.table(graph, naive.distances(graph))
    return naive.table(graph, naive.outcomes(graph) if game.values == "outcome" else naive.scores(graph))


# --- random graphs ----------------------------------------------------------------------------------------------------


@given(puzzles())
@settings(max_examples=200)
def test_distances_of_random_puzzles(game: GraphGame) -> None:
    right = expected(game)
    assert values(solve(game, "retrograde", block_bits=2)) == right
    assert values(solve(game, "fixpoint")) == right


@given(puzzles(costs=False))
def test_unit_costs_are_levels(game: GraphGame) -> None:
    graph = naive.explicit(game)
    assert values(solve(game, "retrograde")) == naive.table(graph, naive.distances_by_levels(graph))


@given(puzzles(costs=False), st.integers(0, 15))
def test_depths_of_random_puzzles(game: GraphGame, first: int) -> None:
    game = replace(game, first=min(first, game.size - 1))
    found = naive.depths(game)
    depths = values(solve(game, "bfs", block_bits=2))
    assert depths == {number: found.get((number,)) for number in range(game.size)}


@given(outcome_games(), st.integers(0, 15))
def test_depths_of_random_games_end_where_the_game_ends(game: GraphGame, first: int) -> None:
    game = replace(game, first=min(first, game.size - 1))
    found = naive.depths(game)
    assert values(solve(game, "bfs")) == {number: found.get((number,)) for number in range(game.size)}


@given(outcome_games(most_cuts=0, outside=False))
@settings(max_examples=200)
def test_outcomes_of_random_games_of_one_part(game: GraphGame) -> None:
    right = expected(game)
    assert values(solve(game, "retrograde", block_bits=2)) == right
    assert values(solve(game, "fixpoint")) == right


@pytest.mark.long
@given(outcome_games(largest=32))
@settings(max_examples=300)
def test_outcomes_over_parts_are_exact_to_the_end_of_the_game(game: GraphGame) -> None:
    right = expected(game)
    assert values(solve(game, "retrograde", block_bits=2)) == right
    assert values(solve(game, "fixpoint")) == right


@pytest.mark.long
@given(long_games())
@settings(max_examples=100)
def test_outcomes_of_long_games_over_parts(game: GraphGame) -> None:
    right = expected(game)
    assert values(solve(game, "retrograde", block_bits=3)) == right
    assert values(solve(game, "fixpoint")) == right


@given(score_games())
def test_scores_of_random_games(game: GraphGame) -> None:
    assert values(solve(game, "retrograde", block_bits=2)) == expected(game)
    assert values(solve(game, "fixpoint")) == expected(game)


@given(score_games())
def test_scores_that_lie_far_apart_are_looked_for_alone(game: GraphGame) -> None:
    """Thousands of scores that no move leads to would look all states through, each of them."""
    far = 5_003
    edges = tuple((a, b, count, gain * far) for a, b, count, gain in game.edges)
    results = tuple(result if result == UNDECIDED else result * far for result in game.results)
    game = replace(game, edges=edges, results=results)
    right = expected(game)
    with mock.patch.object(scores, "_select_all", wraps=scores._select_all) as selected:
        assert values(solve(game, "retrograde", block_bits=2)) == right
    groups = len(game.cuts) + 1
    assert selected.call_count <= groups * len({abs(value) for value in right.values()} | {0})


@given(score_games())
def test_scores_without_parts_are_the_same_or_refused(game: GraphGame) -> None:
    """Points gained within a part with cycles can hold themselves up for ever; no wrong value may come out of it."""
    right = expected(game)
    try:
        found = values(solve(replace(game, cuts=()), "fixpoint"))
    except NoFixpoint:
        assert any(gain != 0 for _, _, _, gain in game.edges)
    else:
        assert found == right


@pytest.mark.parametrize("memory", [100_000, 8 << 20])
def test_points_that_go_round_are_refused(memory: int) -> None:
    """Node 6 takes 2 for node 5 before it knows better, and nodes 7 and 8 would pass the 2 to and fro for ever."""
    edges = (
        (7, 8, 1, 0),
        (8, 7, 1, 0),
        (7, 6, 1, 0),
        (6, 5, 1, 0),
        (5, 4, 1, 2),
        (4, 3, 1, 0),
        (3, 2, 1, 0),
        (2, 1, 1, 6),
    )
    game = GraphGame(edges, (0, 0) + (UNDECIDED,) * 7, "score")
    run = Run(memory=memory, threads=1)  # without room for lists of edges, and with
    with pytest.raises(NoFixpoint, match=r"parts\(\)"):
        solve(game, "fixpoint", run=run)
    divided = replace(game, cuts=(2, 5))
    assert values(solve(divided, "fixpoint", run=run)) == {0: 0, 1: 0, 2: 6, 3: -6, 4: 6, 5: -4, 6: 4, 7: 0, 8: 0}
    assert (
        values(solve(replace(game, edges=edges[2:]), "fixpoint", run=run))[7] == -4
    )  # no cycle, so no parts are needed


@pytest.mark.parametrize("kind", ["distance", "outcome", "score"])
@given(data=st.data())
@settings(max_examples=150)
def test_symmetric_games_have_the_values_of_the_whole_game(kind: str, data: st.DataObject) -> None:
    game = data.draw(symmetric_games(kind))
    whole = expected(game)
    for solver in ("retrograde", "fixpoint"):
        table = values(solve(game, solver))
        assert set(table) == {min(node, game.mirror[node]) for node in range(game.size)}  # representatives only
        assert {number: table[game.rank([number])] for number in whole} == whole


@given(symmetric_games("distance"))
def test_breadth_first_search_of_symmetric_games(game: GraphGame) -> None:
    depths = values(solve(game, "bfs"))
    whole = naive.depths(game)
    for number in depths:
        orbit = {whole.get((number,)), whole.get((game.mirror[number],))} - {None}
        assert depths[number] == min(orbit, default=None)


@given(outcome_games(outside=False), st.data())
def test_absent_positions_have_no_value(game: GraphGame, data: st.DataObject) -> None:
    absent = data.draw(st.sets(st.integers(0, game.size - 1), max_size=game.size // 2)) - {game.first}
    edges = tuple(edge for edge in game.edges if not absent & {edge[0], edge[1]})
    game = replace(game, edges=edges, absent=tuple(absent))
    for solver in ("retrograde", "fixpoint"):
        table = values(solve(game, solver))
        assert table == expected(game)
        assert not absent & set(table)


@contextmanager
def small_stretches() -> Iterator[None]:
    """Let tiny games have many stretches, in which solvers look for what is due, and many chunks."""
    package = "searchbench.solvers.exhaustive"
    patches = {f"{module}.STRETCH_BITS": 2 for module in ("pending", "scores", "score_kernels", "score_lists")}
    patches |= {f"{module}.STRETCH": 4 for module in ("pending", "score_kernels")}
    patches |= {f"{module}.BLOCK": 2 for module in ("pending", "score_kernels")}
    patches |= {f"{module}.CHUNK": 8 for module in ("rounds", "schedule", "scores", "score_work")}
    patches |= {"scores.MANY": 0, "scores.FINE": 4}
    with ExitStack() as stack:
        for name, value in patches.items():
            stack.enter_context(mock.patch(f"{package}.{name}", value))
        # Kernels that are bound keep the sizes that they were bound with.
        stack.enter_context(mock.patch("searchbench.game._names", _names.__wrapped__))
        yield


@pytest.mark.parametrize(
    "games",
    [puzzles(largest=40), outcome_games(largest=40), long_games(), score_games(largest=40)],
    ids=["puzzles", "outcomes", "long", "scores"],
)
@given(data=st.data())
@settings(max_examples=60)
def test_empty_parts_change_nothing(games: st.SearchStrategy[GraphGame], data: st.DataObject) -> None:
    game = data.draw(games)
    right = expected(game)
    game = replace(game, empty=data.draw(EMPTY_PARTS))
    with small_stretches():
        assert values(solve(game, "retrograde", block_bits=2)) == right
        assert values(solve(game, "fixpoint")) == right


FREE = st.sampled_from((0, 0, 1, 2, 511, 512, 513, 1024))
"""Costs of moves, among them nothing, and levels that share a slot of the marks."""


@pytest.mark.long
@given(puzzles(largest=30, price=FREE), st.integers(1, 3))
@settings(max_examples=200)
def test_moves_that_cost_nothing(game: GraphGame, threads: int) -> None:
    right = expected(game)
    assert values(solve(game, "fixpoint")) == right
    with small_stretches():
        assert values(solve(game, "retrograde", block_bits=2, run=Run(memory=8 << 20, threads=threads))) == right
    with full_buckets(1, 1):
        assert values(solve(game, "retrograde", block_bits=2)) == right


def orbit_of(game: RotatedGame, node: int) -> int:
    """Return the number of a node's orbit."""
    return int(np.searchsorted(np.cumsum(game.orbits), node, side="right"))


def of_orbits(game: RotatedGame, whole: dict[int, Any]) -> dict[int, Any]:
    """Return the values of the nodes that stand for their orbits."""
    return {number: value for number, value in whole.items() if game.rank([number]) == number}


@pytest.mark.parametrize("kind", ["distance", "outcome", "score"])
@given(data=st.data())
@settings(max_examples=100)
def test_rotations_are_counted_by_stabilizers(kind: str, data: st.DataObject) -> None:
    game = data.draw(rotated_games(kind))
    right = of_orbits(game, expected(replace(game, turns=1, orbits=(1,) * game.size)))
    for solver in ("retrograde", "fixpoint"):
        assert values(solve(game, solver)) == right
    with full_buckets(1, 7):  # a page holds what a hub is asked for by a whole ring
        assert values(solve(game, "retrograde")) == right


@pytest.mark.parametrize("kind", ["distance", "outcome", "score"])
@given(hubs=st.integers(2, 7), turns=st.integers(2, 7), page=st.sampled_from((1, 1, 2, 3, 7, PAGE)))
@settings(max_examples=30)
def test_requests_of_many_hubs_are_refused_or_right(kind: str, hubs: int, turns: int, page: int) -> None:
    """Each hub has a spoke to every node of a ring: the node that stands for them tells each hub of all its spokes."""
    edges = tuple((hub, hubs + node, 1, 0) for hub in range(hubs) for node in range(turns))
    results = (UNDECIDED,) * hubs + ((0 if kind == "distance" else -1),) * turns
    game = RotatedGame(edges, results, kind, turns=turns, orbits=(1,) * hubs + (turns,))
    right = of_orbits(game, expected(replace(game, turns=1, orbits=(1,) * game.size)))
    pages = 2 * max(game.max_moves, game.max_unmoves)
    with full_buckets(1, page), mock.patch.multiple(score_lists, SMALL=-1, FEW=0):
        if hubs * -(-turns // page) > pages:
            with pytest.raises(OutOfMemory, match="requests to the predecessors of one state"):
                solve(game, "retrograde")
        else:
            assert values(solve(game, "retrograde")) == right


@pytest.mark.parametrize(("kind", "few"), [("distance", 0), ("outcome", 0), ("score", 0), ("score", 1 << 22)])
@given(data=st.data())
@settings(max_examples=150)
def test_stabilizers_of_some_states_alone_are_refused_or_make_no_difference(
    kind: str, few: int, data: st.DataObject
) -> None:
    """Points are spread by rounds alone where `few` is 0, else by lists."""
    game = data.draw(rotated_games(kind))
    right = of_orbits(game, expected(replace(game, turns=1, orbits=(1,) * game.size)))
    untold = data.draw(st.sets(st.integers(0, len(game.orbits) - 1), min_size=1))
    game = replace(game, untold=tuple(untold))
    assert values(solve(game, "fixpoint")) == right
    mixed = any(
        (orbit_of(game, source) in untold) != (orbit_of(game, target) in untold) for source, target, _, _ in game.edges
    )
    try:
        with mock.patch.multiple(score_lists, SMALL=few - 1, FEW=few):
            found = values(solve(game, "retrograde"))
    except BrokenRule:
        assert mixed
    else:
        assert found == right


@pytest.mark.parametrize("form", ["values", "two-bit", "reachability", "layers"])
@given(outcome_games(), st.data())
@settings(max_examples=20)
def test_a_start_without_a_number_is_refused(form: str, game: GraphGame, data: st.DataObject) -> None:
    assume(not game.closed)
    first = data.draw(st.integers(game.size, len(game.results) - 1))
    game = replace(game, first=first, locality=1)  # nothing leads on from the start: the claim is true
    with pytest.raises(BadRequest, match="the start has no number"):
        solve(game, "bfs", form=form)
    assert values(solve(game, "retrograde")) == expected(game)


# --- the table does not depend on how the work is divided -------------------------------------------------------------


@contextmanager
def full_buckets(memory: int, page: int) -> Iterator[None]:
    """Leave buckets so little room that they are full after a few requests."""
    with (
        mock.patch("searchbench.solvers.exhaustive.budget.BUCKET_MEMORY", memory),
        mock.patch("searchbench.exchange.memory.PAGE", page),
    ):
        yield


def test_full_buckets_are_emptied_and_written_again() -> None:
    game = GraphGame(tuple((node, node % 5, 1, 0) for node in range(5, 40)), (-1,) * 5 + (UNDECIDED,) * 35, "outcome")
    put_back: list[tuple[int, int]] = []
    original = Chunks.put_back

    def note(chunks: Chunks, first: int, stop: int) -> None:
        put_back.append((first, stop))
        original(chunks, first, stop)

    with full_buckets(1, 1), mock.patch.object(Chunks, "put_back", note):
        assert values(solve(game, "retrograde")) == expected(game)
    assert len([first for first, stop in put_back if first < stop]) > 1


@given(outcome_games(largest=40))
@settings(max_examples=40)
def test_result_is_independent_of_blocks_threads_and_buckets(game: GraphGame) -> None:
    tables = []
    for memory, page in ((1, 1), (1, 2), (BUCKET_MEMORY, PAGE)):
        with full_buckets(memory, page):
            tables += [
                solve(game, "retrograde", block_bits=bits, run=Run(memory=8 << 20, threads=threads))
                for bits in (1, 3, 18)
                for threads in (1, 3)
            ]
    assert same_tables(tables)
    assert values(tables[0]) == expected(game)


@given(puzzles(costs=False, largest=40))
@settings(max_examples=40)
def test_depths_are_independent_of_blocks_threads_and_buckets(game: GraphGame) -> None:
    with full_buckets(1, 1):
        tables = [solve(game, "bfs", block_bits=bits, run=Run(memory=8 << 20, threads=bits)) for bits in (1, 2)]
    assert same_tables([solve(game, "bfs"), *tables])


def test_compiled_tables_are_the_same_for_all_solvers_blocks_and_threads() -> None:
    game = load("sliding:2x3")
    tables = [
        solve(game, "retrograde", "cpu", block_bits=bits, run=Run(memory=64 << 20, threads=threads))
        for bits in (4, 6, 18)
        for threads in (1, 2, 3)
    ]
    tables += [solve(game, "fixpoint", "cpu", run=Run(memory=64 << 20, threads=threads)) for threads in (1, 2)]
    assert same_tables(tables)
    assert values(tables[0]) == expected(game)
    # A graph without directions: as far from the start as to it, which is the solved state.
    assert values(solve(game, "bfs", "cpu", block_bits=6)) == values(tables[0])


LADDER = 300


def ladder() -> GraphGame:
    """Return a game of three parts: two ladders that need each other, above one that ends the game."""
    random.seed(5)
    edges = [(node, node - 1, 1, 0) for node in range(1, LADDER)]
    edges += [(node, random.randrange(max(0, node - 9), min(LADDER, node + 30)), 1, 0) for node in range(1, LADDER)]
    return GraphGame(tuple(edges), (-1,) + (UNDECIDED,) * (LADDER - 1), "outcome", cuts=(60, 170))


@pytest.mark.long
def test_compiled_outcomes_over_parts() -> None:
    game = ladder()
    right = expected(game)
    assert len({outcome for outcome, _ in right.values()}) > 1
    tables = [
        solve(game, "retrograde", "cpu", block_bits=bits, run=Run(memory=64 << 20, threads=threads))
        for bits, threads in ((4, 1), (4, 2), (6, 3), (18, 2))
    ]
    tables.append(solve(game, "fixpoint", "cpu"))
    assert same_tables(tables)
    assert values(tables[0]) == right


def test_levels_far_apart_are_all_visited() -> None:
    """Nodes at 2, 3, 100, 101 and 5000 from the goal: nothing between them, and dead ends that give no new level."""
    edges = ((1, 0, 2, 0), (2, 0, 3, 0), (3, 0, 100, 0), (4, 3, 1, 0), (5, 0, 5000, 0), (6, 2, 50, 0), (7, 4, 7, 0))
    game = GraphGame(edges, (0,) + (UNDECIDED,) * 7)
    right = {0: 0, 1: 2, 2: 3, 3: 100, 4: 101, 5: 5000, 6: 53, 7: 108}
    levels: list[str] = []
    run = Run(memory=8 << 20, threads=1, report=lambda stage, done, total: levels.append(stage))
    assert values(solve(game, "retrograde", run=run)) == right == expected(game)
    assert 8 <= len([stage for stage in levels if stage.startswith("level")]) < 30


@pytest.mark.parametrize("targets", list(permutations([9, 5, 11])))
def test_loss_lasts_until_the_slowest_win_of_a_finished_part(targets: tuple[int, ...]) -> None:
    """Node 12 loses to a win in its own part soon, and to two in the part below later; node 9 wins in 9, node 5 in 5."""
    edges = [(node, node - 1, 1, 0) for node in range(1, 10)]
    edges += [(12, target, 1, 0) for target in targets] + [(11, 10, 1, 0), (11, 12, 1, 0)]
    game = GraphGame(tuple(edges), (-1, *[UNDECIDED] * 9, -1, UNDECIDED, UNDECIDED), "outcome", cuts=(10,))
    assert values(solve(game, "retrograde"))[12] == (-1, 10)
    assert values(solve(game, "retrograde")) == expected(game)


# --- codes that do not fit --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
@pytest.mark.parametrize(
    ("costs", "dtype"),
    [
        ([1] * 253, np.uint8),
        ([1] * 254, np.uint16),
        ([1] * 300, np.uint16),
        ([1000] * 60, np.uint16),
        ([1000] * 70, np.uint32),
        ([65535] * 250, np.uint32),
    ],
)
def test_long_chains_widen_the_table(solver: str, costs: list[int], dtype: type) -> None:
    table = solve(chain(costs), solver)
    assert table.codes.dtype == dtype
    assert [table.rule.decode(int(code)) for code in table.codes] == [0, *np.cumsum(costs).tolist()]


def test_a_widened_table_keeps_the_mark_of_what_is_no_position() -> None:
    table = Table(6)
    table.codes[:] = [1, 255, 3, 254, 255, 0]
    for run_out, mark in ((255, 65535), (65535, 2**32 - 1)):
        table.widen(run_out)
        assert table.codes.tolist() == [1, mark, 3, 254, mark, 0]
        assert table.illegal == mark
    table.narrow(254)
    assert table.codes.tolist() == [1, 255, 3, 254, 255, 0]


def test_a_table_takes_and_gives_back_the_memory_of_its_spans() -> None:
    table = Table(1 << 34, [(1 << 33, (1 << 33) + 100_000)])  # more than there is, if it were taken
    table.codes[1 << 33 : (1 << 33) + 100_000] = 7
    table.widen(255)
    assert (table.codes[1 << 33 : (1 << 33) + 100_000] == 7).all()
    table.keep([])
    assert not table.codes[(1 << 33) + 10_000 : (1 << 33) + 90_000].any()


@pytest.mark.parametrize("length", [252, 253, 254, 255, 256])
def test_depths_widen_the_table(length: int) -> None:
    table = solve(replace(chain([1] * length), first=0, edges=tuple((i, i + 1, 1, 0) for i in range(length))), "bfs")
    assert [table.rule.decode(int(code)) for code in table.codes] == list(range(length + 1))


def test_distance_that_no_request_can_carry_is_an_error_not_a_wrong_number() -> None:
    game = chain([65535] * 300)  # 19,660,500, more than 2^24
    with pytest.raises(ValueOverflow):
        solve(game, "retrograde")
    assert values(solve(game, "fixpoint"))[300] == 300 * 65535


@pytest.mark.parametrize("fine", [1 << 31, 10**10, 1 << 62])
@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_points_that_no_code_can_tell_are_an_error_not_a_wrong_number(solver: str, fine: int) -> None:
    """The only move of node 1 costs too much, and nodes 2 and 3 lead there and to each other."""
    edges = ((1, 0, 1, -fine), (2, 1, 1, 0), (3, 2, 1, 0), (2, 3, 1, 0))
    game = GraphGame(edges, (0, UNDECIDED, UNDECIDED, UNDECIDED), "score", (1,))
    with pytest.raises(ValueOverflow, match="largest a table keeps"):
        solve(game, solver)


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_a_fine_that_no_code_can_tell_is_no_obstacle_where_nobody_pays_it(solver: str) -> None:
    edges = ((1, 0, 1, -(10**18)), (1, 2, 1, 0), (2, 1, 1, 0), (3, 0, 1, -(10**18)), (3, 0, 1, 4), (2, 3, 1, 0))
    game = GraphGame(edges, (0, UNDECIDED, UNDECIDED, UNDECIDED), "score", (1,))
    solved = solve(game, solver)
    assert values(solved) == {0: 0, 1: 0, 2: 0, 3: 4}
    assert bool(solved.verify())


def test_weight_that_no_request_can_carry_is_an_error() -> None:
    with pytest.raises(ValueOverflow, match="65,535"):
        solve(chain([1, 65536]), "retrograde")


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
@pytest.mark.parametrize("most", [120, 250, 252, 253, 254, 255, 256, 400])
def test_many_moves_overflow_one_byte(solver: str, most: int) -> None:
    """Successor counts and depths share the number, so max_moves near and above 250 leaves a byte no room."""
    edges = [(1, 0, 1, 0)] * most + [(2, 1, 1, 0), (3, 2, 1, 0), (3, 1, 1, 0), (4, 3, 1, 0)]
    game = GraphGame(tuple(edges), (-1,) + (UNDECIDED,) * 4, "outcome")
    assert game.max_moves == most
    assert values(solve(game, solver)) == {0: (-1, 0), 1: (1, 1), 2: (-1, 2), 3: (1, 3), 4: (-1, 4)}
    assert values(solve(game, solver)) == expected(game)


@pytest.mark.parametrize("most", [251, 252, 253, 254, 255])
def test_many_escapes_that_all_fail(most: int) -> None:
    edges = [(1, 0, 1, 0), (3, 0, 1, 0)] + [(2, 1, 1, 0)] * (most - 1) + [(2, 3, 1, 0)]
    game = GraphGame(tuple(edges), (-1,) + (UNDECIDED,) * 3, "outcome")
    assert values(solve(game, "retrograde")) == {0: (-1, 0), 1: (1, 1), 2: (-1, 2), 3: (1, 1)}


# --- value rules of one's own, and no fixpoint ------------------------------------------------------------------------


@dataclass(frozen=True)
class PlusOne(ValueRule):
    """Give each state (largest value of the successors + 1) mod `modulus` (Gasser 1995, section 2.2)."""

    name: ClassVar[str] = "plus one"
    unique: ClassVar[bool] = False
    modulus: int = 5

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule."""
        modulus = self.modulus

        def initial(result: int, count: int) -> int:
            return 0

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            largest = 0
            for index in range(count):
                largest = max(largest, successors[index])
            return (largest + 1) % modulus

        return {"initial": initial, "gather": gather}


def ring(length: int) -> GraphGame:
    """Return a cycle without an end."""
    return GraphGame(tuple((node, (node + 1) % length, 1, 0) for node in range(length)), (UNDECIDED,) * length)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 6, 7, 11])
def test_no_fixpoint_on_a_cycle_whose_length_is_no_multiple_of_five(length: int) -> None:
    with pytest.raises(NoFixpoint, match="plus one"):
        solve(ring(length), "fixpoint", rule=PlusOne())


def test_values_of_a_rule_of_ones_own() -> None:
    game = chain([1] * 12)
    table = solve(game, "fixpoint", rule=PlusOne())
    assert values(table) == {node: node % 5 for node in range(13)}
    assert values(solve(game, "fixpoint", rule=PlusOne(7))) == {node: node % 7 for node in range(13)}


def test_points_in_a_circle_have_no_fixpoint() -> None:
    game = replace(ring(2), edges=((0, 1, 1, 1), (1, 0, 1, 0)), values="score")
    with pytest.raises(NoFixpoint):
        solve(game, "fixpoint", rule=Score())


def test_points_lost_in_a_circle_are_refused_backwards_too() -> None:
    """The first look finds 1,000 points, which take wider codes, before it comes to the moves that lose some."""
    edges = ((1, 2, 1, -3), (2, 1, 1, -5), (2, 0, 1, 0))
    game = GraphGame(edges, (1000, UNDECIDED, UNDECIDED), "score")
    with pytest.raises(NoFixpoint, match=r"parts\(\)"):
        solve(game, "retrograde")


@dataclass(frozen=True)
class Negative(PlusOne):
    """Break the rule that codes are not negative."""

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule."""

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            return -1

        return {**super().rules(max_moves), "gather": gather}


def test_negative_codes_are_refused() -> None:
    with pytest.raises(BrokenRule, match="negative"):
        solve(chain([1]), "fixpoint", rule=Negative())


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint", "bfs"])
def test_too_little_memory_is_refused_before_anything_starts(solver: str) -> None:
    stages: list[str] = []
    run = Run(memory=10_000, threads=1, report=lambda stage, done, total: stages.append(stage))
    with pytest.raises(OutOfMemory, match="needs"):
        solve_states(load("pancake:9"), solver=solver, run=run)
    assert stages == []


def test_retrograde_analysis_names_the_rule_that_it_misses() -> None:
    class Forward(GraphGame):
        name: ClassVar[str] = "forward"

        def rules(self) -> Mapping[str, Callable[..., Any]]:
            return {name: function for name, function in super().rules().items() if name != "unmoves"}

    game = Forward(((1, 0, 1, 0),), (0, UNDECIDED))
    with pytest.raises(MissingRule, match="retrograde needs `unmoves`"):
        solve(game, "retrograde")
    assert solve_states(game, target="interpreted").facts["solver"] == "fixpoint"


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_open_successor_without_a_number_is_a_broken_rule(solver: str) -> None:
    game = GraphGame(((0, 1, 1, 0), (1, 0, 1, 0)), (UNDECIDED, UNDECIDED), "outcome", numbered=1)
    with pytest.raises(BrokenRule, match="no number"):
        solve(game, solver)


class Claiming(GraphGame):
    """Claim that every successor has a number, whether that is so or not."""

    closed = True  # type: ignore[assignment]


@given(outcome_games(most_cuts=0))
def test_a_game_that_wrongly_claims_to_be_closed_is_refused_or_right(game: GraphGame) -> None:
    claiming = Claiming(**{one.name: getattr(game, one.name) for one in fields(GraphGame)})
    leaving = [start for start, end, _, _ in game.edges if start < game.size <= end]
    try:
        found = values(solve(claiming, "retrograde"))
    except BrokenRule:
        assert leaving
    else:
        assert found == expected(game)


def test_unknown_solver_and_impossible_blocks() -> None:
    with pytest.raises(BadRequest, match="retrograde, fixpoint, bfs"):
        solve_states(chain([1]), solver="magic")
    with pytest.raises(BadRequest, match="block_bits"):
        solve_states(chain([1]), solver="retrograde", block_bits=24)
    with pytest.raises(BadGame, match="needs 'nowhere'"):
        solve_states(Lost(((1, 0, 1, 0),), (0, UNDECIDED)), target="interpreted")


class Lost(GraphGame):
    """Name a part that is not there."""

    def parts(self) -> list[Any]:
        """Return one part that needs another."""
        return [part._replace(needs=("nowhere",)) for part in super().parts()]


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_broken_rule_in_one_of_many_blocks_is_reported(solver: str) -> None:
    size = 2 * CHUNK + 10
    game = GraphGame(((3, size, 1, 0), (size - 1, 0, 1, 0)), (UNDECIDED,) * (size + 1), "outcome", numbered=size)
    with pytest.raises(BrokenRule, match="no number"):
        solve(game, solver, run=Run(memory=64 << 20, threads=2))
