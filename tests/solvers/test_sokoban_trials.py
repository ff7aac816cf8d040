"""Trials of feature-space search on Sokoban: their turns, lengths, plans, and the positions at which they aim."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from naive_sokoban import Maze, random_level
from searchbench import jit
from searchbench.errors import Unsolvable
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced.board import GOAL
from searchbench.games.sokoban.featurespace import (
    AIMING_BACK,
    AIMING_FORTH,
    BACKWARD,
    SPREADING,
    UNPACKING,
    UNTANGLING,
    VARYING,
    SokobanFeatureSpace,
)
from searchbench.games.sokoban.featurespace.packing import NO_PLAN, plan_of, pulls_to
from searchbench.games.sokoban.rules import state_of
from searchbench.games.sokoban.tables import NEVER
from searchbench.run import Run
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.featurespace import search, strategy, turns
from searchbench.solvers.guided.featurespace.kernel import (
    BETTER,
    MET,
    NODES,
    NONE,
    NOTES,
    OWNER_BITS,
    POSITIONS,
    STATUS,
    new_tree,
)
from searchbench.solvers.guided.featurespace.strategy import Strategy, luby
from searchbench.solvers.guided.task import EXHAUSTED, FULL, PAUSED
from searchbench.verify.lurd import replay

NO_NAMES = jit.Names({}, "interpreted", None)
DOUBLE = (UNTANGLING, AIMING_BACK, SPREADING, AIMING_FORTH)


def test_strategies_take_turns_and_go_on_where_they_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "FIRST_SHARE", 2)
    chance, searched, plain = random.Random(18), [], strategy.Searching.search

    def noted(self: Any, others: int, share: int, watch: Any) -> int:
        before = self.nodes
        ended = plain(self, others, share, watch)
        searched.append((id(self), share, self.nodes > before))
        return ended

    monkeypatch.setattr(strategy.Searching, "search", noted)
    most = 0
    for round_ in range(16):
        text = random_level(chance, 3, (5, 5), solvable=round_ % 4 != 0)
        game = Sokoban(text)
        searched.clear()
        if Maze(text).least_pushes() is None:
            with pytest.raises(Unsolvable):
                search_state(game, None, "featurespace", Run(threads=1), target="interpreted")
        else:
            line = search_state(game, None, "featurespace", Run(threads=1), target="interpreted")
            assert replay(text, game.solution(line.moves)).fault == "", text
        rules = game.feature_space().strategies
        begun = [one for one in rules if not rules[one].late]  # the first round has fewer turns
        order = [(0, one) for one in begun] + [(round_, one) for round_ in range(1, 9) for one in rules]
        halves = {one: 4 if one in DOUBLE else 1 if one in (BACKWARD, UNPACKING) else 2 for one in rules}
        assert [share for _, share, _ in searched] == [halves[one] << round_ for round_, one in order[: len(searched)]]
        assert len({one for one, _, _ in searched}) == len({one for _, one in order[: len(searched)]})
        most = max(most, len(searched))
    assert most > 9, most


def test_untangling_waits_where_all_goals_lie_together() -> None:
    level = "#######|#.    #|#.@$  #|#  $  #|#######"
    for text, late in ((level, True), (level.replace("#.    #", "# .   #"), False)):
        rules = Sokoban(text).feature_space().strategies
        waiting = {VARYING, UNTANGLING, AIMING_BACK} if late else {VARYING}
        assert {one for one in rules if rules[one].late} == waiting


def test_trials_are_as_long_as_luby_says_and_have_plans_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [luby(number) for number in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    monkeypatch.setattr(turns, "FIRST_SHARE", 2_000)
    monkeypatch.setattr(strategy, "FIRST_TRIAL", 5)
    others = vars(SokobanFeatureSpace)["strategies"].func
    late = property(lambda rules: {one: replace(own, late=one != VARYING) for one, own in others(rules).items()})
    monkeypatch.setattr(SokobanFeatureSpace, "strategies", late)
    begun, plain, chance = list[tuple[int, list[Any], int]](), strategy.Searching._begin, random.Random(39)

    def noted(self: Any, pause: Any) -> None:
        plain(self, pause)
        if self.number == VARYING:
            begun.append((self.before, self.work.plan.rows.tolist(), len(self.perimeters[0].keys)))
            efforts.append(self.rules.effort(self.work))

    monkeypatch.setattr(strategy.Searching, "_begin", noted)
    most = plans = extended = ended = 0
    efforts = list[float]()
    of_seeds: dict[int, list[Any]] = {0: [], 3: []}
    for round_ in range(16):
        seed = 3 * (round_ % 2)
        if not seed:
            game = Sokoban(text := random_level(chance, 3, (5, 5), solvable=round_ % 8 != 0))
        begun.clear()
        efforts.clear()
        if Maze(text).least_pushes() is None:
            with pytest.raises(Unsolvable):
                search_state(game, None, "featurespace", Run(threads=1), seed=seed, target="interpreted")
        else:
            line = search_state(game, None, "featurespace", Run(threads=1), seed=seed, target="interpreted")
            assert replay(text, game.solution(line.moves)).fault == "", text
        of_seeds[seed].append([plan for _, plan, _ in begun][:2])
        for trial, (before, after) in enumerate(itertools.pairwise(one[0] for one in begun), 1):
            # The moves of a position are generated together, so that a trial may be longer by these.
            length = int(5 * luby(trial) * efforts[trial - 1])
            times = max(1, (after - before) // length)  # those that come to a better cell late go on
            assert length <= after - before < times * length + 4 * game.feature_space().most
            extended += times > 1
            ended += times == 1
        assert all(size == 1 for _, _, size in begun)  # no perimeter that others see holds positions that are gone
        most, plans = max(most, len(begun)), max(plans, len({str(one[1]) for one in begun}))
    assert (most > 3, plans > 1) == (True, True), (most, plans)
    assert (extended > 0, ended > 0) == (True, True)
    assert of_seeds[0] != of_seeds[3]


def test_a_trial_goes_on_that_has_come_to_a_better_cell_in_its_second_half() -> None:
    one = object.__new__(strategy.Searching)
    one.note, one.before = np.zeros(NOTES, np.int64), 1_000
    for nodes, better, status, until in (
        (0, 0, PAUSED, 1_000), (100, 50, PAUSED, 1_100), (100, 51, PAUSED, 1_200), (100, 99, FULL, 1_100),
        (80, 79, PAUSED, 1_100),
    ):  # fmt: skip
        one.note[[NODES, BETTER, STATUS]] = nodes, better, status
        one.over = max(1_000 + nodes, 1_100) if nodes else 1_000
        assert one._is_over() == (one.nodes >= until), (nodes, better)
        assert one.over == until


@pytest.mark.parametrize("aiming", [AIMING_BACK, AIMING_FORTH])
def test_trials_aim_at_positions_of_another_strategy(monkeypatch: pytest.MonkeyPatch, aiming: int) -> None:
    """They and those aimed at alone solve levels; that the first trial aims at a lost position is no proof."""
    monkeypatch.setattr(turns, "FIRST_SHARE", 40)
    monkeypatch.setattr(strategy, "FIRST_TRIAL", 30)
    monkeypatch.setattr(strategy, "MOST_HALVINGS", 2)
    plain, begin, target, halves = (
        strategy.Searching.search, strategy.Searching._begin, strategy.Searching.target, search.halves,
    )  # fmt: skip
    aimed, met, dead, lost = set[tuple[int, ...]](), Counter[int](), dict[Any, list[int]](), 0

    def searched(self: Any, others: int, share: int, watch: Any) -> int:
        nonlocal lost
        if self.number in self.rules.strategies[aiming].aims:
            ended = plain(self, others, 1, watch)
            return PAUSED if ended == EXHAUSTED and aiming == AIMING_FORTH else ended  # it had nothing to meet
        if self.number != aiming:
            return PAUSED
        ended = plain(self, others, share, watch)
        if self.note[STATUS] == EXHAUSTED:
            assert ended == PAUSED
            assert self.trials % self.strategy.tries == 0  # the next one has another aim
            lost += 1
        return ended

    def chosen(self: Any, trial: int, draw: int = 0) -> list[int]:
        scores, positions = self.tree.scores[: self.kept], self.tree.positions[: self.kept].tolist()
        found = target(self, trial, draw)
        assert found == target(self, trial, draw)
        assert found in positions
        assert trial or draw or scores[positions.index(found)] == min(scores)
        return found if trial or draw else dead[self.task.game]

    def begun(self: Any, pause: Any) -> None:
        begin(self, pause)
        if self.number == aiming:
            goals = self.work.base.maze[:, GOAL]
            assert len(self.perimeters[0].keys) == 1  # nothing meets a trial that may be over
            aimed.add(tuple(np.flatnonzero(goals >= 0).tolist()))

    def noted(strategies: Any, one: Any) -> Any:
        if one.number == aiming:
            met[int(one.note[MET]) >> OWNER_BITS] += 1
            assert one.note[MET] != NONE  # full squares of an aim are no end
        return halves(strategies, one)

    for name, function in (("search", searched), ("_begin", begun), ("target", chosen)):
        monkeypatch.setattr(strategy.Searching, name, function)
    monkeypatch.setattr(search, "halves", noted)
    chance = random.Random(40)
    for _ in range(10):
        game = Sokoban(text := random_level(chance, 3, (5, 6), solvable=True))
        if set(game.maze.stones) == set(game.maze.goals):
            continue  # which no search towards another position would notice
        corner = np.flatnonzero(~game.tables.live.astype(bool)).tolist()
        if aiming == AIMING_FORTH:  # squares that no stone can be pushed to
            reached = pulls_to(game.tables, game.maze.stones).reshape(len(game.maze.cells), -1).min(axis=1) < NEVER
            corner = np.flatnonzero(~reached).tolist()
        stones = [*corner[:1], *sorted(set(range(len(game.maze.cells))) - set(corner))][: len(game.maze.stones)]
        dead[game] = state_of(stones, (set(range(len(game.maze.cells))) - set(stones)).pop(), len(game.maze.cells))
        line = search_state(game, None, "featurespace", target="interpreted")
        assert replay(text, game.solution(line.moves)).fault == "", text
    assert (len(aimed) > 6, met.total() > 2, lost > 0) == (True, True, True), (aimed, met, lost)


def test_no_two_trials_have_the_same_aim(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the tries of one aim, and where there are too few positions."""
    source, aiming = object.__new__(strategy.Searching), object.__new__(strategy.Searching)
    source.note, source.tree = np.zeros(NOTES, np.int64), new_tree(1, 0, 1_000, 10)
    source.note[POSITIONS] = kept = 60
    source.tree.scores[:kept], source.tree.positions[:kept, 0] = range(100, 100 + kept), range(kept)
    assert source.target(0) == [0]
    assert {source.target(7, draw)[0] for draw in range(100)} > {0, 1, 2, 3, 4, 5}
    aiming.aims, aiming.first, aiming.aim, aiming.aimed = [source], 0, [], set()
    aiming.strategy = Strategy(heard=0, tries=2)
    aims = []
    for aiming.trials in range(40):
        aims += aiming._aim()
    assert aims[0] == 0
    assert aims[::2] == aims[1::2]
    assert len(set(aims)) == 20
    monkeypatch.setattr(strategy, "MOST_DRAWS", 1)  # as if there were no others
    aiming.aim = []
    aiming.trials = 0
    assert aiming._aim() == [0]


def test_a_trial_by_a_plan_with_many_rests_is_longer() -> None:
    game = Sokoban("########|#      #|# $ $. #|#   .  #|# @    #|########")
    rules = game.feature_space()
    for rows, times in ((2, 1), (3, 1), (4, 1.5), (11, 5)):
        work = SimpleNamespace(plan=plan_of([set()] * rows))
        assert rules.effort(work) == times
    assert rules.effort(SimpleNamespace(plan=NO_PLAN)) == 1
    one = object.__new__(strategy.Searching)
    given: Any = SimpleNamespace(advisors=0, most=10, shift=4, work=lambda *_: None, effort=lambda _: 2.5)
    one.task, one.names, one.number, one.first, one.trials = cast(Any, SimpleNamespace(start=())), NO_NAMES, 0, 0, 2
    one.rules, one.strategy, one.aims, one.aim, one.before = given, Strategy(heard=0, renewed=True), [], [], 700
    one.note, one.roots, one.entries = np.zeros(NOTES, np.int64), np.zeros((1, 1), np.int64), 10**6
    one._begin(lambda: None)
    assert luby(3) == 2
    assert one.over == 700 + 2 * 2.5 * strategy.FIRST_TRIAL
    assert len(one.tree.moves) == 4 * 2 * 2.5 * strategy.FIRST_TRIAL + 20  # room to go on
