"""Positions of Sokoban for feature-space search: macro moves of one stone, their features, and what the advisors look at.

A macro move brings one stone, by any number of pushes, to another square, or the man to its other side.
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.board import (
    AT,
    GENERATION,
    GOAL,
    KEY,
    LIVE,
    MARK,
    OFF_GOAL,
    SQUARE,
    STONES,
    walk,
)
from searchbench.games.sokoban.enhanced.corral import find_corral, goes_in
from searchbench.games.sokoban.enhanced.frozen import is_frozen_dead
from searchbench.games.sokoban.enhanced.jams import has_pattern, holds_lost_jam
from searchbench.games.sokoban.enhanced.windows import is_window_dead
from searchbench.games.sokoban.enhanced.work import estimate, last_direction, move_of, put
from searchbench.games.sokoban.featurespace.advisors import (
    EXPLORER,
    OPENER,
    explores,
    nearest_stone,
    offer,
    opens,
    rate,
)
from searchbench.games.sokoban.featurespace.corrals import has_dead_corral
from searchbench.games.sokoban.featurespace.features import (
    ARRIVED,
    HERE,
    LOST,
    MET,
    PACKED,
    PUSHES,
    UNKNOWN,
    WALKED,
    WALKER,
    parts,
    progress,
    scored,
)
from searchbench.games.sokoban.featurespace.floor import (
    Floor,
    lift,
    mark_again,
    note_walk,
    parts_past,
    walk_past,
)
from searchbench.games.sokoban.featurespace.pairs import has_dead_pair
from searchbench.games.sokoban.rules import BITS, from_square, to_square
from searchbench.hashing import mix
from searchbench.heuristics.matching import UNREACHABLE, copy_matching, matching_cost, move_piece
from searchbench.solvers.guided.featurespace.contract import KEY as KEY_COLUMN
from searchbench.solvers.guided.featurespace.contract import MOVE, RATINGS, SCORE, SCORE_BITS


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
    """Tell whether stones cannot all have goals, those around an area that the man cannot enter are lost, or a jam is."""
    base = work.base
    man = base.kept[0, base.kept.shape[1] - 1]
    if estimate(base, 0, 0) >= UNREACHABLE or is_frozen_dead(base, work.frozen, -1, man):
        return True
    return has_dead_corral(base, work.corrals) or holds_lost_jam(base, work.jams, man)


def score_position(work: Any) -> int:
    """Return the score of the position."""
    base = work.base
    distance = estimate(base, 0, 0)
    walk(base, base.kept[0, base.kept.shape[1] - 1])
    return 0 if base.facts[OFF_GOAL] == 0 and work.final else scored(work, distance, parts(work))


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
    """Write the macro moves that are not dead; where there is a PI-corral, those that begin with a push into it.

    Stones share the rows out: each has room for its single pushes, which come first, so that no position is out of reach.
    """
    base = work.base
    start = base.kept[0, base.kept.shape[1] - 1]
    estimate(base, 0, 0)
    walk(base, start)
    nearest = -1
    if work.advised:
        offer(work)
        work.least[0] = 1 << SCORE_BITS
        nearest = nearest_stone(work)
    corral = find_corral(base)
    note_walk(base, work.marks[WALKED])
    count = 0
    for stone in range(base.facts[STONES]):
        opening = base.board[SQUARE, stone] == nearest
        count = write_macros_of(
            work, score, stone, corral, opening, out[: room_for(base, stone, count, len(out))], count
        )
    return count


def room_for(base: Any, stone: int, count: int, rows: int) -> int:
    """Return where the rows of a stone end when those left are shared out among it and the stones after it."""
    return int(count + (rows - count) // (base.facts[STONES] - stone))


def write_macros_of(work: Any, score: int, stone: int, corral: bool, opening: bool, out: Any, count: int) -> int:
    """Write the macro moves of one stone, with a `corral` those into it alone; return the end.

    The opener rates them if it is the stone that is `opening`.
    """
    base = work.base
    board, maze = base.board, base.maze
    step = min(progress(work)[1], len(work.plan.rows) - 1)
    met, pushes = work.marks[MET], work.marks[PUSHES]
    here, walker, arrived = work.queues[HERE], work.queues[WALKER], work.queues[ARRIVED]
    origin, walked = board[SQUARE, stone], work.marks[WALKED]
    head = tail = 0
    for direction in range(4):
        target, behind = maze[origin, direction], maze[origin, direction ^ 1]
        if target < 0 or behind < 0 or walked[behind] == 0 or board[AT, target] != 0 or maze[target, LIVE] == 0:
            continue
        if not corral or goes_in(base, origin, target):
            here[tail], walker[tail], arrived[tail], pushes[tail] = target, origin, direction, 1
            tail += 1
    if tail == 0:
        return count
    floor = lift(base, work.cuts, walked, met, origin)
    while head < tail and count < len(out):
        square, man, last, length = here[head], walker[head], arrived[head], pushes[head]
        head += 1
        if met[4 * square + (last ^ 1)] != 0:
            continue
        if square != origin:
            put(base, origin, square)
        lowest = walk_past(base, work.cuts, square, man)
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
            here[tail], walker[tail], arrived[tail], pushes[tail] = target, square, direction, length + 1
            tail += 1
        key = base.facts[KEY] ^ base.hashes[1, lowest]
        after = score_of_known(work, key)
        if after == UNKNOWN:
            after = LOST if is_dead(work, origin, square, man, last) else score_after(work, floor, square, man)
            remember(work, key, after)
        if after != LOST:
            rate(score, after, out[count])
            if work.advised and may_explore(work, score, after) and explores(work, square, last):
                out[count, RATINGS + EXPLORER] = work.least[0] = after
            if opening and after > 0:
                out[count, RATINGS + OPENER] = opens(work, score, after, step, square)
            out[count, MOVE] = move_of(origin, square, last, 0, length)
            out[count, SCORE] = after
            out[count, KEY_COLUMN] = key
            count += 1
        mark_again(base, work.cuts, floor, square)
        if square != origin:
            put(base, square, origin)
    return count


def may_explore(work: Any, before: int, after: int) -> bool:
    """Tell whether the explorer would choose a move from a score to another: none that unpacks, and none but the best so far."""
    return bool(0 < after < work.least[0] and after >> PACKED <= before >> PACKED)


def is_dead(work: Any, origin: int, square: int, man: int, last: int) -> bool:
    """Tell whether a stone that was pushed from its origin to a square makes a deadlock there."""
    if square == origin:
        return False
    if is_frozen_dead(work.base, work.frozen, square, man) or is_window_dead(work.base, man, square, last):
        return True
    return has_dead_pair(work.base, work.pairs, square) or has_pattern(work.base, work.jams, square, man)


def score_of_known(work: Any, key: int) -> int:
    """Return the score that is remembered of a position, or UNKNOWN."""
    slot = mix(key) & (work.known.shape[1] - 1)
    return int(work.known[1, slot]) if work.known[0, slot] == key else UNKNOWN


def remember(work: Any, key: int, score: int) -> None:
    """Remember the score of a position."""
    slot = mix(key) & (work.known.shape[1] - 1)
    work.known[0, slot], work.known[1, slot] = key, score


def score_after(work: Any, floor: Floor, square: int, man: int) -> int:
    """Return the score of the stones on the board, one of which has come to a square, or LOST if they cannot all have goals."""
    if work.base.facts[OFF_GOAL] == 0 and work.final:
        return 0
    distance = distance_after(work, man)
    return LOST if distance >= UNREACHABLE else scored(work, distance, parts_past(work.cuts, floor, square))
