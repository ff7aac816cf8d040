"""What loses solutions on purpose: goals chosen for stones, stones that rest, and searches that are given up."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from naive_sokoban import STEPS, FillingArea, Maze, Node, Place, random_level
from searchbench import jit
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced.areas import GoalArea, goal_areas, is_safe, leaves_way, offered
from searchbench.games.sokoban.enhanced.packing import can_come_in, see_areas, shuts_out
from searchbench.games.sokoban.enhanced.work import GOAL_MACRO, candidates, estimate, identify, kind_of
from searchbench.games.sokoban.rules import from_square, normal_man, state_of, to_square
from searchbench.games.sokoban.tables import NEVER
from searchbench.run import Limits
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.enhanced import Enhanced, search
from searchbench.solvers.guided.enhanced.contract import penalty
from searchbench.solvers.guided.enhanced.controls import FRAME, Controls, chosen_controls
from searchbench.solvers.guided.enhanced.kernel import BY_BOUND, EXCEEDED
from searchbench.solvers.guided.task import EXHAUSTED
from searchbench.verify.lurd import replay

GOLDEN = Path(__file__).parent.parent / "golden"
XSOKOBAN, MICROBAN = str(GOLDEN / "sokoban_xsokoban.xsb"), str(GOLDEN / "sokoban_microban.xsb")
DIRECTIONS = list(STEPS.values())
EFFORT = 10_000
NOTHING_IS_LOCAL = "relevance.allowed=0,influence.percent=0,influence.least=0"


def controls_of(game: Sokoban, changes: str = "") -> Controls:
    """Return the controls of goal macros for areas of two goals or more."""
    known = (*FRAME, *game.enhanced().known)
    return chosen_controls(known, ("goal-macros",), (), f"goal-macros.goals=2,goal-macros.alternatives=9{changes}")


def levels_with_an_area(
    seed: int, count: int, stones: int = 3, size: tuple[int, int] = (4, 5)
) -> list[tuple[Sokoban, Maze, GoalArea, FillingArea]]:
    """Return random levels with one goal area, with its twin."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        game = Sokoban(text := random_level(chance, stones, size))
        areas = goal_areas(game.tables, 2, 4)
        if len(areas) == 1:
            (area,), cells, maze = areas, game.maze.cells, Maze(text)
            entrances = [(cells[square], DIRECTIONS[direction]) for square, direction in area.entrances]
            places = {cells[square] for square in area.squares}, {cells[goal] for goal in area.goals}
            found.append((game, maze, area, FillingArea(maze, *places, entrances)))
    return found


def test_goals_are_offered_where_the_twin_fills_the_area_to_the_end() -> None:
    """For each set of filled goals and each entrance, those and no others; the deepest first."""
    safe = unsafe = chosen = 0
    for game, _, area, twin in levels_with_an_area(6, 40):
        rules, cells = game.enhanced(), game.maze.cells
        names = jit.Names(dict(rules.names()), "interpreted", None)
        work = rules.work(game.start(), controls_of(game), 2)
        for filled in range(1 << len(area.goals)):
            goals = frozenset(cells[goal] for bit, goal in enumerate(area.goals) if filled >> bit & 1)
            expected = twin.is_safe(goals)
            assert jit.bind(is_safe, names)(work, 0, filled, EFFORT) == expected
            safe, unsafe = safe + expected, unsafe + (not expected)
            for number, entrance in enumerate(twin.entrances):
                for losing in range(2):
                    count = jit.bind(offered, names)(work, 0, filled, number, losing, EFFORT)
                    listed = work.areas.stack[2, :count].tolist()
                    assert {cells[goal] for goal in listed} == twin.offered(goals, entrance, losing == 1)
                    assert listed == [goal for goal in area.goals if goal in listed]
                    chosen += 0 < count < len(twin.reached(goals, entrance))
    assert min(safe, unsafe, chosen) > 15, (safe, unsafe, chosen)


def moves_at(game: Sokoban, controls: Controls, node: Node) -> list[int]:
    """Return the moves of the search at a node of the twin."""
    rules = game.enhanced()
    names = jit.Names(dict(rules.names()), "interpreted", None)
    stones = [game.maze.numbers[place] for place in node[0]]
    man = normal_man(game.maze.near, stones, game.maze.numbers[min(node[1])])
    work = rules.work(state_of(stones, man, len(game.maze.cells)), controls, 2)
    jit.bind(estimate, names)(work, 0, 0)
    jit.bind(identify, names)(work, 0)
    out = [[0, 0] for _ in range(400)]
    found = _Rows(out)
    end = jit.bind(candidates, names)(work, 0, 0, found, 0, 0)
    return [row[0] for row in out[:end]]


class _Rows:
    """Stand for an array of two columns."""

    def __init__(self, rows: list[list[int]]) -> None:
        self.rows = rows

    def __getitem__(self, place: tuple[int, int]) -> int:
        return self.rows[place[0]][place[1]]

    def __setitem__(self, place: tuple[int, int], value: int) -> None:
        self.rows[place[0]][place[1]] = int(value)


def pushes_at(game: Sokoban, node: Node) -> set[tuple[Place, Place]]:
    """Return the pushes to live squares: where the stone is, and where it comes to."""
    found = set()
    for y, x in node[0]:
        for dy, dx in DIRECTIONS:
            target = y + dy, x + dx
            number = game.maze.numbers.get(target)
            if (y - dy, x - dx) in node[1] and number is not None and target not in node[0]:
                found.update({((y, x), target)} if game.tables.live[number] else ())
    return found


@pytest.mark.parametrize("resting", [pytest.param(True, marks=pytest.mark.long), False])
def test_stones_rest_in_an_area_that_can_be_filled(resting: bool) -> None:
    """Without a macro: all pushes to live squares, but where stones rest, those inside the area and into it."""
    chance = random.Random(9)
    counts = dict.fromkeys(("macros", "rests", "free"), 0)
    for game, maze, _, twin in levels_with_an_area(7, 60):
        controls, cells = controls_of(game, "" if resting else ",goal-macros.resting=0"), game.maze.cells
        live = {place for place, number in game.maze.numbers.items() if game.tables.live[number]}
        nodes = [node for node in maze.solvable()[0] if node[0] <= live]  # no search comes to the others
        nodes.sort(key=lambda node: str([sorted(places) for places in node]))
        for node in chance.sample(nodes, min(30, len(nodes))):
            inside = node[0] & twin.squares
            rests = resting and inside <= twin.goals and twin.is_safe(inside & twin.goals)
            moves = moves_at(game, controls, node)
            legal = pushes_at(game, node)
            kept = {
                push for push in legal if not rests or (push[0] not in twin.squares and push[1] not in twin.squares)
            }
            if any(kind_of(move) == GOAL_MACRO for move in moves):
                assert all(kind_of(move) == GOAL_MACRO for move in moves)
                counts["macros"] += 1
                for move in moves:
                    before, home = cells[from_square(move)], cells[to_square(move)]
                    entrances = [
                        (target, (target[0] - before[0], target[1] - before[1]))
                        for place, target in legal
                        if place == before
                    ]
                    entrances = [one for one in entrances if one in twin.entrances]
                    filled = inside & twin.goals
                    assert any(
                        home in twin.offered(filled, one, losing) for one in entrances for losing in (False, True)
                    )
                continue
            assert {(cells[from_square(move)], cells[to_square(move)]) for move in moves} == kept
            counts["rests" if rests and kept != legal else "free"] += 1
    assert counts["macros"] > 20, counts
    assert counts["free"] > 20, counts
    assert (counts["rests"] > 10) == resting, counts


@pytest.mark.long
def test_stones_are_shut_out_as_in_the_twin() -> None:
    """Where stones rest, no goals can be given to those outside: each comes by an entrance, and past the filled goals."""
    counts = {True: 0, False: 0}
    for game, maze, area, twin in levels_with_an_area(10, 60, 2, (5, 6)):
        rules, cells, goals = game.enhanced(), game.maze.cells, game.maze.goals
        names = jit.Names(dict(rules.names()), "interpreted", None)
        work = rules.work(game.start(), controls_of(game), 2)
        for stones, walks in sorted(maze.solvable()[0], key=lambda node: str([sorted(places) for places in node]))[:60]:
            squares = [game.maze.numbers[place] for place in stones]
            man = normal_man(game.maze.near, squares, game.maze.numbers[min(walks)])
            rules.reload(work, state_of(squares, man, len(cells)))
            work.kept[1, -1] = man
            filled = stones & twin.squares
            rests = filled <= twin.goals and twin.is_safe(filled)
            assert jit.bind(see_areas, names)(work) == rests
            outside = sorted(stones - filled)
            reached = [twin.ways_in(stone, cells[man], filled) for stone in outside]
            for stone, found in zip(outside, reached, strict=True):
                place = 4 * game.maze.numbers[stone] + game.tables.side[game.maze.numbers[stone], man]
                found |= {
                    cells[goal]
                    for number, goal in enumerate(goals)
                    if goal not in area.squares and game.tables.distances[place, number] < NEVER
                }
            orders = itertools.permutations([cells[goal] for goal in goals], len(outside))
            expected = not rests or any(
                all(goal in found for goal, found in zip(order, reached, strict=True)) for order in orders
            )
            if rests:
                assert jit.bind(can_come_in, names)(work, man) == expected, (game.text.rows, stones)
                counts[expected] += 1
            assert jit.bind(shuts_out, names)(work, 1) == (rests and not expected)
    assert min(counts.values()) > 100, counts


def test_entrances_to_which_no_stone_comes_are_none() -> None:
    """Level 79 has three squares where a stone could come in, and no stone comes to one of them."""
    (area,) = goal_areas(Sokoban(f"{XSOKOBAN}#79").tables, 4, 4)
    assert len(area.entrances) == 2


def test_areas_that_lead_to_each_other_are_one() -> None:
    """On level 72 stones come to the goals at the top only past those at the right: 8 and 8 goals are one area."""
    game = Sokoban(f"{XSOKOBAN}#72")
    (area,) = goal_areas(game.tables, 4, 4)
    assert (len(area.goals), len(area.entrances)) == (16, 3)
    line = search_state(game, None, Enhanced(version="R7"), limits=Limits(50_000))
    assert (line.verify(), replay("\n".join(game.text.rows), game.solution(line.moves)).fault) == ([], "")


@pytest.mark.long
def test_stones_that_cannot_rest_at_the_start_do_not() -> None:
    """On level 49 a stone stands on a goal in the way of the others: while it does, it is pushed like any stone."""
    game = Sokoban(f"{XSOKOBAN}#49")
    rules = game.enhanced()
    work = rules.work(game.start(), Enhanced(version="R6").controls(game), 2)
    names = jit.Names(dict(rules.names()), "cpu", None)
    jit.bind(estimate, names)(work, 0, 0)
    assert jit.bind(see_areas, names)(work)
    assert jit.bind(penalty, names)(work, 0) == 0
    assert not jit.bind(see_areas, names)(work)


def test_resting_stones_are_a_control() -> None:
    game = Sokoban(f"{XSOKOBAN}#2")
    found = Enhanced(version="R5", control="goal-macros.resting=0").controls(game)
    assert found.used["goal-macros"].resting == 0  # type: ignore[attr-defined]
    assert "goal-macros.resting=0" in found.text()
    line = search_state(game, None, Enhanced(version="R6", control="goal-macros.resting=0"), limits=Limits(100_000))
    assert line.verify() == []


def rounds_of(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each round adds whether it ended with nothing left for a larger threshold by its bound."""
    fruitless: list[bool] = []
    plain = search._Deepening._round

    def noted(self: Any, budget: int, times: int) -> int:
        ended = plain(self, budget, times)
        fruitless.append(ended == EXHAUSTED and not self.note[EXCEEDED] & BY_BOUND)
        return ended

    monkeypatch.setattr(search._Deepening, "_round", noted)
    return fruitless


def test_after_eight_fruitless_rounds_a_search_goes_on_with_fewer_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relevance cuts leave something for a larger threshold in each round: with them alone the search would go on for ever."""
    chance, fruitless, again = random.Random(5), rounds_of(monkeypatch), 0
    cut = Enhanced(version="R3", use=("relevance", "influence"), control=NOTHING_IS_LOCAL)
    for _ in range(20):
        game = Sokoban(random_level(chance, 2, (5, 5)))
        fruitless.clear()
        line = search_state(game, None, cut)
        assert line.verify() == []
        assert line.cost >= search_state(game, None, Enhanced(version="R3")).cost
        if True in fruitless:
            again += 1
            first = fruitless.index(True)
            assert fruitless[first : first + search.FRUITLESS] == [True] * search.FRUITLESS
            assert True not in fruitless[first + search.FRUITLESS :]
    assert again > 10, again


def test_cuts_are_given_up_one_after_the_other_from_the_last() -> None:
    """Goal macros go last; what leaves no moves out stays."""
    controls = Enhanced(version="R10").controls(Sokoban(f"{XSOKOBAN}#2"))
    lost = []
    while (fewer := controls.with_fewer_cuts()) is not None:
        lost.extend(controls.used.keys() - fewer.used.keys())
        controls = fewer
    assert lost == ["relevance", "goal-cuts", "goal-macros"]
    assert {"patterns", "overestimation", "restarts"} <= controls.used.keys()


def test_no_goal_is_filled_that_parts_the_man_from_a_stone() -> None:
    """Where an area parts the floor: the man comes to the side of every stone outside that is off the goals."""
    seen = {True: 0, False: 0}
    for game, maze, area, twin in levels_with_an_area(8, 150):
        if not area.parts:
            continue
        work = game.enhanced().work(game.start(), controls_of(game), 2)
        outside = maze.stones - twin.squares - maze.goals
        for filled in range(1 << len(area.goals)):
            goals = frozenset(game.maze.cells[goal] for bit, goal in enumerate(area.goals) if filled >> bit & 1)
            for man in maze.free - goals:
                walks = maze.area(man, goals)
                expected = all(any((y + dy, x + dx) in walks for dy, dx in DIRECTIONS) for y, x in outside)
                assert leaves_way(work, 0, game.maze.numbers[man], filled) == expected
                seen[expected] += 1
    assert min(seen.values()) > 30, seen


def test_rounds_that_leave_positions_by_their_bounds_are_not_fruitless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level whose solution is far above the first threshold is solved, however many rounds that takes."""
    monkeypatch.setattr(search, "FRUITLESS", 1)
    fruitless = rounds_of(monkeypatch)
    game = Sokoban(f"{MICROBAN}#57")
    line = search_state(game, None, Enhanced(version="R3", use=("relevance",), control="relevance.allowed=9"))
    assert (line.verify(), line.optimal, fruitless) == ([], False, [False] * 11)
