"""Puzzles in steps: each step's distances against an obvious twin, the bounds against all states, lines against the rules."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path

import pytest

import naive
import searchbench as sb
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Position

STEPS = ("6-7-8", "1-2-3-4-5")


def moves_home(start: tuple[int, ...], tiles: set[int], fixed: set[int]) -> int:
    """Return how many moves bring tiles home and leave others where they are: breadth-first search in the puzzle itself."""
    game = load("sliding:3x3")
    waiting, seen = deque([(start, 0)]), {start}
    while True:
        state, moves = waiting.popleft()
        if all(state[tile] == tile for tile in tiles):
            return moves
        for move in game.moves(state):
            after = tuple(game.play(state, move))
            if state[move & 127] not in fixed and after not in seen:
                seen.add(after)
                waiting.append((after, moves + 1))


@pytest.fixture(scope="module")
def eight() -> sb.Subgoals:
    return sb.subgoals("sliding:3x3", STEPS, threads=1)


def test_steps_take_as_long_as_in_the_puzzle(eight: sb.Subgoals) -> None:
    first, last = eight.steps
    boards = list(naive.depths(load("sliding:3x3")))
    for state in random.Random(1).sample(boards, 20):
        assert first.database.probe(Position(first.game, tuple(first.game.seen(state)))) == moves_home(
            state, {6, 7, 8}, set()
        )
    half = [state for state in boards if state[6:9] == (6, 7, 8)]
    for state in random.Random(1).sample(half, 20):
        assert last.database.probe(Position(last.game, tuple(last.game.seen(state)))) == moves_home(
            state, {0, 1, 2, 3, 4, 5}, {6, 7, 8}
        )


def test_what_the_steps_come_to(eight: sb.Subgoals) -> None:
    assert [(step.states, step.longest) for step in eight.steps] == [(3024, 22), (360, 21)]
    distances = naive.distances(naive.explicit(eight.steps[1].game))
    assert eight.steps[1].average == pytest.approx(sum(distances.values()) / 360)
    assert eight.longest == 43
    assert eight.average == eight.steps[0].average + eight.steps[1].average


def test_the_bound_holds_and_looks_where_steps_end(eight: sb.Subgoals) -> None:
    """A step ends where a tile came home, so the last one does not begin with the empty cell far from there."""
    last = eight.steps[1]
    distances = naive.distances(naive.explicit(last.game))
    assert last.longest_entered == max(value for state, value in distances.items() if state[-1] in (3, 4, 5))
    assert eight.bound == eight.steps[0].longest + last.longest_entered <= eight.longest
    depths = naive.depths(load("sliding:3x3"))
    for state in random.Random(2).sample(list(depths), 40):
        line = eight.line(state)
        assert line.complete
        assert line.verify() == []
        assert depths[state] <= line.cost <= eight.bound


def test_databases_are_kept_and_opened_again(tmp_path: Path, eight: sb.Subgoals) -> None:
    first = sb.subgoals("sliding:3x3", STEPS, to=tmp_path / "steps", threads=1)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "steps").rglob("zarr.json")}
    again = sb.subgoals("sliding:3x3", STEPS, to=tmp_path / "steps", threads=1)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "steps").rglob("zarr.json")} == times
    assert len(list((tmp_path / "steps").iterdir())) == 2
    assert first.bound == again.bound == eight.bound


def test_the_first_steps_alone() -> None:
    found = sb.subgoals("sliding:3x3", ["6-7-8"], threads=1)
    line = found.line("8 7 6 0 4 1 2 5 3")
    assert not line.complete
    assert line.states()[-1][6:9] == (6, 7, 8)


def test_24_puzzle_first_steps() -> None:
    """Gasser 1995, section 6.6: the third of his five steps, 93,024 states, at most 47 moves, 27.0 on average."""
    game = load("sliding:5x5")
    step = game.subgoals(["24-23-19", "22-21-20", "14-9-4"])[2]
    found = sb.solve(step, threads=1).histogram()
    assert sum(found.values()) == 93_024
    assert max(found) == 47
    assert round(sum(value * count for value, count in found.items()) / 93_024, 1) == 27.0


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "no steps"),
        (["6-7-8", "8-5"], "each once"),
        (["6-7-9"], "expected some of 1 to 8"),
        (["1-3", "2-4-5-6-7-8"], "cannot go"),
        (["1-2-3-4-5-6-7"], "one tile is left over"),
        (["1-2-3-4-5-6", "7-8"], "three tiles"),
    ],
)
def test_bad_steps(steps: list[str], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        sb.subgoals("sliding:3x3", steps)


def test_steps_that_cannot_always_be_done() -> None:
    """With the tiles 3 and 6 home, the cells that are left hang together at two corners only."""
    found = sb.subgoals("sliding:3x3", ["3-6", "1-2-4-5-7-8"], threads=1)
    with pytest.raises(BadRequest, match="2,100 states lead to none in which the step is done"):
        found.steps[1].longest  # noqa: B018


def test_games_without_steps() -> None:
    with pytest.raises(BadRequest, match="pancake:5 is not known to be solved in steps"):
        sb.subgoals("pancake:5", ["1"])
    with pytest.raises(BadRequest, match="expected the fixed tiles at home"):
        load("sliding:3x3").subgoals(STEPS)[1].seen([8, 7, 6, 0, 4, 1, 2, 5, 3, 3])
