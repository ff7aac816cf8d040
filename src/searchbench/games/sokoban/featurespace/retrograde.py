"""The search for a plan of packing, backwards: stones are pulled from the full goals to *sinks*, where they vanish.

Sinks are the squares where stones stand at the start, but for goals. A stone that comes to one vanishes together with it, if
the stones that are left can still be matched with the squares of the start that are. Where no plan is found so, sinks may be used
again: those of the largest set such that a stone can be pushed from each to every other one, or all. The search
is feature-space search as well: fewer stones, fewer parts of the floor, fewer stones on goals, and stones far from goals.
Stones may rest on the way, so that others come out first. Turned round, the pulls are the steps of a plan: a stone
comes from outside to the square where the search has pulled it from, or goes on from where it rested.

The search backwards for a solution (`backward.py`) makes the same pulls, and no stone vanishes there.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import AT, GENERATION, GOAL, KEY, MARK, OFF_GOAL, SQUARE, STONES, walk
from searchbench.games.sokoban.enhanced.work import estimate, last_direction, move_of, put
from searchbench.games.sokoban.featurespace.advisors import rate
from searchbench.games.sokoban.featurespace.features import (
    ARRIVED,
    DOORS,
    FARTHEST,
    HERE,
    LOST,
    MET,
    MOST,
    PACKED,
    PUSHES,
    WALKED,
    WALKER,
    parts,
    progress,
    shut_doors,
)
from searchbench.games.sokoban.featurespace.floor import (
    lift,
    mark_again,
    note_walk,
    parts_past,
    walk_past,
    walk_without,
)
from searchbench.games.sokoban.featurespace.pairs import Pairs, has_dead_pair
from searchbench.games.sokoban.featurespace.position import distance_after, room_for
from searchbench.games.sokoban.featurespace.position import restore as set_up
from searchbench.games.sokoban.rules import BITS, from_square, to_square
from searchbench.heuristics.matching import UNREACHABLE, copy_matching, match_from_scratch, matching_cost, move_piece
from searchbench.solvers.guided.featurespace.contract import KEY as KEY_COLUMN
from searchbench.solvers.guided.featurespace.contract import MOVE, SCORE

LEFT, PARTS, ON_GOALS, NEARNESS = 36, 30, 18, 0
"""Where the features stand in a score: stones that are left, parts of the floor but for one, stones on goals, and how
near the stones are to goals."""


class Backwards(NamedTuple):
    """Hold a position, scratch space, the sinks, squares that lead to one, distances to goals, and a plan.

    Stones `vanish` in sinks until so many are left as are `staying`; a `sparing` search lets few of them rest on the way. Where
    sinks can be used `once`, `homes` are the rows of costs of stones in them, -1 for all other squares, and `settled` marks
    those that were used. Where the search is `spreading`, `nearest` counts the pulls from goals, and rooms and doors matter.
    Where no stone vanishes, `pairs` are those that can come to the start.
    """

    base: Base
    queues: Any
    marks: Any
    cuts: Any
    sinks: Any
    useful: Any
    nearest: Any
    plan: Any
    vanish: bool
    once: bool
    staying: int
    homes: Any
    settled: Any
    sparing: bool
    spreading: bool
    rooms: Any
    doors: Any
    pairs: Pairs


def restore(work: Any, position: Any) -> int:
    """Set up a position; return its hash. Stones in sinks that can be used once are in nobody's way."""
    key = set_up(work, position)
    if not work.vanish:
        return key
    base = work.base
    for square in range(len(base.maze)):
        work.settled[square] = work.homes[square] >= 0 and base.board[AT, square] != 0
        if work.settled[square] != 0:
            base.board[AT, square] = 0
    return int(base.facts[KEY] ^ base.hashes[1, walk(base, position[len(position) - 1])])


def match(work: Any) -> None:
    """Match stones with the squares of the start; those in sinks are at home."""
    base = work.base
    for stone in range(base.facts[STONES]):
        square = base.board[SQUARE, stone]
        base.kept[0, stone] = work.homes[square] if work.settled[square] != 0 else 4 * square
    match_from_scratch(base.costs, base.kept, 0, base.scratch)


def is_matched(work: Any, stone: int, square: int) -> bool:
    """Tell whether stones can still be matched with the squares of the start when one has come to a square."""
    base = work.base
    home = work.homes[square]
    copy_matching(base.costs, base.kept, 0, 1)
    move_piece(base.costs, base.kept, 1, stone, home if home >= 0 else 4 * square, base.scratch)
    return bool(matching_cost(base.costs, base.kept, 1) < UNREACHABLE)


def follow(work: Any, position: Any, move: int, out: Any) -> None:
    """Write the position after a pull; on a sink that can be used again the stone vanishes."""
    square, target = from_square(move), to_square(move)
    for cell in range(len(position)):
        out[cell] = position[cell]
    out[square // BITS] ^= 1 << square % BITS
    if work.sinks[target] == 0 or work.homes[target] >= 0:
        out[target // BITS] ^= 1 << target % BITS
    out[len(out) - 1] = work.base.maze[target, last_direction(move)]


def score_position(work: Any) -> int:
    """Return the score of the position."""
    base = work.base
    man = base.kept[0, base.kept.shape[1] - 1]
    estimate(base, 0, 0)
    walk(base, man)
    return pulled_score(work, man, parts(work))


def pulled_score(work: Any, man: int, apart: int) -> int:
    """Return the score of the stones on the board, which part the floor in so many parts but for the man's, or LOST."""
    if work.spreading:
        return spread_score(work, man, apart)
    return vanishing_score(work, apart) if work.vanish else score_to_start(work, man, apart)


def spread_score(work: Any, man: int, apart: int) -> int:
    """Return the score where stones are to be in nobody's way, off the goals and far from them, or LOST."""
    if distance_after(work, man) >= UNREACHABLE:
        return LOST
    base = work.base
    on_goals = far = 0
    for stone in range(base.facts[STONES]):
        away = work.nearest[base.board[SQUARE, stone]]
        on_goals += away == 0
        far += away
    left = min(apart, MOST) << PARTS | min(shut_doors(work), MOST) << DOORS | on_goals << ON_GOALS
    return int(1 + (left | max(FARTHEST - far, 0)))


def score_to_start(work: Any, man: int, apart: int) -> int:
    """Return the score where stones are pulled to the squares where they stand at the start, or LOST.

    The steps of the plan that are left come first, or without one the stones that stray from these squares.
    """
    distance = distance_after(work, man)
    if distance >= UNREACHABLE:
        return LOST
    stray, steps = work.base.facts[OFF_GOAL], len(work.plan.rows) - 1
    left = stray if steps == 1 else steps - progress(work)[0]
    return int(1 + (left << PACKED | min(apart, MOST) << PARTS | min(stray, MOST) << DOORS | min(distance, FARTHEST)))


def is_lost(work: Any) -> bool:
    """Tell whether stones cannot all be pulled to starting squares."""
    return not work.vanish and estimate(work.base, 0, 0) >= UNREACHABLE


def vanishing_score(work: Any, apart: int) -> int:
    """Return the score where stones vanish in sinks: few on goals, or where the search is sparing few that rest."""
    base = work.base
    left = on_goals = far = 0
    for stone in range(base.facts[STONES]):
        square = base.board[SQUARE, stone]
        if base.board[AT, square] != stone + 1:
            continue  # it has come to a sink
        left += 1
        on_goals += base.maze[square, GOAL] >= 0
        far += work.nearest[square]
    if left == work.staying:
        return 0
    if work.sparing:
        return left << LEFT | apart << PARTS | (left - on_goals) << ON_GOALS | max(FARTHEST - far, 0)
    return left << LEFT | apart << PARTS | on_goals << ON_GOALS | max(FARTHEST - far, 0)


def write_macros(work: Any, score: int, out: Any) -> int:
    """Write the pulls of each stone: to each square and side of the man, and to sinks; single pulls first."""
    base = work.base
    count = 0
    if work.once:
        match(work)
    elif not work.vanish:
        estimate(base, 0, 0)
    walk(base, base.kept[0, base.kept.shape[1] - 1])
    note_walk(base, work.marks[WALKED])
    for stone in range(base.facts[STONES]):
        if work.settled[base.board[SQUARE, stone]] == 0:
            count = write_pulls_of(work, score, stone, out[: room_for(base, stone, count, len(out))], count)
    return count


def write_pulls_of(work: Any, score: int, stone: int, out: Any, count: int) -> int:
    """Write the pulls of one stone; return the end."""
    base = work.base
    board, maze = base.board, base.maze
    met, pulls = work.marks[MET], work.marks[PUSHES]
    here, walker, arrived = work.queues[HERE], work.queues[WALKER], work.queues[ARRIVED]
    origin, walked = board[SQUARE, stone], work.marks[WALKED]
    head = tail = 0
    for direction in range(4):
        beside = maze[origin, direction]
        if beside < 0 or walked[beside] == 0:
            continue
        beyond = maze[beside, direction]
        if beyond >= 0 and board[AT, beyond] == 0 and work.useful[beside] != 0:
            here[tail], walker[tail], arrived[tail], pulls[tail] = beside, beyond, direction, 1
            tail += 1
    if tail == 0:
        return count
    floor = lift(base, work.cuts, walked, met, origin)
    while head < tail and count < len(out):
        square, man, last, length = here[head], walker[head], arrived[head], pulls[head]
        head += 1
        if met[4 * square + last] != 0:
            continue
        vanishes = work.sinks[square] != 0 and work.settled[square] == 0
        if square != origin:
            put(base, origin, square)
        if vanishes:
            board[AT, square] = 0
            if not work.once:
                base.facts[KEY] ^= base.hashes[0, square]
        lowest = walk_without(base, work.cuts, square) if vanishes else walk_past(base, work.cuts, square, man)
        generation = base.facts[GENERATION]
        for direction in range(4):
            beside = maze[square, direction]
            if beside < 0 or board[MARK, beside] != generation:
                continue
            met[4 * square + direction] = 1
            beyond = maze[beside, direction]
            if vanishes or beyond < 0 or board[AT, beyond] != 0 or work.useful[beside] == 0:
                continue
            if met[4 * beside + direction] == 0 and tail < 4 * len(maze):
                here[tail], walker[tail], arrived[tail], pulls[tail] = beside, beyond, direction, length + 1
                tail += 1
        after = LOST
        if (
            square != origin
            and work.settled[square] == 0
            and (not work.once or is_matched(work, stone, square))
            and (work.vanish or not has_dead_pair(base, work.pairs, square))
        ):
            apart = floor.parts - 1 if vanishes else parts_past(work.cuts, floor, square)
            after = pulled_score(work, man, apart)
        if after != LOST:
            rate(score, after, out[count])
            out[count, MOVE] = move_of(origin, square, last, 0, length)
            out[count, SCORE] = after
            out[count, KEY_COLUMN] = base.facts[KEY] ^ base.hashes[1, lowest]
            count += 1
        mark_again(base, work.cuts, floor, square)
        if vanishes:
            board[AT, square] = stone + 1
            if not work.once:
                base.facts[KEY] ^= base.hashes[0, square]
        if square != origin:
            put(base, square, origin)
    return count


FUNCTIONS: Final = {
    "restore": restore, "follow": follow, "score_position": score_position, "write_macros": write_macros,
    "is_lost": is_lost,
}  # fmt: skip
"""The functions of the contract of feature-space search, for pulls."""
