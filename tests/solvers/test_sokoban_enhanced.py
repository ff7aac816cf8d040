"""Enhanced IDA* and the matching: against brute force and the twin, golden bounds, and sound detectors against exact sets."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from naive_sokoban import Maze, Node, pushes_of, random_level
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached, OutOfMemory, SearchBenchError, Unsolvable
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.enhanced.areas import goal_areas
from searchbench.games.sokoban.enhanced.board import LAST_MARK, LEARNT, LONE_WALKS
from searchbench.games.sokoban.enhanced.exact import judged
from searchbench.games.sokoban.enhanced.jams import PROBES
from searchbench.games.sokoban.enhanced.testmaze import (
    LONE_TURN,
    REACHED_TURN,
    TURN,
    begin_reach,
    comes_home,
    lone_way,
)
from searchbench.games.sokoban.enhanced.windows import is_window_dead
from searchbench.games.sokoban.enhanced.work import freezes, move_of
from searchbench.games.sokoban.rules import normal_man, state_of, stones_of, to_square
from searchbench.heuristics.matching import (
    FIELDS,
    UNREACHABLE,
    match_from_scratch,
    matching_cost,
    move_piece,
    new_scratch,
)
from searchbench.reproduce.sokoban import random_levels
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.enhanced import Controls, Enhanced, Sound, search
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE, estimate, investigate, make, unmake
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls
from searchbench.solvers.guided.enhanced.kernel import MOST_MOVES
from searchbench.solvers.guided.featurespace import FeatureSpace
from searchbench.verify.lurd import replay

GOLDEN = Path(__file__).parent.parent / "golden"
XSOKOBAN = str(GOLDEN / "sokoban_xsokoban.xsb")
MICROBAN = str(GOLDEN / "sokoban_microban.xsb")
FIGURES = json.loads((GOLDEN / "sokoban.json").read_text())
SOUND = tuple(one.name for one in (*FRAME, *Sokoban().enhanced().known) if issubclass(one, Sound))


def controls_of(game: Sokoban, *names: str) -> Controls:
    """Return the controls of some enhancements."""
    return chosen_controls((*FRAME, *game.enhanced().known), names, (), "")


def test_the_matching_is_the_cheapest_from_scratch_and_step_by_step() -> None:
    chance = random.Random(2)
    for _ in range(60):
        count = chance.randint(1, 5)
        costs = np.array(
            [[chance.choice((UNREACHABLE, *range(12))) for _ in range(count)] for _ in range(9)] + [[0] * count],
            np.int32,
        )
        kept, scratch = np.zeros((1, FIELDS * count), np.int32), new_scratch(count)
        kept[0, :count] = [chance.randrange(10) for _ in range(count)]
        assert match_from_scratch(costs, kept, 0, scratch) == cheapest(costs, kept[0, :count])
        for _ in range(12):
            move_piece(costs, kept, 0, chance.randrange(count), chance.randrange(10), scratch)
            assert matching_cost(costs, kept, 0) == cheapest(costs, kept[0, :count])
            assert sorted(kept[0, count : 2 * count]) == list(range(count))


def cheapest(costs: Any, places: Any) -> int:
    """Return the cost of the cheapest assignment, by trying all."""
    orders = itertools.permutations(range(costs.shape[1]))
    return min(sum(int(costs[place, target]) for place, target in zip(places, order, strict=True)) for order in orders)


def test_the_bounds_of_the_90_starts_are_the_golden_ones() -> None:
    gain = 0
    for number, (*_, plain, matching, _, _) in enumerate(FIGURES["xsokoban"], 1):
        game = Sokoban(f"{XSOKOBAN}#{number}")
        rules = game.enhanced()
        names = jit.Names(dict(rules.names()), "cpu", None)
        work = rules.work(game.start(), controls_of(game), 2)
        bound = int(jit.bind(estimate, names)(work, 0, 0))
        assert bound == matching, number
        best = np.repeat(game.tables.from_best_side, 4, axis=0)
        without = work._replace(
            costs=np.vstack([best, np.zeros((1, best.shape[1])), work.costs[-best.shape[1] :]]).astype(np.int32)
        )
        assert plain <= int(jit.bind(estimate, names)(without, 0, 0)) <= bound
        gain += bound - plain
    assert gain > 0


@pytest.mark.parametrize("level", ["#9", "#10", f"{XSOKOBAN}#70"])
def test_the_bound_step_by_step_is_that_from_scratch(level: str) -> None:
    """On random walks there and back, in a level with articulation squares among others."""
    game = Sokoban(level)
    rules, chance = game.enhanced(), random.Random(level)
    names = jit.Names(dict(rules.names()), "interpreted", None)
    step, back, bound = (jit.bind(one, names, "interpreted") for one in (make, unmake, estimate))
    work, fresh = rules.work(game.start(), controls_of(game), 40), rules.work(game.start(), controls_of(game), 2)
    bound(work, 0, 0)
    for _ in range(4):
        rules.reload(work, game.start())
        bound(work, 0, 0)
        states, moves = [game.start()], []
        while len(moves) < 12 and game.moves(states[-1]):
            move = chance.choice(game.moves(states[-1]))
            moves.append(move & ((1 << 24) - 1) | move >> 36 << 36 | 1 << 41)
            states.append(game.play(states[-1], move))
            step(work, len(moves) - 1, moves[-1])
            rules.reload(fresh, states[-1])
            here, scratch = bound(work, len(moves), moves[-1]), bound(fresh, 0, 0)
            assert here == scratch or min(here, scratch) >= INFEASIBLE
        for row in range(len(moves) - 1, -1, -1):
            back(work, row, moves[row])
        assert work.facts[3] == sum(stone not in game.maze.goals for stone in game.maze.stones)


@pytest.mark.long
def test_sound_versions_find_the_least_pushes_of_random_levels() -> None:
    chance = random.Random(4)
    for _ in range(25):
        text = random_level(chance, chance.choice((1, 2, 3)), (5, 5))
        game, least = Sokoban(text), Maze(text).least_pushes()
        for version in ("R0", "R1", "R4"):
            line = search_state(game, None, Enhanced(version=version), limits=Limits(100_000))
            assert (line.cost, line.optimal, line.verify()) == (least, True, []), (version, text)
            assert not replay(text, game.solution(line.moves)).fault


SPARE_GOALS = [
    "#######\n#     #\n###   #\n##  ###\n#.*@$.#\n#######",
    "######\n#.$  #\n#*   #\n#  @ #\n#   *#\n#  #.#\n######",
    "######\n#@$.*#\n# $..#\n######",
    "#######\n# $. @#\n#  $ .#\n#. $#.#\n# $.  #\n#######",
]
"""Levels with more goals than stones: a closed area with an empty goal and all its stones on goals may stay as it is."""


@pytest.mark.long
def test_the_least_pushes_of_levels_with_more_goals_than_stones() -> None:
    chance = random.Random(9)
    texts = [random_level(chance, chance.choice((1, 2, 3)), (5, 5), spare=chance.choice((1, 2))) for _ in range(25)]
    for text in [*SPARE_GOALS, *texts]:
        line = search_state(Sokoban(text), None, Enhanced(optimal=True), limits=Limits(100_000))
        assert (line.cost, line.optimal, line.verify()) == (Maze(text).least_pushes(), True, []), text


def test_levels_without_a_solution_are_never_solved() -> None:
    chance = random.Random(5)
    refuted = 0
    for _ in range(25):
        text = random_level(chance, 2, (4, 4), solvable=False)
        if Maze(text).least_pushes() is not None:
            continue
        for version in ("R0", "R4", "R10", "R11"):
            with pytest.raises((Unsolvable, LimitReached)):
                search_state(Sokoban(text), None, Enhanced(version=version), limits=Limits(2_000))
            refuted += 1
    assert refuted > 30


@pytest.mark.long
def test_detectors_are_sound_on_random_levels() -> None:
    """Of every state that the start leads to: the exact set of solvable ones; the kernel that finds it agrees with the twin."""
    chance = random.Random(8)
    texts = [random_level(chance, chance.choice((2, 3)), (4, 5)) for _ in range(120)]
    texts += [random_level(chance, 2, (4, 5), spare=chance.choice((1, 2))) for _ in range(26)] + SPARE_GOALS
    found, levels, states = judged(map(Sokoban, texts), learning=False)
    assert (levels, states) == (150, sum(len(layer) for text in texts for layer in Maze(text).layers()))
    for name in ("matching", "freeze", "windows", "corrals", "pairs"):
        assert found[name]["false alarms"] == 0, (name, found[name])
        assert found[name]["claims"] > 1_000, (name, found[name])
    dead = sum(len(nodes) - len(good) for nodes, good in (Maze(text).solvable() for text in texts))
    assert found["matching"]["deadlocks"] == dead


def test_the_judge_of_detectors_sees_a_false_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimate that is too high at the goal is found out."""

    def too_high(work: Any, row: int, move: int) -> int:
        return 1

    level, names = random_level(random.Random(8), 2, (3, 4)), EnhancedSokoban.names
    found, levels, _ = judged([Sokoban(level)], learning=False, target="interpreted")
    assert (levels, found["matching"]["false alarms"]) == (1, 0)
    monkeypatch.setattr(EnhancedSokoban, "names", lambda rules: {**names(rules), "estimate": too_high})
    found, levels, _ = judged([Sokoban(level)], learning=False, target="interpreted")
    assert (levels, found["matching"]["false alarms"] > 0) == (1, True)


@pytest.mark.long
def test_deadlocks_learnt_are_sound_and_most_often_minimal() -> None:
    """No solvable state has the stones of a deadlock that was learnt; nearly each without one of its stones can be solved.

    A penalty is above the exact one at most where a stone that was taken home took the goal of another: for one in two here.
    """
    chance = random.Random(12)
    deadlocks = penalties = too_high = too_large = 0
    for _ in range(60):
        game = Sokoban(text := random_level(chance, 3, (5, 5)))
        rules, maze = game.enhanced(), Maze(text)
        nodes, good = maze.solvable()
        names = jit.Names(dict(rules.names()), "interpreted", None)
        controls = chosen_controls(
            (*FRAME, *rules.known), ("patterns",), (), "patterns.ratio=1000000,patterns.choice=0"
        )
        work = rules.work(game.start(), controls, 2)
        find, put_back, push = jit.bind(investigate, names), jit.bind(unmake, names), jit.bind(make, names)
        for node in chance.sample(sorted(nodes, key=repr_of_node), min(25, len(nodes))):
            state = state_of_node(game, node)
            for move in game.moves(state):
                if game.tables.live[to_square(move)]:
                    rules.reload(work, state)
                    push(work, 0, single := move_of(move & 4095, to_square(move), move >> 36, 0, 1))
                    find(work, 1, single, 0)
                    find(work, 1, single, chance.choice((0, 100_000)))  # as after a search in vain
                    put_back(work, 0, single)
        for number in range(int(work.facts[LEARNT])):
            squares = work.patterns.stones[number, : work.patterns.size[number]].tolist()
            pattern = frozenset(game.maze.cells[square] for square in squares)
            man = int(np.flatnonzero(work.patterns.area[number])[0])
            area = {game.maze.cells[square] for square in np.flatnonzero(work.patterns.area[number])}
            alone = Maze(text)
            alone.stones, alone.man = pattern, game.maze.cells[man]
            if work.patterns.penalty[number] < INFEASIBLE:
                penalties += 1
                least = alone.least_pushes()
                bound = work.patterns.penalty[number] + matched(game, squares, man)
                too_high += least is not None and least < bound
                continue
            deadlocks += 1
            assert not any(pattern <= stones and walks <= area for stones, walks in good), (text, pattern)
            fewer = False
            for stone in pattern if len(squares) > 1 else ():
                alone.stones = pattern - {stone}
                fewer = fewer or alone.least_pushes() is None
            too_large += fewer
    assert (deadlocks > 10, penalties > 1) == (True, True), (deadlocks, penalties)
    assert 10 * too_large <= deadlocks, (too_large, deadlocks)
    assert 2 * too_high <= penalties, (too_high, penalties)


def repr_of_node(node: Node) -> str:
    """Return what a node is sorted by, the same at all times."""
    return str([sorted(places) for places in node])


def test_stones_come_home_as_in_the_twin() -> None:
    """A lone stone, while others stand like walls: to any goal, and to each at the cost of a lone stone in the empty maze."""
    chance, came, barred = random.Random(3), 0, 0
    for _ in range(60):
        game = Sokoban(text := random_level(chance, 3, (5, 5)))
        rules, tables, alone = game.enhanced(), game.tables, Maze(text)
        names = jit.Names(dict(rules.names()), "interpreted", None)
        reach, way, home = (jit.bind(one, names, "interpreted") for one in (begin_reach, lone_way, comes_home))
        work = rules.work(game.start(), controls_of(game, "patterns"), 2)
        stones, man = [game.maze.numbers[place] for place in sorted(alone.stones)], game.maze.numbers[alone.man]
        stone = stones.pop(chance.randrange(3))
        work.patterns.board[0, [*stones, stone]] = 1
        reach(work, man)
        work.patterns.board[0, stone] = 0
        alone.free -= {game.maze.cells[other] for other in stones}
        alone.stones = frozenset({game.maze.cells[stone]})
        goals = alone.goals
        alone.goals = goals & alone.free
        assert (way(work, stone, -1, man, False) >= 0) == (alone.least_pushes() is not None), text
        for number, goal in enumerate(game.maze.goals):
            alone.goals = frozenset({game.maze.cells[goal]})
            least = alone.least_pushes() if goal not in stones else None
            cheapest_way = tables.distances[4 * stone + tables.side[stone, man], number]
            expected = least is not None and least == cheapest_way
            assert home(work, stone, number, man, 0) == expected, (text, stone, goal)
            came, barred = came + expected, barred + (not expected)
    assert min(came, barred) > 20, (came, barred)


def matched(game: Sokoban, squares: list[int], man: int) -> int:
    """Return the cost of the best goals for stones, by trying all."""
    rows = [game.tables.distances[4 * square + game.tables.side[square, man]] for square in squares]
    orders = itertools.permutations(range(len(game.maze.goals)), len(squares))
    return min(sum(int(row[goal]) for row, goal in zip(rows, order, strict=True)) for order in orders)


def state_of_node(game: Sokoban, node: Node) -> list[int]:
    """Return the state of a node of the twin."""
    stones = [game.maze.numbers[place] for place in node[0]]
    man = normal_man(game.maze.near, stones, game.maze.numbers[min(node[1])])
    return state_of(stones, man, len(game.maze.cells))


def node_of_state(game: Sokoban, maze: Maze, state: list[int]) -> Node:
    """Return the twin's node of a state."""
    stones = frozenset(game.maze.cells[square] for square in stones_of(state))
    return stones, maze.area(game.maze.cells[state[-1]], stones)


@pytest.mark.parametrize("use", [("corrals",), ("freeze",), SOUND])
def test_sound_enhancements_keep_the_least_pushes(use: tuple[str, ...]) -> None:
    chance = random.Random(20)
    for _ in range(12):
        text = random_level(chance, 3, (5, 5))
        game, least = Sokoban(text), Maze(text).least_pushes()
        line = search_state(game, None, Enhanced(version="R1", use=use), limits=Limits(200_000))
        assert (line.cost, line.optimal, line.verify()) == (least, True, []), text


@pytest.mark.parametrize("target", ["cpu", "interpreted"])
@pytest.mark.parametrize("use", SOUND)
def test_each_sound_enhancement_by_itself_keeps_the_least_pushes(
    use: str, target: Literal["cpu", "interpreted"]
) -> None:
    """None needs arrays that another one fills: interpreted, to read beyond them is an error."""
    text = "#########|## . $.##|###  ####|### $##@#|### .## #|###$$## #|###   . #|#########"
    asked = Enhanced(version="R0", use=(use,), optimal=True)
    try:
        line = search_state(Sokoban(text), None, asked, limits=Limits(3_000), target=target)
    except LimitReached:
        assert use not in ("jams", "pair-database")
    else:
        assert (line.cost, line.optimal, line.verify()) == (9, True, [])


def test_any_sound_enhancements_together_keep_the_least_pushes() -> None:
    chance, solved, refuted = random.Random(400), 0, 0
    solvable = (random_level(chance, 3, (4, 5)) for _ in range(60))
    for text in itertools.chain(solvable, itertools.islice(random_levels(400), 60)):
        use = tuple(name for name in SOUND if chance.random() < 0.5)
        least, game = Maze(text).least_pushes(), Sokoban(text)
        try:
            line = search_state(game, None, Enhanced(version="R0", use=use, optimal=True), limits=Limits(20_000))
        except Unsolvable:
            assert least is None, (text, use)
            refuted += 1
        except LimitReached:
            continue
        else:
            assert (line.cost, line.optimal, line.verify()) == (least, True, []), (text, use)
            solved += 1
    assert min(solved, refuted) > 20, (solved, refuted)


@pytest.mark.long
@pytest.mark.parametrize("budget", [0, 7, 40, 5_000])
def test_lines_that_a_scout_finds_are_cheapest(budget: int) -> None:
    """However short its turns are, with and without more goals than stones; of what cannot be solved nothing is claimed."""
    nodes, refuted, control = 0, 0, f"scout.budget={budget}"
    for text in itertools.islice(random_levels(budget), 60):
        least, game = Maze(text).least_pushes(), Sokoban(text)
        try:
            line = search_state(game, None, Enhanced(optimal=True, control=control), limits=Limits(100_000))
        except Unsolvable:
            assert least is None, text
            refuted += 1
            continue
        assert (line.cost, line.optimal, line.verify()) == (least, True, []), text
        nodes += line.nodes
    assert min(nodes, refuted) > 10, (nodes, refuted)


@pytest.mark.parametrize(("level", "pushes"), [(2, 131), (3, 134), (17, 213), (51, 118), (53, 186), (78, 136)])
def test_pairs_and_a_scout_prove_the_least_pushes_of_large_levels(level: int, pushes: int) -> None:
    """Neither is to be spared: 2 million nodes without pairs do not solve level 3, nor without a scout level 51."""
    game = Sokoban(f"{XSOKOBAN}#{level}")
    line = search_state(game, None, Enhanced(optimal=True), limits=Limits(100_000))
    assert (line.cost, line.optimal, line.verify()) == (pushes, True, [])
    assert replay("\n".join(game.text.rows), game.solution(line.moves)).fault == ""


def test_a_scout_goes_ahead_of_sound_enhancements_alone() -> None:
    game = Sokoban()
    assert search_state(game, None, Enhanced(version="R3", use=("scout",))).optimal
    with pytest.raises(BadRequest, match="scout: goal-macros may lose a cheapest line: leave them out with `without`"):
        Enhanced(version="R5", use=("scout",)).controls(game)


def test_limits_are_looked_at_after_short_rounds_too() -> None:
    """Rounds of few nodes each may follow one another without end where a position has no solution."""
    stages: list[str] = []
    run = Run(threads=1, report=lambda stage, done, total: stages.append(stage))
    search_state(load("sokoban:#3"), None, Enhanced(version="R0"), run, Limits(200_000))
    assert stages[-2:] == ["bound 16", "bound 18"]


def test_nodes_of_a_scout_count_for_the_limit() -> None:
    with pytest.raises(LimitReached, match="at least 118") as told:
        search_state(
            Sokoban(f"{XSOKOBAN}#51"), None, Enhanced(optimal=True, control="scout.budget=200"), limits=Limits(300)
        )
    assert 300 <= told.value.nodes <= 350


def test_known_solutions_are_never_called_dead() -> None:
    """Push by push: windows and freeze deadlocks, on 60 levels of others."""
    for number, text in enumerate(FIGURES["microban_solutions"][:60], 1):
        game = Sokoban(f"{MICROBAN}#{number}")
        rules = game.enhanced()
        names = jit.Names(dict(rules.names()), "cpu", None)
        work = rules.work(game.start(), controls_of(game, "deadlocks", "freeze"), 2)
        state = game.start()
        for square, direction in pushes_of(game.maze, text):
            (move,) = [one for one in game.moves(state) if one & 4095 == square and one >> 36 == direction]
            rules.reload(work, state)
            assert not jit.bind(is_window_dead, names)(work, square, to_square(move), direction)
            assert not jit.bind(freezes, names)(work, square, to_square(move))
            state = game.play(state, move)


def test_goal_areas_are_filled_from_the_back() -> None:
    game = Sokoban(f"{XSOKOBAN}#2")
    (area,) = goal_areas(game.tables, 4, 4)
    assert (len(area.goals), len(area.entrances)) == (10, 1)
    line = search_state(game, None, Enhanced(version="R6"), limits=Limits(100_000))
    assert (line.verify(), line.optimal) == ([], False)
    assert replay("\n".join(game.text.rows), game.solution(line.moves)).fault == ""
    homes = [to_square(move) for move in line.moves if to_square(move) in game.maze.goals]
    assert len(homes) >= 10


def test_every_version_solves_small_levels_and_learns() -> None:
    for version in Sokoban().enhanced().versions:
        for level in ("#3", "#7", "#10"):
            game = Sokoban(level)
            line = search_state(game, None, Enhanced(version=version), limits=Limits(200_000))
            assert line.verify() == []
            assert replay("\n".join(game.text.rows), game.solution(line.moves)).fault == ""


def test_the_last_version_has_all_but_a_scout() -> None:
    game = Sokoban("#3")
    known = {record.name for record in (*FRAME, *game.enhanced().known)} - {"scout", "influence"}
    assert set(Enhanced().controls(game).used) == known
    assert set(Enhanced(version="R10").controls(game).used) < known


def test_with_restarts_the_bound_grows_by_longer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """At each second growth the budget doubles, and the step becomes longer."""
    rounds: list[tuple[int, int]] = []
    one_round = search._Deepening._round

    def noted(deepening: search._Deepening, budget: int, times: int) -> int:
        rounds.append((int(deepening.note[search.THRESHOLD]) - deepening.least, budget))
        return one_round(deepening, budget, times)

    monkeypatch.setattr(search._Deepening, "_round", noted)
    configuration = Enhanced(version="R3", use="restarts", control="restarts.budget=8,restarts.times=0")
    with pytest.raises(LimitReached):
        search_state(Sokoban(f"{XSOKOBAN}#2"), None, configuration, limits=Limits(250))
    assert rounds[:7] == [(0, 8), (2, 8), (6, 16), (10, 16), (16, 32), (22, 32), (30, 64)]


def test_controls_are_data() -> None:
    game = Sokoban("#1")
    chosen = Enhanced(version="R3", without="deadlocks", control="table.bits=10").controls(game)
    assert list(chosen.used) == ["table", "inertia"]
    assert chosen.used["table"].bits == 10  # type: ignore[attr-defined]
    assert chosen.sound
    assert tuple(Enhanced(optimal=True).controls(game).used) == SOUND
    with pytest.raises(BadRequest, match="goal-cuts"):
        Enhanced(optimal=True, version="R6").controls(game)
    for wrong in ({"version": "R99"}, {"without": "nothing"}, {"control": "table.bits"}, {"control": "table.size=3"}):
        with pytest.raises(BadRequest):
            Enhanced(**wrong).controls(game)
    for wrong, right in (
        ("table.bits=41", "0 to 40"),
        ("jams.effort=-1", "0 to 1,000,000,000"),
        ("scout.budget=1e3", "NAME=NUMBER"),
    ):
        with pytest.raises(BadRequest, match=right):
            Enhanced(optimal=True, control=wrong).controls(game)
    with pytest.raises(SearchBenchError, match="supplies no functions"):
        search_state(load("sliding:2x2"), None, "enhanced")


def test_a_path_of_any_length_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays for the path and its moves grow: the same nodes as with room from the start, with cuts given up on the way, too."""
    chance = random.Random(31)
    levels = [random_level(chance, 3, (5, 6)) for _ in range(4)]

    def found() -> list[tuple[int, int]]:
        lines = [
            search_state(Sokoban(level), None, Enhanced(version=version))
            for level in levels
            for version in ("R0", "R4", "R10", "R11")
        ]
        return [(line.nodes, line.cost) for line in lines]

    expected, grown = found(), []
    lengthened = EnhancedSokoban.lengthened

    def noted(rules: EnhancedSokoban, work: Any, rows: int) -> Any:
        grown.append(rows)
        return lengthened(rules, work, rows)

    monkeypatch.setattr(EnhancedSokoban, "lengthened", noted)
    monkeypatch.setattr(search, "ROWS", 4)
    monkeypatch.setattr(search, "MOVES", MOST_MOVES + 2)
    assert found() == expected
    assert len(grown) > len(levels)


@pytest.mark.parametrize(
    "configuration",
    [
        Enhanced(version="R0"),
        Enhanced(version="R11"),
        Enhanced(optimal=True),
        pytest.param(FeatureSpace(), marks=pytest.mark.long),
    ],
    ids=["R0", "R11", "optimal", "featurespace"],
)
def test_a_long_search_makes_more_walks_than_32_bits_count(
    configuration: Enhanced | FeatureSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, work = load("sokoban:#8"), EnhancedSokoban.work
    early = search_state(game, None, configuration, limits=Limits(30_000))

    def late(*args: Any) -> Any:
        found = work(*args)
        found.facts[[LAST_MARK, LONE_WALKS]] = found.jams.counts[PROBES] = (1 << 31) - 4
        found.jams.base.facts[LAST_MARK] = (1 << 31) - 4
        found.patterns.counts[[TURN, REACHED_TURN, LONE_TURN]] = (1 << 31) - 4
        return found

    monkeypatch.setattr(EnhancedSokoban, "work", late)
    again = search_state(load("sokoban:#8"), None, configuration, limits=Limits(30_000))
    assert (again.moves, again.nodes) == (early.moves, early.nodes)


@pytest.mark.parametrize(
    ("use", "tables", "bits"),
    [("table", "a transposition table", 20), ("table,scout", "two transposition tables", 19)],
)
def test_tables_keep_to_the_memory(use: str, tables: str, bits: int) -> None:
    of_table = {"use": use, "without": "scout" if "scout" not in use else "", "optimal": True}
    told = rf"{tables} of 2\^24 entries needs? .*the memory budget is 16.8 MB; .*table.bits={bits}$"
    with pytest.raises(OutOfMemory, match=told):
        search_state(Sokoban("#1"), None, "enhanced", Run(1 << 24), control="table.bits=24", **of_table)
    search_state(Sokoban("#1"), None, "enhanced", Run(1 << 24), control=f"table.bits={bits}", **of_table)
