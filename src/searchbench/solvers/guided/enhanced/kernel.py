"""The inner loop of enhanced IDA*: depth-first search below a bound with all its enhancements as switches at run time.

All that is known between two calls stands in arrays: the path, the moves of its rows that are still to be tried, and the counts.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.hashing import mix
from searchbench.solvers.guided.enhanced.contract import (
    INFEASIBLE,
    brings_home,
    candidates,
    estimate,
    identify,
    investigate,
    is_solved,
    learnt,
    length,
    make,
    penalty,
    related,
    same_piece,
    unmake,
)
from searchbench.solvers.guided.enhanced.controls import ALLOWED, GOAL_CUTS, RELEVANCE, TABLE, WINDOW
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED

STATUS, THRESHOLD, NODES, EXTRA, DEPTH, EXCEEDED, STEP, CHANCE, SEED = range(9)
"""What the kernel notes: how the call ended, the bound, the nodes of the search and those of searches for patterns, the depth,
what was left for a larger threshold, the step of the threshold, and the degree and the seed of randomness."""
NOTES: Final = 9
BY_BOUND, OTHERWISE = 1, 2
"""Why positions were left for a larger threshold: their own bound, or the table or a relevance cut alone."""

MOVE, COST, BOUND, BEGIN, NEXT, END, KEY, ENTERED, UNRELATED, REPORT, LEARNT, REVIEWED = range(12)
"""What stands in a row of the path: the move to it, its cost, its bound without patterns, where its moves begin, the next one to
try, their end, the key, the nodes at its entrance, whether the move was not local, what it reports, what was learnt then, and
the most nodes of a position below that were searched in vain before patterns were looked for once more."""
COLUMNS: Final = 12

MOST_MOVES: Final = 1 << 14
"""The most moves of a position: four for each square of the largest level."""
BUCKET: Final = 4
ENTRY_BYTES: Final = 16
"""The bytes of an entry of the table."""
NO_TABLE: Final = 2
"""The binary logarithm of the entries where there is no table: it is a token."""
FILTER: Final = 4096
"""Keys on the path are counted by so many residues: only where one is met again, the path is searched."""
SUBTREE: Final = 16
"""The bits of a word of the table below those of the nodes of the subtree: the bound, and one that tells of an investigation."""
LARGEST: Final = (1 << 40) - 1
INVESTIGATED: Final = 1 << 15


class Memory(NamedTuple):
    """The transposition table, the counts of the keys on the path, the path, and the moves of its rows with their ratings."""

    keys: Any
    words: Any
    on_path: Any
    path: Any
    moves: Any


def word_of(memory: Memory, key: int) -> int:
    """Return the word of a key in the table, 0 if there is none."""
    first = key & (len(memory.keys) - BUCKET)
    for place in range(first, first + BUCKET):
        if memory.words[place] != 0 and memory.keys[place] == key:
            return int(memory.words[place])
    return 0


def keep(memory: Memory, key: int, bound: int, nodes: int, investigated: int) -> None:
    """Enter a bound in the table, in the place of an old one of the key, or of the smallest subtree in the bucket."""
    first = key & (len(memory.keys) - BUCKET)
    chosen, least = first, LARGEST + 1
    for place in range(first, first + BUCKET):
        if memory.words[place] == 0 or memory.keys[place] == key:
            chosen = place
            break
        subtree = memory.words[place] >> SUBTREE
        if subtree < least:
            chosen, least = place, subtree
    memory.keys[chosen] = key
    memory.words[chosen] = min(nodes, LARGEST) << SUBTREE | min(bound, INVESTIGATED - 1) | investigated


def repeats(memory: Memory, key: int, depth: int) -> bool:
    """Tell whether a key stands on the path above a row."""
    if memory.on_path[key & (FILTER - 1)] == 0:
        return False
    for row in range(depth - 1, -1, -1):
        if memory.path[row, KEY] == key:
            return True
    return False


def arrange(moves: Any, first: int, end: int, chance: int, seed: int) -> None:
    """Bring moves into the order of their ratings, which chance may raise; those of the same rating stay as they are."""
    for place in range(first, end):
        move, rating = moves[place, 0], moves[place, 1]
        if chance > 0:
            rating += mix(move ^ mix(seed + place)) % (4 * chance + 1)
        at = place
        while at > first and moves[at - 1, 1] > rating:
            moves[at, 0] = moves[at - 1, 0]
            moves[at, 1] = moves[at - 1, 1]
            at -= 1
        moves[at, 0] = move
        moves[at, 1] = rating


def is_irrelevant(work: Any, controls: Any, path: Any, depth: int, move: int) -> int:
    """Return 0 for a move that is local to the one before, 1 for one that is not, and 2 where there were too many of these."""
    if related(work, path[depth, MOVE], move):
        return 0
    count, row = 1, depth
    while row > 0 and row > depth - controls[WINDOW] + 1 and not brings_home(path[row, MOVE]):
        count += path[row, UNRELATED]
        row -= 1
    return 2 if count > controls[ALLOWED] else 1


def enter(work: Any, controls: Any, memory: Memory, note: Any, depth: int) -> int:
    """Enter the row at the end of the path: bounds, table, patterns, moves; return FOUND for a solved one, else PAUSED."""
    path, moves = memory.path, memory.moves
    cost, move = path[depth, COST], path[depth, MOVE]
    left = note[THRESHOLD] - cost
    begin = path[depth, BEGIN]
    path[depth, NEXT] = path[depth, END] = begin
    path[depth, REPORT] = path[depth, REVIEWED] = 0
    path[depth, KEY] = -1
    path[depth, ENTERED] = note[NODES] + note[EXTRA]
    note[NODES] += 1
    bound = estimate(work, depth, move)
    path[depth, BOUND] = bound
    if bound > left:
        if bound < INFEASIBLE:
            note[EXCEEDED] |= BY_BOUND
        return PAUSED
    if is_solved(work, depth):
        return FOUND
    key = identify(work, depth)
    more = penalty(work, depth)
    if bound + more > left:
        if more < INFEASIBLE:
            note[EXCEEDED] |= BY_BOUND
        return PAUSED
    again = 0
    if controls[TABLE] != 0:
        if repeats(memory, key, depth):
            return PAUSED
        word = word_of(memory, key)
        if word & (INVESTIGATED - 1) > left:
            note[EXCEEDED] |= OTHERWISE
            return PAUSED
        again = word & INVESTIGATED
    effort = investigate(work, depth, move, 0) if again == 0 else 0
    if effort > 0:
        note[EXTRA] += effort
        if controls[TABLE] != 0 and again == 0:
            again = INVESTIGATED
            keep(memory, key, 1, 0, INVESTIGATED)
        more = penalty(work, depth)
        if bound + more > left:
            if more < INFEASIBLE:
                note[EXCEEDED] |= BY_BOUND
            return PAUSED
    path[depth, LEARNT] = learnt(work)
    path[depth, KEY] = key
    memory.on_path[key & (FILTER - 1)] += 1
    path[depth, END] = candidates(work, depth, move, moves, begin, note[CHANCE])
    arrange(moves, begin, path[depth, END], note[CHANCE], note[SEED])
    return PAUSED


def leave(controls: Any, memory: Memory, note: Any, depth: int) -> None:
    """Leave a row in vain: enter its bound in the table."""
    path = memory.path
    key = path[depth, KEY]
    if key < 0:
        return
    memory.on_path[key & (FILTER - 1)] -= 1
    path[depth, KEY] = -1
    if controls[TABLE] != 0:
        known = word_of(memory, key) & INVESTIGATED
        nodes = note[NODES] + note[EXTRA] - path[depth, ENTERED]
        keep(memory, key, note[THRESHOLD] - path[depth, COST] + note[STEP], nodes, known)


def review(work: Any, note: Any, path: Any, depth: int) -> None:
    """Look for patterns once more in a row whose moves were tried in vain, where that took long."""
    nodes = note[NODES] + note[EXTRA] - path[depth, ENTERED]
    if path[depth, KEY] >= 0 and nodes >= 2 * path[depth, REVIEWED]:
        effort = investigate(work, depth, path[depth, MOVE], nodes)
        if effort > 0:
            note[EXTRA] += effort
            path[depth, REVIEWED] = nodes


def is_refuted(work: Any, note: Any, path: Any, depth: int) -> bool:
    """Tell whether patterns that were learnt below a row lift its bound above the threshold."""
    if learnt(work) == path[depth, LEARNT]:
        return False
    path[depth, LEARNT] = learnt(work)
    identify(work, depth)
    more = penalty(work, depth)
    if path[depth, COST] + path[depth, BOUND] + more <= note[THRESHOLD]:
        return False
    if more < INFEASIBLE:
        note[EXCEEDED] |= BY_BOUND
    return True


def deepen(work: Any, controls: Any, memory: Memory, note: Any, stop: int) -> None:
    """Search on below the threshold until a solved position, the end, `stop` nodes of both kinds, or a full array."""
    path, moves = memory.path, memory.moves
    depth = note[DEPTH]
    status = PAUSED
    fresh = True
    while True:
        if fresh:
            if note[NODES] + note[EXTRA] >= stop:
                break
            if depth + 2 >= len(path) or path[depth, BEGIN] + MOST_MOVES >= len(moves):
                status = FULL
                break
            fresh = False
            if enter(work, controls, memory, note, depth) == FOUND:
                status = FOUND
                break
        if path[depth, NEXT] < path[depth, END] and not is_refuted(work, note, path, depth):
            move = moves[path[depth, NEXT], 0]
            path[depth, NEXT] += 1
            unrelated = 0
            if controls[RELEVANCE] != 0 and depth > 0:
                unrelated = is_irrelevant(work, controls, path, depth, move)
                if unrelated == 2:
                    note[EXCEEDED] |= OTHERWISE
                    continue
            make(work, depth, move)
            path[depth + 1, MOVE] = move
            path[depth + 1, COST] = path[depth, COST] + length(move)
            path[depth + 1, BEGIN] = path[depth, END]
            path[depth + 1, UNRELATED] = unrelated
            depth += 1
            fresh = True
            continue
        if path[depth, NEXT] == path[depth, END]:
            review(work, note, path, depth)
        leave(controls, memory, note, depth)
        if depth == 0:
            status = EXHAUSTED
            break
        move, report = path[depth, MOVE], path[depth, REPORT]
        depth -= 1
        path[depth, REVIEWED] = max(path[depth, REVIEWED], path[depth + 1, REVIEWED])
        unmake(work, depth, move)
        if controls[GOAL_CUTS] != 0 and depth > 0:
            if report != 0:  # the piece was taken home below, and nothing else was tried: nothing else is tried here
                path[depth, NEXT] = path[depth, END]
            if report != 0 or brings_home(move):
                path[depth, REPORT] = same_piece(path[depth, MOVE], move)
    note[DEPTH] = depth
    note[STATUS] = status


def new_memory(bits: int, rows: int, moves: int) -> Memory:
    """Return an empty table of 2^bits entries, and room for a path."""
    size = max(1 << bits, BUCKET)
    return Memory(
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(FILTER, np.int64),
        np.zeros((rows, COLUMNS), np.int64), np.zeros((moves, 2), np.int64),
    )  # fmt: skip
