"""Solutions as text: pushes become walks and pushes of the man, in LURD."""

from __future__ import annotations

from collections.abc import Iterable

from searchbench.games.sokoban.rules import direction_of, from_square, to_square
from searchbench.games.sokoban.text import LETTERS, Level


def lurd(level: Level, moves: Iterable[int]) -> str:
    """Return pushes from the level's start in LURD: the man's steps in small letters, and pushes in capitals.

    He walks a shortest way to each push. Raises ValueError where he has no way.
    """
    stones, man = set(level.stones), level.man
    written = []
    for move in moves:
        square, target, direction = from_square(move), to_square(move), direction_of(move)
        behind = level.near[square][direction ^ 1]
        written.append(walk(level, stones, man, behind))
        written.append(LETTERS[direction].upper())
        stones.remove(square)
        stones.add(target)
        man = square
    return "".join(written)


def walk(level: Level, stones: set[int], man: int, target: int) -> str:
    """Return a shortest way of the man between the stones, in LURD. Raises ValueError if there is none."""
    came: dict[int, tuple[int, int]] = {man: (-1, -1)}
    waiting = [man]
    for square in waiting:  # which grows
        if square == target:
            break
        for direction, other in enumerate(level.near[square]):
            if other >= 0 and other not in stones and other not in came:
                came[other] = square, direction
                waiting.append(other)
    if target not in came:
        raise ValueError(f"the man cannot walk from {level.name(man)} to {level.name(target)}")
    steps = []
    while target != man:
        target, direction = came[target]
        steps.append(LETTERS[direction])
    return "".join(reversed(steps))
