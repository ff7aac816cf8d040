"""The features of a position of Sokoban, packed into a score: what is left of the plan, and how stones stand in the way.

Functions here look at the stones on the board, where the squares that the man can walk to are marked.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import (
    AT,
    GENERATION,
    GOAL,
    MARK,
    MARKS,
    OFF_GOAL,
    SQUARE,
    STONES,
    flood,
    new_mark,
)
from searchbench.games.sokoban.enhanced.cuts import new_cuts
from searchbench.games.sokoban.enhanced.frozen import Frozen
from searchbench.games.sokoban.enhanced.jams import Jams
from searchbench.games.sokoban.featurespace.corrals import Corrals
from searchbench.games.sokoban.featurespace.pairs import Pairs

PACKED, PARTS, DOORS, OUTSIDE, HOTSPOTS, DISTANCE = 36, 30, 24, 18, 12, 0
"""Where the features stand in a score: steps of the plan that are left, parts of the floor but for one, pairs of rooms that
stones keep apart, stones out of the plan, stones that keep others from goals, and the cost of the matching."""
MOST: Final = 63
"""The largest feature between PARTS and DISTANCE, where more count as so many."""
MOST_STEPS: Final = 255
FARTHEST: Final = (1 << HOTSPOTS) - 2
CELL_SHIFT: Final = OUTSIDE

COMPONENT, HERE, WALKER, ARRIVED = range(4)
"""Rows of `queues`: of the flood that counts parts, and of the pushes of a stone: squares, the man, the last direction."""
MET, PARTED, PUSHES, ENTERED, JOINED, OFFERED, WALKED = range(7)
"""Rows of `marks`: the places of a stone that were met, the squares whose part is counted, pushes so far, corridors that were
entered, pairs of rooms that are joined, the pushes that the man can make of the position before, and where he can walk in it."""

LOST, UNKNOWN = -1, -2
"""What stands for a score: the position certainly has no solution, or was not looked at."""

KNOWN: Final = 1 << 18
"""The positions whose scores are remembered."""


def new_scratch(squares: int) -> tuple[Any, Any, Any]:
    """Return `queues`, `marks` and `cuts` for a level of so many squares."""
    return np.zeros((4, 4 * squares), np.int32), np.zeros((7, 4 * squares), MARKS), new_cuts(squares)


class Space(NamedTuple):
    """Hold the arrays of the enhanced search, the plan, the zones out of it, scratch space, and scores that are known.

    `zones[i]` marks the squares out of the plan after i of its steps. `cuts` tells where the man can walk past a stone that
    moves, `known` has hashes of positions and their scores, `corrals` the deadlocks around areas that the man cannot enter,
    `frozen` the goals past frozen stones, and `jams` stones that keep each other in place, `pairs` those that are lost
    together. `rooms[s]` is the room of a square, `doors` the pairs of rooms that are joined, `blockers[b, s]` tells whether a
    stone on b keeps one on s from a goal, and `ways[i, s]` has the pushes of a lone stone from s to the square that step i
    fills. Where explorer and opener are heard, `advised` is true, and `least` has the least score that the explorer has rated
    among the moves of a position. Where a plan is `strict`, stones on goals before their turn are out of it. Where `final` is
    false, full goals are no end: the man may be on the wrong side.
    """

    base: Base
    plan: Any
    zones: Any
    queues: Any
    marks: Any
    cuts: Any
    known: Any
    corrals: Corrals
    frozen: Frozen
    jams: Jams
    pairs: Pairs
    rooms: Any
    doors: Any
    blockers: Any
    ways: Any
    advised: bool
    least: Any
    strict: bool
    final: bool


def scored(work: Any, distance: int, apart: int) -> int:
    """Return the score of the stones on the board, given the cost of their matching and the parts of the floor `apart`."""
    done, first = progress(work)
    steps = len(work.plan.rows) - 1
    return 1 + (
        min(steps - done, MOST_STEPS) << PACKED
        | min(apart, MOST) << PARTS
        | min(shut_doors(work), MOST) << DOORS
        | min(outside(work, first), MOST) << OUTSIDE
        | min(hotspots(work), MOST) << HOTSPOTS
        | min(distance, FARTHEST)
    )


def feature(score: int, place: int) -> int:
    """Return a feature between PARTS and DISTANCE of a score."""
    return score >> place & MOST


def outside(work: Any, step: int) -> int:
    """Return how many stones stand out of the plan, of which a step is the first that is not done."""
    board, rows = work.base.board, work.plan.rows
    count, zone = 0, min(step, len(rows) - 2)
    for stone in range(work.base.facts[STONES]):
        count += work.zones[zone, board[SQUARE, stone]]
    if work.strict:  # all stones on goals, but for those that are taken off below
        count += work.base.facts[STONES] - work.base.facts[OFF_GOAL]
    for place in range(rows.shape[1]):
        square = rows[zone, place]
        if square < 0:
            break
        if board[AT, square] != 0:
            count -= work.zones[zone, square]
            if work.strict and work.base.maze[square, GOAL] >= 0:
                count -= 1
    return count


def hotspots(work: Any) -> int:
    """Return how many stones off the goals keep another one off the goals from a goal."""
    board, maze, blockers, count = work.base.board, work.base.maze, work.blockers, 0
    for stone in range(work.base.facts[STONES]):
        square = board[SQUARE, stone]
        if maze[square, GOAL] >= 0:
            continue
        for other in range(work.base.facts[STONES]):
            if blockers[square, board[SQUARE, other]] != 0 and maze[board[SQUARE, other], GOAL] < 0:
                count += 1
                break
    return count


def shut_doors(work: Any) -> int:
    """Return how many pairs of rooms stones keep apart that are joined on the empty floor."""
    base, queue, rooms, doors, joined = work.base, work.queues[COMPONENT], work.rooms, work.doors, work.marks[JOINED]
    board, maze, seen = base.board, base.maze, work.marks[ENTERED]
    if doors[0, 0] < 0:
        return 0
    mark, shut = new_mark(base), len(doors)
    for pair in range(len(doors)):
        joined[pair] = 0
    for square in range(len(maze)):
        if board[AT, square] != 0 or seen[square] == mark:
            continue
        met = 0
        if rooms[square] >= 0:  # rooms that lie next to each other
            met = 1 << rooms[square]
            for direction in range(4):
                there = maze[square, direction]
                if there >= 0 and board[AT, there] == 0 and rooms[there] >= 0:
                    met |= 1 << rooms[there]
        else:
            seen[square] = mark
            queue[0] = square
            head, tail = 0, 1
            while head < tail:
                here = queue[head]
                head += 1
                for direction in range(4):
                    there = maze[here, direction]
                    if there < 0 or board[AT, there] != 0:
                        continue
                    if rooms[there] >= 0:
                        met |= 1 << rooms[there]
                    elif seen[there] != mark:
                        seen[there] = mark
                        queue[tail] = there
                        tail += 1
        if met & (met - 1) == 0:
            continue
        for pair in range(len(doors)):
            if joined[pair] == 0 and met >> doors[pair, 0] & 1 != 0 and met >> doors[pair, 1] & 1 != 0:
                joined[pair] = 1
                shut -= 1
    return shut


def progress(work: Any) -> tuple[int, int]:
    """Return how many steps of the plan are done, those of each area by themselves, and the first step that is not.

    Of an area the most steps are done after which its stones stand where they do now.
    """
    at, plan = work.base.board[AT], work.plan
    count, first = 0, len(plan.rows)
    for area in range(len(plan.counts)):
        own = plan.counts[area]
        while own > 0 and not stands(at, plan, area, plan.steps[area, own]):
            own -= 1
        count += own
        first = min(first, plan.steps[area, own + 1])
    return count, first


def stands(at: Any, plan: Any, area: int, step: int) -> bool:
    """Tell whether the stones of an area stand where they do after a step of the plan."""
    for place in range(plan.rows.shape[1]):
        square = plan.rows[step, place]
        if square < 0:
            break
        if plan.areas[step, place] == area and at[square] == 0:
            return False
    return True


def parts(work: Any) -> int:
    """Return in how many parts the stones part the floor, but for the man's, whose squares are marked."""
    base, queue = work.base, work.queues[COMPONENT]
    board, maze, parted = base.board, base.maze, work.marks[PARTED]
    walked, mark, count = base.facts[GENERATION], new_mark(base), 0
    for square in range(len(maze)):
        if board[AT, square] != 0 or board[MARK, square] == walked or parted[square] == mark:
            continue
        count += 1
        flood(maze, board[AT], parted, queue, square, mark)
    return count
