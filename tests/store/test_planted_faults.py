"""Verification finds every planted fault: each bit of each value, and values that agree with each other and are wrong."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from graphs import GraphGame, outcome_games, puzzles, score_games, symmetric_games
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import NoFixpoint
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.values import Result, value_rule
from searchbench.verify import Report, ground, verify_database
from searchbench.verify.database import claim_names
from searchbench.verify.value_claims import code_of

ONE_THREAD = Run(threads=1)


def solve(game: Game, solver: str | None = None, target: Any = "interpreted") -> Database:
    """Solve with one thread."""
    return solve_states(game, solver=solver, run=ONE_THREAD, target=target)


def verify(database: Database, codes: Any = None, target: Any = "interpreted") -> Report:
    """Verify a database, or the same with other codes."""
    if codes is not None:
        database = Database(database.game, database.rule, np.asarray(codes, database.dtype))
    return verify_database(database, ONE_THREAD, target=target)


def neighbourhood(game: Game, number: int) -> set[int]:
    """Return a number and those of its successors."""
    state = game.unrank(number)
    return {number, *(game.rank(game.play(state, move)) for move in game.moves(state))}


def flips(database: Database) -> list[tuple[int, int]]:
    """Return every bit of every code: the number, and what the code becomes."""
    bits = 8 * database.dtype.itemsize
    return [(number, int(code) ^ 1 << bit) for number, code in enumerate(database.codes) for bit in range(bits)]


def missed(database: Database, planted: list[tuple[int, int]], target: Any) -> list[tuple[int, int]]:
    """Return the planted faults that no fault of the report is about: the state itself, or one that leads to it."""
    codes = database.codes.copy()
    unseen = []
    for number, code in planted:
        kept = codes[number]
        codes[number] = code
        report = verify(database, codes, target)
        if not any(number in neighbourhood(database.game, fault.number) for fault in report.faults):
            unseen.append((number, code))
        codes[number] = kept
    return unseen


# --- every bit --------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("spec", ["sliding:2x2", "mnk:2,2,2", "awari:2"])
def test_every_flipped_bit_is_found(spec: str) -> None:
    database = solve(load(spec), target="cpu")
    assert verify(database, target="cpu").count == 0
    assert missed(database, flips(database), "cpu") == []


@pytest.mark.parametrize(("spec", "solver"), [("sliding:2x3", None), ("tic-tac-toe", None), ("sliding:2x3", "bfs")])
def test_flipped_bits_of_larger_tables_are_found(spec: str, solver: str | None) -> None:
    database = solve(load(spec), solver, target="cpu")
    report = verify(database, target="cpu")
    assert (report.count, report.states) == (0, database.states)
    assert missed(database, random.Random(3).sample(flips(database), 300), "cpu") == []


GRAPHS = st.one_of(
    puzzles(largest=8), outcome_games(largest=8), score_games(largest=8),
    symmetric_games("distance", 3), symmetric_games("outcome", 3),
)  # fmt: skip


@given(GRAPHS)
@settings(max_examples=40)
def test_every_flipped_bit_of_random_graphs_is_found(game: GraphGame) -> None:
    database = solve(game)
    assert verify(database).count == 0
    assert missed(database, flips(database), "interpreted") == []


@given(puzzles(largest=8))
@settings(max_examples=40)
def test_every_flipped_bit_of_random_depths_is_found(game: GraphGame) -> None:
    database = solve(game, "bfs")
    assert verify(database).count == 0
    assert missed(database, flips(database), "interpreted") == []


# --- every other table ------------------------------------------------------------------------------------------------


def accepted(database: Database, largest: int, most: int | None = None) -> list[list[int]]:
    """Return all tables with codes up to `largest`, in the first `most` positions, that verification accepts."""
    positions = np.flatnonzero(database.codes != database.illegal)[:most]
    codes = database.codes.copy()
    found = []
    for values in itertools.product(range(largest + 1), repeat=len(positions)):
        codes[positions] = values
        if verify(database, codes).count == 0:
            found.append(codes.tolist())
    return found


@given(st.one_of(puzzles(largest=3), outcome_games(largest=3), score_games(largest=3)))
@settings(max_examples=12)
def test_only_the_right_table_is_accepted(game: GraphGame) -> None:
    database = solve(game)
    legal = database.codes[database.codes != database.illegal]
    assert accepted(database, max(6, int(legal.max(initial=0)))) == [database.codes.tolist()]


def cycle(
    weights: tuple[int, ...], results: tuple[int, ...], extra: tuple[tuple[int, int, int, int], ...], rule: str
) -> GraphGame:
    """Return a graph whose first nodes form a cycle, with further nodes and edges."""
    size = len(weights)
    edges = [(node, (node + 1) % size, *((w, 0) if rule == "distance" else (1, w))) for node, w in enumerate(weights)]
    return GraphGame(tuple(sorted([*edges, *extra])), (UNDECIDED,) * size + results, rule)


@pytest.mark.parametrize("length", [2, 4])
@pytest.mark.parametrize("points", [1, 7])
def test_points_that_only_support_each_other(length: int, points: int) -> None:
    # Each state claims what the next one loses: +t, -t, +t, -t. An exit for 0 points changes nothing for the winner.
    game = cycle((0,) * length, (0,), ((0, length, 1, 0),), "score")
    right = solve(game)
    assert right.codes.tolist() == [0] * (length + 1)
    encode = right.rule.encode
    report = verify(right, [encode(points if node % 2 == 0 else -points) for node in range(length)] + [0])
    assert {fault.number for fault in report.faults} == set(range(length))
    assert {fault.claim for fault in report.faults} == {"grounded"}


def scores(game: Game, *values: int) -> Database:
    """Return a database of a game for points with these values."""
    rule = value_rule("score")
    return Database(game, rule, np.array([rule.encode(value) for value in values], np.uint8))


def test_points_above_what_the_exits_of_a_cycle_give() -> None:
    # From node 0 the player can take 3 points; the table promises 5 and keeps them alive on the cycle.
    # (The solver asks for parts here: a move that gains stays in a part with a cycle.)
    right = scores(cycle((0, 0), (0,), ((0, 2, 1, 3),), "score"), 3, -3, 0)
    assert not verify(right).faults
    assert verify(right, [right.rule.encode(5), right.rule.encode(-5), 0]).count == 2


def test_points_through_several_cycles_that_are_not_parts() -> None:
    # Two neutral cycles, the upper leads to the lower with a gain, all in one part.
    edges = ((0, 1, 1, 0), (1, 0, 1, 0), (0, 4, 1, 2), (2, 3, 1, 0), (3, 2, 1, 0), (2, 0, 1, 3), (3, 1, 1, 1))
    right = scores(GraphGame(edges, (UNDECIDED,) * 4 + (0,), "score"), 2, -2, 1, 3, 0)
    assert accepted(right, 6, 4) == [right.codes.tolist()]


def test_points_of_a_cycle_that_gains_are_open() -> None:
    # Whoever goes on gains 3, for ever: 1 and 2 add up to 3, and nothing says which is whose.
    game = cycle((3, 3), (), (), "score")
    with pytest.raises(NoFixpoint):
        solve(game)
    rule = value_rule("score")
    report = verify(Database(game, rule, np.array([rule.encode(1), rule.encode(2)], np.uint8)))
    assert [fault.claim for fault in report.faults] == ["grounded", "grounded"]
    assert "gain" in report.faults[0].message


@pytest.mark.parametrize("shift", [-1, 0, 1, 2])
def test_points_of_a_cycle_whose_gains_cancel_are_open(shift: int) -> None:
    # The values may rise and fall together, so no choice of them follows from the rules.
    game = cycle((0, 1, 1, 0), (), (), "score")
    rule = value_rule("score")
    codes = [rule.encode(value) for value in (shift, -shift, 1 + shift, -shift)]
    report = verify(Database(game, rule, np.array(codes, np.uint8)))
    assert {fault.claim for fault in report.faults} == {"grounded"}
    assert report.count == 4


def test_distances_over_moves_that_cost_nothing() -> None:
    # Node 2 is solved and nobody goes there; nodes 0 and 1 tell each other that the way is short.
    game = cycle((0, 0), (0,), ((0, 2, 5, 0),), "distance")
    rule = value_rule("distance")
    right = Database(game, rule, np.array([6, 6, 1], np.uint8))
    assert verify(right).count == 0
    assert {fault.number for fault in verify(right, [4, 4, 1]).faults} >= {0, 1}
    assert accepted(right, 7) == [[6, 6, 1]]


def test_a_cycle_of_losses_and_wins() -> None:
    # 0 -> 1 -> 0: a draw by repetition, however the depths are chosen.
    game = GraphGame(((0, 1, 1, 0), (1, 0, 1, 0)), (UNDECIDED, UNDECIDED), "outcome")
    right = solve(game)
    assert right.codes.tolist() == [0, 0]
    assert accepted(right, 12) == [[0, 0]]


@pytest.mark.parametrize("order", [1, -1])
def test_wins_are_quick_and_losses_slow(order: int) -> None:
    leads = {1: [0], 2: [1], 3: [2], 4: [3, 1][::order], 5: [2, 0][::order], 6: [3, 7][::order], 7: [6]}
    edges = tuple((node, after, 1, 0) for node, found in leads.items() for after in found)
    game = GraphGame(edges, (-1,) + (UNDECIDED,) * 7, "outcome")
    values = [
        Result(-1, 0),
        Result(1, 1),
        Result(-1, 2),
        Result(1, 3),
        Result(-1, 4),
        Result(1, 1),
        Result(0),
        Result(0),
    ]
    rule = value_rule("outcome")
    codes = [rule.encode(value) for value in values]
    right = Database(game, rule, np.array(codes, np.uint8))
    assert verify(right).count == 0
    for node in range(8):
        for code in set(range(14)) - {codes[node]}:
            faults = verify(right, [*codes[:node], code, *codes[node + 1 :]]).faults
            assert node in {fault.number for fault in faults}


def test_what_is_no_position_has_no_value_and_every_position_has_one() -> None:
    game = GraphGame(((1, 0, 1, 0), (3, 1, 1, 0)), (0,) + (UNDECIDED,) * 4, absent=(2,))
    right = solve(game)
    assert right.codes.tolist() == [1, 2, 255, 3, 0]
    assert verify(right).states == 4
    assert [fault.claim for fault in verify(right, [1, 2, 0, 3, 0]).faults] == ["legal"]
    assert {fault.claim for fault in verify(right, [1, 255, 255, 3, 0]).faults} == {"legal", "successor"}


def test_moves_out_of_the_index_are_faults() -> None:
    # Node 2 has no number, and is not the end of the game.
    game = GraphGame(((1, 0, 1, 0), (1, 2, 1, 0)), (0, UNDECIDED, UNDECIDED), numbered=2)
    report = verify(Database(game, value_rule("distance"), np.array([1, 2], np.uint8)))
    assert [(fault.number, fault.claim) for fault in report.faults] == [(1, "successor")]


def test_negative_costs_are_faults() -> None:
    game = GraphGame(((1, 0, -2, 0), (1, 0, 3, 0)), (0, UNDECIDED))
    claims = {
        fault.claim for fault in verify(Database(game, value_rule("distance"), np.array([1, 4], np.uint8))).faults
    }
    assert "cost" in claims


def test_depths_of_a_cycle_that_the_start_does_not_reach() -> None:
    game = GraphGame(((0, 1, 1, 0), (2, 3, 1, 0), (3, 2, 1, 0)), (UNDECIDED,) * 4)
    right = solve(game, "bfs")
    assert right.codes.tolist() == [1, 2, 0, 0]
    assert accepted(right, 4) == [[1, 2, 0, 0]]


# --- what else a report says ------------------------------------------------------------------------------------------


def test_faults_are_counted_beyond_the_limit() -> None:
    database = solve(load("sliding:2x2"), target="cpu")
    wrong = Database(database.game, database.rule, np.full(24, 200, np.uint8))
    report = verify_database(wrong, ONE_THREAD, limit=5)
    assert report.count == 24
    assert len(report.faults) == 5
    assert not report
    assert "24 faults" in str(report)


def test_a_fault_tells_the_state_and_what_would_be_right() -> None:
    database = solve(load("sliding:2x2"), target="cpu")
    codes = database.codes.copy()
    number = database.number("0 1 2 3")
    codes[number] = 7
    (first,) = [fault for fault in verify(database, codes, "cpu").faults if fault.number == number]
    assert (first.position, first.claim) == ("0 1 2 3", "terminal")
    assert first.message == "the game is over with the value 0, the table says 6"


def test_swapped_parts_are_found() -> None:
    database = solve(load("mnk:2,2,2"), target="cpu")
    one, other = database.parts[1], database.parts[3]
    size = min(one.size, other.size)
    codes = database.codes.copy()
    codes[one.start : one.start + size] = database.codes[other.start : other.start + size]
    codes[other.start : other.start + size] = database.codes[one.start : one.start + size]
    assert verify(database, codes, "cpu").count > 0


def test_what_is_asked_of_all_numbers_takes_no_memory_of_their_number(tmp_path: Path) -> None:
    solve_states(load("pancake:9"), "depth", "bfs", run=Run(threads=1), form="two-bit").save(tmp_path / "db")
    database = Database.open(tmp_path / "db")
    assert verify_database(database, Run(threads=1)).count == 0  # compiled
    tracemalloc.start()
    try:
        assert verify_database(database, Run(threads=1)).count == 0
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * database.size + (1 << 18)  # what is said beforehand: codes and marks


@given(score_games(), st.booleans(), st.integers(1, 4096), st.data())
@settings(max_examples=300)
def test_grounds_of_points_are_those_of_naive_sets(
    game: GraphGame, whole: bool, longest: int, data: st.DataObject
) -> None:
    """Whatever the values are: those of the solver, where there are any, with some changed, or others."""
    game = replace(game, cuts=()) if whole else game
    graph = naive.explicit(game)
    try:
        values = naive.scores(graph)
    except RecursionError:
        values = dict.fromkeys(graph.edges, 0)
    for state in data.draw(st.lists(st.sampled_from(sorted(values)), max_size=4)):
        values[state] = data.draw(st.integers(-3, 3))
    codes = np.array([code_of(values[graph.numbers[number]]) for number in range(game.size)], np.uint8)
    rule = value_rule("score")
    names = claim_names(game, rule, "interpreted")
    rng = random.Random(data.draw(st.integers(0, 1 << 20)))

    def until_stable(kernel: Any, parts: Any, marks: Any) -> None:
        """Sweep over pieces of some parts, in any order, forwards and backwards in turn."""
        bound, backwards, changed = jit.bind(kernel, names), False, True
        while changed:
            pieces = [(first, min(first + 3, part.stop)) for part in parts for first in range(part.start, part.stop, 3)]
            rng.shuffle(pieces)
            note = np.zeros(1, np.int64)
            for piece in pieces:
                bound(codes, -1, *piece, backwards, marks, note)
            changed, backwards = bool(note[0]), not backwards

    with mock.patch.object(ground, "LONGEST", longest):
        circular, undecided = ground.circular_points(codes, -1, list(game.parts()), until_stable)
    right = naive.ungrounded_points(graph, values)
    assert ({graph.numbers[n] for n in circular.tolist()}, {graph.numbers[n] for n in undecided.tolist()}) == right
