"""Positions of Sokoban for feature-space search: macro moves of one stone, their features, and what the advisors look at.

A macro move brings one stone, by any number of pushes, to another square, or the man to its other side.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from searchbench.games.sokoban.enhanced.corral import find_corral, goes_in
from searchbench.games.sokoban.enhanced.freeze import is_frozen_dead
from searchbench.games.sokoban.enhanced.windows import is_window_dead
from searchbench.games.sokoban.enhanced.work import (
    AT,
    GENERATION,
    GOAL,
    KEY,
    LIVE,
    MARK,
    OFF_GOAL,
    SQUARE,
    STONES,
    Work,
    estimate,
    last_direction,
    move_of,
    put,
    walk,
)  # fmt: skip
from searchbench.games.sokoban.rules import BITS, from_square, to_square
from searchbench.hashing import mix
from searchbench.heuristics.matching import UNREACHABLE, copy_matching, matching_cost, move_piece
from searchbench.solvers.guided.featurespace.contract import KEY as KEY_COLUMN
from searchbench.solvers.guided.featurespace.contract import MOVE, RATINGS, SCORE

PACKED, PARTS, OUTSIDE, DISTANCE = 30, 22, 14, 0
"""Where the features stand in a score: steps of the plan that are left, parts of the floor but for one, stones out of
the plan, and the cost of the matching."""
CELL_SHIFT: Final = OUTSIDE
ADVISORS: Final = 5
LOST, UNKNOWN = -1, -2

COMPONENT, HERE, WALKER, ARRIVED = range(4)
"""Rows of `queues`: of the flood that counts parts, and of the pushes of a stone: squares, the man, the last direction."""
MET, PARTED, PUSHES = range(3)
"""Rows of `marks`: the places of a stone that were met, the squares whose part is counted, and pushes so far."""


KNOWN: Final = 1 << 18
"""The positions whose scores are remembered."""


class Space(NamedTuple):
    """Hold the arrays of the enhanced search, the plan, the zones out of it, scratch space, and scores that are known.

    `plan[i]` has the squares where stones stand after i steps of the plan, the latest one first, and then -1;
    `zones[i]` marks the squares out of it. `known` has hashes of positions and their scores.
    """

    base: Work
    plan: Any
    zones: Any
    queues: Any
    marks: Any
    known: Any


def follow(work: Any, position: Any, move: int, out: Any) -> None:
    """Write the position after a macro move."""
    square, target = from_square(move), to_square(move)
    for cell in range(len(position)):
        out[cell] = position[cell]
    out[square // BITS] ^= 1 << square % BITS
    out[target // BITS] ^= 1 << target % BITS
    out[len(out) - 1] = work.base.maze[target, last_direction(move) ^ 1]


def restore(work: Any, position: Any) -> int:
    """Set up a position; return its hash."""
    base = work.base
    board, facts, kept = base.board, base.facts, base.kept
    facts[KEY] = facts[OFF_GOAL] = 0
    count = 0
    for square in range(len(base.maze)):
        board[AT, square] = 0
        if position[square // BITS] >> square % BITS & 1:
            board[SQUARE, count] = square
            count += 1
            board[AT, square] = count
            facts[KEY] ^= base.hashes[0, square]
            facts[OFF_GOAL] += base.maze[square, GOAL] < 0
    facts[STONES] = count
    kept[0, kept.shape[1] - 1] = position[len(position) - 1]
    return int(facts[KEY] ^ base.hashes[1, walk(base, position[len(position) - 1])])


def is_lost(work: Any) -> bool:
    """Tell whether stones cannot all have goals."""
    return estimate(work.base, 0, 0) >= UNREACHABLE


def score_position(work: Any) -> int:
    """Return the score of the position."""
    base = work.base
    distance = estimate(base, 0, 0)
    walk(base, base.kept[0, base.kept.shape[1] - 1])
    return 0 if base.facts[OFF_GOAL] == 0 else scored(work, distance)


def scored(work: Any, distance: int) -> int:
    """Return the score of the stones on the board, the man's squares being marked."""
    base = work.base
    done, steps = steps_done(work), len(work.plan) - 1
    outside, zone = 0, min(done + 1, steps - 1)
    for stone in range(base.facts[STONES]):
        outside += work.zones[zone, base.board[SQUARE, stone]]
    for place in range(work.plan.shape[1]):
        square = work.plan[zone, place]
        if square < 0:
            break
        if base.board[AT, square] != 0:
            outside -= work.zones[zone, square]
    return 1 + (
        (steps - done) << PACKED | parts(work) << PARTS | outside << OUTSIDE | min(distance, (1 << OUTSIDE) - 2)
    )


def steps_done(work: Any) -> int:
    """Return the most steps of the plan after which stones stand where they do now."""
    at, plan = work.base.board[AT], work.plan
    for step in range(len(plan) - 1, 0, -1):
        place = 0
        while place < plan.shape[1] and plan[step, place] >= 0 and at[plan[step, place]] != 0:
            place += 1
        if place == plan.shape[1] or plan[step, place] < 0:
            return step
    return 0


def parts(work: Any) -> int:
    """Return in how many parts the stones part the floor, but for the man's, whose squares are marked."""
    base, queue = work.base, work.queues[COMPONENT]
    board, maze, parted = base.board, base.maze, work.marks[PARTED]
    generation, count = base.facts[GENERATION], 0
    for square in range(len(maze)):
        if board[AT, square] != 0 or board[MARK, square] == generation or parted[square] == generation:
            continue
        count += 1
        parted[square] = generation
        queue[0] = square
        head, tail = 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for direction in range(4):
                there = maze[here, direction]
                if there >= 0 and board[AT, there] == 0 and parted[there] != generation:
                    parted[there] = generation
                    queue[tail] = there
                    tail += 1
    return count


def distance_after(work: Any, man: int) -> int:
    """Return the cost of the matching of the stones on the board, from that of the position."""
    base = work.base
    costs, kept = base.costs, base.kept
    copy_matching(costs, kept, 0, 1)
    for stone in range(base.facts[STONES]):
        square = base.board[SQUARE, stone]
        place = 4 * square + base.side[square, man]
        if place != kept[1, stone]:
            move_piece(costs, kept, 1, stone, place, base.scratch)
    found = matching_cost(costs, kept, 1)
    return found


def write_macros(work: Any, score: int, out: Any) -> int:
    """Write the macro moves that are not dead; where there is a PI-corral, those that begin with a push into it."""
    base = work.base
    start = base.kept[0, base.kept.shape[1] - 1]
    estimate(base, 0, 0)
    walk(base, start)
    corral = find_corral(base)
    count = 0
    for stone in range(base.facts[STONES]):
        count = write_macros_of(work, score, stone, start, corral, out, count)
    return count


def write_macros_of(work: Any, score: int, stone: int, start: int, corral: bool, out: Any, count: int) -> int:
    """Write the macro moves of one stone, with a `corral` those into it alone; return the end."""
    base = work.base
    board, maze = base.board, base.maze
    met, pushes = work.marks[MET], work.marks[PUSHES]
    here, walker, arrived = work.queues[HERE], work.queues[WALKER], work.queues[ARRIVED]
    origin = board[SQUARE, stone]
    for place in range(4 * len(maze)):
        met[place] = 0
    here[0], walker[0], arrived[0], pushes[0] = origin, start, -1, 0
    head, tail = 0, 1
    while head < tail and count < len(out):
        square, man, last, length = here[head], walker[head], arrived[head], pushes[head]
        head += 1
        if last >= 0 and met[4 * square + (last ^ 1)] != 0:
            continue
        if square != origin:
            put(base, origin, square)
        lowest = walk(base, man)
        generation = base.facts[GENERATION]
        for direction in range(4):
            beside = maze[square, direction]
            if beside >= 0 and board[MARK, beside] == generation:
                met[4 * square + direction] = 1
        for direction in range(4):
            target, behind = maze[square, direction], maze[square, direction ^ 1]
            if target < 0 or behind < 0 or board[MARK, behind] != generation or board[AT, target] != 0:
                continue
            if maze[target, LIVE] == 0 or met[4 * target + (direction ^ 1)] != 0 or tail >= 4 * len(maze):
                continue
            if corral and last < 0 and not goes_in(base, square, target):
                continue
            here[tail], walker[tail], arrived[tail], pushes[tail] = target, square, direction, length + 1
            tail += 1
        if last >= 0:
            key = base.facts[KEY] ^ base.hashes[1, lowest]
            after = score_of_known(work, key)
            if after == UNKNOWN:
                after = LOST if is_dead(work, origin, square, man, last) else score_after(work, man)
                remember(work, key, after)
            if after != LOST:
                rate(score, after, out[count])
                out[count, MOVE] = move_of(origin, square, last, 0, length)
                out[count, SCORE] = after
                out[count, KEY_COLUMN] = key
                count += 1
        if square != origin:
            put(base, square, origin)
    return count


def is_dead(work: Any, origin: int, square: int, man: int, last: int) -> bool:
    """Tell whether a stone that was pushed from its origin to a square makes a deadlock there."""
    if square == origin:
        return False
    return is_frozen_dead(work.base, square, True) or is_window_dead(work.base, man, square, last)


def score_of_known(work: Any, key: int) -> int:
    """Return the score that is remembered of a position, or UNKNOWN."""
    slot = mix(key) & (work.known.shape[1] - 1)
    return int(work.known[1, slot]) if work.known[0, slot] == key else UNKNOWN


def remember(work: Any, key: int, score: int) -> None:
    """Remember the score of a position."""
    slot = mix(key) & (work.known.shape[1] - 1)
    work.known[0, slot], work.known[1, slot] = key, score


def score_after(work: Any, man: int) -> int:
    """Return the score of the stones on the board, or LOST if they cannot all have goals."""
    if work.base.facts[OFF_GOAL] == 0:
        return 0
    distance = distance_after(work, man)
    return LOST if distance >= UNREACHABLE else scored(work, distance)


def rate(before: int, score: int, row: Any) -> None:
    """Write the advisors' ratings of a move from a score to another; no advisor unpacks."""
    for advisor in range(ADVISORS):
        row[RATINGS + advisor] = -1
    if score == 0 or score >> PACKED > before >> PACKED:
        return
    if score >> PACKED < before >> PACKED:
        row[RATINGS] = score
    mask = 255
    if score >> PARTS & mask < before >> PARTS & mask:
        row[RATINGS + 1] = score
    if score >> OUTSIDE & mask < before >> OUTSIDE & mask:
        row[RATINGS + 2] = score
    row[RATINGS + 3] = score
    if score >> PARTS & mask <= before >> PARTS & mask:
        row[RATINGS + 4] = score & ((1 << OUTSIDE) - 1)
