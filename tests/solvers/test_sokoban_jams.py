"""Jams and frozen stones of Sokoban: what is told dead, and what is learnt, against exact sets and twins."""

from __future__ import annotations

import itertools
import random

from naive_sokoban import Maze, Node, Place
from searchbench.games.sokoban.enhanced import frozen, jams
from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import AT
from searchbench.games.sokoban.enhanced.controls import JAM_EFFORT
from searchbench.games.sokoban.enhanced.freeze import FROZEN, hold
from searchbench.games.sokoban.enhanced.work import Work
from sokoban_levels import Level, is_lost_alone

STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def is_lost_relaxed(maze: Maze, live: set[Place], node: Node) -> bool:
    """Tell whether stones cannot come to goals even where one that can be pushed to and fro may vanish."""
    seen, waiting = {node}, [node]
    while waiting:
        here = waiting.pop()
        stones, area = here
        if stones <= maze.goals:
            return False
        for after, man in maze.successors(here):
            ((y, x),) = moved = after - stones
            if not moved <= live:
                continue
            ((v, u),) = left = stones - after
            further = [(after, man)]
            if (2 * y - v, 2 * x - u) in man:
                further.append((stones - left, maze.area(next(iter(area)), stones - left)))
            for one in further:
                if one not in seen:
                    seen.add(one)
                    waiting.append(one)
    return True


def test_what_is_told_dead_and_what_is_learnt_leads_to_no_solution() -> None:
    chance, told, learnt, seen = random.Random(61), 0, 0, 0
    for _ in range(10):
        level = Level(chance, 3, (4, 5))
        nodes, good = level.maze.solvable()
        for node in chance.sample(sorted(nodes, key=repr), min(len(nodes), 30)):
            dead = level.is_told_dead(node)
            assert not (dead and node in good), (level.text, node)
            told += dead
            seen += node not in good
        for stones, area in level.patterns():
            learnt += 1
            assert is_lost_alone(level.maze, (stones, level.maze.area(next(iter(area)), stones))), (level.text, stones)
            assert area == level.maze.area(next(iter(area)), stones)
    assert told > 15, (told, seen)
    assert learnt > 5, learnt


def test_little_is_missed_where_the_stone_that_has_moved_is_asked_alone() -> None:
    """The position before was not told dead, so what holds without that stone is known."""
    told, missed = 0, 0
    for seed in range(640, 650):
        level, whole = (Level(random.Random(seed), 3, (4, 5)) for _ in range(2))
        nodes, good = level.maze.solvable()
        for node in random.Random(seed).sample(sorted(nodes, key=repr), min(len(nodes), 20)):
            if level.is_told_dead(node):
                continue
            for after in level.maze.successors(node):
                (moved,) = after[0] - node[0]
                dead = level.is_told_dead(after, moved)
                assert not (dead and after in good), (level.text, after)
                told += dead
                missed += whole.is_told_dead(after) and not dead
    assert told > 25, (told, missed)
    assert 20 * missed <= told, (told, missed)


def test_few_positions_are_asked_where_few_are_told_lost() -> None:
    level = Level(random.Random(61), 3, (4, 5))
    nodes, _ = level.maze.solvable()
    lost = next(node for node in sorted(nodes, key=repr) if level.is_told_dead(node))
    base, counts = level.work.base, level.work.jams.counts
    level.put_up(lost)

    def told(asks: int) -> int:
        return sum(jams.tells_dead(base, level.work.jams, int(base.kept[0, -1]), -1) for _ in range(asks))

    assert told(16) == 16
    counts[jams.ASKED] = jams.RARE * (counts[jams.TOLD] + 2 * jams.TRIED)
    assert told(2 * jams.SELDOM) == 2
    assert counts[jams.TOLD] == 18


def test_known_jams_are_found_everywhere_and_unknown_ones_sought_in_few_positions_where_most_was_in_vain() -> None:
    level = Level(random.Random(61), 3, (4, 5))
    nodes, _ = level.maze.solvable()
    base, known = level.work.base, level.work.jams
    unknown = next(node for node in sorted(nodes, key=repr) if Level(random.Random(61), 3, (4, 5)).is_told_dead(node))
    level.put_up(unknown)

    def told(asks: int) -> list[bool]:
        return [bool(jams.holds_lost_jam(base, known, int(base.kept[0, -1]))) for _ in range(asks)]

    known.counts[jams.VAIN] = jams.PATIENCE + 1
    known.counts[jams.ASKED] = jams.SELDOM
    assert told(jams.SELDOM - 1) == [False] * (jams.SELDOM - 1)
    assert (known.counts[jams.LOOKED], known.counts[jams.PATTERNS]) == (0, 0)
    assert told(1) == [True]
    assert known.counts[jams.PATTERNS] == 1
    known.counts[jams.VAIN] = 1 << 40
    assert told(2 * jams.SELDOM) == [True] * (2 * jams.SELDOM)


def test_the_chains_of_patterns_hold_each_of_them() -> None:
    chance, held = random.Random(67), 0
    for _ in range(6):
        level = Level(chance, 4, (4, 5))
        nodes = sorted(level.maze.solvable()[0], key=repr)
        for node in chance.sample(nodes, min(len(nodes), 25)):
            level.is_told_dead(node)
        base, known, patterns = level.work.base, level.work.jams, level.patterns()
        for node in chance.sample(nodes, min(len(nodes), 40)):
            level.put_up(node)
            man = int(base.kept[0, -1])
            here = [stones for stones, area in patterns if stones <= node[0] and level.place[man] in area]
            assert jams.has_any_pattern(base, known, man) == bool(here), (level.text, node)
            for stone in node[0]:
                found = jams.has_pattern(base, known, level.number[stone], man)
                assert found == any(stone in stones for stones in here), (level.text, node, stone)
            held += bool(here)
    assert held > 25, held


def test_the_arrays_of_both_searches_stand_in_the_same_order() -> None:
    assert Work._fields[: len(Base._fields)] == Base._fields


def test_searches_of_jams_are_short_where_most_were_in_vain() -> None:
    """What they tell dead is lost all the same; a lost jam that is found makes them long again."""
    chance, told, short = random.Random(63), 0, 0
    for _ in range(10):
        level = Level(chance, 4, (4, 5))
        counts, (nodes, good) = level.work.jams.counts, level.maze.solvable()
        effort = int(level.work.base.controls[JAM_EFFORT])
        for node in chance.sample(sorted(nodes, key=repr), min(len(nodes), 20)):
            counts[jams.VAIN] = jams.PATIENCE + effort * counts[jams.LOST_JAMS] + 1
            before, lost = int(counts[jams.LOOKED]), int(counts[jams.LOST_JAMS])
            dead = level.is_told_dead(node)
            assert not (dead and node in good), (level.text, node)
            told += dead
            if counts[jams.LOST_JAMS] == lost:
                looked = int(counts[jams.LOOKED]) - before
                assert looked <= 5 * effort // jams.TIMES, (level.text, node)  # each stone by itself, and all of them
                assert counts[jams.VAIN] >= jams.PATIENCE + looked
                short += looked > 0
    assert min(told, 3 * short) > 15, (told, short)


def test_where_stones_that_can_be_pushed_to_and_fro_may_vanish_nothing_lost_is_missed() -> None:
    chance, verdicts = random.Random(62), {False: 0, True: 0}
    for round_ in range(25):
        level = Level(chance, 3, (4, 5), solvable=round_ % 2 == 0)
        node = level.maze.start()
        lost = is_lost_relaxed(level.maze, level.live, node)
        dead = level.is_told_dead(node)
        assert dead or not lost, level.text
        assert level.is_told_dead(node) == dead, level.text  # which is known by now
        verdicts[lost] += 1
    assert min(verdicts.values()) > 3, verdicts


def test_stones_that_are_two_steps_apart_are_of_one_group() -> None:
    chance = random.Random(63)
    for round_ in range(20):
        if round_ % 10 == 0:
            level = Level(chance, 4, (5, 6))
        jam = level.work.jams.base
        jam.board[AT] = 0
        stones = chance.sample(sorted(level.place), 4)
        jam.board[AT, stones] = 1
        joined = {(one, other) for one in stones for other in stones if 0 < _steps(level, one, other) <= 2}
        groups = {frozenset([one]) for one in stones}
        for one, other in joined:
            first, second = (next(group for group in groups if stone in group) for stone in (one, other))
            groups = (groups - {first, second}) | {first | second}
        assert jams.number_groups(jam) == len(groups)
        numbers = jam.board[jams.GROUP].tolist()
        assert all(len({numbers[stone] for stone in group}) == 1 for group in groups)


def _steps(level: Level, one: int, other: int) -> int:
    """Return how many steps the man walks on the empty floor."""
    layer, seen, count = {level.place[one]}, {level.place[one]}, 0
    while level.place[other] not in layer:
        layer = {(y + dy, x + dx) for y, x in layer for dy, dx in STEPS} & level.maze.free - seen
        seen |= layer
        count += 1
    return count


def goals_alone(maze: Maze, held: frozenset[Place], stone: Place, man: Place) -> set[Place]:
    """Return the goals that a stone can come to, frozen ones being walls and all others away."""
    free, maze.free = maze.free, maze.free - held
    node = frozenset([stone]), maze.area(man, frozenset([stone]))
    seen, waiting = {node}, [node]
    while waiting:
        for after in maze.successors(waiting.pop()):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    maze.free = free
    return {place for stones, _ in seen for place in stones} & maze.goals - held


def test_stones_are_cut_off_where_no_choice_of_goals_past_frozen_ones_is_left() -> None:
    chance, verdicts = random.Random(64), {False: 0, True: 0}
    for _ in range(12):
        level = Level(chance, 3, (4, 5))
        maze, base = level.maze, level.work.base
        nodes, good = maze.solvable()
        for node in chance.sample(sorted(nodes, key=repr), min(len(nodes), 40)):
            level.put_up(node)
            if hold(base, -1) != 1:
                continue
            man = min(level.number[one] for one in node[1])
            told = frozen.is_cut_off(base, level.work.frozen, man)
            assert not (told and node in good), (level.text, node)
            held = frozenset(one for one in node[0] if base.board[FROZEN, level.number[one]])
            choices = [goals_alone(maze, held, stone, level.place[man]) for stone in node[0] - held]
            assert told != any(len(set(one)) == len(choices) for one in itertools.product(*choices)), (level.text, node)
            verdicts[told] += 1
    assert min(verdicts.values()) > 3, verdicts
