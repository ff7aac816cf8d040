"""The test maze of a pattern search: the level with few of its stones, the man's walks, and stones that come to goals alone.

A stone that comes to the goal of its matching at the matching's cost, while the others stand, is *taken home*: off the
maze at once, with its goal. Where the question is whether there is any solution, a stone that comes to any goal is
*taken off*, and the goal stays free (Junghanns and Schaeffer 2001, sections 4.1 and 6.3).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import AT, GOAL, LIVE, MARKS, STONES, flood, has_row_beside, walk
from searchbench.games.sokoban.enhanced.corral import find_corral
from searchbench.games.sokoban.tables import LevelTables
from searchbench.hashing import mix
from searchbench.heuristics.matching import FIELDS, match_pieces, new_scratch
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE

LARGEST: Final = 12
"""The most stones of a pattern."""
LONGEST_CALL: Final = 20_000
"""The most nodes of a search of a test maze."""
BUCKETS: Final = 256
"""Solutions that are longer than the matching by as much are not looked for."""

STANDS: Final = AT
MARK, QUEUE, STONE_WAY, MAN_WAY, CAME, COUNTED, REACHED = range(16, 23)
"""The rows of the test maze's board: stones, marks and a queue for walks, the squares of a solution, how many
patterns a square has, and marks for the walk of a node whose stones are taken off. The rows between belong to walls
and corrals, as on the board of a search."""
MET, BEFORE, WAITING = range(3)
"""The rows of `lone`, for a stone that is pushed while the others stand: the generation in which a place was met, the
place before it, and a stack. A place is 4 times a square, plus the direction of the push that came to it."""
MAN, COST, BOUND, PARENT, MOVE, LINK = range(6)
"""What a node holds beside the squares of its stones; a stone that is taken off has the square -1 less its goal."""
TURN, WAY, INVESTED, BASE_BOUND, SOLUTION, USED, DEARER, LONE_TURN, REACHED_TURN, SLOTS, CORRAL = range(11)
"""What is counted: walks, solutions, the nodes of all pattern searches, and of the last test maze its bound, its
solved node, its nodes, and by how much a solution is at least dearer than its bound; the walks of lone stones, and of nodes
whose stones are taken off; the slots in use, and whether the node whose pushes are made has a PI-corral."""
FEW_SLOTS: Final = 1 << 11
"""The slots of a search that is short, as most are."""
CACHED: Final = 13
"""The bits of a place among the test mazes whose outcome is kept."""


class Patterns(NamedTuple):
    """Hold what was learnt, and the test maze.

    Of each pattern: the squares of its `stones`, their number in `size`, the penalty, the man's squares in `area`, and
    in `next` the next pattern in the list of the same square; the lists begin in `head`.
    """

    base: Base
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


def patterns_of(base: Base, tables: LevelTables, used: bool, capacity: int) -> Patterns:
    """Return room for patterns of a level; token arrays if it is not `used`."""
    level = tables.level
    squares, goals = len(level.cells), len(level.goals)
    room, nodes = (max(capacity, 1), LONGEST_CALL + 1) if used else (1, 1)
    cached = 1 << CACHED if used else 1
    board = np.zeros((REACHED + 1, squares), MARKS)
    return Patterns(
        base._replace(board=board, facts=np.zeros_like(base.facts)),
        np.zeros((room, LARGEST), np.int16), np.zeros(room, np.int16), np.zeros(room, np.int32),
        np.zeros((room, squares), np.uint8), np.full(squares, -1, np.int32), np.zeros(room, np.int32),
        board, np.zeros((nodes, LARGEST), np.int16), np.zeros((nodes, 6), np.int64),
        np.zeros(1 << 15 if used else 1, np.int32), np.zeros(BUCKETS, np.int32), np.zeros(CORRAL + 1, np.int64),
        np.zeros((6, LARGEST + 4), np.int64), np.zeros((1, FIELDS * goals), np.int32), new_scratch(goals),
        np.array(level.cells, np.int32), np.zeros((3, squares), np.int64),
        np.zeros(cached, np.int64), np.zeros((cached, 3), np.int32), np.zeros((cached, squares), np.uint8),
        np.zeros((3, 8 * squares), MARKS),
    )  # fmt: skip


# --- the test maze ----------------------------------------------------------------------------------------------------


def test_walk(work: Any, man: int) -> int:
    """Mark the squares that the man can walk to in the test maze, and return the lowest."""
    patterns, board = work.patterns, work.patterns.board
    patterns.counts[TURN] += 1
    return flood(work.maze, board[STANDS], board[MARK], board[QUEUE], man, patterns.counts[TURN])


def walk_of_node(work: Any, node: int, size: int) -> None:
    """Mark the squares that the man of a node can walk to, for all its pushes, and its PI-corral if there is one."""
    patterns, base = work.patterns, work.patterns.base
    stand(work, node, size, 1)
    walk(base, patterns.nodes[node, MAN])
    base.facts[STONES] = 0
    for stone in range(size):
        base.facts[STONES] += patterns.squares[node, stone] >= 0
    patterns.counts[CORRAL] = find_corral(base)
    stand(work, node, size, 0)


def begin_reach(work: Any, man: int) -> None:
    """Mark the squares that the man can walk to before stones are taken off."""
    patterns, board = work.patterns, work.patterns.board
    patterns.counts[REACHED_TURN] += 1
    flood(work.maze, board[STANDS], board[REACHED], board[QUEUE], man, patterns.counts[REACHED_TURN])


def extend_reach(work: Any, square: int) -> None:
    """Mark what else the man can walk to since a stone on a square was taken off."""
    maze, board, turn = work.maze, work.patterns.board, work.patterns.counts[REACHED_TURN]
    for direction in range(4):
        beside = maze[square, direction]
        if beside >= 0 and board[REACHED, beside] == turn:
            flood(maze, board[STANDS], board[REACHED], board[QUEUE], square, turn)
            return


def lowest_reached(work: Any) -> int:
    """Return the lowest of the squares that the man can walk to since stones were taken off."""
    board, turn, lowest = work.patterns.board, work.patterns.counts[REACHED_TURN], 0
    while board[REACHED, lowest] != turn:
        lowest += 1
    return lowest


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


def clear_slots(patterns: Any, limit: int) -> None:
    """Forget the nodes of the search before; the next one has at most `limit`."""
    slots = FEW_SLOTS if limit <= FEW_SLOTS // 2 else len(patterns.slots)
    patterns.counts[SLOTS] = slots
    for slot in range(slots):
        patterns.slots[slot] = 0


def arrange_stones(patterns: Any, node: int, size: int) -> None:
    """Bring the stones of a node into the order of their squares, as it does not matter which one stands where."""
    for place in range(1, size):
        square, before = patterns.squares[node, place], place
        while before > 0 and patterns.squares[node, before - 1] > square:
            patterns.squares[node, before] = patterns.squares[node, before - 1]
            before -= 1
        patterns.squares[node, before] = square


def known_node(work: Any, node: int, size: int, lowest: int) -> bool:
    """Tell whether the last node repeats one before, whichever stones stand where; enter it if it does not."""
    patterns = work.patterns
    arrange_stones(patterns, node, size)
    mask = patterns.counts[SLOTS] - 1
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


def walk_round(work: Any, square: int, man: int) -> int:
    """Mark where the man can go while a stone that was taken off the board stands on a square; return the mark."""
    patterns = work.patterns
    patterns.board[STANDS, square] = 1
    test_walk(work, man)
    patterns.board[STANDS, square] = 0
    return int(patterns.counts[TURN])


def has_way_beside(work: Any, here: int, arrived: int, man: int, side: int) -> bool:
    """Tell whether the man, who has pushed a stone onto a square, can walk right along it to the square on a side of it.

    The square on that side is free.
    """
    maze, stands = work.maze, work.patterns.board[STANDS]
    if side != arrived:
        corner = maze[man, side]
        return bool(corner >= 0 and stands[corner] == 0)
    return has_row_beside(maze, stands, man, here, maze[here, side], side)


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

    The stone is not on the board, but the squares that the man reaches while it stands there are marked. With `real` it does
    not cross the stones of the real maze.
    """
    patterns, maze, costs, side = work.patterns, work.maze, work.costs, work.side
    board, lone = patterns.board, patterns.lone
    if (goal < 0 and maze[square, GOAL] >= 0) or (goal >= 0 and maze[square, GOAL] == goal):
        return 4 * square
    patterns.counts[LONE_TURN] += 1
    turn, marked, top = patterns.counts[LONE_TURN], 0, 0
    here, arrived, left = square, -1, costs[4 * square + side[square, man], max(goal, 0)]
    while True:
        for direction in range(4):
            behind, target = maze[here, direction ^ 1], maze[here, direction]
            if behind < 0 or target < 0 or board[STANDS, behind] != 0 or board[STANDS, target] != 0:
                continue
            place = 4 * target + direction
            if lone[MET, place] == turn or maze[target, LIVE] == 0:
                continue
            if goal >= 0 and costs[4 * target + side[target, here], goal] != left - 1:
                continue
            if real and work.board[AT, target] != 0 and target != square:
                continue
            if arrived < 0:
                if board[REACHED, behind] != patterns.counts[REACHED_TURN]:
                    continue
            elif behind != man and not has_way_beside(work, here, arrived, man, direction ^ 1):
                if marked == 0:  # few pushes need to know all squares that the man can walk to
                    marked = walk_round(work, here, man)
                if board[MARK, behind] != marked:
                    continue
            lone[MET, place] = turn
            lone[BEFORE, place] = 4 * here + arrived if arrived >= 0 else -1
            if (goal < 0 and maze[target, GOAL] >= 0) or (goal >= 0 and maze[target, GOAL] == goal):
                return int(place)
            lone[WAITING, top] = place
            top += 1
        if top == 0:
            return -1
        top -= 1
        here, arrived = lone[WAITING, top] >> 2, lone[WAITING, top] & 3
        man = maze[here, arrived ^ 1]
        marked, left = 0, costs[4 * here + side[here, man], max(goal, 0)]


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
                if real == 1 and work.board[AT, there] != 0:
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
    saved, changed = 0, True
    begin_reach(work, man)
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
                extend_reach(work, square)
                changed = True
            else:
                patterns.board[STANDS, square] = 1
    return int(saved)


def take_off(work: Any, node: int, size: int, man: int) -> int:
    """Take all stones off that come to any goal; return how many are left. Those of the node stand."""
    patterns = work.patterns
    left, changed = 0, True
    begin_reach(work, man)
    while changed:
        changed, left = False, 0
        for stone in range(size):
            square = patterns.squares[node, stone]
            if square < 0:
                continue
            patterns.board[STANDS, square] = 0
            if lone_way(work, square, -1, man, False) >= 0:
                patterns.squares[node, stone] = -1
                extend_reach(work, square)
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
