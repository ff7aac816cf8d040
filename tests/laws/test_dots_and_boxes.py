"""Dots and boxes: exact scores of small boards, against a plain second version in which a player really goes on."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import pytest

from searchbench.catalogue import load
from searchbench.errors import BadState
from searchbench.games.dots_and_boxes import DotsAndBoxes
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "dots_and_boxes.json").read_text())["values"]
Dot = tuple[int, int]
Line = frozenset[Dot]


def lines(rows: int, columns: int) -> list[Line]:
    """Return the lines in the order of the game: those across, then those down, each row by row from the top."""
    across = [frozenset({(y, x), (y, x + 1)}) for y in range(rows + 1) for x in range(columns)]
    down = [frozenset({(y, x), (y + 1, x)}) for y in range(rows) for x in range(columns + 1)]
    return across + down


def boxes(rows: int, columns: int) -> list[frozenset[Line]]:
    """Return the four lines around each box."""
    found = []
    for y in range(rows):
        for x in range(columns):
            corners = [(y, x), (y, x + 1), (y + 1, x + 1), (y + 1, x)]
            found.append(frozenset(frozenset({corners[i - 1], corners[i]}) for i in range(4)))
    return found


def twin(rows: int, columns: int) -> dict[frozenset[Line], int]:
    """Return the score of every position, for the player who is to draw a line."""
    every, squares = lines(rows, columns), boxes(rows, columns)

    @cache
    def score(drawn: frozenset[Line]) -> int:
        options = []
        for line in set(every) - drawn:
            after = drawn | {line}
            won = sum(square <= after and not square <= drawn for square in squares)
            options.append(won + score(after) if won else -score(after))
        return max(options, default=0)

    return {
        drawn: score(drawn)
        for number in range(1 << len(every))
        for drawn in [frozenset(line for place, line in enumerate(every) if number >> place & 1)]
    }


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2)])
def test_scores_are_those_of_the_twin(rows: int, columns: int) -> None:
    game = DotsAndBoxes(rows, columns)
    solved = solve_states(game, run=Run(threads=1), target=game.quickest_target)
    every = lines(rows, columns)
    squares = boxes(rows, columns)
    for drawn, score in twin(rows, columns).items():
        word = sum(1 << place for place, line in enumerate(every) if line in drawn)
        assert solved.probe([word, 0]) == score
        if any(square <= drawn for square in squares):
            assert solved.probe([word, 1]) == -score
    empty = str(solved.probe())
    assert empty == str(GOLDEN[f"{min(rows, columns)}x{max(rows, columns)}"]) == solved.game.known()["start"]


@pytest.mark.long
@pytest.mark.parametrize("size", ["1x4", "2x3", "3x2"])
def test_scores_of_empty_boards(size: str) -> None:
    solved = solve_states(load(f"dots-and-boxes:{size}"), run=Run(threads=1))
    assert solved.probe() == GOLDEN["x".join(sorted(size.split("x")))]


def test_moves_close_boxes() -> None:
    rng = random.Random(2)
    game = DotsAndBoxes(2, 3)
    every, squares = lines(2, 3), boxes(2, 3)
    for _ in range(300):
        drawn = set(rng.sample(every, rng.randrange(len(every))))
        state = [sum(1 << place for place, line in enumerate(every) if line in drawn), 0]
        assert game.moves(state) == [place for place, line in enumerate(every) if line not in drawn]
        for move in game.moves(state):
            won = sum(square <= drawn | {every[move]} and not square <= drawn for square in squares)
            assert game.call("gain", state, move) == won
            after = game.play(state, move)
            assert after == [state[0] | 1 << move, int(won > 0)]
            assert game.unplay(after, move) == state


def test_notation() -> None:
    game = DotsAndBoxes(1, 2)
    assert game.format(game.start()) == "../.../.."
    position = game.position("_./|../_.")
    assert position.moves() == ["b2-c2", "b1-c1", "b1-b2", "c1-c2"]
    assert position.play("b1-b2").text == "_./||./_. again"
    assert position.play("b1-b2").moves() == ["pass"]
    assert game.read("_./||./_. again") == [0b0110101, 1]
    for text in ("_./|../_. again", "_./|../", "x./|../_.", "_./|../_. more"):
        with pytest.raises(BadState):
            game.read(text)
    with pytest.raises(ValueError, match="at most 33 lines"):
        DotsAndBoxes(4, 4)
