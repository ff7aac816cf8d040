"""Plans of packing that are searched for backwards, and the features that they give."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from naive_sokoban import Maze, Node, Place, random_level
from searchbench import jit
from searchbench.errors import LimitReached
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.featurespace import (
    GUIDED,
    ORDERED,
    RETROGRADE,
    REUSING,
    SPREADING,
    UNPACKING,
    pairs,
    plan_search,
    retrograde,
)
from searchbench.games.sokoban.featurespace.advisors import ADVISORS
from searchbench.games.sokoban.featurespace.features import (
    DOORS,
    FARTHEST,
    LOST,
    OUTSIDE,
    PACKED,
    PARTS,
    new_scratch,
    outside,
    progress,
    shut_doors,
)
from searchbench.games.sokoban.featurespace.packing import (
    NO_PLAN,
    TAKEN,
    areas_of_goals,
    bring_out,
    plan_of,
    pulls_to,
    zones_of,
)
from searchbench.games.sokoban.featurespace.plan_search import Effort, parts_of, retrograde_steps, sinks_of
from searchbench.games.sokoban.featurespace.retrograde import FUNCTIONS
from searchbench.games.sokoban.featurespace.rooms import NO_DOORS
from searchbench.games.sokoban.rules import normal_man, state_of, stones_of, to_square
from searchbench.games.sokoban.tables import NEVER
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls
from searchbench.solvers.guided.featurespace.contract import (
    KEY,
    MOVE,
    RATINGS,
    SCORE,
    follow,
    restore,
    score_position,
    write_macros,
)

NAMES = jit.Names(dict(FUNCTIONS), "interpreted", None)


def base_of(game: Sokoban) -> Any:
    """Return the arrays of an enhanced search."""
    rules = EnhancedSokoban(game.tables)
    return rules.work(game.start(), chosen_controls((*FRAME, *rules.known), (), (), ""), 2)


def pushed_alone(maze: Maze, node: Node, stone: Place) -> set[Place]:
    """Return where pushes can bring a stone of a node while the others stand."""
    others, seen, waiting = node[0] - {stone}, {node}, [node]
    while waiting:
        for after in maze.successors(waiting.pop()):
            if others <= after[0] and after not in seen:
                seen.add(after)
                waiting.append(after)
    return {place for stones, _ in seen for place in stones - others}


def test_a_search_for_a_plan_ends_where_a_limit_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    game, asked = Sokoban("#4"), []

    def pause() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise LimitReached("over", 0, 0)

    monkeypatch.setattr(plan_search, "NODES_OF_SLICE", 10)
    level, base = game.maze, base_of(game)
    with pytest.raises(LimitReached):
        retrograde_steps(game.tables, level.stones, base, NAMES, Effort(3_000, pause), True)
    assert len(asked) == 3
    whole = retrograde_steps(game.tables, level.stones, base, NAMES, Effort(3_000), True)
    monkeypatch.setattr(plan_search, "NODES_OF_SLICE", 1 << 20)
    assert whole
    assert whole == retrograde_steps(game.tables, level.stones, base, NAMES, Effort(3_000), True)


def test_sinks_are_not_used_once_on_very_large_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Sokoban("#4")
    squares = len(game.maze.cells)
    for most, found in ((len(game.maze.stones) * squares, True), (len(game.maze.stones) * squares - 1, False)):
        monkeypatch.setattr(plan_search, "LARGE", most)
        assert bool(retrograde_steps(game.tables, game.maze.stones, base_of(game), NAMES, Effort(3_000), True)) == found


def test_each_step_of_a_plan_can_be_made_by_pushes_of_one_stone() -> None:
    """The other stones of the step stand; a new stone comes from a sink, and the last step fills the last goal."""
    chance, steps, rested = random.Random(14), 0, 0
    for round_ in range(60):
        game = Sokoban(text := random_level(chance, chance.choice((2, 3)), (4, 5)))
        cells, maze, level = game.maze.cells, Maze(text), game.tables.level
        once, sparing, variation = round_ % 2 == 0, round_ % 4 < 2, round_ // 4 % 3
        sets = retrograde_steps(
            game.tables, level.stones, base_of(game), NAMES, Effort(3_000), once, sparing, variation
        )
        if not sets:
            continue
        assert (sets[0], sets[-1]) == (set(), set(level.goals))
        off = [stone for stone in level.stones if stone not in level.goals] or list(level.stones)
        # The first steps are those of stones that may stay where the pulls have left them.
        for before, after in list(itertools.pairwise(sets))[len(level.stones) - len(off) :]:
            (placed,) = after - before
            others = frozenset(cells[square] for square in before & after)
            gone = before - after
            rested += len(gone)
            origins = gone or set(off)
            assert any(
                cells[placed] in pushed_alone(maze, (others | {cells[origin]}, area), cells[origin])
                for origin in origins
                for area in {maze.area(man, others | {cells[origin]}) for man in maze.free - others - {cells[origin]}}
            ), (text, sets)
            steps += 1
    assert (steps > 60, rested > 0) == (True, True), (steps, rested)


def test_pulls_are_what_positions_after_them_say() -> None:
    chance, pulls, gone = random.Random(15), 0, 0
    for round_ in range(60):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        squares, stones = len(game.maze.cells), game.tables.level.stones
        sinks, useful = np.zeros(squares, np.uint8), np.ones(squares, np.uint8)
        sinks[chance.sample(range(squares), squares // 2)] = 1
        scratch = new_scratch(squares)
        work = retrograde.Backwards(
            base_of(game), *scratch, sinks, useful, np.arange(squares, dtype=np.int32), NO_PLAN, True,
            False, 0, np.full(squares, -1, np.int32), np.zeros(squares, np.uint8), round_ % 2 == 0,
            False, np.full(squares, -1, np.int32), NO_DOORS, pairs.Pairs(np.zeros((0, 0), np.uint8)),
        )  # fmt: skip
        position = np.array(game.start(), np.int64)
        jit.bind(restore, NAMES)(work, position)
        rows = np.zeros((4_000, RATINGS + ADVISORS), np.int64)
        count = jit.bind(write_macros, NAMES)(work, jit.bind(score_position, NAMES)(work), rows)
        for row in rows[:count]:
            after = np.zeros_like(position)
            jit.bind(follow, NAMES)(work, position, int(row[MOVE]), after)
            assert jit.bind(restore, NAMES)(work, after) == row[KEY]
            assert jit.bind(score_position, NAMES)(work) == row[SCORE]
            vanished = sum(int(word).bit_count() for word in after[:-1]) == len(stones) - 1
            assert vanished == (sinks[to_square(int(row[MOVE]))] == 1)
            gone += vanished
        pulls += count
    assert min(pulls, gone) > 20, (pulls, gone)


def test_sinks_that_are_used_once_leave_every_stone_a_square_of_the_start() -> None:
    chance, settled, kept_away = random.Random(17), 0, 0
    for round_ in range(40):
        game = Sokoban(text := random_level(chance, 3, (4, 5)))
        squares, level = len(game.maze.cells), game.tables.level
        off = [stone for stone in level.stones if stone not in level.goals]
        work = plan_search._emptying(game.tables, level.stones, base_of(game), off, True, round_ % 2 == 0)
        ways = pulls_to(game.tables, level.stones).reshape(squares, 4, 3).min(axis=1) < NEVER
        rows = np.zeros((4_000, RATINGS + ADVISORS), np.int64)
        position = np.array(state_of(level.goals, chance.choice(free_squares(game)), squares), np.int64)
        for _ in range(4):
            jit.bind(restore, NAMES)(work, position)
            score = jit.bind(score_position, NAMES)(work)
            count = jit.bind(write_macros, NAMES)(work, score, rows)
            if score == 0 or count == 0:
                break
            for row in rows[:count]:
                after = np.zeros_like(position)
                jit.bind(follow, NAMES)(work, position, int(row[MOVE]), after)
                assert jit.bind(restore, NAMES)(work, after) == row[KEY]
                assert jit.bind(score_position, NAMES)(work) == row[SCORE]
                stones = stones_of(after)
                homes = [
                    [level.stones.index(stone)] if stone in off else np.flatnonzero(ways[stone]).tolist()
                    for stone in stones
                ]
                assert any(len(set(choice)) == 3 for choice in itertools.product(*homes)), (text, stones)
                settled += to_square(int(row[MOVE])) in off
            kept_away += len(set(stones_of(position)) & set(off))
            after = np.zeros_like(position)
            jit.bind(follow, NAMES)(work, position, int(rows[chance.randrange(count), MOVE]), after)
            position = after
    assert min(settled, kept_away) > 20, (settled, kept_away)


def free_squares(game: Sokoban) -> list[int]:
    """Return the squares that are no goals."""
    return [square for square in range(len(game.maze.cells)) if square not in game.tables.level.goals]


def test_sinks_can_be_pushed_to_one_another() -> None:
    chance = random.Random(16)
    for _ in range(25):
        game = Sokoban(text := random_level(chance, 3, (4, 5)))
        maze, cells, stones = Maze(text), game.maze.cells, list(game.tables.level.stones)
        found = sinks_of(game.tables, stones)
        reached = {}
        for one in stones:
            nodes = {
                (frozenset({cells[one]}), maze.area(man, frozenset({cells[one]}))) for man in maze.free - {cells[one]}
            }
            reached[one] = set().union(*(pushed_alone(maze, node, cells[one]) for node in nodes))
        together = [
            [other for other in stones if cells[other] in reached[one] and cells[one] in reached[other]]
            for one in stones
        ]
        assert sorted(found) == sorted(max(together, key=len))


def least_moves(near: Any, stones: set[int], stone: int, man: int, bases: set[int], pushes: bool) -> int:
    """Return the fewest pushes or pulls of one stone that bring it to a free base, -1 if there are none."""
    others = stones - {stone}
    waiting, seen = [(stone, man, 0)], set()
    for here, walker, moves in waiting:  # which grows
        place = here, normal_man(near, others | {here}, walker)
        if place in seen:
            continue
        seen.add(place)
        if here in bases and (moves > 0 or pushes):
            return moves
        for direction in range(4):
            beside, ahead = near[here][direction], near[here][direction ^ 1]
            if beside < 0 or beside in others or normal_man(near, others | {here}, beside) != place[1]:
                continue
            if pushes and ahead >= 0 and ahead not in others:
                waiting.append((ahead, here, moves + 1))
            beyond = near[beside][direction]
            if not pushes and beyond >= 0 and beyond not in others:
                waiting.append((beside, beyond, moves + 1))
    return -1


def test_a_stone_is_brought_out_by_the_fewest_moves() -> None:
    chance, found = random.Random(37), set[tuple[bool, int]]()
    for _ in range(120):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        near, squares = game.maze.near, len(game.maze.cells)
        stones = set(chance.sample(range(squares), 3))
        stone, man = min(stones), chance.choice([one for one in range(squares) if one not in stones])
        bases = set(chance.sample(range(squares), 2)) - stones
        for pushes in (False, True):
            scratch, marked = np.zeros((8, 4 * squares), np.int32), np.zeros(squares, np.int32)
            marked[list(bases)] = 1
            scratch[TAKEN, list(stones)] = 1
            moves, stands, _ = bring_out(game.tables.near, marked, scratch, stone, man, pushes, 1)
            assert moves == least_moves(near, stones, stone, man, bases, pushes)
            assert scratch[TAKEN].nonzero()[0].tolist() == sorted(stones)
            assert (moves < 0) == (stands < 0)
            found.add((pushes, min(moves, 3)))
    assert len(found) == 8, found  # none at all, one, two and more of either kind


def test_the_search_backwards_fills_last_what_the_fewest_pushes_bring_to_a_goal() -> None:
    chance, several = random.Random(38), 0
    for _ in range(20):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        level, near, rules = game.tables.level, game.maze.near, game.feature_space()
        names = jit.Names(dict(rules.names(UNPACKING)), "interpreted", None)
        plan = rules.work(game.start(), names, UNPACKING).plan
        stones, goals = set(level.stones), set(level.goals)
        assert {int(row[0]) for row in plan.rows[1:]} == stones
        moves = {stone: least_moves(near, stones, stone, level.man, goals, True) for stone in stones}
        able = {stone: count for stone, count in moves.items() if count >= 0}
        if able:
            assert able[int(plan.rows[-1, 0])] == min(able.values())
        several += len(set(able.values())) > 1
    assert several > 5, several


def test_rows_of_a_plan_begin_with_the_square_filled_last_and_its_zones_lead_to_no_goal() -> None:
    plan = plan_of([set(), {3}, {3, 5}, {5, 7}, {5, 7, 9}])
    assert plan.rows.tolist() == [[-1, -1, -1], [3, -1, -1], [5, 3, -1], [7, 5, -1], [9, 5, 7]]
    game = Sokoban("#######\n#@ $..#\n#  $ ##\n#######")
    level = game.tables.level
    numbers = game.maze.numbers
    near_goal, far_goal = sorted(level.goals, key=lambda goal: game.maze.cells[goal])
    zones = zones_of(game.tables, plan_of([set(), {near_goal}, {near_goal, far_goal}]).rows)
    corner = next(
        square for square in range(len(level.cells)) if game.maze.cells[square][0] != game.maze.cells[far_goal][0]
    )
    assert zones[0, near_goal] == 0
    assert zones[1, numbers[game.maze.cells[far_goal]]] == 0
    assert zones[1, corner] == 1  # the goal in front is filled: no stone comes past it
    assert zones[2].all()


def test_the_steps_done_are_the_most_after_which_the_stones_stand_so() -> None:
    chance, counts = random.Random(17), set()
    for _ in range(40):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        squares = range(len(game.maze.cells))
        sets = [set(chance.sample(squares, min(step, 3))) for step in range(6)]
        work = game.feature_space().work(game.start(), jit.Names({}, "interpreted", None))
        work = work._replace(plan=plan_of(sets))
        stones = {square for square in squares if work.base.board[0, square]}
        expected = max(step for step, wanted in enumerate(sets) if step == 0 or wanted <= stones)
        assert progress(work) == (expected, expected + 1)
        counts.add(expected)
    assert len(counts) > 1


def test_the_steps_of_each_area_are_done_by_themselves() -> None:
    chance, apart = random.Random(18), 0
    for _ in range(200):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        squares = range(len(game.maze.cells))
        at, sets = dict[int, int](), [set[int]()]  # where each of up to four stones stands
        for _ in range(7):
            stone = chance.choice([one for one in range(4) if one in at or one == len(at)])
            at[stone] = chance.choice([square for square in squares if square not in at.values()])
            sets.append(set(at.values()))
        areas = {square: chance.randrange(3) for square in sets[-1]}
        work = game.feature_space().work(game.start(), jit.Names({}, "interpreted", None))
        work = work._replace(plan=plan_of(sets, areas))
        stones = {square for square in squares if work.base.board[0, square]}
        assert progress(work) == naive_progress(sets, areas, stones)
        apart += progress(work) != progress(work._replace(plan=plan_of(sets)))
    assert apart > 30, apart


def naive_progress(sets: list[set[int]], areas: dict[int, int], stones: set[int]) -> tuple[int, int]:
    """Return how many steps are done, each area's by themselves, and the first that is not."""
    area_of, moved = [dict(areas)], list[int]()  # of the squares after each step, the last one first
    for before, after in zip(sets[-2::-1], sets[:0:-1], strict=True):
        (new,) = after - before
        moved.insert(0, area_of[-1][new])
        area_of.append({square: area_of[-1].get(square, area_of[-1][new]) for square in before})
    area_of.reverse()
    done, waiting = 0, [len(sets)]
    for area in set(areas.values()):
        own = [step for step, one in enumerate(moved, 1) if one == area]
        held = [step for step in own if stones >= {square for square in sets[step] if area_of[step][square] == area}]
        last = max(held, default=0)
        done += sum(step <= last for step in own)
        waiting += [step for step in own if step > last][:1]
    return done, min(waiting)


def test_goals_that_touch_are_one_area() -> None:
    level = Sokoban("##########|#@$ . .  #|# $  . $ #|#  ..   .#|# $ $$  .#|#.       #|##########").tables.level
    named = {level.cells[goal]: area for goal, area in areas_of_goals(level).items()}
    together: dict[int, set[tuple[int, int]]] = {}
    for cell, area in named.items():
        together.setdefault(area, set()).add(cell)
    assert sorted(map(sorted, together.values())) == [
        [(1, 4), (1, 6), (2, 5), (3, 3), (3, 4)], [(3, 8), (4, 8)], [(5, 1)],
    ]  # fmt: skip
    assert sorted(together) == [0, 1, 2]


def test_some_strategies_fill_each_area_by_itself() -> None:
    game = Sokoban("##########|#@$    . #|#   #### #|# $   .. #|##########")
    rules = game.feature_space()
    names = jit.Names(dict(rules.names(0)), "interpreted", None)
    counts = [len(rules.work(game.start(), names, strategy).plan.counts) for strategy in (RETROGRADE, GUIDED, REUSING)]
    assert counts == [1, 2, 2]


def test_stones_on_goals_before_their_turn_are_out_of_a_strict_plan() -> None:
    chance, early = random.Random(20), 0
    for _ in range(40):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        level, squares = game.tables.level, range(len(game.maze.cells))
        sets = [set(chance.sample(squares, min(step, 3))) for step in range(6)]
        work = game.feature_space().work(game.start(), jit.Names({}, "interpreted", None))
        work = work._replace(plan=plan_of(sets), zones=zones_of(game.tables, plan_of(sets).rows))
        position = np.array(state_of(chance.sample(squares, 3), 0, len(squares)), np.int64)
        jit.bind(restore, jit.Names(dict(game.feature_space().names(0)), "interpreted", None))(work, position)
        stones = set(stones_of(position))
        for step in range(1, 6):
            kept = sets[min(step, 4)]
            out = {square for square in stones - kept if work.zones[min(step, 4), square]}
            assert outside(work, step) == len(out)
            waiting = stones & set(level.goals) - kept
            assert outside(work._replace(strict=True), step) == len(out) + len(waiting)
            early += len(waiting)
    assert early > 20, early


def test_two_strategies_never_have_the_same_plan() -> None:
    chance, none = random.Random(19), 0
    for _ in range(12):
        game = Sokoban(random_level(chance, 2, (4, 5)))
        rules = game.feature_space()
        names = jit.Names(dict(rules.names(0)), "interpreted", None)
        one, other = (rules.work(game.start(), names, strategy) for strategy in (RETROGRADE, ORDERED))
        assert one.plan.rows.tolist() != other.plan.rows.tolist()
        if other.plan.rows.tolist() == NO_PLAN.rows.tolist():
            none += 1
            position = np.array(game.start(), np.int64)
            jit.bind(restore, names)(other, position)
            assert progress(other)[0] == 1
            assert jit.bind(score_position, names)(other) >> PACKED == 0
    assert 0 < none < 12, none


def test_stones_are_spread_off_the_goals_and_away_from_them() -> None:
    """The score tells parts of the floor, shut doors, stones on goals and the distances from them, as counted plainly."""
    chance, lost, spread = random.Random(41), 0, 0
    for _ in range(12):
        game = Sokoban(text := random_level(chance, 3, (6, 7)))
        level, rules = game.maze, game.feature_space()
        names = jit.Names(dict(rules.names(SPREADING)), "interpreted", None)
        work = rules.work(game.start(), names, SPREADING)
        seen = rules.work(game.start(), names, GUIDED)
        for _ in range(8):
            stones = chance.sample(range(len(level.cells)), len(level.stones))
            man = chance.choice(sorted(set(range(len(level.cells))) - set(stones)))
            state = np.array(state_of(stones, normal_man(level.near, set(stones), man), len(level.cells)), np.int64)
            jit.bind(restore, names)(work, state)
            score = int(jit.bind(score_position, names)(work))
            ways = pulls_to(game.tables, level.stones).reshape(len(level.cells), 4, len(level.stones)).min(axis=1)
            matched = any(
                all(ways[one, place] < NEVER for one, place in zip(stones, order, strict=True))
                for order in itertools.permutations(range(len(stones)))
            )
            jit.bind(restore, jit.Names(dict(rules.names(GUIDED)), "interpreted", None))(seen, state)
            if score == LOST:
                lost += 1
                continue
            assert matched, text
            left = [
                len(parts_of(game.tables, set(stones))) - 1,
                shut_doors(seen),
                len(set(stones) & set(level.goals)),
                FARTHEST - sum(int(game.tables.nearest[one]) for one in stones if game.tables.nearest[one] < NEVER),
            ]
            if all(game.tables.nearest[one] < NEVER for one in stones):
                assert score - 1 == left[0] << PARTS | left[1] << DOORS | left[2] << OUTSIDE | left[3], text
                spread += 1
    assert (lost > 3, spread > 3) == (True, True), (lost, spread)
