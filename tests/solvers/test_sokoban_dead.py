"""Why a state of Sokoban is dead: never said of one that can be solved, on all states of random levels; each reason occurs."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

import searchbench as sb
from naive_sokoban import Maze, Node, random_level
from searchbench.games.sokoban import Sokoban

REASONS = (
    "can reach no goal",
    "no push frees",
    "too few goals",
    "even if they were alone",
    "all that can still be done",
)


def state_of(game: Sokoban, node: Node) -> list[int]:
    """Return a node of the twin as a state."""
    numbers = game.maze.numbers
    stones, area = node
    names = [game.maze.name(numbers[place]) for place in sorted(stones)]
    return game.parse(" ".join([*names, f"@{game.maze.name(min(numbers[place] for place in area))}"]))


def test_no_state_that_can_be_solved_is_called_dead() -> None:
    chance = random.Random(11)
    said: Counter[str] = Counter()
    dead = named = 0
    for number in range(60):
        text = random_level(chance, stones=2 + number % 2, solvable=number % 3 > 0)
        game, maze = Sokoban(text), Maze(text)
        reached, solvable = maze.solvable()
        for node in sorted(reached, key=lambda node: (sorted(node[0]), sorted(node[1])))[::3]:
            why = game.dead_end(state_of(game, node))
            if node in solvable:
                assert why is None, (text, node, why)
                continue
            dead += 1
            if why is not None:
                named += 1
                said[next(reason for reason in REASONS if reason in why)] += 1
    assert dead > 500
    assert named > 0.9 * dead
    assert set(said) == set(REASONS), said


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("######|#$ @.#|######", "a stone on Bb can reach no goal any more"),
        (
            "#######|#     #|# $$  #|# $$@ #|#.... #|#######",
            "no push frees the stones Cc, Dc, Cd, Dd, which are on no goal",
        ),
        ("########|#.   $.#|#  @   #|#    $ #|########", "a stone on Fd can reach no goal any more"),
        ("#######|#.   @#|#     #|#*$   #|#######", "no push frees the stone Cd, which is on no goal"),
        ("#######|#  .  #|# $@$ #|#  .  #|#######", None),
        ("######|#.@  #|#*   #|######", None),
    ],
)
def test_reasons_name_the_stones(rows: str, why: str | None) -> None:
    game = sb.load(f"sokoban:{rows}")
    assert game.dead_end(game.start()) == why
    board = game.board()
    assert board is not None
    marked = [board.names[cell] for cell in game.dead_cells(game.start())]
    assert sorted(marked) == sorted(name for name in re.findall("[A-Z][a-z]", (why or "").partition(":")[0]))
