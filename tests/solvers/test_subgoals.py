"""Puzzles in steps: each step's distances against an obvious twin, the bounds against all states, lines against the rules."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path

import pytest

import naive
import searchbench as sb
from searchbench.analyse import detours
from searchbench.analyse.subgoals import Step
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Game, Position
from searchbench.run import Run

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
def eight() -> sb.analyse.Subgoals:
    return sb.analyse.solve_subgoals("sliding:3x3", STEPS, Run(threads=1))


@pytest.mark.long
def test_steps_take_as_long_as_in_the_puzzle(eight: sb.analyse.Subgoals) -> None:
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


def test_what_the_steps_come_to(eight: sb.analyse.Subgoals) -> None:
    assert [(step.states, step.longest) for step in eight.steps] == [(3024, 22), (360, 21)]
    distances = naive.distances(naive.explicit(eight.steps[1].game))
    assert eight.steps[1].average == pytest.approx(sum(distances.values()) / 360)
    assert eight.longest == 43
    assert eight.average == eight.steps[0].average + eight.steps[1].average


def test_the_bound_holds_and_looks_where_steps_end(eight: sb.analyse.Subgoals) -> None:
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


def test_databases_are_kept_and_opened_again(tmp_path: Path, eight: sb.analyse.Subgoals) -> None:
    first = sb.analyse.solve_subgoals("sliding:3x3", STEPS, Run(threads=1), tmp_path / "steps")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "steps").rglob("zarr.json")}
    again = sb.analyse.solve_subgoals("sliding:3x3", STEPS, Run(threads=1), tmp_path / "steps")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "steps").rglob("zarr.json")} == times
    assert len(list((tmp_path / "steps").iterdir())) == 2
    assert first.bound == again.bound == eight.bound


def test_the_first_steps_alone() -> None:
    found = sb.analyse.solve_subgoals("sliding:3x3", ["6-7-8"], Run(threads=1))
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
        sb.analyse.solve_subgoals("sliding:3x3", steps)


def test_steps_that_cannot_always_be_done() -> None:
    """With the tiles 3 and 6 home, the cells that are left hang together at two corners only."""
    found = sb.analyse.solve_subgoals("sliding:3x3", ["3-6", "1-2-4-5-7-8"], Run(threads=1))
    with pytest.raises(BadRequest, match="2,100 states lead to none in which the step is done"):
        found.steps[1].longest  # noqa: B018


def test_games_without_steps() -> None:
    with pytest.raises(BadRequest, match="pancake:5 is not known to be solved in steps"):
        sb.analyse.solve_subgoals("pancake:5", ["1"])
    with pytest.raises(BadRequest, match="expected the fixed tiles at home"):
        load("sliding:3x3").subgoals(STEPS)[1].seen([8, 7, 6, 0, 4, 1, 2, 5, 3, 3])


def ways_by_naive(game: Game, chain: sb.analyse.Subgoals, detour: int) -> dict[tuple[int, ...], int]:
    """Return what each board takes through both steps, where the first takes so many moves more than the least, at most.

    From the last move back: a board in which the first step is done takes what the second step takes; another one takes a
    move and what the best board after it takes with one move less to go.
    """
    first, last = chain.steps
    boards = list(naive.depths(game))
    home = {
        state: last.database.probe(last.game.position(last.game.seen(state)))
        for state in boards
        if is_done(first, state)
    }
    least = {state: first.database.probe(first.game.position(first.game.seen(state))) for state in boards}
    taken, found = dict(home), {}
    for length in range(max(least.values()) + detour + 1):
        for state in boards:
            if least[state] + detour == length:
                found[state] = taken.get(state, 1 << 20)
        after = {
            state: [tuple(game.play(state, move)) for move in game.moves(state)]
            for state in boards
            if state not in home
        }
        taken = home | {
            state: 1 + min(taken.get(other, 1 << 20) for other in others) for state, others in after.items()
        }
    return found


def is_done(step: Step, state: tuple[int, ...]) -> bool:
    return step.game.terminal(step.game.seen(state)) == 0


@pytest.mark.parametrize("detour", [0, 3, 6])
def test_detours_leave_open_what_they_must(detour: int, tmp_path: Path) -> None:
    """Every board of 2x3, against all ways by dictionaries; and whatever is not open takes no more than the limit."""
    game = load("sliding:2x3")
    chain = sb.analyse.solve_subgoals(game, ("2-5", "1-3-4"), Run(threads=1))
    takes, depths = ways_by_naive(game, chain, detour), naive.depths(game)
    sizes = set()
    for limit in range(chain.steps[1].longest, chain.bound + 1):
        proof = sb.analyse.prove_limit(chain, limit, Run(threads=1 + limit % 2, work=tmp_path / "work"), detour)
        assert set(proof.open) == {state for state, most in takes.items() if most > limit and limit < chain.bound}
        assert all(depths[state] <= limit for state in depths if state not in set(proof.open))
        assert proof.proved == (not proof.open)
        sizes.add(len(proof.open))
    assert 0 in sizes
    assert len(sizes) > 1
    assert not (tmp_path / "work").exists()


@pytest.mark.long
def test_detours_prove_that_no_board_takes_more_than_31_moves(eight: sb.analyse.Subgoals) -> None:
    """The steps alone take up to 43; all that more needs is longer ways through the first one."""
    proof = sb.analyse.prove_limit(eight, 31)
    assert (proof.proved, proof.patterns, proof.limit) == (True, 2605, 31)
    assert not sb.analyse.prove_limit(eight, 31, detour=0).proved


@pytest.mark.long
def test_a_proof_goes_on_where_it_was_stopped(
    eight: sb.analyse.Subgoals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detours, "BLOCK", 50)
    whole = detours.prove_limit(eight, 33, Run(threads=1), detour=2)
    run = Run(threads=1, work=tmp_path, checkpoint_interval=0.0)
    blocks = 0

    def stop(stage: str, done: int, total: int) -> None:
        nonlocal blocks
        blocks += 1
        if blocks % 10 == 0:
            raise KeyboardInterrupt

    run.report = stop
    while True:
        try:
            again = detours.prove_limit(eight, 33, run, detour=2)
            break
        except KeyboardInterrupt:
            assert list(tmp_path.iterdir())
    assert blocks > 30
    assert (again.open, again.patterns, again.states, again.ways) == (
        whole.open,
        whole.patterns,
        whole.states,
        whole.ways,
    )


def test_limits_that_cannot_be_proved_are_refused(eight: sb.analyse.Subgoals) -> None:
    with pytest.raises(BadRequest, match="second step alone takes up to 21"):
        sb.analyse.prove_limit(eight, 20)
    with pytest.raises(BadRequest, match="1 steps: detours are looked for where there are two"):
        sb.analyse.prove_limit(sb.analyse.solve_subgoals("sliding:3x3", ["6-7-8"], Run(threads=1)), 30)


def test_the_first_step_begins_anywhere(eight: sb.analyse.Subgoals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it can begin is not asked, which for a large step would take hours: no step ends there."""
    asked = []
    entered = type(eight.steps[0].game).entered
    monkeypatch.setattr(
        type(eight.steps[0].game), "entered", lambda game, state: asked.append(game) or entered(game, state)
    )
    fresh = sb.analyse.Subgoals(eight.game, tuple(Step(step.game, step.database) for step in eight.steps))
    assert fresh.bound == eight.bound
    assert set(asked) == {eight.steps[1].game}
