"""Where the man can walk past a stone that moves: against a search of the floor for each of its squares."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from searchbench.games.sokoban.enhanced.board import AT, GENERATION, MARK
from searchbench.games.sokoban.enhanced.cuts import new_cuts
from searchbench.games.sokoban.enhanced.freeze import FROZEN
from searchbench.games.sokoban.enhanced.frozen import NO_SIDE, write_sides
from searchbench.games.sokoban.featurespace.floor import (
    mark_again,
    mark_floor,
    note_walk,
    parts_past,
    walk_past,
    walk_without,
)

NOWHERE = -1


def random_floor(chance: random.Random) -> Any:
    """Return the arrays of a floor with walls and stones: those that the functions look at."""
    height, width = chance.randint(2, 6), chance.randint(2, 6)
    cells = [(row, column) for row in range(height) for column in range(width) if chance.random() < 0.8]
    numbers = {cell: number for number, cell in enumerate(cells)}
    steps = ((-1, 0), (1, 0), (0, -1), (0, 1))
    maze = np.array(
        [[numbers.get((row + down, column + right), NOWHERE) for down, right in steps] for row, column in cells]
    )
    board = np.zeros((16, len(cells)), np.int64)
    stones = [square for square in range(len(cells)) if chance.random() < 0.3]
    board[AT, stones] = np.arange(1, len(stones) + 1)
    base = SimpleNamespace(maze=maze.reshape(-1, 4), board=board, facts=np.zeros(8, np.int64))
    return SimpleNamespace(base=base, cuts=new_cuts(len(cells))), set(stones)


def parts_of(work: Any, stones: set[int]) -> list[set[int]]:
    """Return the parts of the floor between stones."""
    parts: list[set[int]] = []
    for square in sorted(set(range(len(work.base.maze))) - stones):
        if any(square in part for part in parts):
            continue
        waiting = [square]
        for here in waiting:  # which grows
            waiting += [
                int(one) for one in work.base.maze[here] if one != NOWHERE and one not in stones and one not in waiting
            ]
        parts.append(set(waiting))
    return parts


def marked(work: Any) -> set[int]:
    """Return the squares that are marked as those where the man can walk."""
    return set(np.flatnonzero(work.base.board[MARK] == work.base.facts[GENERATION]).tolist())


@pytest.mark.long
def test_where_the_man_can_walk_past_a_stone_and_in_how_many_parts_the_floor_is() -> None:
    chance, parted, whole = random.Random(4), 0, 0
    for _ in range(300):
        work, stones = random_floor(chance)
        at = work.base.board[AT]
        for origin in stones:
            others = stones - {origin}
            floor = mark_floor(work.base, work.cuts, origin)
            assert floor.parts == len(parts_of(work, others))
            before = work.base.board[MARK].copy()
            for square in set(range(len(at))) - others:
                for man in {int(one) for one in work.base.maze[square]} - others - {NOWHERE}:
                    at[origin], at[square] = 0, 1
                    lowest, parts = walk_past(work.base, work.cuts, square, man), parts_of(work, others | {square})
                    (own,) = (part for part in parts if man in part)
                    assert (marked(work), lowest) == (own, min(own))
                    assert parts_past(work.cuts, floor, square) == len(parts) - 1
                    mark_again(work.base, work.cuts, floor, square)
                    at[square], at[origin] = 0, 1
                    free = [place for place in range(len(at)) if place not in others]
                    assert (work.base.board[MARK, free] == before[free]).all()
                    (part,) = (part for part in parts_of(work, others) if man in part)
                    assert walk_without(work.base, work.cuts, square) == min(part)
                    assert marked(work) == part
                    parted, whole = parted + (len(own) < len(part) - 1), whole + (len(own) == len(part) - 1)
    assert min(parted, whole) > 1000, (parted, whole)


def test_sides_of_squares_past_frozen_stones_are_those_of_the_twin() -> None:
    chance, found = random.Random(5), dict.fromkeys(range(NO_SIDE + 1), 0)
    for _ in range(200):
        work, stones = random_floor(chance)
        base, squares = work.base, range(len(work.base.maze))
        base.board[FROZEN, list(stones)] = 1
        sides = np.zeros((len(squares), len(squares)), np.uint8)
        write_sides(base, sides, work.cuts)
        for square in squares:
            parts = [] if square in stones else parts_of(work, stones | {square})
            for man in squares:
                beside = (side for side in range(4) for part in parts if {man, int(base.maze[square, side])} <= part)
                expected = next(beside, NO_SIDE)
                assert sides[square, man] == expected
                found[expected] += 1
    assert min(found.values()) > 100, found


def test_where_the_man_can_walk_is_noted() -> None:
    work, _ = random_floor(random.Random(1))
    work.base.board[MARK, 0] = work.base.facts[GENERATION] = 7
    walked = np.ones(len(work.base.maze), np.int64)
    note_walk(work.base, walked)
    assert walked.tolist() == [1] + [0] * (len(walked) - 1)
