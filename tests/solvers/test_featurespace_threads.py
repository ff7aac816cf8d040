"""Feature-space search on several threads: it finds what one thread finds, and does not depend on which is faster."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from naive_sokoban import Maze, random_level
from searchbench import jit
from searchbench.errors import LimitReached, Unsolvable
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.featurespace import AIMING_BACK, AIMING_FORTH, BACKWARD, SPREADING, UNTANGLING
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.featurespace import search, strategy, turns
from searchbench.solvers.guided.featurespace.kernel import NONE, OWNER_BITS, STATUS, owner_of
from searchbench.solvers.guided.featurespace.turns import Race, even_parts, exchange
from searchbench.solvers.guided.task import FULL, PAUSED
from searchbench.verify.lurd import replay

LEVELS = [
    "########|#    ###|# $ #.##|# $  $ #|#...   #|# ## $ #|####  @#|########",
    "########|# #    #|#   .  #|#.$$.  #|#   $  #|#   * ##|#   .$@#|########",
    "########|#  . ###|# $$  ##|#     *#|# #$   #|#. .   #|#  # @ #|########",
    "########|#  .   #|### *  #|#    .##|#      #|###$$* #|# @    #|########",
    "########|##     #|# $ .# #|#  #   #|# $.   #|#@#$  *#|# *  . #|########",
]
"""The first takes some 1,400 nodes in short turns on one thread, the others 500 to 750: no strategy finds them at once."""


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "FIRST_SHARE", 2)
    monkeypatch.setattr(turns, "PERIMETER", 1 << 12)
    monkeypatch.setattr(strategy, "FIRST_TRIAL", 30)


def _found(game: Sokoban, threads: int, **options: Any) -> Any:
    try:
        return search_state(game, None, "featurespace", Run(threads=threads), target="interpreted", **options).moves
    except Unsolvable:
        return None


@pytest.mark.long
@pytest.mark.usefixtures("short_turns")
@pytest.mark.parametrize("threads", [2, 3, 20])
def test_threads_solve_what_can_be_solved_and_a_second_time_alike(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    chance, lost, plain, parts = random.Random(threads), 0, turns.Turns.shared_out, set[int]()

    def noted(self: Any, count: int) -> Any:
        found = plain(self, count)
        parts.add(len(found))
        return found

    monkeypatch.setattr(turns.Turns, "shared_out", noted)
    for text in LEVELS[1:3] + [random_level(chance, 3, (4, 5), solvable=number % 2 == 0) for number in range(8)]:
        game, solvable = Sokoban(text), text in LEVELS or Maze(text).least_pushes() is not None
        moves = _found(game, threads)
        assert (moves is not None) == solvable, text
        lost += moves is None
        if moves is not None:
            assert replay(text.replace("|", "\n"), game.solution(moves)).fault == "", text
        if text in LEVELS:
            assert _found(Sokoban(text), threads) == moves, text
    assert lost > 0
    assert parts == {min(threads, 9)}  # strategies that aim at others' positions stay with these


@pytest.mark.long
@pytest.mark.usefixtures("short_turns")
def test_the_clock_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that are held up at random find the same line."""
    chance, plain = random.Random(5), strategy.Searching.search

    def slow(self: Any, others: int, share: int, watch: Any) -> int:
        time.sleep(chance.random() / 200)
        return plain(self, others, share, watch)

    found = [_found(Sokoban(text), 2) for text in LEVELS[1:4]]
    monkeypatch.setattr(strategy.Searching, "search", slow)
    assert [_found(Sokoban(text), 2) for text in LEVELS[1:4]] == found


@pytest.mark.usefixtures("short_turns")
def test_a_limit_of_nodes_is_for_all_threads_together() -> None:
    game = Sokoban(LEVELS[0])
    most = game.feature_space().most
    for limit in (50, 300, 700):
        with pytest.raises(LimitReached) as told:
            _found(game, 3, limits=Limits(limit))
        assert limit - 3 <= told.value.nodes < limit + 3 * most, limit


@pytest.mark.usefixtures("short_turns")
def test_a_failure_of_one_thread_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, begun = strategy.Searching.search, list[int]()

    def failing(self: Any, others: int, share: int, watch: Any) -> int:
        begun.append(self.number)
        if len(begun) == 20:
            raise MemoryError("no more")
        return plain(self, others, share, watch)

    monkeypatch.setattr(strategy.Searching, "search", failing)
    with pytest.raises(MemoryError, match="no more"):
        _found(Sokoban(LEVELS[0]), 2)
    assert len(begun) < 40


def test_the_fewest_nodes_win_and_then_the_first_thread() -> None:
    race = Race()
    assert not race.is_over(10**9)
    race.ended[2] = 500
    assert (race.is_over(499), race.is_over(500)) == (False, True)
    race.ended[1] = 400
    race.ended[0] = 500
    assert race.winner == 1
    race.ended[1] = 500
    assert race.winner == 0


def test_parts_are_even_and_aims_stay_with_their_strategies() -> None:
    rules = Sokoban("#1").feature_space().strategies
    for count in range(1, 20):
        parts = even_parts(rules, count)
        assert sorted(number for part in parts for number in part) == sorted(rules)
        assert len(parts) <= count
        assert all(parts)
        for part in parts:
            assert all(set(rules[number].aims) <= set(part) for number in part)
            assert part == [number for number in rules if number in part]  # in the order of their turns
        shares = [sum(rules[number].share for number in part) for part in parts]
        if count == 2:
            assert abs(shares[0] - shares[1]) <= 0.5
    assert {BACKWARD, SPREADING, AIMING_FORTH} in map(set, even_parts(rules, 20))
    assert {UNTANGLING, AIMING_BACK} in map(set, even_parts(rules, 20))


@pytest.fixture
def shared_out(monkeypatch: pytest.MonkeyPatch) -> list[turns.Turns]:
    """Return the threads of a search at its limit."""
    monkeypatch.setattr(turns, "FIRST_SHARE", 20)
    monkeypatch.setattr(turns, "PERIMETER", 1 << 12)
    kept, plain = list[turns.Turns](), search._round

    def noted(task: Any, threads: Any, round_: int) -> Any:
        kept[:] = threads
        return plain(task, threads, round_)

    monkeypatch.setattr(search, "_round", noted)
    with suppress(LimitReached):
        _found(Sokoban(LEVELS[0]), 2, limits=Limits(1_200))
    assert len(kept) == 2
    return kept


def test_perimeters_are_exchanged(shared_out: list[turns.Turns]) -> None:
    one, other = shared_out
    exchange(shared_out, jit.Names({}, "interpreted", None))
    entered = 0
    for mine, yours in zip(one.perimeters, other.perimeters, strict=True):
        keys = set(mine.keys[mine.keys != 0].tolist())
        assert keys == set(yours.keys[yours.keys != 0].tolist())
        searches = one.searches | other.searches
        for owner in (owner_of(perimeter, key) for key in keys for perimeter in (mine, yours)):
            assert owner != NONE
            assert owner & ((1 << OWNER_BITS) - 1) < searches[owner >> OWNER_BITS].kept
        entered += len(keys)
    assert entered > 10


def test_threads_share_no_array_that_changes(shared_out: list[turns.Turns]) -> None:
    one, other = shared_out
    mine = [array for search_ in one.searches.values() for array in _arrays((search_.work, search_.tree))]
    yours = [array for search_ in other.searches.values() for array in _arrays((search_.work, search_.tree))]
    mine += [array for perimeter in one.perimeters for array in perimeter]
    yours += [array for perimeter in other.perimeters for array in perimeter]
    fixed = {id(array) for array in _arrays(vars(one.rules.tables))}  # type: ignore[attr-defined]
    for array in mine:
        for another in yours:
            assert id(array) in fixed or array.size == 0 or not np.may_share_memory(array, another)
    for threads in (one, other):  # what strategies of one thread learn, the others there know
        shared = next(iter(threads.rules.shared.values()))  # type: ignore[attr-defined]
        together = [search_.work.jams for search_ in threads.searches.values() if hasattr(search_.work, "jams")]
        own = [jams for jams in together if jams is shared.jams]
        assert own


@pytest.fixture
def trials_alone(short_turns: None, monkeypatch: pytest.MonkeyPatch) -> list[list[turns.Turns]]:
    """Let all strategies that do not begin anew be full after the second round; return the threads of each round."""
    plain, rounds = search._round, list[list[turns.Turns]]()

    def noted(task: Any, threads: Any, round_: int) -> Any:
        rounds[:] = [*rounds[:round_], list(threads)]
        ended = plain(task, threads, round_)
        for one in (one for own in threads for one in own.searches.values()):
            if round_ == 1 and ended.status == PAUSED and not one.strategy.renewed:
                one.note[STATUS] = FULL
        return ended

    monkeypatch.setattr(search, "_round", noted)
    return rounds


@pytest.mark.parametrize(
    "threads", [1, 2, pytest.param(3, marks=pytest.mark.long), pytest.param(12, marks=pytest.mark.long)]
)
def test_every_thread_has_trials_when_nothing_else_goes_on(
    trials_alone: list[list[turns.Turns]], monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    begun, plain = set[tuple[int, int]](), strategy.Searching._begin

    def noted(self: strategy.Searching, *rest: Any) -> None:
        trial = self.number, self.first + self.trials
        assert not self.strategy.renewed or trial not in begun, trial  # no trial is made twice
        begun.add(trial)
        plain(self, *rest)

    monkeypatch.setattr(strategy.Searching, "_begin", noted)
    game = Sokoban(LEVELS[0])
    renewed = {number for number, one in game.feature_space().strategies.items() if one.renewed}
    moves = _found(game, threads, limits=Limits(100_000))
    assert replay(LEVELS[0].replace("|", "\n"), game.solution(moves)).fault == ""
    assert len(trials_alone) > 2
    for own in trials_alone[2:]:
        assert len(own) == threads
        assert all(set(one.numbers) == renewed <= set(one.searches) for one in own)
        for number in renewed:  # what they read of others is the same, and no longer changes
            assert len({id(aim) for one in own for aim in one.searches[number].aims}) <= 2
    assert any(one.searches[number].trials > 1 for one in trials_alone[-1] for number in renewed)
    begun.clear()
    assert _found(Sokoban(LEVELS[0]), threads, limits=Limits(100_000)) == moves


def test_trials_keep_to_the_memory() -> None:
    rules = Sokoban(LEVELS[0]).feature_space()
    for threads, asked, memory in (
        (1, 0, 1 << 30),
        (2, 0, 1 << 30),
        (8, 0, 1 << 30),
        (2, 10**6, 1 << 30),
        (8, 0, 1 << 33),
    ):
        with Run(threads=threads, memory=memory) as run:
            task = SimpleNamespace(run=run)
            wanted = asked or min(search.ENTRIES, memory // 2 // search.BYTES)
            entries = wanted // len(rules.strategies)
            found = search.FeatureSpace(entries=asked)._entries_of_a_trial(task, rules, entries)
        kept = sum(found * threads if one.renewed else entries for one in rules.strategies.values())
        assert kept <= (asked or memory // 2 // search.BYTES)
        assert (found == entries) == (threads == 1 or memory == 1 << 33)


def _arrays(held: Any) -> Iterator[Any]:
    if isinstance(held, np.ndarray):
        yield held
    elif isinstance(held, dict):
        for one in held.values():
            yield from _arrays(one)
    elif isinstance(held, (tuple, list)):
        for one in held:
            yield from _arrays(one)
