"""The search of a test maze: can its stones come to goals, at what cost, and which squares does a solution take.

If stones are left when those that come home alone are off, a search decides whether the rest can come to goals at all;
there a goal stays free when a stone was taken off on it, so that no deadlock is claimed falsely. Then A* finds the
shortest solution, or, where it takes too long, how dear a solution is at least. The squares of a solution, of its stones
and of its man, are marked (Junghanns and Schaeffer 2001, sections 4.1 and 6.3).
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.board import GENERATION, LIVE
from searchbench.games.sokoban.enhanced.board import MARK as REACHABLE
from searchbench.games.sokoban.enhanced.controls import DEADLOCKS
from searchbench.games.sokoban.enhanced.corral import goes_in
from searchbench.games.sokoban.enhanced.testmaze import (
    BASE_BOUND,
    BOUND,
    BUCKETS,
    CORRAL,
    COST,
    DEARER,
    LINK,
    LONGEST_CALL,
    MAN,
    MAN_WAY,
    MOVE,
    PARENT,
    SOLUTION,
    STANDS,
    STONE_WAY,
    USED,
    WAY,
    arrange_stones,
    clear_slots,
    is_known_deadlock,
    known_node,
    lowest_reached,
    mark_walk,
    open_node,
    stand,
    take_home,
    take_off,
    test_bound,
    test_walk,
    walk_of_node,
)
from searchbench.games.sokoban.enhanced.windows import is_window_dead
from searchbench.games.sokoban.rules import FIELD
from searchbench.hashing import mix
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE

SOLVED, DEADLOCK, UNKNOWN = range(3)


def set_up(work: Any, row: int, size: int, node: int) -> None:
    """Make a node of the stones in a row of `chosen`, and stand them on the board."""
    patterns = work.patterns
    for stone in range(size):
        patterns.squares[node, stone] = patterns.chosen[row, stone]
    stand(work, node, size, 1)


def push_of_test(work: Any, node: int, size: int, step: int, count: int) -> int:
    """Write the node after a push into the row `count`, its stones standing; return the man's square, or -1 if it cannot be.

    `step` is 4 times a stone plus a direction. The stones of the node stand, and its man's walk is marked.
    """
    patterns, maze = work.patterns, work.maze
    board, square, direction = patterns.board, patterns.squares[node, step >> 2], step & 3
    if square < 0:
        return -1
    behind, target = maze[square, direction ^ 1], maze[square, direction]
    if behind < 0 or target < 0 or maze[target, LIVE] == 0 or board[STANDS, target] != 0:
        return -1
    base = patterns.base
    if base.board[REACHABLE, behind] != base.facts[GENERATION]:
        return -1
    if patterns.counts[CORRAL] != 0 and not goes_in(base, square, target):
        return -1
    if base.controls[DEADLOCKS] != 0 and is_window_dead(base, square, target, direction):
        return -1
    for stone in range(size):
        patterns.squares[count, stone] = patterns.squares[node, stone]
    patterns.squares[count, step >> 2] = target
    board[STANDS, square], board[STANDS, target] = 0, 1
    return int(square)


def clear_test(work: Any, row: int, size: int, man: int, limit: int) -> int:
    """Tell whether all stones in a row of `chosen` can come to goals, where one that does is taken off and its goal stays free.

    Return SOLVED, DEADLOCK or UNKNOWN. A deadlock here is one in the level, whatever else stands there: from any solution
    the pushes of the stones that were taken off can be left out. So can be the search where a stone comes home alone.
    """
    patterns = work.patterns
    clear_slots(patterns, limit)
    set_up(work, row, size, 0)
    left = take_off(work, 0, size, man)
    patterns.nodes[0, MAN] = lowest_reached(work)
    stand(work, 0, size, 0)
    known_node(work, 0, size, patterns.nodes[0, MAN])
    patterns.nodes[0, LINK] = -1
    top, count = 0, 1
    outcome = SOLVED if left == 0 else UNKNOWN
    while outcome == UNKNOWN and top >= 0 and count < min(limit, LONGEST_CALL):
        node = top
        top = patterns.nodes[node, LINK]
        walk_of_node(work, node, size)
        for step in range(4 * size):
            if count >= min(limit, LONGEST_CALL):
                top = 0
                break
            stand(work, node, size, 1)
            man = push_of_test(work, node, size, step, count)
            if man < 0:
                stand(work, node, size, 0)
                continue
            lost = is_known_deadlock(work, count, size, man)
            left = size if lost else take_off(work, count, size, man)
            if not lost:
                patterns.nodes[count, MAN] = lowest_reached(work)
            stand(work, count, size, 0)
            if left == 0:
                outcome = SOLVED
                break
            if not lost and not known_node(work, count, size, patterns.nodes[count, MAN]):
                patterns.nodes[count, LINK] = top
                top = count
            count += 1
    patterns.counts[USED] = count
    return DEADLOCK if outcome == UNKNOWN and top < 0 else outcome


def solve_test(work: Any, row: int, size: int, man: int, limit: int) -> int:
    """Solve the test maze of the stones in a row of `chosen` at the least cost; return SOLVED, DEADLOCK or UNKNOWN.

    A stone that comes to the goal of its matching at its cost is taken off, with the goal.
    """
    patterns = work.patterns
    counts = patterns.counts
    counts[DEARER] = 0
    set_up(work, row, size, 0)
    bound = test_bound(work, 0, size, man)
    counts[BASE_BOUND], counts[USED], counts[SOLUTION] = bound, 1, 0
    if bound >= INFEASIBLE:
        stand(work, 0, size, 0)
        return DEADLOCK
    saved = take_home(work, 0, size, man, 0)
    lowest = lowest_reached(work)
    stand(work, 0, size, 0)
    patterns.nodes[0, MAN], patterns.nodes[0, PARENT] = lowest, -1
    if bound == saved:
        return SOLVED
    outcome = clear_test(work, row, size, man, limit)
    if outcome != SOLVED:
        return outcome
    return solve_dearly(work, row, size, man, limit)


def solve_dearly(work: Any, row: int, size: int, man: int, limit: int) -> int:
    """Search a test maze that can be solved by A*; where that takes too long, note how dear a solution is at least."""
    patterns, counts = work.patterns, work.patterns.counts
    clear_slots(patterns, limit)
    patterns.buckets[:] = -1
    set_up(work, row, size, 0)
    bound = test_bound(work, 0, size, man)
    saved = take_home(work, 0, size, man, 0)
    patterns.nodes[0, MAN], patterns.nodes[0, PARENT] = lowest_reached(work), -1
    patterns.nodes[0, COST], patterns.nodes[0, BOUND], counts[BASE_BOUND] = saved, bound - saved, bound
    stand(work, 0, size, 0)
    known_node(work, 0, size, patterns.nodes[0, MAN])
    open_node(patterns, 0)
    first = counts[USED]
    count = 1
    for bucket in range(BUCKETS):
        while patterns.buckets[bucket] >= 0:
            node = patterns.buckets[bucket]
            patterns.buckets[bucket] = patterns.nodes[node, LINK]
            if patterns.nodes[node, BOUND] == 0:
                counts[SOLUTION], counts[USED], counts[DEARER] = node, first + count, bucket
                return SOLVED
            walk_of_node(work, node, size)
            for step in range(4 * size):
                if count >= limit or count >= LONGEST_CALL:
                    counts[USED], counts[DEARER] = first + count, bucket
                    return UNKNOWN
                stand(work, node, size, 1)
                man = push_of_test(work, node, size, step, count)
                if man < 0:
                    stand(work, node, size, 0)
                    continue
                square = patterns.squares[node, step >> 2]
                bound = INFEASIBLE
                if not is_known_deadlock(work, count, size, man):
                    bound = test_bound(work, count, size, man)
                saved = 0
                if bound < INFEASIBLE:
                    saved = take_home(work, count, size, man, 0)
                    patterns.nodes[count, MAN] = lowest_reached(work)
                stand(work, count, size, 0)
                if bound < INFEASIBLE and not known_node(work, count, size, patterns.nodes[count, MAN]):
                    patterns.nodes[count, BOUND] = bound - saved
                    patterns.nodes[count, COST] = patterns.nodes[node, COST] + 1 + saved
                    patterns.nodes[count, PARENT], patterns.nodes[count, MOVE] = node, square | (step & 3) << FIELD
                    open_node(patterns, count)
                count += 1
    counts[USED] = first + count
    return UNKNOWN


def mark_solution(work: Any, row: int, size: int, man: int) -> None:
    """Mark the squares of the solution just found: those of its stones, and of its man where others would stand in his way."""
    patterns, maze = work.patterns, work.maze
    way, node, length, last = patterns.counts[WAY], patterns.counts[SOLUTION], 0, len(patterns.squares) - 1
    while patterns.nodes[node, PARENT] >= 0:  # the links of the nodes on the way now lead forwards
        parent = patterns.nodes[node, PARENT]
        patterns.nodes[parent, LINK] = node
        node = parent
        length += 1
    set_up(work, row, size, last)
    test_bound(work, last, size, man)
    take_home(work, last, size, man, way)
    arrange_stones(patterns, last, size)  # as the search did, so that the matchings are the same
    for _ in range(length):
        node = patterns.nodes[node, LINK]
        square, direction = patterns.nodes[node, MOVE] & ((1 << FIELD) - 1), patterns.nodes[node, MOVE] >> FIELD
        target = maze[square, direction]
        mark_walk(work, man, maze[square, direction ^ 1], way)
        patterns.board[STONE_WAY, target] = way
        for stone in range(size):
            if patterns.squares[last, stone] == square:
                patterns.squares[last, stone] = target
                break
        patterns.board[STANDS, square], patterns.board[STANDS, target] = 0, 1
        man = square
        test_bound(work, last, size, man)
        take_home(work, last, size, man, way)
        arrange_stones(patterns, last, size)
    stand(work, last, size, 0)


def outcome_of_test(work: Any, row: int, size: int, man: int, limit: int) -> int:
    """Return the outcome of a test maze, how much dearer it is, and its marks; searched once, as long as it is remembered."""
    patterns = work.patterns
    board, counts = patterns.board, patterns.counts
    key = 0
    for place in range(size):
        key ^= work.hashes[0, patterns.chosen[row, place]]
        board[STANDS, patterns.chosen[row, place]] = 1
    key ^= work.hashes[1, test_walk(work, man)]
    for place in range(size):
        board[STANDS, patterns.chosen[row, place]] = 0
    slot = mix(key) & (len(patterns.keys) - 1)
    if patterns.keys[slot] == key and (patterns.outcomes[slot, 0] != UNKNOWN or patterns.outcomes[slot, 2] >= limit):
        counts[WAY] += 1
        counts[USED], counts[DEARER] = 0, patterns.outcomes[slot, 1]
        for square in range(board.shape[1]):
            if patterns.ways[slot, square] & 1:
                board[STONE_WAY, square] = counts[WAY]
            if patterns.ways[slot, square] & 2:
                board[MAN_WAY, square] = counts[WAY]
        return int(patterns.outcomes[slot, 0])
    outcome = solve_test(work, row, size, man, limit)
    counts[WAY] += 1
    if outcome == SOLVED:
        mark_solution(work, row, size, man)
    patterns.keys[slot] = key
    patterns.outcomes[slot, 0], patterns.outcomes[slot, 1], patterns.outcomes[slot, 2] = outcome, counts[DEARER], limit
    for square in range(board.shape[1]):
        stone_way, man_way = board[STONE_WAY, square] == counts[WAY], board[MAN_WAY, square] == counts[WAY]
        patterns.ways[slot, square] = (1 if stone_way else 0) | (2 if man_way else 0)
    return outcome
