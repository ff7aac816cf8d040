"""Tell people why a state cannot be solved any more: the first of some simple reasons that holds, and the stones it rests on.

Each reason is a proof: a state that is called dead is dead. Others may be dead, too. It takes up to a second for one state, in
plain Python; the searches have quicker tests of their own (`enhanced`, `featurespace`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from searchbench.games.sokoban.rules import normal_man
from searchbench.games.sokoban.tables import NEVER, LevelTables

MOST_STATES: Final = 400
"""States of a search with some of the stones: so many are looked at, and then it is left open."""
UP, DOWN, LEFT, RIGHT = range(4)
AXES: Final = ((UP, DOWN), (LEFT, RIGHT))


class Reason(NamedTuple):
    """Why a state cannot be solved, in words, and the squares of the stones that it rests on; none where it rests on all."""

    words: str
    stones: tuple[int, ...] = ()


def why_dead(tables: LevelTables, stones: Sequence[int], man: int) -> Reason | None:
    """Return why no sequence of pushes brings all stones to goals, None where no reason is found."""
    level = tables.level
    if set(stones) <= set(level.goals):
        return None
    for stone in stones:
        if not tables.live[stone]:
            return Reason(f"a stone on {level.name(stone)} can reach no goal any more", (stone,))
    frozen = frozen_stones(tables, stones)
    stuck = [stone for stone in sorted(frozen) if stone not in level.goals]
    if stuck:
        which = "which is" if len(stuck) == 1 else "which are"
        return Reason(f"no push frees {_named(tables, stuck)}, {which} on no goal", tuple(stuck))
    short = too_few_goals(tables, stones)
    if short is not None:
        crowd, goals = short
        names = ", ".join(level.name(goal) for goal in sorted(goals)) or "none"
        words = f"the stones {_listed(tables, crowd)} have too few goals that they can come to: {names}"
        return Reason(words, tuple(sorted(crowd)))
    for group in groups_to_search(tables, stones, man):
        if is_lost(tables, group, man):
            if len(group) == len(stones):
                return Reason("all that can still be done was tried, and nothing solves it")
            words = f"the stones {_listed(tables, group)} cannot all come to goals, even if they were alone"
            return Reason(words, tuple(group))
    return None


def frozen_stones(tables: LevelTables, stones: Collection[int]) -> set[int]:
    """Return the stones that cannot be pushed any more, or to dead squares only, as long as the others cannot, either.

    It is the largest set of stones each of which is blocked along both axes: by a wall or one of the set on one side, or by
    dead squares on both.
    """
    near, live = tables.level.near, tables.live.tolist()
    held = set(stones)
    while True:
        loose = {stone for stone in held if not all(_blocked(near[stone], axis, held, live) for axis in AXES)}
        if not loose:
            return held
        held -= loose


def _blocked(around: Sequence[int], axis: Sequence[int], held: Collection[int], live: Sequence[int]) -> bool:
    sides = [around[direction] for direction in axis]
    return any(side < 0 or side in held for side in sides) or not any(live[side] for side in sides)


def too_few_goals(tables: LevelTables, stones: Sequence[int]) -> tuple[set[int], set[int]] | None:
    """Return stones that can come to fewer goals than they are, and those goals; None if each can have a goal of its own.

    Stones are taken alone on the floor (Hall 1935, "On representatives of subsets").
    """
    ways = tables.from_best_side
    goal_of: dict[int, int] = {}  # of a goal, its stone
    for first in stones:
        came: dict[int, int] = {}  # of a goal, the stone that asked for it
        group, waiting, free = {first}, [first], -1
        for stone in waiting:  # which grows
            for goal in range(len(tables.level.goals)):
                if ways[stone, goal] >= NEVER or goal in came:
                    continue
                came[goal] = stone
                if goal not in goal_of:
                    free = goal
                    break
                group.add(goal_of[goal])
                waiting.append(goal_of[goal])
            if free >= 0:
                break
        if free < 0:
            return group, {tables.level.goals[goal] for goal in came}
        while free >= 0:
            stone = came[free]
            before = next((goal for goal, held in goal_of.items() if held == stone), -1)
            goal_of[free] = stone
            free = before
    return None


def groups_to_search(tables: LevelTables, stones: Sequence[int], man: int) -> list[list[int]]:
    """Return sets of stones that may be lost alone, small ones first: those around each area without the man, then all."""
    level = tables.level
    taken, seen = set(stones), _area(tables, stones, man)
    groups = []
    for square in range(len(level.cells)):
        if square in taken or square in seen:
            continue
        area = _area(tables, stones, square)
        seen |= area
        groups.append(sorted({other for one in area for other in level.near[one] if other in taken}))
    found = sorted({tuple(group) for group in groups} | {tuple(sorted(stones))}, key=lambda group: (len(group), group))
    return [list(group) for group in found]


def _area(tables: LevelTables, stones: Collection[int], man: int) -> set[int]:
    """Return where the man can walk."""
    found, waiting = {man}, [man]
    for square in waiting:  # which grows
        for other in tables.level.near[square]:
            if other >= 0 and other not in found and other not in stones:
                found.add(other)
                waiting.append(other)
    return found


def is_lost(tables: LevelTables, stones: Iterable[int], man: int) -> bool:
    """Tell whether a search that was finished finds no way to bring these stones, alone on the floor, to goals."""
    level = tables.level
    goals = frozenset(level.goals)
    begin = frozenset(stones)
    seen = {(begin, normal_man(level.near, begin, man))}
    waiting = [(begin, man)]
    while waiting:
        here, at = waiting.pop()
        if here <= goals:
            return False
        for after, where in _pushed(tables, here, at):
            state = after, normal_man(level.near, after, where)
            if state in seen:
                continue
            if len(seen) == MOST_STATES:
                return False
            seen.add(state)
            waiting.append((after, where))
    return True


def _pushed(tables: LevelTables, stones: frozenset[int], man: int) -> Iterator[tuple[frozenset[int], int]]:
    """Yield the stones after each push that leaves none on a dead square, and where the man is then."""
    near, area = tables.level.near, _area(tables, stones, man)
    for stone in stones:
        for direction in range(4):
            behind, target = near[stone][direction ^ 1], near[stone][direction]
            if behind in area and target >= 0 and target not in stones and tables.live[target]:
                yield stones - {stone} | {target}, stone


def _listed(tables: LevelTables, stones: Iterable[int]) -> str:
    return ", ".join(tables.level.name(stone) for stone in sorted(stones))


def _named(tables: LevelTables, stones: Sequence[int]) -> str:
    if len(stones) == 1:
        return f"the stone {_listed(tables, stones)}"
    return f"the stones {_listed(tables, stones)}"
