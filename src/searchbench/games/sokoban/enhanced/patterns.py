"""Pattern search: which few stones make the last push a deadlock, or dearer than the matching says, and patterns learnt from it.

The *test maze* has the walls and goals of the level, and some of its stones: first the one that was pushed. A stone that
comes to the goal of its matching at the matching's cost, while the others stand, is *taken home*: off the maze at once,
with its goal. If some stones are left, a search decides whether they can come to goals at all: there a stone that comes to
any goal is taken off, and the goal stays free, so that no deadlock is claimed falsely. Then A* finds the shortest
solution; if it is longer than the matching, the difference is a penalty, and if the search takes too long, what it has
excluded is one. Else the stones that stand in the way of the solution, of its stones or of its man, are added one by one.
What is found is made minimal, penalties are checked by a search where all stones stay, and it is kept with the squares of
the man that it holds for (Junghanns and Schaeffer 2001, sections 4.1 and 6.3).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.sokoban.enhanced.controls import (
    OVERESTIMATION,
    PATTERN_CAPACITY,
    PATTERN_CHOICE,
    PATTERN_EFFORT,
    PATTERN_NODES,
    PATTERN_RATIO,
    PATTERN_SIZE,
    PATTERNS,
    PERCENT,
)
from searchbench.games.sokoban.rules import FIELD, from_square, to_square
from searchbench.games.sokoban.tables import LevelTables
from searchbench.hashing import mix
from searchbench.heuristics.matching import FIELDS, match_pieces, new_scratch
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE

LARGEST: Final = 12
"""The most stones of a pattern."""
LONGEST_CALL: Final = 4_000
"""The most nodes of a search of a test maze."""
BUCKETS: Final = 256
"""Solutions that are longer than the matching by as much are not looked for."""

STANDS, MARK, QUEUE, STONE_WAY, MAN_WAY, CAME, COUNTED = range(7)
"""The rows of the test maze's board: stones, marks and a queue for walks, the squares of a solution, and how many
patterns a square has."""
MET, BEFORE, WAITING = range(3)
"""The rows of `lone`, for a stone that is pushed while the others stand: the generation in which a place was met, the
place before it, and a stack. A place is 4 times a square, plus the direction of the push that came to it."""
MAN, COST, BOUND, PARENT, MOVE, LINK = range(6)
"""What a node holds beside the squares of its stones; a stone that is taken off has the square -1 less its goal."""
TURN, WAY, INVESTED, BASE_BOUND, SOLUTION, USED, DEARER, LONE_TURN, ALL_STAY = range(9)
"""What is counted: walks, solutions, the nodes of all pattern searches, and of the last test maze its bound, its
solved node, its nodes, and by how much a solution is at least dearer than its bound; the walks of lone stones; and, a
switch, whether no stone is taken off."""
CACHED: Final = 13
"""The bits of a place among the test mazes whose outcome is kept."""
SOLVED, DEADLOCK, UNKNOWN = range(3)


class Patterns(NamedTuple):
    """Hold what was learnt, and the test maze.

    Of each pattern: the squares of its `stones`, their number in `size`, the penalty, the man's squares in `area`, and
    in `next` the next pattern in the list of the same square; the lists begin in `head`.
    """

    stones: Any
    size: Any
    penalty: Any
    area: Any
    head: Any
    next: Any
    board: Any
    squares: Any
    nodes: Any
    slots: Any
    buckets: Any
    counts: Any
    chosen: Any
    kept: Any
    scratch: Any
    cells: Any
    taken: Any
    keys: Any
    outcomes: Any
    ways: Any
    lone: Any


def patterns_of(tables: LevelTables, used: bool, capacity: int) -> Patterns:
    """Return room for patterns of a level; token arrays if it is not `used`."""
    level = tables.level
    squares, goals = len(level.cells), len(level.goals)
    room, nodes = (max(capacity, 1), LONGEST_CALL + 1) if used else (1, 1)
    cached = 1 << CACHED if used else 1
    return Patterns(
        np.zeros((room, LARGEST), np.int16), np.zeros(room, np.int16), np.zeros(room, np.int32),
        np.zeros((room, squares), np.uint8), np.full(squares, -1, np.int32), np.zeros(room, np.int32),
        np.zeros((7, squares), np.int32), np.zeros((nodes, LARGEST), np.int16), np.zeros((nodes, 6), np.int64),
        np.zeros(1 << 13, np.int32), np.zeros(BUCKETS, np.int32), np.zeros(9, np.int64), np.zeros((6, LARGEST + 4), np.int64),
        np.zeros((1, FIELDS * goals), np.int32), new_scratch(goals), np.array(level.cells, np.int32), np.zeros((3,
        squares), np.int64),
        np.zeros(cached, np.int64), np.zeros((cached, 2), np.int32), np.zeros((cached, squares), np.uint8),
        np.zeros((3, 8 * squares), np.int32),
    )  # fmt: skip


# --- the test maze ----------------------------------------------------------------------------------------------------


def test_walk(work: Any, man: int) -> int:
    """Mark the squares that the man can walk to in the test maze, and return the lowest."""
    patterns, maze = work.patterns, work.maze
    board = patterns.board
    patterns.counts[TURN] += 1
    turn = patterns.counts[TURN]
    board[MARK, man] = turn
    board[QUEUE, 0] = man
    head, tail, lowest = 0, 1, man
    while head < tail:
        here = board[QUEUE, head]
        head += 1
        for direction in range(4):
            there = maze[here, direction]
            if there >= 0 and board[MARK, there] != turn and board[STANDS, there] == 0:
                board[MARK, there] = turn
                board[QUEUE, tail] = there
                tail += 1
                lowest = min(lowest, there)
    return int(lowest)


def test_bound(work: Any, node: int, size: int, man: int) -> int:
    """Return the matching of a node's stones with the goals."""
    patterns, costs = work.patterns, work.costs
    first_taken = len(costs) - costs.shape[1]
    for stone in range(size):
        square = patterns.squares[node, stone]
        if square < 0:
            patterns.kept[0, stone] = first_taken + (-1 - square)
        else:
            patterns.kept[0, stone] = 4 * square + work.side[square, man]
    return match_pieces(costs, patterns.kept, 0, size, patterns.scratch)


def stand(work: Any, node: int, size: int, value: int) -> None:
    """Put the stones of a node on the test maze's board (1), or take them off (0)."""
    for stone in range(size):
        square = work.patterns.squares[node, stone]
        if square >= 0:
            work.patterns.board[STANDS, square] = value


def key_of(work: Any, node: int, size: int, lowest: int) -> int:
    """Return the hash of a node."""
    found = work.hashes[1, lowest]
    for stone in range(size):
        square = work.patterns.squares[node, stone]
        found ^= work.hashes[0, square] if square >= 0 else mix(work.hashes[1, -1 - square])
    return int(found)


def known_node(work: Any, node: int, size: int, lowest: int) -> bool:
    """Tell whether the last node repeats one before; enter it if it does not."""
    patterns = work.patterns
    mask = len(patterns.slots) - 1
    slot = key_of(work, node, size, lowest) & mask
    while patterns.slots[slot] != 0:
        other = patterns.slots[slot] - 1
        same = patterns.nodes[other, MAN] == lowest
        for stone in range(size):
            same = same and patterns.squares[other, stone] == patterns.squares[node, stone]
        if same:
            return True
        slot = (slot + 1) & mask
    patterns.slots[slot] = node + 1
    return False


def open_node(patterns: Any, node: int) -> bool:
    """Put a node into the bucket of its f, unless that is too large."""
    bucket = patterns.nodes[node, COST] + patterns.nodes[node, BOUND] - patterns.counts[BASE_BOUND]
    if bucket < 0 or bucket >= BUCKETS:
        return False
    patterns.nodes[node, LINK] = patterns.buckets[bucket]
    patterns.buckets[bucket] = node
    return True


# --- stones that can be taken home --------------------------------------------------------------------------------------


def begin_lone(work: Any, square: int, man: int) -> None:
    """Begin the walk of a stone that was taken off the board: mark where the man can go while it stands there."""
    patterns = work.patterns
    patterns.counts[LONE_TURN] += 1
    patterns.board[STANDS, square] = 1
    test_walk(work, man)
    patterns.board[STANDS, square] = 0


def comes_home(work: Any, square: int, goal: int, man: int, way: int) -> bool:
    """Tell whether a stone can be pushed to a goal by a shortest way of a lone stone, while the others stand.

    With a `way` that is not 0 its squares and the man's are marked; ways past the stones of the real maze are taken where
    there is one.
    """
    for real in range(1 if way > 0 else 0, -1, -1):
        end = lone_way(work, square, goal, man, real != 0)
        if end >= 0:
            if way > 0:
                mark_lone(work, square, end, man, way)
            return True
    return False


def lone_way(work: Any, square: int, goal: int, man: int, real: bool) -> int:
    """Return the last place of a shortest way of a stone to a goal, or with `goal` -1 of any way to any; -1 if there is none.

    The stone is not on the board. With `real` it does not cross the stones of the real maze.
    """
    patterns, maze, costs, side = work.patterns, work.maze, work.costs, work.side
    board, lone = patterns.board, patterns.lone
    if (goal < 0 and maze[square, 4] >= 0) or (goal >= 0 and maze[square, 4] == goal):
        return 4 * square
    begin_lone(work, square, man)
    turn, marked, top = patterns.counts[LONE_TURN], patterns.counts[TURN], 0
    here, arrived, left = square, -1, costs[4 * square + side[square, man], max(goal, 0)]
    while True:
        for direction in range(4):
            behind, target = maze[here, direction ^ 1], maze[here, direction]
            if behind < 0 or target < 0 or board[MARK, behind] != marked or board[STANDS, target] != 0:
                continue
            place = 4 * target + direction
            if lone[MET, place] == turn or maze[target, 5] == 0:
                continue
            if goal >= 0 and costs[4 * target + side[target, here], goal] != left - 1:
                continue
            if real and work.board[0, target] != 0 and target != square:
                continue
            lone[MET, place] = turn
            lone[BEFORE, place] = 4 * here + arrived if arrived >= 0 else -1
            if (goal < 0 and maze[target, 4] >= 0) or (goal >= 0 and maze[target, 4] == goal):
                return int(place)
            lone[WAITING, top] = place
            top += 1
        if top == 0:
            return -1
        top -= 1
        here, arrived = lone[WAITING, top] >> 2, lone[WAITING, top] & 3
        man = maze[here, arrived ^ 1]
        board[STANDS, here] = 1
        test_walk(work, man)
        board[STANDS, here] = 0
        marked, left = patterns.counts[TURN], costs[4 * here + side[here, man], max(goal, 0)]


def mark_lone(work: Any, square: int, end: int, man: int, way: int) -> None:
    """Mark the way of a stone that `lone_way` has found, and the man's walks."""
    patterns, maze = work.patterns, work.maze
    board, lone = patterns.board, patterns.lone
    if end >> 2 == square:
        return
    length = 0
    while end >= 0:
        lone[WAITING, length] = end
        length += 1
        end = lone[BEFORE, end]
    here = square
    for step in range(length - 1, -1, -1):
        target, direction = lone[WAITING, step] >> 2, lone[WAITING, step] & 3
        board[STANDS, here] = 1
        mark_walk(work, man, maze[here, direction ^ 1], way)
        board[STANDS, here] = 0
        board[STONE_WAY, target] = way
        man, here = here, target


def take_home(work: Any, node: int, size: int, man: int, way: int) -> int:
    """Take all stones off that come to the goals of the matching at its cost; return that cost. Those of the node stand."""
    patterns, costs = work.patterns, work.costs
    saved, changed = 0, patterns.counts[ALL_STAY] == 0
    while changed:
        changed = False
        for stone in range(size):
            square, goal = patterns.squares[node, stone], patterns.kept[0, costs.shape[1] + stone]
            if square < 0:
                continue
            patterns.board[STANDS, square] = 0
            if comes_home(work, square, goal, man, way):
                patterns.squares[node, stone] = -1 - goal
                saved += costs[patterns.kept[0, stone], goal]
                changed = True
            else:
                patterns.board[STANDS, square] = 1
    return int(saved)


def take_off(work: Any, node: int, size: int, man: int) -> int:
    """Take all stones off that come to any goal; return how many are left. Those of the node stand."""
    patterns = work.patterns
    left, changed = 0, True
    while changed:
        changed, left = False, 0
        for stone in range(size):
            square = patterns.squares[node, stone]
            if square < 0:
                continue
            patterns.board[STANDS, square] = 0
            if lone_way(work, square, -1, man, False) >= 0:
                patterns.squares[node, stone] = -1
                changed = True
            else:
                patterns.board[STANDS, square] = 1
                left += 1
    return left


def is_known_deadlock(work: Any, node: int, size: int, man: int) -> bool:
    """Tell whether some stones of a node, which stand, are a deadlock that was learnt."""
    patterns = work.patterns
    for stone in range(size):
        square = patterns.squares[node, stone]
        pattern = patterns.head[square] if square >= 0 else -1
        while pattern >= 0:
            if patterns.penalty[pattern] >= INFEASIBLE and patterns.area[pattern, man] != 0:
                all_stand = True
                for place in range(patterns.size[pattern]):
                    all_stand = all_stand and patterns.board[STANDS, patterns.stones[pattern, place]] != 0
                if all_stand:
                    return True
            pattern = patterns.next[pattern]
    return False


# --- the search of a test maze ------------------------------------------------------------------------------------------


def set_up(work: Any, row: int, size: int, node: int) -> None:
    """Make a node of the stones in a row of `chosen`, and stand them on the board."""
    patterns = work.patterns
    for stone in range(size):
        patterns.squares[node, stone] = patterns.chosen[row, stone]
    stand(work, node, size, 1)


def push_of_test(work: Any, node: int, size: int, step: int, count: int) -> int:
    """Write the node after a push into the row `count`, its stones standing; return the man's square, or -1 if it cannot be.

    `step` is 4 times a stone plus a direction. The stones of the node stand, and the man's walk is marked.
    """
    patterns, maze = work.patterns, work.maze
    board, square, direction = patterns.board, patterns.squares[node, step >> 2], step & 3
    if square < 0:
        return -1
    behind, target = maze[square, direction ^ 1], maze[square, direction]
    if behind < 0 or target < 0 or maze[target, 5] == 0 or board[STANDS, target] != 0:
        return -1
    if board[MARK, behind] != patterns.counts[TURN]:
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
    patterns.slots[:] = 0
    set_up(work, row, size, 0)
    left = take_off(work, 0, size, man)
    patterns.nodes[0, MAN] = test_walk(work, man)
    stand(work, 0, size, 0)
    known_node(work, 0, size, patterns.nodes[0, MAN])
    patterns.nodes[0, LINK] = -1
    top, count = 0, 1
    outcome = SOLVED if left == 0 else UNKNOWN
    while outcome == UNKNOWN and top >= 0 and count < min(limit, LONGEST_CALL):
        node = top
        top = patterns.nodes[node, LINK]
        for step in range(4 * size):
            if count >= min(limit, LONGEST_CALL):
                top = 0
                break
            stand(work, node, size, 1)
            test_walk(work, patterns.nodes[node, MAN])
            man = push_of_test(work, node, size, step, count)
            if man < 0:
                stand(work, node, size, 0)
                continue
            lost = is_known_deadlock(work, count, size, man)
            left = size if lost else take_off(work, count, size, man)
            patterns.nodes[count, MAN] = test_walk(work, man)
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
    lowest = test_walk(work, man)
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
    patterns.slots[:] = 0
    patterns.buckets[:] = -1
    set_up(work, row, size, 0)
    bound = test_bound(work, 0, size, man)
    saved = take_home(work, 0, size, man, 0)
    patterns.nodes[0, MAN], patterns.nodes[0, PARENT] = test_walk(work, man), -1
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
            for step in range(4 * size):
                if count >= limit or count >= LONGEST_CALL:
                    counts[USED], counts[DEARER] = first + count, bucket
                    return UNKNOWN
                stand(work, node, size, 1)
                test_walk(work, patterns.nodes[node, MAN])
                man = push_of_test(work, node, size, step, count)
                if man < 0:
                    stand(work, node, size, 0)
                    continue
                square = patterns.squares[node, step >> 2]
                bound = INFEASIBLE
                if not is_known_deadlock(work, count, size, man):
                    bound = test_bound(work, count, size, man)
                saved = take_home(work, count, size, man, 0) if bound < INFEASIBLE else 0
                patterns.nodes[count, MAN] = test_walk(work, man)
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
    stand(work, last, size, 0)


def mark_walk(work: Any, man: int, target: int, way: int) -> None:
    """Mark a walk of the man in the test maze, past the other stones of the real one if there is such a walk."""
    patterns, maze = work.patterns, work.maze
    board = patterns.board
    for real in range(1, -1, -1):
        patterns.counts[TURN] += 1
        turn = patterns.counts[TURN]
        board[MARK, man] = turn
        board[CAME, man] = -1
        board[QUEUE, 0] = man
        head, tail = 0, 1
        while head < tail and board[MARK, target] != turn:
            here = board[QUEUE, head]
            head += 1
            for direction in range(4):
                there = maze[here, direction]
                if there < 0 or board[MARK, there] == turn or board[STANDS, there] != 0:
                    continue
                if real == 1 and work.board[0, there] != 0:
                    continue
                board[MARK, there] = turn
                board[CAME, there] = here
                board[QUEUE, tail] = there
                tail += 1
        if board[MARK, target] == turn:
            while target >= 0:
                board[MAN_WAY, target] = way
                target = board[CAME, target]
            return


# --- the search for a pattern -----------------------------------------------------------------------------------------


def outcome_of_test(work: Any, row: int, size: int, man: int) -> int:
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
    if patterns.keys[slot] == key:
        counts[WAY] += 1
        counts[USED], counts[DEARER] = 0, patterns.outcomes[slot, 1]
        for square in range(board.shape[1]):
            if patterns.ways[slot, square] & 1:
                board[STONE_WAY, square] = counts[WAY]
            if patterns.ways[slot, square] & 2:
                board[MAN_WAY, square] = counts[WAY]
        return int(patterns.outcomes[slot, 0])
    outcome = solve_test(work, row, size, man, work.controls[PATTERN_NODES])
    counts[WAY] += 1
    if outcome == SOLVED:
        mark_solution(work, row, size, man)
    patterns.keys[slot] = key
    patterns.outcomes[slot, 0], patterns.outcomes[slot, 1] = outcome, counts[DEARER]
    for square in range(board.shape[1]):
        stone_way, man_way = board[STONE_WAY, square] == counts[WAY], board[MAN_WAY, square] == counts[WAY]
        patterns.ways[slot, square] = (1 if stone_way else 0) | (2 if man_way else 0)
    return outcome


def next_stone(work: Any, size: int, square: int, man: int) -> int:
    """Return the square of the stone to be added: the nearest in the way of the stones, else of the man; or -1."""
    patterns = work.patterns
    way = patterns.counts[WAY]
    for marks in range(2):
        origin = square if marks == 0 else man
        best, least = -1, 1 << 30
        for stone in range(work.facts[0]):
            here = work.board[1, stone]
            in_way = patterns.board[STONE_WAY + marks, here] == way
            for number in range(size):
                in_way = in_way and patterns.chosen[0, number] != here
            if in_way:
                far = abs(patterns.cells[here, 0] - patterns.cells[origin, 0])
                far += abs(patterns.cells[here, 1] - patterns.cells[origin, 1])
                if far < least:
                    best, least = here, far
        if best >= 0:
            return int(best)
    return -1


def is_worth_it(work: Any, square: int, target: int) -> bool:
    """Tell whether a push looks as if it might have made a pattern: next to another stone, or where the floor is parted now.

    A pattern has two stones or more: the way of a lone one is known.
    """
    board, maze = work.board, work.maze
    if maze[target, 6] != 0 and maze[square, 6] == 0:
        return True
    for direction in range(4):
        one = maze[target, direction]
        if one >= 0:
            if board[0, one] != 0:
                return True
            for aside in range(2):
                corner = maze[one, (2 if direction < 2 else 0) + aside]
                if corner >= 0 and board[0, corner] != 0:
                    return True
    return False


def investigate(work: Any, row: int, move: int, again: bool) -> int:
    """Search for patterns that the last push may have made; return the nodes it took."""
    controls, patterns = work.controls, work.patterns
    if controls[PATTERNS] == 0 or again or row == 0 or move >> 3 * FIELD + 2 & 7 != 0:
        return 0
    square, target = from_square(move), to_square(move)
    if patterns.counts[INVESTED] > controls[PATTERN_RATIO] * (work.facts[6] + 100):
        return 0
    if controls[PATTERN_CHOICE] != 0 and not is_worth_it(work, square, target):
        return 0
    man = square
    size, spent = 1, 0
    patterns.chosen[0, 0] = target
    while spent < controls[PATTERN_EFFORT]:
        outcome = outcome_of_test(work, 0, size, man)
        spent += patterns.counts[USED]
        penalty = INFEASIBLE if outcome == DEADLOCK else patterns.counts[DEARER]
        following = next_stone(work, size, target, man) if outcome == SOLVED else -1
        if penalty > 0 and not (size > 1 and patterns.chosen[2, 0] == penalty):
            patterns.chosen[2, 0] = penalty if outcome != DEADLOCK else 0
            spent += learn(work, size, man, penalty)
        if following < 0 or size >= min(controls[PATTERN_SIZE], LARGEST):
            break
        patterns.chosen[0, size] = following
        size += 1
    patterns.chosen[2, 0] = 0
    patterns.counts[INVESTED] += spent
    return max(spent, 1)


def learn(work: Any, size: int, man: int, penalty: int) -> int:
    """Make a pattern minimal and keep it; return the nodes it took."""
    patterns = work.patterns
    spent, left = 0, size
    for place in range(size):
        patterns.chosen[1, place] = patterns.chosen[0, place]
    place = left - 1
    while place >= 0 and left > 1:
        gone = patterns.chosen[1, place]
        patterns.chosen[1, place] = patterns.chosen[1, left - 1]
        outcome = outcome_of_test(work, 1, left - 1, man)
        spent += patterns.counts[USED]
        same = outcome == DEADLOCK or (penalty < INFEASIBLE and patterns.counts[DEARER] >= penalty)
        if same:
            left -= 1
        else:
            patterns.chosen[1, left - 1] = patterns.chosen[1, place]
            patterns.chosen[1, place] = gone
        place -= 1
    if penalty < INFEASIBLE and left > 1:
        more, penalty = checked_penalty(work, left, man, penalty)
        spent += more
    if penalty > 0:
        keep_pattern(work, left, man, penalty)
    return spent


def checked_penalty(work: Any, size: int, man: int, penalty: int) -> tuple[int, int]:
    """Return the nodes of a search where all stones stay, and the penalty, smaller where that search finds it so.

    A stone that is taken off with its goal may take the goal of another, which then has a longer way.
    """
    counts = work.patterns.counts
    counts[USED], counts[ALL_STAY] = 0, 1
    if solve_dearly(work, 1, size, man, work.controls[PATTERN_NODES]) == SOLVED:
        penalty = min(penalty, counts[DEARER])
    counts[ALL_STAY] = 0
    return int(counts[USED]), int(penalty)


def is_known(work: Any, size: int, man: int) -> bool:
    """Tell whether a pattern of the same stones holds for the man already."""
    patterns = work.patterns
    for place in range(size):
        number = patterns.head[patterns.chosen[1, place]]
        while number >= 0:
            same = patterns.size[number] == size and patterns.area[number, man] != 0
            for one in range(size):
                found = False
                for other in range(size):
                    found = found or patterns.stones[number, one] == patterns.chosen[1, other]
                same = same and found
            if same:
                return True
            number = patterns.next[number]
    return False


def keep_pattern(work: Any, size: int, man: int, penalty: int) -> None:
    """Keep a pattern, in the list of that of its squares which has the fewest."""
    patterns = work.patterns
    number = work.facts[4]
    if number >= min(work.controls[PATTERN_CAPACITY], len(patterns.size)):
        return
    if is_known(work, size, man):
        return
    chosen = patterns.chosen[1, 0]
    for place in range(size):
        square = patterns.chosen[1, place]
        patterns.stones[number, place] = square
        patterns.board[STANDS, square] = 1
        if patterns.board[COUNTED, square] < patterns.board[COUNTED, chosen]:
            chosen = square
    test_walk(work, man)
    turn = patterns.counts[TURN]
    for square in range(patterns.board.shape[1]):
        patterns.area[number, square] = patterns.board[MARK, square] == turn
    for place in range(size):
        patterns.board[STANDS, patterns.chosen[1, place]] = 0
    patterns.size[number], patterns.penalty[number] = size, penalty
    patterns.next[number] = patterns.head[chosen]
    patterns.head[chosen] = number
    patterns.board[COUNTED, chosen] += 1
    work.facts[4] += 1


# --- what was learnt --------------------------------------------------------------------------------------------------


def matches(work: Any, pattern: int, man: int) -> bool:
    """Tell whether the stones of a pattern stand, and the man is where it holds."""
    patterns = work.patterns
    if patterns.area[pattern, man] == 0:
        return False
    for place in range(patterns.size[pattern]):
        if work.board[0, patterns.stones[pattern, place]] == 0:
            return False
    return True


def penalty(work: Any, row: int) -> int:
    """Return what the patterns add to the matching: the penalties of disjoint ones, or an overestimate of all together."""
    patterns, controls = work.patterns, work.controls
    if controls[PATTERNS] == 0 or work.facts[4] == 0:
        return 0
    man = work.kept[row, work.kept.shape[1] - 1]
    found, most = 0, patterns.taken.shape[1]
    for stone in range(work.facts[0]):
        pattern = patterns.head[work.board[1, stone]]
        while pattern >= 0:
            if matches(work, pattern, man):
                if patterns.penalty[pattern] >= INFEASIBLE:
                    return INFEASIBLE
                if found < most:
                    patterns.taken[0, found] = pattern
                    found += 1
            pattern = patterns.next[pattern]
    if found == 0:
        return 0
    for square in range(most):
        patterns.taken[1, square] = 0
    if controls[OVERESTIMATION] != 0:
        return partial_penalties(work, found)
    total = 0
    for _ in range(found):
        best, largest = -1, 0
        for place in range(found):
            pattern = patterns.taken[0, place]
            if pattern < 0 or patterns.penalty[pattern] <= largest:
                continue
            best, largest = place, patterns.penalty[pattern]
        if best < 0:
            break
        pattern = patterns.taken[0, best]
        patterns.taken[0, best] = -1
        free = True
        for place in range(patterns.size[pattern]):
            free = free and patterns.taken[1, patterns.stones[pattern, place]] == 0
        if free:
            total += patterns.penalty[pattern]
            for place in range(patterns.size[pattern]):
                patterns.taken[1, patterns.stones[pattern, place]] = 1
    return int(total)


def partial_penalties(work: Any, found: int) -> int:
    """Return the sum of the largest share of a penalty that a pattern offers to each stone, times a percentage, made even."""
    patterns = work.patterns
    for place in range(found):
        pattern = patterns.taken[0, place]
        share = 1000 * patterns.penalty[pattern] // patterns.size[pattern]
        for number in range(patterns.size[pattern]):
            square = patterns.stones[pattern, number]
            patterns.taken[1, square] = max(patterns.taken[1, square], share)
    total = 0
    for square in range(patterns.taken.shape[1]):
        total += patterns.taken[1, square]
    return int((total * work.controls[PERCENT] // 100 + 1000) // 2000 * 2)
