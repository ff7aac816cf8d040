"""Whatever reads a solved database, on random tiny games, against the naive solver (see tests/database_combinations.py)."""

from __future__ import annotations

from collections import Counter

from database_combinations import READERS, faults_of
from graphs import GraphGame
from searchbench.learning.environments import Oracle
from searchbench.repairs import repair_database
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.testing.numbers import parts
from searchbench.testing.subject import Subject

CASES = 30


def test_readers_of_random_games() -> None:
    told: Counter[str] = Counter()
    found = [fault for seed in range(CASES) for fault in faults_of(seed, told)]
    assert not found, "\n\n".join(found)
    assert all(told[reader.__name__] >= CASES * 2 // 3 for reader in READERS), told


def test_the_best_of_two_moves_gains_most() -> None:
    game = GraphGame(((1, 0, 1, 5), (1, 0, 1, 0)), (0, UNDECIDED), "score", (1,), first=1)
    oracle = Oracle(solve_states(game, target="interpreted"))
    assert oracle.truth([1])["best_actions"] == [0]


def test_an_empty_part_that_begins_where_another_does_is_repaired_and_checked() -> None:
    game = GraphGame(((1, 0, 1, 0), (2, 1, 1, 0)), (0, UNDECIDED, UNDECIDED), empty=((0, False),))
    right = solve_states(game, target="interpreted")
    codes = right.codes.copy()
    codes[2] += 1
    database = Database(game, right.rule, codes)
    assert repair_database(database, Run(threads=1), target="interpreted").changed == 1
    assert database.codes.tolist() == right.codes.tolist()
    assert not list(parts(Subject(game, samples=3, seed=0)))
