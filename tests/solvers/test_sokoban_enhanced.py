"""Enhanced IDA* and the matching: against brute force and the twin, golden bounds, and sound detectors against exact sets."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naive_sokoban import Maze, random_level
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached, SearchBenchError, Unsolvable
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced.windows import is_window_dead
from searchbench.games.sokoban.replay import replay
from searchbench.games.sokoban.rules import normal_man, state_of, to_square
from searchbench.heuristics.matching import (
    FIELDS,
    UNREACHABLE,
    match_from_scratch,
    matching_cost,
    move_piece,
    new_scratch,
)
from searchbench.run import Limits
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.enhanced import Controls, Enhanced, Sound
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE, estimate, make, unmake
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls

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


def test_sound_versions_find_the_least_pushes_of_random_levels() -> None:
    chance = random.Random(4)
    solved = 0
    for _ in range(40):
        text = random_level(chance, chance.choice((1, 2, 3)), (5, 5), chance.random() < 0.8)
        game, least = Sokoban(text), Maze(text).least_pushes()
        for version in ("R0", "R1", "R4"):
            try:
                line = search_state(game, None, Enhanced(version=version), limits=Limits(200_000))
            except (Unsolvable, LimitReached):
                assert least is None, (version, text)
                continue
            solved += 1
            assert (line.cost, line.optimal, line.verify()) == (least, True, []), (version, text)
            assert not replay(text, game.solution(line.moves)).fault
    assert solved > 60


def test_bounds_and_detectors_are_sound_on_random_levels() -> None:
    """Of every state that the start leads to: the exact set of solvable ones, and its distances."""
    chance = random.Random(8)
    found = calls = 0
    for _ in range(12):
        text = random_level(chance, 3, (4, 5))
        game, maze = Sokoban(text), Maze(text)
        nodes, good = maze.solvable()
        if not good:
            continue
        rules, level = game.enhanced(), game.maze
        names = jit.Names(dict(rules.names()), "cpu", None)
        work = rules.work(game.start(), controls_of(game, "deadlocks"), 2)
        bound, dead = jit.bind(estimate, names), jit.bind(is_window_dead, names)
        numbers = {(y, x): number for number, (y, x) in enumerate(level.cells)}
        for stones, area in sorted(nodes, key=str)[:400]:
            placed = [numbers[place] for place in stones]
            state = state_of(placed, normal_man(level.near, placed, numbers[min(area)]), len(level.cells))
            rules.reload(work, state)
            if (stones, area) in good:
                assert int(bound(work, 0, 0)) < INFEASIBLE
            for move in game.moves(state):
                square, target, direction = move & 4095, to_square(move), move >> 36
                if not game.tables.live[target]:
                    continue
                after = game.play(state, move)
                left = frozenset(
                    level.cells[one] for one in range(len(level.cells)) if after[one >> 5] >> (one & 31) & 1
                )
                solvable = (left, maze.area(level.cells[square], left)) in good
                claimed = bool(dead(work, square, target, direction))
                assert not (claimed and solvable), (text, game.format(after))
                found += claimed
                calls += not solvable
    assert found > 100
    print(f"{found} of {calls} dead pushes found")


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
    with pytest.raises(SearchBenchError, match="supplies no functions"):
        search_state(load("sliding:2x2"), None, "enhanced")
