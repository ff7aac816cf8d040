"""The inner loop of feature-space search.

The *cell* of a position are the features that tell cells, in the best score on its path. The cells take turns with the one that
holds the best position so far: the lightest move of the cell is made, and the moves of the position that it leads to join
that position's cell. A move that an advisor chooses weighs nothing, any other one; weights add up along a path.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.hashing import mix
from searchbench.solvers.guided.featurespace.contract import (
    KEY,
    MOVE,
    RATINGS,
    SCORE,
    SCORE_BITS,
    follow,
    is_lost,
    restore,
    score_position,
    write_macros,
)
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED

STATUS, NODES, POSITIONS, MOVES, CELLS, TURN, ROUND, BEST, ADVISORS, SHIFT = range(10)
"""What the kernel notes: how the call ended, the moves generated, the positions, moves and cells kept, the cell whose turn it
is, the number of the round, the position of the best score (where a move was found that solves: the move), the number of
advisors, and the bits of a score below its cell."""
NOTES: Final = 10
NONE: Final = -1


class Tree(NamedTuple):
    """Hold the positions, their moves in a pairing heap for each cell, and hash tables of positions and of cells."""

    positions: Any
    parents: Any
    leading: Any
    scores: Any
    bests: Any
    weights: Any
    keys: Any
    moves: Any
    orders: Any
    owners: Any
    first: Any
    next: Any
    cells: Any
    roots: Any
    slots: Any
    rows: Any


def new_tree(width: int, advisors: int, moves: int, most: int) -> Tree:
    """Return an empty tree for so many moves; a position has at most `most` of them."""
    bits = max(6, moves.bit_length() - 4)  # most positions have more than 16 moves
    size, cells = 1 << bits, 1 << max(6, min(18, bits))
    return Tree(
        np.zeros((size, width), np.int64), np.zeros(size, np.int32), np.zeros(size, np.int64), np.zeros(size, np.int64),
        np.zeros(size, np.int64), np.zeros(size, np.int32), np.zeros(2 * size, np.int64),
        np.zeros(moves, np.int64), np.zeros(moves, np.int64), np.zeros(moves, np.int32),
        np.zeros(moves, np.int32), np.zeros(moves, np.int32),
        np.zeros(cells, np.int64), np.zeros(cells, np.int32), np.zeros(2 * cells, np.int32),
        np.zeros((most, RATINGS + advisors), np.int64),
    )  # fmt: skip


def meld(tree: Tree, one: int, other: int) -> int:
    """Join two heaps; return the root, the move of the smaller order, the earlier one of the same."""
    orders = tree.orders
    if orders[other] < orders[one] or (orders[other] == orders[one] and other < one):
        one, other = other, one
    tree.next[other] = tree.first[one]
    tree.first[one] = other
    return one


def rest_of(tree: Tree, root: int) -> int:
    """Return the heap without its root."""
    here, joined = tree.first[root], NONE
    while here != NONE:
        other = tree.next[here]
        if other == NONE:
            tree.next[here] = joined
            joined = here
            break
        after = tree.next[other]
        pair = meld(tree, here, other)
        tree.next[pair] = joined
        joined = pair
        here = after
    if joined == NONE:
        return NONE
    found, here = joined, tree.next[joined]
    while here != NONE:
        after = tree.next[here]
        found = meld(tree, found, here)
        here = after
    tree.next[found] = NONE
    return int(found)


def cell_of(tree: Tree, note: Any, features: int) -> int:
    """Return the number of the cell with these features, a new one where there is none."""
    mask = len(tree.slots) - 1
    place = mix(features) & mask
    while tree.slots[place] != 0:
        if tree.cells[tree.slots[place] - 1] == features:
            return int(tree.slots[place] - 1)
        place = (place + 1) & mask
    cell = note[CELLS]
    note[CELLS] += 1
    tree.slots[place] = cell + 1
    tree.cells[cell] = features
    tree.roots[cell] = NONE
    return int(cell)


def is_new(tree: Tree, key: int, enter: bool) -> bool:
    """Tell whether no position has a hash, and enter it if wanted."""
    key |= 1 << 62
    mask = len(tree.keys) - 1
    place = mix(key) & mask
    while tree.keys[place] != 0:
        if tree.keys[place] == key:
            return False
        place = (place + 1) & mask
    if enter:
        tree.keys[place] = key
    return True


def chosen_cell(tree: Tree, note: Any) -> int:
    """Return the cell whose turn it is, with a move in it, or NONE where no cell has one."""
    note[ROUND] += 1
    if note[ROUND] & 1 == 0:
        cell = cell_of(tree, note, tree.bests[note[BEST]] >> note[SHIFT])
        if tree.roots[cell] != NONE:
            return cell
    cells = note[CELLS]
    for step in range(1, cells + 1):
        cell = (note[TURN] + step) % cells
        if tree.roots[cell] != NONE:
            note[TURN] = cell
            return int(cell)
    return NONE


def add_position(work: Any, tree: Tree, note: Any, parent: int, move: int, score: int, weight: int) -> bool:
    """Add the restored position, which stands in the row behind the last, with its moves; tell whether a move solves it."""
    place = note[POSITIONS]
    note[POSITIONS] += 1
    tree.parents[place] = parent
    tree.leading[place] = move
    tree.scores[place] = score
    best = score if parent == NONE else min(score, tree.bests[parent])
    tree.bests[place] = best
    tree.weights[place] = weight
    if score < tree.scores[note[BEST]]:
        note[BEST] = place
    rows = tree.rows
    count = write_macros(work, score, rows)
    note[NODES] += count
    for advisor in range(note[ADVISORS]):  # the move of the smallest rating is marked in the first column of ratings
        chosen = NONE
        for row in range(count):
            rating = rows[row, RATINGS + advisor]
            if rating >= 0 and (chosen == NONE or rating < rows[chosen, RATINGS + advisor]):
                chosen = row
        if chosen != NONE:
            rows[chosen, MOVE] |= 1 << 62
    cell = cell_of(tree, note, best >> note[SHIFT])
    for row in range(count):
        move = rows[row, MOVE]
        advised = move >> 62 & 1 or count <= 2
        move &= (1 << 62) - 1
        if not is_new(tree, rows[row, KEY], False):
            continue
        one = note[MOVES]
        note[MOVES] += 1
        tree.moves[one] = move
        tree.owners[one] = place
        more = 0 if advised else 1
        tree.orders[one] = (weight + more) << SCORE_BITS | rows[row, SCORE]
        tree.first[one] = tree.next[one] = NONE
        if rows[row, SCORE] == 0:
            note[BEST] = one
            return True
        tree.roots[cell] = one if tree.roots[cell] == NONE else meld(tree, tree.roots[cell], one)
    return False


def begin(work: Any, tree: Tree, note: Any) -> None:
    """Enter the position in row 0; note FOUND where it is solved or a move solves it."""
    is_new(tree, restore(work, tree.positions[0]), True)
    score = score_position(work)
    note[STATUS] = PAUSED
    note[NODES] += 1
    if score == 0:
        note[BEST] = NONE
        note[STATUS] = FOUND
    elif is_lost(work):
        note[STATUS] = EXHAUSTED
    else:
        tree.scores[0] = score
        if add_position(work, tree, note, NONE, 0, score, 0):
            note[STATUS] = FOUND


def explore(work: Any, tree: Tree, note: Any, stop: int) -> None:
    """Search on until a solved position, the end, `stop` generated moves, or a full array."""
    status = PAUSED
    while note[NODES] < stop:
        most = len(tree.positions) - 1
        if (
            note[POSITIONS] >= most
            or note[CELLS] >= len(tree.cells) - 1
            or note[MOVES] + len(tree.rows) >= len(tree.moves)
        ):
            status = FULL
            break
        cell = chosen_cell(tree, note)
        if cell == NONE:
            status = EXHAUSTED
            break
        one = tree.roots[cell]
        tree.roots[cell] = rest_of(tree, one)
        place = note[POSITIONS]
        follow(work, tree.positions[tree.owners[one]], tree.moves[one], tree.positions[place])
        if not is_new(tree, restore(work, tree.positions[place]), True) or is_lost(work):
            continue
        order = tree.orders[one]
        score, weight = order & ((1 << SCORE_BITS) - 1), order >> SCORE_BITS
        if add_position(work, tree, note, tree.owners[one], tree.moves[one], score, weight):
            status = FOUND
            break
    note[STATUS] = status


def moves_to(tree: Tree, last: int) -> list[int]:
    """Return the macro moves from the start to the position after a kept move, NONE for the start itself."""
    found: list[int] = []
    if last == NONE:
        return found
    found.append(int(tree.moves[last]))
    place = int(tree.owners[last])
    while place > 0:
        found.append(int(tree.leading[place]))
        place = int(tree.parents[place])
    return found[::-1]
