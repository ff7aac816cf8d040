"""Fox and geese: the rules against a plain second version of them, and the counts of Edelkamp's table."""

from __future__ import annotations

import random
from collections import Counter
from math import comb

import pytest

from searchbench.catalogue import load
from searchbench.errors import BadMove, BadState
from searchbench.games.fox_and_geese import FoxAndGeese
from searchbench.index import group, polya_count
from searchbench.reproduce.geese import won_for_geese
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states

# --- the twin: the drawing of the paper, points as (column, row) ----------------------------------------------------------

DRAWING = r"""
    O-O-O
    |\|/|
    O-O-O
    |/|\|
O-O-O-O-O-O-O
|\|/|\|/|\|/|
O-O-O-O-O-O-O
|/|\|/|\|/|\|
O-O-O-O-O-O-O
    |\|/|
    O-O-O
    |/|\|
    O-O-O
"""
ROWS = DRAWING.strip("\n").split("\n")
Point = tuple[int, int]
POINTS: list[Point] = [
    (x // 2, y // 2) for y in range(0, 13, 2) for x in range(0, 13, 2) if x < len(ROWS[y]) and ROWS[y][x] == "O"
]
STROKES = {"-": (1, 0), "|": (0, 1), "\\": (1, 1), "/": (-1, 1)}


def joined(a: Point, b: Point) -> bool:
    """Tell whether the drawing has a stroke between two neighbouring points."""
    x, y = a[0] + b[0], a[1] + b[1]
    stroke = ROWS[y][x] if y < len(ROWS) and x < len(ROWS[y]) else " "
    right, down = STROKES.get(stroke, (0, 0))
    return (b[0] - a[0], b[1] - a[1]) in {(right, down), (-right, -down)} != {(0, 0)}


NEXT = {a: {b for b in POINTS if max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1 and joined(a, b)} for a in POINTS}
Position = tuple[Point, frozenset[Point], bool]


def replies(position: Position, forced: bool) -> Counter[Position]:
    """Return the positions after each move."""
    fox, geese, foxs_turn = position
    free = set(POINTS) - geese - {fox}
    found: Counter[Position] = Counter()
    if not foxs_turn:
        for goose in geese:
            for end in NEXT[goose] & free:
                found[fox, geese - {goose} | {end}, True] += 1
        return found
    for over in NEXT[fox] & geese:
        behind = (2 * over[0] - fox[0], 2 * over[1] - fox[1])
        if behind in free and behind in NEXT[over]:
            found[behind, geese - {over}, False] += 1
    if not (forced and found):
        for end in NEXT[fox] & free:
            found[end, geese, False] += 1
    return found


def read(state: list[int]) -> Position:
    """Return a state of the game as a position of the twin."""
    geese = frozenset(point for place, point in enumerate(POINTS) if state[1] >> place & 1)
    return POINTS[state[0]], geese, bool(state[2])


def write(position: Position) -> list[int]:
    """Return a position of the twin as a state of the game."""
    fox, geese, foxs_turn = position
    return [POINTS.index(fox), sum(1 << POINTS.index(goose) for goose in geese), int(foxs_turn)]


def random_position(rng: random.Random, geese: int) -> Position:
    """Return a position; every other time the geese stand close together."""
    points = rng.sample(POINTS, len(POINTS))
    if rng.random() < 0.5:
        centre = rng.choice(POINTS)
        points.sort(key=lambda point: abs(point[0] - centre[0]) + abs(point[1] - centre[1]))
    return points[0], frozenset(points[1 : geese + 1]), rng.random() < 0.5


# --- the rules ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forced", [False, True])
def test_moves_are_those_of_the_twin(forced: bool) -> None:
    rng = random.Random(3)
    captures = ends = 0
    for _ in range(1500):
        geese = rng.randint(4, 31)
        game = FoxAndGeese(geese, forced=forced)
        position = random_position(rng, geese)
        state = write(position)
        expected = replies(position, forced)
        if not expected:
            assert game.terminal(state) == -1
            ends += 1
            continue
        assert game.terminal(state) == UNDECIDED
        moves = game.moves(state)
        assert Counter(read(game.play(state, move)) for move in moves) == expected
        assert all(game.unplay(game.play(state, move), move) == state for move in moves)
        assert len(moves) <= game.max_moves
        leaving = {move for move in moves if move >> 12}
        out = [0] * game.max_moves
        assert {*out[: game.call("conversions", list(state), out)]} == leaving
        captures += len(leaving)
    assert captures > 300
    assert ends > 10


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("decisive", [False, True])
def test_unmoves_are_moves_taken_back(decisive: bool, forced: bool) -> None:
    rng = random.Random(4)
    game = FoxAndGeese(7, decisive, forced)
    for _ in range(300):
        position = random_position(rng, 7 if decisive else rng.randint(4, 7))
        state = write(position)
        for move in game.moves(state) if game.terminal(state) == UNDECIDED else []:
            assert move in unmoves(game, game.play(state, move))
        for move in unmoves(game, state):
            before = game.unplay(state, move)
            assert position in replies(read(before), forced)
            assert move in game.moves(before)


def unmoves(game: FoxAndGeese, state: list[int]) -> list[int]:
    """Return the moves that can have led to a state."""
    out = [0] * game.max_unmoves
    return out[: game.call("unmoves", list(state), out)]


def test_ends() -> None:
    game = FoxAndGeese(6)
    hemmed = game.position("GFG/.G./...G.../......./......./.../... fox")
    assert game.terminal(hemmed.state) == -1
    few = game.read("GFG/.G./......./......./......./.../... geese")
    assert game.terminal(few) == -1
    assert FoxAndGeese(5, decisive=True).terminal(game.read("GFG/.G./...G.../......./......./.../... geese")) == -1
    assert FoxAndGeese(4).max_moves >= 16


def test_notation() -> None:
    game = load("fox-and-geese")
    assert game.format(game.start()) == "GGG/GGG/GGGGGGG/......./......./.F./... geese"
    assert FoxAndGeese(17).format(FoxAndGeese(17).start()) == "GGG/GGG/GGGGGGG/GG...GG/......./.F./... geese"
    position = game.position(".F./.G./......./GGG..../......./.../... fox")
    assert sorted(position.moves()) == ["d7-c7", "d7-d5xd6", "d7-e7"]
    assert position.play("d7-d5xd6").text == ".../.../...F.../GGG..../......./.../... geese"
    with pytest.raises(BadMove):
        position.play("d7-d6")
    for text in (".F./.G./......./GGG..../......./.../...", ".F./.G./......./......./......./.../... fox", "F fox"):
        with pytest.raises(BadState):
            game.read(text)
    for geese in (3, 32):
        with pytest.raises(ValueError, match="expected 4 to 31"):
            FoxAndGeese(geese)


# --- the counts -----------------------------------------------------------------------------------------------------------


def test_states_are_counted_by_symmetry() -> None:
    """Count placements of a fox and four geese with each of the eight symmetries, twice: for either turn."""
    quarter = [POINTS.index((6 - y, x)) for x, y in POINTS]
    mirror = [POINTS.index((6 - x, y)) for x, y in POINTS]
    classes = polya_count(group([quarter, mirror]), (len(POINTS) - 5, 4, 1))
    assert 2 * classes == FoxAndGeese(4).known()["states"]


@pytest.mark.long
@pytest.mark.parametrize("options", ["", ",yes", ",no,yes"])
def test_wins_of_five_geese_are_those_of_the_paper(options: str) -> None:
    with Run(threads=1) as run:
        solved = solve_states(load(f"fox-and-geese:5{options}"), run=run)
        found = won_for_geese(solved, run)
    paper = {4: (66 * comb(32, 4), 40), 5: (66 * comb(32, 5), 1280)}
    assert found == {geese: paper[geese] for geese in found}
    assert 5 in found
