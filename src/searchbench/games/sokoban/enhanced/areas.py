"""Goal areas: where the goals lie together, through which squares stones come in, and in which order the goals are filled.

An *area* is a set of squares around goals that lie together. An *entrance* is a square of it with the direction in
which a stone is pushed onto it from outside. The order in which goals are filled is a search over sets of filled
goals: a set is *safe* if all goals are filled, or one more can be filled from an entrance such that the new set is
safe. A stone that is inside never leaves in this view, so what rests on it may lose solutions (Junghanns and Schaeffer
2001, goal macros).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.games.sokoban.enhanced.assignment import MOST_GOALS, ROWS
from searchbench.games.sokoban.enhanced.board import AT, GOAL, LONE_WALKS, SQUARE, STONES
from searchbench.games.sokoban.tables import LevelTables
from searchbench.hashing import mix
from searchbench.heuristics.matching import UNREACHABLE

MOST_ENTRANCES: Final = 4
MEMO_BITS: Final = 18
MOST_AREAS: Final = 15
"""The entrances of all areas are a word."""
UNKNOWN, SAFE, UNSAFE, EVALUATED = range(4)
"""What is known of a set of filled goals: nothing, the verdict, or only what can be filled next."""


@dataclass(frozen=True)
class GoalArea:
    """An area: its squares, its goals with the deepest first, and its entrances, each a square and a direction.

    Where it `parts` the floor, the man cannot go everywhere outside when all its goals are filled.
    """

    squares: tuple[int, ...]
    goals: tuple[int, ...]
    entrances: tuple[tuple[int, int], ...]
    parts: bool


class Areas(NamedTuple):
    """Hold the areas for the kernels.

    `area[s]` is the area of a square or -1, `bit[s]` the number of a goal in its area or -1, `entry[s, d]` that of an
    entrance or -1; `goals[a, b]` and `entrances[a, e]` their squares, and directions in the next row; `counts[a]` the
    numbers of goals and entrances, and whether it parts the floor. `keys[a]` and `memo[a]` hold what is known of sets of
    filled goals: the state, and for each entrance the goals that can be filled. `ways` and `plain` are the entrances and
    the goals, as bits, to which a lone stone comes from each place, `first[a]` the bit of the first goal of an area.
    `walls[a]` is the set of filled goals of the position at work, `restless[a]` one where stones cannot rest, `settled[a]`
    whether an area can be filled from that position. `wishes`, `stack`, and `waiting`, a queue of places of a stone, are
    scratch space; `effort` counts the sets evaluated.
    """

    area: Any
    bit: Any
    entry: Any
    goals: Any
    entrances: Any
    counts: Any
    keys: Any
    memo: Any
    ways: Any
    plain: Any
    first: Any
    walls: Any
    restless: Any
    wishes: Any
    stack: Any
    effort: Any
    settled: Any
    waiting: Any


def goal_areas(tables: LevelTables, least_goals: int, most_entrances: int) -> list[GoalArea]:
    """Return the areas of at least so many goals and at most so many entrances."""
    found = []
    for body in _bodies(tables):
        if least_goals <= len(body) <= MOST_GOALS:
            area = _area_around(tables, body, most_entrances)
            if area is not None:
                found.append(area)
    taken: set[int] = set()
    kept = []
    for one in sorted(found, key=lambda area: -len(area.goals)):
        if not taken & set(one.squares):
            taken |= set(one.squares)
            kept.append(one)
    kept = _joined(tables, kept, most_entrances)
    arrivals = _arrivals(tables, {square for area in kept for square in area.squares})
    of_use = (_with_entrances_of_use(tables, one, arrivals) for one in kept)
    return [area for area in of_use if area.entrances][:MOST_AREAS]


def _joined(tables: LevelTables, areas: list[GoalArea], most_entrances: int) -> list[GoalArea]:
    """Return areas with those made one of which stones come into the one only through the other."""
    inside = {square for area in areas for square in area.squares}
    arrivals = _arrivals(tables, inside)
    for one, other in permutations(areas, 2):
        through = _arrivals(tables, inside - set(other.squares)) - arrivals
        if not through.isdisjoint(one.entrances):
            squares = set(one.squares) | set(other.squares)
            squares = _closed(tables, squares, 2 * len(squares))
            entrances = [entrance for entrance in _entrances(tables, squares) if entrance in arrivals]
            goals = set(one.goals) | set(other.goals)
            if 0 < len(entrances) <= most_entrances and len(goals) <= MOST_GOALS:
                parts = not _is_open(tables, goals, squares)
                found = GoalArea(tuple(sorted(squares)), tuple(goals), tuple(entrances), parts)
                return _joined(tables, [area for area in areas if area not in (one, other)] + [found], most_entrances)
    return areas


def _arrivals(tables: LevelTables, squares: set[int]) -> set[tuple[int, int]]:
    """Return on which squares of areas the stones outside can come in, each alone on the floor, and in which direction."""
    pushes: list[list[tuple[int, int]]] = [[] for _ in tables.pulls]
    for place, pulls in enumerate(tables.pulls):
        for before, direction in pulls:
            pushes[before].append((place, direction))
    waiting = [
        4 * stone + side for stone in tables.level.stones if stone not in squares for side in tables.sides[stone]
    ]
    seen, found = set(waiting), set()
    for place in waiting:  # which grows
        for target, direction in pushes[place]:
            if target // 4 in squares:
                found.add((target // 4, direction))
            elif target not in seen:
                seen.add(target)
                waiting.append(target)
    return found


def _with_entrances_of_use(tables: LevelTables, area: GoalArea, arrivals: set[tuple[int, int]]) -> GoalArea:
    """Return an area without the entrances to which stones come through an area only, where they would stay."""
    entrances = [entrance for entrance in area.entrances if entrance in arrivals]
    order = _deepest_first(tables, set(area.goals), entrances) if entrances else area.goals
    return replace(area, goals=order, entrances=tuple(entrances))


def _bodies(tables: LevelTables) -> list[set[int]]:
    """Return the sets of goals that lie together."""
    near = tables.level.near
    left, found = set(tables.level.goals), []
    while left:
        body, waiting = set(), [min(left)]
        while waiting:
            square = waiting.pop()
            if square in left:
                left.remove(square)
                body.add(square)
                waiting.extend(other for other in near[square] if other in left)
        found.append(body)
    return found


def _area_around(tables: LevelTables, body: set[int], most_entrances: int) -> GoalArea | None:
    """Return the area around goals and those that it takes in as it grows, without stones inside where that can be."""
    goals = set(tables.level.goals)
    for avoided in (set(tables.level.stones), set()):
        inside = body
        squares, entrances = _grown(tables, inside, avoided)
        while goals & squares - inside:
            inside = goals & squares
            squares, entrances = _grown(tables, inside, avoided)
        if 0 < len(entrances) <= most_entrances and len(inside) <= MOST_GOALS:
            order = _deepest_first(tables, inside, entrances)
            parts = not _is_open(tables, inside, squares)
            return GoalArea(tuple(sorted(squares)), order, tuple(entrances), parts)
    return None


def _entrances(tables: LevelTables, squares: set[int]) -> list[tuple[int, int]]:
    """Return the squares on which stones can come in, with the direction."""
    near, live = tables.level.near, tables.live
    found = []
    for square in sorted(squares):
        for direction in range(4):
            behind = near[square][direction ^ 1]
            if (
                behind >= 0
                and behind not in squares
                and live[behind]
                and live[square]
                and near[behind][direction ^ 1] >= 0
            ):
                found.append((square, direction))
    return found


def _grown(tables: LevelTables, body: set[int], avoided: set[int]) -> tuple[set[int], list[tuple[int, int]]]:
    """Return the squares around goals, without those to be avoided, that have the fewest entrances, and these."""
    near = tables.level.near
    most = len(body) + len(body) // 2 + 8
    squares = _closed(tables, body, most)
    best, best_entrances = squares, _entrances(tables, squares)
    while len(squares) < most:
        around = {other for square in squares for other in near[square] if other >= 0} - squares - avoided
        options = []
        for square in sorted(around):
            further = _closed(tables, squares | {square}, most)
            options.append((len(_entrances(tables, further)), len(further), square, further))
        if not options:
            break
        squares = min(options)[3]
        entrances = _entrances(tables, squares)
        fewer = len(entrances) < len(best_entrances)
        clear = not (squares - best) & set(tables.level.stones)  # a stone that stands inside would stop all macros
        if entrances and len(squares) <= most and (fewer or (clear and len(entrances) == len(best_entrances))):
            best, best_entrances = squares, entrances
    return best, best_entrances


def _closed(tables: LevelTables, squares: set[int], most: int) -> set[int]:
    """Return squares with the pockets that they close off from the largest part of the floor, if these are small."""
    near = tables.level.near
    left = set(range(len(near))) - squares
    parts = []
    while left:
        waiting = [left.pop()]
        for square in waiting:  # which grows
            for other in near[square]:
                if other in left:
                    left.remove(other)
                    waiting.append(other)
        parts.append(waiting)
    parts.sort(key=len)
    found = set(squares)
    for part in parts[:-1]:
        if len(found) + len(part) <= most and not set(part) & set(tables.level.stones):
            found |= set(part)
    return found


def _is_open(tables: LevelTables, body: set[int], squares: set[int]) -> bool:
    """Tell whether the man can go everywhere outside when all goals of an area are filled."""
    near = tables.level.near
    outside = [square for square in range(len(near)) if square not in squares]
    if not outside:
        return False
    seen, waiting = {outside[0]}, [outside[0]]
    for square in waiting:  # which grows
        for other in near[square]:
            if other >= 0 and other not in body and other not in seen:
                seen.add(other)
                waiting.append(other)
    return all(square in seen for square in outside if tables.live[square])


def _deepest_first(tables: LevelTables, body: set[int], entrances: list[tuple[int, int]]) -> tuple[int, ...]:
    """Return goals by their distance from the entrances, the farthest first."""
    near = tables.level.near
    depth = {square: 0 for square, _ in entrances}
    waiting = list(depth)
    for square in waiting:  # which grows
        for other in near[square]:
            if other >= 0 and other not in depth:
                depth[other] = depth[square] + 1
                waiting.append(other)
    return tuple(sorted(body, key=lambda square: (-depth[square], square)))


def ways_in(tables: LevelTables, found: list[GoalArea]) -> npt.NDArray[np.int64]:
    """Return for each place of a lone stone outside the entrances to which it comes without a way through an area, as bits.

    A place is four times the square, plus the side of the man.
    """
    inside = {square for area in found for square in area.squares}
    ways = np.zeros(4 * len(tables.level.cells), np.int64)
    for number, (square, direction) in _numbered_entrances(found):
        waiting = [
            before
            for side in tables.sides[square]
            for before, pushed in tables.pulls[4 * square + side]
            if pushed == direction and before // 4 not in inside
        ]
        seen = set(waiting)
        for place in waiting:  # which grows
            for before, _ in tables.pulls[place]:
                if before // 4 not in inside and before not in seen:
                    seen.add(before)
                    waiting.append(before)
        ways[waiting] |= 1 << number
    return ways


def ways_to_goals(tables: LevelTables, found: list[GoalArea]) -> npt.NDArray[np.int64]:
    """Return for each place of a lone stone the goals to which it comes on the empty floor, as bits: those of areas first."""
    inside = [goal for area in found for goal in area.goals]
    goals = inside + [goal for goal in tables.level.goals if goal not in inside]
    ways = np.zeros(4 * len(tables.level.cells), np.int64)
    for bit, goal in enumerate(goals[:MOST_GOALS]):
        ways |= np.int64(1 << bit) * (tables.distances[:, tables.level.goals.index(goal)] < UNREACHABLE)
    return ways


def _numbered_entrances(found: list[GoalArea]) -> Iterator[tuple[int, tuple[int, int]]]:
    for area, one in enumerate(found):
        for place, entrance in enumerate(one.entrances):
            yield MOST_ENTRANCES * area + place, entrance


def areas_of(tables: LevelTables, found: list[GoalArea]) -> Areas:
    """Return the arrays of areas, of a token one where there is none."""
    squares, count = len(tables.level.cells), max(len(found), 1)
    size = 1 << MEMO_BITS if found else 2
    made = Areas(
        np.full(squares, -1, np.int16), np.full(squares, -1, np.int16), np.full((squares, 4), -1, np.int8),
        np.zeros((count, 64), np.int16), np.zeros((count, 2 * MOST_ENTRANCES), np.int16), np.zeros((count, 3), np.int64),
        np.zeros((count, size), np.int64), np.zeros((count, size, 1 + MOST_ENTRANCES), np.int64),
        ways_in(tables, found), ways_to_goals(tables, found), np.cumsum([0, *(len(one.goals) for one in found)]),
        np.zeros(count, np.int64), np.full(count, -1, np.int64), np.zeros((ROWS, squares + MOST_GOALS), np.int64),
        np.zeros((3, 66), np.int64),
        np.zeros(1, np.int64), np.zeros(count, np.int64), np.zeros(4 * squares, np.int32),
    )  # fmt: skip
    for number, one in enumerate(found):
        made.area[list(one.squares)] = number
        for bit, goal in enumerate(one.goals):
            made.bit[goal] = bit
            made.goals[number, bit] = goal
        for place, (square, direction) in enumerate(one.entrances):
            made.entry[square, direction] = place
            made.entrances[number, 2 * place], made.entrances[number, 2 * place + 1] = square, direction
        made.counts[number] = len(one.goals), len(one.entrances), one.parts
    return made


# --- kernels ----------------------------------------------------------------------------------------------------------

LONE_MARK, LONE_QUEUE, SEEN = 4, 5, 6
"""Rows of the board that belong to searches for a lone stone: marks and the queue of the man, and the stone's places met."""


def filled(work: Any, area: int) -> int:
    """Return the set of filled goals of an area, or -1 if a stone stands there off the goals."""
    areas, found = work.areas, 0
    for stone in range(work.facts[STONES]):
        square = work.board[SQUARE, stone]
        if areas.area[square] == area:
            if areas.bit[square] < 0:
                return -1
            found |= 1 << areas.bit[square]
    return found


def walk_around(work: Any, man: int, stone: int, walls: int, area: int) -> None:
    """Mark the squares that the man can walk to between a lone stone and filled goals, or all stones if `walls` is -1."""
    board, maze = work.board, work.maze
    work.facts[LONE_WALKS] += 1
    turn = work.facts[LONE_WALKS]
    board[LONE_MARK, man] = turn
    board[LONE_QUEUE, 0] = man
    head, tail = 0, 1
    while head < tail:
        here = board[LONE_QUEUE, head]
        head += 1
        for direction in range(4):
            there = maze[here, direction]
            if there < 0 or there == stone or board[LONE_MARK, there] == turn or is_wall(work, there, walls, area):
                continue
            board[LONE_MARK, there] = turn
            board[LONE_QUEUE, tail] = there
            tail += 1


def is_wall(work: Any, square: int, walls: int, area: int) -> bool:
    """Tell whether a square is taken: by a filled goal of the area, or by any stone if `walls` is -1."""
    if walls < 0:
        return bool(work.board[AT, square] != 0)
    areas = work.areas
    bit = areas.bit[square]
    return bool(areas.area[square] == area and bit >= 0 and walls >> bit & 1 != 0)


def carry(work: Any, area: int, square: int, direction: int, walls: int, goal: int) -> int:
    """Push a lone stone about in an area, from where a push in a direction has brought it.

    With `goal` -1 return the set of goals that it can come to. Else return the number of pushes to that goal times 4,
    plus the last direction, or -1.
    """
    board, maze, areas = work.board, work.maze, work.areas
    for place in range(board.shape[1]):
        board[SEEN, place] = 0
    found = 0
    areas.waiting[0] = square << 2 | direction
    board[SEEN, square] |= 1 << direction
    head, tail, level, level_end = 0, 1, 0, 1
    while head < tail:
        if head == level_end:
            level, level_end = level + 1, tail
        here, last = areas.waiting[head] >> 2, areas.waiting[head] & 3
        head += 1
        if goal >= 0 and here == goal:
            return int(level << 2 | last)
        if goal < 0 and areas.bit[here] >= 0:
            found |= 1 << areas.bit[here]
        walk_around(work, maze[here, last ^ 1], here, walls, area)
        turn = work.facts[LONE_WALKS]
        for step in range(4):
            behind, target = maze[here, step ^ 1], maze[here, step]
            if behind < 0 or target < 0 or board[LONE_MARK, behind] != turn or areas.area[target] != area:
                continue
            if board[SEEN, target] >> step & 1 or is_wall(work, target, walls, area):
                continue
            board[SEEN, target] |= 1 << step
            areas.waiting[tail] = target << 2 | step
            tail += 1
    return found if goal < 0 else -1


def slot_of(work: Any, area: int, walls: int) -> int:
    """Return the slot of a set of filled goals, evaluated; -1 if the table is full."""
    areas = work.areas
    mask = areas.keys.shape[1] - 1
    slot = mix(walls + 1) & mask
    tried = 0
    while areas.memo[area, slot, 0] != UNKNOWN and areas.keys[area, slot] != walls:
        slot = (slot + 1) & mask
        tried += 1
        if tried > 64:
            return -1
    if areas.memo[area, slot, 0] == UNKNOWN:
        areas.effort[0] += 1
        areas.keys[area, slot] = walls
        areas.memo[area, slot, 0] = EVALUATED
        for entrance in range(areas.counts[area, 1]):
            square, direction = areas.entrances[area, 2 * entrance], areas.entrances[area, 2 * entrance + 1]
            reached = 0
            if not is_wall(work, square, walls, area):
                reached = carry(work, area, square, direction, walls, -1)
            areas.memo[area, slot, 1 + entrance] = reached & ~walls
    return int(slot)


def open_goals(areas: Any, area: int, slot: int) -> int:
    """Return the goals that can be filled next from any entrance."""
    found = 0
    for entrance in range(areas.counts[area, 1]):
        found |= areas.memo[area, slot, 1 + entrance]
    return int(found)


def is_safe(work: Any, area: int, walls: int, effort: int) -> bool:
    """Tell whether the goals can be filled to the end from a set of filled ones; false where that takes too long."""
    areas = work.areas
    sets, tried = areas.stack[0], areas.stack[1]
    count = areas.counts[area, 0]
    full = (1 << count) - 1
    sets[0], tried[0] = walls, 0
    top = 0
    while True:
        here = sets[top]
        slot = slot_of(work, area, here)
        if slot < 0:
            return False
        verdict = areas.memo[area, slot, 0]
        if verdict == EVALUATED and areas.effort[0] > effort:
            return False
        if verdict == EVALUATED:
            reachable = open_goals(areas, area, slot)
            if here == full:
                verdict = SAFE
            elif reachable | here != full:
                verdict = UNSAFE
            else:
                bit = tried[top]
                while bit < count and reachable >> bit & 1 == 0:
                    bit += 1
                if bit == count:
                    verdict = UNSAFE
                else:
                    tried[top] = bit + 1
                    top += 1
                    sets[top], tried[top] = here | 1 << bit, 0
                    continue
        areas.memo[area, slot, 0] = verdict
        if verdict == SAFE:  # then all on the way are
            for place in range(top):
                areas.memo[area, slot_of(work, area, sets[place]), 0] = SAFE
            return True
        if top == 0:
            return False
        top -= 1


def offered(work: Any, area: int, walls: int, entrance: int, losing: int, effort: int) -> int:
    """Return the number of goals that a stone at an entrance may go to, written into the scratch space, the deepest first.

    With `losing` 0 these leave every entrance of use, with 1 they do not.
    """
    areas = work.areas
    listed = 0
    slot = slot_of(work, area, walls)
    if slot < 0:
        return 0
    reachable = areas.memo[area, slot, 1 + entrance]
    for bit in range(areas.counts[area, 0]):
        after = walls | 1 << bit
        if reachable >> bit & 1 == 0 or loses_entrance(work, area, slot, after) != (losing == 1):
            continue
        if is_safe(work, area, after, effort):
            areas.stack[2, listed] = areas.goals[area, bit]
            listed += 1
    return listed


def leaves_way(work: Any, area: int, man: int, after: int) -> bool:
    """Tell whether the man comes to every stone outside an area that is off its goal, past filled goals alone.

    The stone that is carried is off the board.
    """
    if work.areas.counts[area, 2] == 0:
        return True
    board, maze = work.board, work.maze
    walk_around(work, man, -1, after, area)
    turn = work.facts[LONE_WALKS]
    for stone in range(work.facts[STONES]):
        square = board[SQUARE, stone]
        if board[AT, square] == 0 or work.areas.area[square] == area or maze[square, GOAL] >= 0:
            continue
        beside = False
        for direction in range(4):
            there = maze[square, direction]
            beside = beside or (there >= 0 and board[LONE_MARK, there] == turn)
        if not beside:
            return False
    return True


def loses_entrance(work: Any, area: int, slot: int, after: int) -> bool:
    """Tell whether an entrance becomes useless by a goal that is filled, before the area is full."""
    areas = work.areas
    full = (1 << areas.counts[area, 0]) - 1
    further = slot_of(work, area, after)
    if after == full or further < 0:
        return False
    for entrance in range(areas.counts[area, 1]):
        if areas.memo[area, slot, 1 + entrance] != 0 and areas.memo[area, further, 1 + entrance] == 0:
            return True
    return False
