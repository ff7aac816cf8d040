"""Features, advisors, corral deadlocks and the search backwards of Sokoban, against their twins and exact sets."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from naive_sokoban import Maze, Node, Place, random_level
from searchbench import jit
from searchbench.errors import Unsolvable
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced.corral import PART, number_parts
from searchbench.games.sokoban.featurespace import GUIDED, advisors, corrals, features
from searchbench.games.sokoban.featurespace.packing import plan_of, pulls_to
from searchbench.games.sokoban.featurespace.rooms import blockers_of, doors_of, pushes_to, rooms_of
from searchbench.games.sokoban.rules import normal_man, state_of
from searchbench.games.sokoban.tables import NEVER
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.featurespace import search, strategy, turns
from searchbench.solvers.guided.featurespace.contract import restore
from searchbench.verify.lurd import replay

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def work_of(game: Sokoban) -> tuple[Any, jit.Names]:
    """Return the arrays of the strategy that sees all features, and the functions of the contract, interpreted."""
    rules = game.feature_space()
    names = jit.Names(dict(rules.names(GUIDED)), "interpreted", None)
    return rules.work(game.start(), names, GUIDED), names


def put_up(game: Sokoban, work: Any, names: jit.Names, stones: set[int], man: int) -> None:
    """Make a position the one on the board."""
    position = np.array(state_of(stones, man, len(game.maze.cells)), np.int64)
    jit.bind(restore, names)(work, position)


def beside(place: Place) -> list[Place]:
    """Return the four neighbours of a place."""
    return [(place[0] + dy, place[1] + dx) for dy, dx in SIDES]


# --- corrals ---------------------------------------------------------------------------------------------------------


def places(game: Sokoban, maze: Maze) -> dict[Place, int]:
    """Return the number of each square at its place in the twin."""
    cells = game.maze.cells
    top = min(y for y, _ in maze.free) - min(y for y, _ in cells)
    left = min(x for _, x in maze.free) - min(x for _, x in cells)
    return {(y + top, x + left): number for number, (y, x) in enumerate(cells)}


def test_corrals_that_are_told_dead_lead_to_no_solution() -> None:
    chance, told, lost = random.Random(31), 0, 0
    for _ in range(15):
        game = Sokoban(text := random_level(chance, 3, (4, 5)))
        maze = Maze(text)
        number = places(game, maze)
        nodes, good = maze.solvable()
        work, names = work_of(game)
        for stones, area in chance.sample(sorted(nodes, key=repr), min(len(nodes), 30)):
            put_up(game, work, names, {number[one] for one in stones}, min(number[one] for one in area))
            dead = corrals.has_dead_corral(work.base, work.corrals)
            assert not (dead and (stones, area) in good), (text, stones)
            told += dead
            lost += (stones, area) not in good
    assert told > 5, (told, lost)


def test_a_verdict_on_a_corral_is_that_of_a_search_without_the_other_stones() -> None:
    """Where the search ends before its limit, it says dead exactly if no way enters the area or puts its stones on goals."""
    chance, verdicts = random.Random(32), set()
    for _ in range(20):
        game = Sokoban(text := random_level(chance, 4, (4, 5), solvable=False))
        maze = Maze(text)
        number = places(game, maze)
        live = {place for place, square in number.items() if game.tables.live[square]}
        stones, area = maze.start()
        work, names = work_of(game)
        put_up(game, work, names, {number[one] for one in stones}, min(number[one] for one in area))
        number_parts(work.base)
        closed = maze.free - stones - area
        for part in range(1, 5):
            inside = {one for one in closed if work.base.board[PART, number[one]] == part}
            around = frozenset(one for one in stones if set(beside(one)) & inside)
            if not inside or len(around) < 1:
                continue
            expected = is_dead(maze, around, maze.area(next(iter(area)), around), inside, live)
            assert corrals.is_dead_corral(work.base, work.corrals, part) == expected, (text, inside)
            assert corrals.is_dead_corral(work.base, work.corrals, part) == expected  # which is known by now
            verdicts.add(expected)
    assert verdicts == {False, True}


def is_dead(maze: Maze, around: frozenset[Place], area: frozenset[Place], inside: set[Place], live: set[Place]) -> bool:
    zone = inside | around
    seen: set[Node] = {(around, area)}
    waiting = [(around, area)]
    while waiting:
        stones, man = waiting.pop()
        if man & inside or stones <= maze.goals:
            return False
        for after, _ in maze.successors((stones, man)):
            (moved,) = after - stones
            if moved not in live:
                continue
            kept = after & zone
            (origin,) = stones - after
            node = kept, maze.area(origin, kept)
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return True


# --- rooms and stones in the way ---------------------------------------------------------------------------------------


ROOMY = "##########\n#  #  ####\n#@ #  #  #\n#        #\n####### ##\n#     # ##\n#  ##   ##\n##########"


def test_rooms_are_blocks_that_touch_and_doors_join_them() -> None:
    game = Sokoban(ROOMY.replace("@ ", "@$").replace("#  ##   ##", "# .##   ##"))
    rooms, cells = rooms_of(game.tables), game.maze.cells
    drawn: dict[int, set[Place]] = {}
    for square, room in enumerate(rooms):
        drawn.setdefault(int(room), set()).add(cells[square])
    first = min(cells)
    assert {len(one) for room, one in drawn.items() if room >= 0} == {6}
    assert int(rooms[cells.index(first)]) == 0
    assert sorted(map(tuple, doors_of(game.tables, rooms).tolist())) == [(0, 1)]


def naive_rooms(cells: set[Place]) -> list[set[Place]]:
    """Return the rooms: blocks of four that touch, two or more, without the squares that lie in two."""
    blocks = {(y, x) for y, x in cells if {(y, x + 1), (y + 1, x), (y + 1, x + 1)} <= cells}
    groups: list[set[Place]] = []
    for block in sorted(blocks):
        joined = [group for group in groups if group & set(beside(block))]
        groups = [group for group in groups if group not in joined] + [set().union({block}, *joined)]
    wholes = [
        {(y + dy, x + dx) for y, x in group for dy, dx in itertools.product((0, 1), repeat=2)}
        for group in groups
        if len(group) > 1
    ]
    return [
        {cell for cell in whole if not any(cell in other for other in wholes if other is not whole)} for whole in wholes
    ]


def naive_doors(cells: set[Place], rooms: list[set[Place]]) -> set[tuple[int, int]]:
    """Return the pairs of rooms with a way from one to the other that goes through corridors alone."""
    corridor, found = cells - set().union(*rooms), set()
    for one, other in itertools.permutations(range(len(rooms)), 2):
        seen, waiting = set(rooms[one]), list(rooms[one])
        while waiting:
            for place in beside(waiting.pop()):
                if place in rooms[other] & cells:
                    found.add((min(one, other), max(one, other)))
                elif place in corridor and place not in seen:
                    seen.add(place)
                    waiting.append(place)
    return found


def test_rooms_doors_and_shut_doors_are_those_of_the_twin() -> None:
    chance, shut, pairs = random.Random(33), 0, 0
    for _ in range(16):
        game = Sokoban(text := random_level(chance, 3, (7, 8)))
        cells = set(game.maze.cells)
        twin = naive_rooms(cells)
        rooms = rooms_of(game.tables)
        own = [{game.maze.cells[s] for s in np.flatnonzero(rooms == room)} for room in range(max(rooms) + 1)]
        assert sorted(map(sorted, own)) == sorted(map(sorted, twin)), text
        doors = naive_doors(cells, own)
        assert {tuple(pair) for pair in doors_of(game.tables, rooms).tolist()} - {(-1, -1)} == doors, text
        pairs += len(doors)
        work, names = work_of(game)
        for _ in range(5):
            stones = set(chance.sample(range(len(cells)), 3))
            man = chance.choice(sorted(set(range(len(cells))) - stones))
            put_up(game, work, names, stones, man)
            free = cells - {game.maze.cells[stone] for stone in stones}
            left = naive_doors(free, [room & free for room in own])
            assert features.shut_doors(work) == len(doors) - len(left & doors), text
            shut += len(doors - left)
    assert min(pairs, shut) > 5, (pairs, shut)


def goals_of(cells: set[Place], goals: set[Place], stone: Place) -> set[Place]:
    """Return the goals that a lone stone can be pushed to, the man where he likes before each push."""
    seen, waiting = {stone}, [stone]
    while waiting:
        y, x = waiting.pop()
        for dy, dx in SIDES:
            if {(y - dy, x - dx), (y + dy, x + dx)} <= cells and (y + dy, x + dx) not in seen:
                seen.add((y + dy, x + dx))
                waiting.append((y + dy, x + dx))
    return seen & goals


def test_blockers_and_hotspots_are_those_of_the_twin() -> None:
    chance, hot = random.Random(34), 0
    for _ in range(6):
        game = Sokoban(text := random_level(chance, 3, (4, 5)))
        cells = game.maze.cells
        goals = {cells[goal] for goal in game.tables.level.goals}
        found = blockers_of(game.tables)
        for wall, stone in itertools.permutations(range(len(cells)), 2):
            open_to = goals_of(set(cells), goals, cells[stone])
            lost = open_to - goals_of(set(cells) - {cells[wall]}, goals, cells[stone])
            assert found[wall, stone] == bool(lost), (text, cells[wall], cells[stone])
        work, names = work_of(game)
        for _ in range(6):
            stones = set(chance.sample(range(len(cells)), 3))
            put_up(game, work, names, stones, min(set(range(len(cells))) - stones))
            off = [stone for stone in stones if cells[stone] not in goals]
            expected = sum(any(found[one, other] for other in off) for one in off)
            assert features.hotspots(work) == expected
            hot += expected
    assert hot > 5, hot


# --- advisors --------------------------------------------------------------------------------------------------------


def pushes(game: Sokoban, stones: set[int], man: int) -> set[tuple[int, int]]:
    """Return the pushes to live squares that the man can make: stones and directions."""
    near, found = game.maze.near, set()
    area = normal_man(near, stones, man)
    for stone in stones:
        for direction in range(4):
            behind, target = near[stone][direction ^ 1], near[stone][direction]
            if behind < 0 or target < 0 or {behind, target} & stones or not game.tables.live[target]:
                continue
            if normal_man(near, stones, behind) == area:
                found.add((stone, direction))
    return found


def test_the_explorer_opens_pushes_that_were_closed() -> None:
    chance, opened = random.Random(35), 0
    for _ in range(15):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        work, names = work_of(game)
        stones, man, near = set(game.tables.level.stones), game.tables.level.man, game.maze.near
        before = pushes(game, stones, man)
        for stone, direction in sorted(before):
            put_up(game, work, names, stones, man)
            advisors.offer(work)
            target = near[stone][direction]
            after = (stones - {stone}) | {target}
            put_up(game, work, names, after, stone)
            ahead = near[target][direction]
            back = (
                ahead >= 0 and ahead not in after and normal_man(near, after, ahead) == normal_man(near, after, stone)
            )
            more = {push for push in pushes(game, after, stone) if push[0] != target} - before
            assert advisors.explores(work, target, direction) == (back and bool(more))
            opened += back and bool(more)
    assert opened > 1, opened


def test_the_opener_moves_the_stone_that_is_nearest_to_the_next_square_of_the_plan() -> None:
    chance, kept = random.Random(36), 0
    for _ in range(20):
        game = Sokoban(random_level(chance, 3, (4, 5)))
        squares = range(len(game.maze.cells))
        first, second = chance.sample(sorted(game.tables.level.stones), 2)
        sets = [set(), {first}, {second, *chance.sample(squares, 1)}, {*chance.sample(squares, 3)}]
        plan = plan_of(sets)
        ways = pushes_to(game.tables, plan.rows[:, 0].tolist())
        work, names = work_of(game)
        work = work._replace(plan=plan, ways=ways)
        stones = set(game.tables.level.stones)
        put_up(game, work, names, stones, game.tables.level.man)
        step = min(features.progress(work)[1], 3)
        staying = {square for square in plan.rows[step, 1:].tolist() if square >= 0}
        free = [(int(ways[step, stone]), stone) for stone in stones - staying if ways[step, stone] < NEVER]
        found = advisors.nearest_stone(work)
        assert (int(ways[step, found]) if found >= 0 else NEVER) == min(free, default=(NEVER, -1))[0]
        assert found not in staying
        kept += bool(stones & staying)
    assert kept > 0, kept


# --- backwards -------------------------------------------------------------------------------------------------------


def test_pulls_to_a_square_are_the_pushes_from_it() -> None:
    chance = random.Random(37)
    for _ in range(10):
        game = Sokoban(random_level(chance, 2, (5, 6)))
        count = len(game.maze.cells)
        squares = list(range(count))
        pulls = pulls_to(game.tables, squares).reshape(count, 4, count).min(axis=1)
        pushed = np.array([game.tables.distances_to(square) for square in squares]).reshape(count, count, 4).min(axis=2)
        assert (pulls == pushed).all()  # either way: [to, from]


def test_halves_from_both_ends_join_to_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short turns make the searches meet; a level that has no solution is told so from either end."""
    monkeypatch.setattr(turns, "FIRST_SHARE", 2)
    joined, halves, plain = [], search.halves, strategy.Searching.search

    def mostly_backwards(self: Any, others: int, share: int, watch: Any) -> int:
        return plain(self, others, 4 * share if self.strategy.backward else 1, watch)

    monkeypatch.setattr(strategy.Searching, "search", mostly_backwards)

    def noted(*arguments: Any) -> Any:
        found = halves(*arguments)
        joined.append((len(found[0]), len(found[1])))
        return found

    monkeypatch.setattr(search, "halves", noted)
    chance = random.Random(38)
    for round_ in range(20):
        text = random_level(chance, 3, (4, 5), solvable=round_ % 8 != 0)
        game = Sokoban(text)
        if Maze(text).least_pushes() is None:
            with pytest.raises(Unsolvable):
                search_state(game, None, "featurespace", target="interpreted")
        else:
            line = search_state(game, None, "featurespace", target="interpreted")
            assert replay(text, game.solution(line.moves)).fault == "", text
    assert any(back > 1 for _, back in joined), joined
    assert any(back == 0 for _, back in joined), joined
