"""The position of an enhanced search: stones, the man, the matching of each row of the path, all in arrays.

A move is an integer: the square that the stone leaves and the one it comes to, 12 bits each; 12 bits that are not
used; the direction of the last push; its kind in 3 bits; and the number of pushes. `rules.py` has the same layout for
single pushes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.sokoban.enhanced.areas import Areas, carry, filled, leaves_way, offered
from searchbench.games.sokoban.enhanced.board import (
    AT,
    CORRIDOR,
    ENTERED,
    GENERATION,
    GOAL,
    KEY,
    LEARNT,
    LIVE,
    MARK,
    OFF_GOAL,
    ONE_WAY,
    SQUARE,
    STONES,
    walk,
)
from searchbench.games.sokoban.enhanced.controls import (
    ALTERNATIVES,
    BIPARTITE,
    CORRALS,
    DEADLOCKS,
    FREEZE,
    GOAL_MACROS,
    INERTIA,
    JAMS,
    LEAST,
    LOST_FROM,
    PACKING_EFFORT,
    TUNNELS,
)
from searchbench.games.sokoban.enhanced.corral import find_corral, goes_in
from searchbench.games.sokoban.enhanced.freeze import hold
from searchbench.games.sokoban.enhanced.frozen import Frozen, is_frozen_dead
from searchbench.games.sokoban.enhanced.jams import ANY, Jams, has_pattern, tells_dead
from searchbench.games.sokoban.enhanced.packing import can_come_in, is_settled, see_areas
from searchbench.games.sokoban.enhanced.pairs import Pairs
from searchbench.games.sokoban.enhanced.testmaze import Patterns
from searchbench.games.sokoban.enhanced.windows import Windows, is_window_dead
from searchbench.games.sokoban.rules import FIELD, from_square, to_square
from searchbench.heuristics.matching import copy_matching, match_from_scratch, matching_cost, move_piece
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE

PUSH, TUNNEL, GOAL_MACRO = range(3)
"""The kinds of moves."""
KIND: Final = 3 * FIELD + 2
COUNT: Final = KIND + 3

FIRST_RATING: Final = 100
LAST_RATING: Final = 1 << 20
"""The ratings of moves that lower the bound begin at the one; moves that do not have the other."""


class Work(NamedTuple):
    """Hold the tables of a level, and the position with the matchings of all rows.

    The last three numbers of a row are the squares that the move to it has moved a stone from and to, and the man's.
    """

    maze: Any
    side: Any
    costs: Any
    kept: Any
    scratch: Any
    board: Any
    facts: Any
    hashes: Any
    controls: Any
    windows: Windows
    areas: Areas
    patterns: Patterns
    influence: Any
    pairs: Pairs
    jams: Jams
    frozen: Frozen


def kind_of(move: int) -> int:
    """Return the kind of a move."""
    return move >> KIND & 7


def last_direction(move: int) -> int:
    """Return the direction of the last push."""
    return move >> 3 * FIELD & 3


def length(move: int) -> int:
    """Return the number of pushes."""
    return move >> COUNT


def move_of(square: int, target: int, direction: int, kind: int, count: int) -> int:
    """Return a move."""
    return square | target << FIELD | direction << 3 * FIELD | kind << KIND | count << COUNT


def put(work: Any, square: int, target: int) -> None:
    """Put the stone of a square on another one."""
    board, facts, maze = work.board, work.facts, work.maze
    stone = board[AT, square]
    board[AT, square] = 0
    board[AT, target] = stone
    board[SQUARE, stone - 1] = target
    facts[KEY] ^= work.hashes[0, square] ^ work.hashes[0, target]
    facts[OFF_GOAL] += (1 if maze[target, GOAL] < 0 else 0) - (1 if maze[square, GOAL] < 0 else 0)


def make(work: Any, row: int, move: int) -> None:
    """Push a stone; the man stands behind it then."""
    target = to_square(move)
    put(work, from_square(move), target)
    last = work.kept.shape[1] - 1
    work.kept[row + 1, last - 2], work.kept[row + 1, last - 1] = from_square(move), target
    work.kept[row + 1, last] = work.maze[target, last_direction(move) ^ 1]


def unmake(work: Any, row: int, move: int) -> None:
    """Take a move back; the man's square is that of the row."""
    put(work, to_square(move), from_square(move))


def is_solved(work: Any, row: int) -> bool:
    """Tell whether every stone stands on a goal."""
    return bool(work.facts[OFF_GOAL] == 0)


def estimate(work: Any, row: int, move: int) -> int:
    """Return the cost of the minimum matching of stones with goals, with the pushes of each stone from the man's side."""
    kept, costs, board, side = work.kept, work.costs, work.board, work.side
    man = kept[row, kept.shape[1] - 1]
    work.facts[ENTERED] += 1
    if row == 0:
        for stone in range(costs.shape[1]):
            kept[0, stone] = len(costs) - 1 - costs.shape[1]  # those that stand in
        for stone in range(work.facts[STONES]):
            square = board[SQUARE, stone]
            kept[0, stone] = 4 * square + side[square, man]
        return match_from_scratch(costs, kept, 0, work.scratch)
    copy_matching(costs, kept, row - 1, row)
    for stone in range(work.facts[STONES]):
        square = board[SQUARE, stone]
        place = 4 * square + side[square, man]
        if place != kept[row, stone]:
            move_piece(costs, kept, row, stone, place, work.scratch)
    return matching_cost(costs, kept, row)


def identify(work: Any, row: int) -> int:
    """Return the hash of the stones and the man's component."""
    lowest = walk(work, work.kept[row, work.kept.shape[1] - 1])
    return int(work.facts[KEY] ^ work.hashes[1, lowest])


def candidates(work: Any, row: int, previous: int, out: Any, first: int, chance: int) -> int:
    """Write the pushes that are not dead, as macros where there are any, with their ratings."""
    board, maze, kept, side, costs, controls = work.board, work.maze, work.kept, work.side, work.costs, work.controls
    generation, end = work.facts[GENERATION], first
    targets, macros = costs.shape[1], False
    if controls[JAMS] != 0:
        moved = to_square(previous) if row > 0 else -1
        if tells_dead(work, work.jams, kept[row, kept.shape[1] - 1], moved):
            return first
    corral = controls[CORRALS] != 0 and find_corral(work)
    settled = see_areas(work)
    for square in range(len(maze)):
        stone = board[AT, square] - 1
        if stone < 0 or (settled and is_settled(work, square)):
            continue
        for direction in range(4):
            behind, target = maze[square, direction ^ 1], maze[square, direction]
            if behind < 0 or target < 0 or board[MARK, behind] != generation or board[AT, target] != 0:
                continue
            if maze[target, LIVE] == 0 or (corral and not goes_in(work, square, target)):
                continue
            if controls[FREEZE] != 0 and freezes(work, square, target):
                continue
            if controls[JAMS] != 0 and makes_pattern(work, square, target):
                continue
            if controls[DEADLOCKS] != 0 and is_window_dead(work, square, target, direction):
                continue
            move = move_of(square, target, direction, PUSH, 1)
            if controls[TUNNELS] != 0:
                move = through(work, move, square, target, direction)
                target = to_square(move)
                if target < 0:
                    continue
            if controls[GOAL_MACROS] != 0 and work.areas.entry[target, direction] >= 0:
                further = goal_macros(work, row, move, out, end)
                if further > end and not macros:  # nothing else is tried
                    macros = True
                    for place in range(end, further):
                        out[first + place - end, 0] = out[place, 0]
                        out[first + place - end, 1] = out[place, 1]
                    end, further = first + further - end, 0
                    continue
                if macros:
                    end = max(end, further)
                elif is_settled(work, target):
                    continue
            if macros:
                continue
            out[end, 0] = move
            out[end, 1] = 0
            if controls[INERTIA] != 0:
                goal = kept[row, targets + stone]
                after = costs[4 * target + side[target, maze[target, direction ^ 1]], goal]
                if previous != 0 and to_square(previous) == square and chance < controls[LOST_FROM]:
                    out[end, 1] = 0
                elif after < costs[kept[row, stone], goal]:
                    out[end, 1] = FIRST_RATING + after
                else:
                    out[end, 1] = LAST_RATING
            end += 1
    return end


def freezes(work: Any, square: int, target: int) -> bool:
    """Tell whether a push freezes stones off the goals, or on goals so that others have too few."""
    put(work, square, target)
    ways = work.controls[BIPARTITE] != 0
    found = is_frozen_dead(work, work.frozen, target, square) if ways else hold(work, target) == 2
    put(work, target, square)
    return bool(found)


def makes_pattern(work: Any, square: int, target: int) -> bool:
    """Tell whether a push makes a jam that is known to be lost."""
    if work.jams.heads[ANY, target] < 0:  # most squares have none
        return False
    put(work, square, target)
    found = has_pattern(work, work.jams, target, square)
    put(work, target, square)
    return found


def through(work: Any, move: int, square: int, target: int, direction: int) -> int:
    """Return a push into a one-way tunnel as the macro through it, any other as it is."""
    maze, board = work.maze, work.board
    across = 2 if direction < 2 else 1
    man, stone, count = square, target, 1
    while (
        maze[stone, CORRIDOR] & across
        and maze[man, CORRIDOR] & across
        and maze[stone, ONE_WAY] != 0
        and maze[stone, GOAL] < 0
    ):
        ahead = maze[stone, direction]
        if ahead < 0 or board[AT, ahead] != 0 or maze[ahead, LIVE] == 0:
            break
        man, stone = stone, ahead
        count += 1
    if count < work.controls[LEAST]:
        return move
    return move_of(square, stone, direction, TUNNEL, count)


def goal_macros(work: Any, row: int, move: int, out: Any, end: int) -> int:
    """Write the macros that take a stone on from an entrance of a goal area to its goals; return the end.

    The goals that raise the bound least come first, of the same ones the deepest.
    """
    areas, board = work.areas, work.board
    square, target, direction = from_square(move), to_square(move), last_direction(move)
    area, entrance = areas.area[target], areas.entry[target, direction]
    walls = filled(work, area)
    if walls < 0:
        return end
    stone, first = board[AT, square], end
    board[AT, square] = 0
    for losing in range(2):
        for number in range(offered(work, area, walls, entrance, losing, work.controls[PACKING_EFFORT])):
            goal = areas.stack[2, number]
            found = carry(work, area, target, direction, -1, goal)
            if found < 0:
                continue
            count = length(move) + (found >> 2)
            dearer = count + bound_when_filled(work, row, stone - 1, goal, work.maze[goal, (found & 3) ^ 1], walls)
            if dearer >= INFEASIBLE:
                continue
            place = end
            while place > first and out[place - 1, 1] > dearer:
                out[place, 0], out[place, 1] = out[place - 1, 0], out[place - 1, 1]
                place -= 1
            out[place, 0], out[place, 1] = move_of(square, goal, found & 3, GOAL_MACRO, count), dearer
            end = min(end + 1, first + work.controls[ALTERNATIVES])
        if end > first:  # goals that make an entrance useless are the last resort
            break
    board[AT, square] = stone
    for place in range(first, end):
        out[place, 1] = place - first
    return end


def bound_when_filled(work: Any, row: int, stone: int, goal: int, man: int, walls: int) -> int:
    """Return the bound when a stone, which is off the board, rests on a goal; INFEASIBLE where others cannot come in then.

    `walls` are the filled goals of the area before.
    """
    areas = work.areas
    area = areas.area[goal]
    after = walls | 1 << areas.bit[goal]
    if not leaves_way(work, area, man, after):
        return INFEASIBLE
    if areas.settled[area] != 0:
        areas.walls[area] = after
        shut_out = not can_come_in(work, man)
        areas.walls[area] = walls
        if shut_out:
            return INFEASIBLE
    return bound_at_home(work, row, stone, goal)


def bound_at_home(work: Any, row: int, stone: int, goal: int) -> int:
    """Return the cost of the matching when a stone rests on a goal for good."""
    kept, costs = work.kept, work.costs
    copy_matching(costs, kept, row, row + 1)
    move_piece(costs, kept, row + 1, stone, len(costs) - costs.shape[1] + work.maze[goal, GOAL], work.scratch)
    return matching_cost(costs, kept, row + 1)


def learnt(work: Any) -> int:
    """Return the number of patterns learnt."""
    return int(work.facts[LEARNT])


def related(work: Any, before: int, move: int) -> bool:
    """Tell whether a stone that is pushed is near enough to the one that was pushed before."""
    return bool(
        work.influence[from_square(before), from_square(move)] <= work.influence[0, work.influence.shape[1] - 1]
    )


def same_piece(before: int, move: int) -> bool:
    """Tell whether a move goes on with the stone that the one before has pushed."""
    return to_square(before) == from_square(move)


def brings_home(move: int) -> bool:
    """Tell whether a move is a goal macro."""
    return kind_of(move) == GOAL_MACRO


def new_hashes(squares: int) -> Any:
    """Return random words for stones and for the man, the same ones at all times: int64 [2, squares]."""
    chance = np.random.Generator(np.random.PCG64(20010615))
    return chance.integers(1, 1 << 62, (2, 4096), np.int64)[:, :squares].copy()
