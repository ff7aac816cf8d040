"""The inner loop of feature-space search.

The *cell* of a position are the features that tell cells, in the best score on its path. The cells take turns with the one that
holds the best position so far: the lightest move of the cell is made, and the moves of the position that it leads to join
that position's cell. A move that an advisor chooses weighs nothing, any other one; weights add up along a path.

A search from the start ends also where it meets a position of a search backwards, and the other way round: positions of
either direction stand in a *perimeter*, by their hashes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.hashing import mix
from searchbench.jit import unowned
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

STATUS, NODES, POSITIONS, MOVES, CELLS, TURN, ROUND, BEST, ADVISORS, SHIFT, MET, OWN, FRESH, LOST, BETTER = range(15)
"""What the kernel notes: how the call ended, the moves generated, the positions, moves and cells kept, the cell whose turn it
is, the number of the round, the position of the best score (where a move was found that solves: the move), the number of
advisors, the bits of a score below its cell, the place in the other perimeter that was met, what stands in the own one
for this search, above the numbers of positions, whether advisors choose among moves to new positions alone, how many
lost positions are remembered, and after how many moves the best score came to a better cell."""
NOTES: Final = 15
NONE: Final = -1
OWNER_BITS: Final = 32
"""The bits of a position's number in a perimeter."""
LOST_EIGHTHS: Final = 3
"""Lost positions take so many eighths of the table of positions, those that are kept at most four; one stays free."""
MOST_PROBES: Final = 32
"""A perimeter has no room for a position when so many places for it are taken."""


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


class Perimeter(NamedTuple):
    """Hold the hashes of positions, and which search has met each as which of its positions."""

    keys: Any
    owners: Any


POSITION_BYTES: Final = 16
"""The bytes of a position in a perimeter."""


def new_perimeter(size: int) -> Perimeter:
    """Return an empty perimeter for so many positions, a power of two."""
    return Perimeter(np.zeros(size, np.int64), np.zeros(size, np.int64))


def enter(perimeter: Perimeter, key: int, owner: int) -> None:
    """Enter a position where there is room."""
    key |= 1 << 62
    mask = len(perimeter.keys) - 1
    place = mix(key) & mask
    for _ in range(MOST_PROBES):
        if perimeter.keys[place] == 0:
            perimeter.keys[place], perimeter.owners[place] = key, owner
            return
        place = (place + 1) & mask


def enter_all(perimeter: Perimeter, keys: Any, owners: Any) -> None:
    """Enter the positions that stand in another perimeter."""
    perimeter, keys, owners = unowned(perimeter), unowned(keys), unowned(owners)
    for one in range(len(keys)):
        if owner_of(perimeter, keys[one]) == NONE:
            enter(perimeter, keys[one], owners[one])


def owner_of(perimeter: Perimeter, key: int) -> int:
    """Return who has entered a position, NONE if nobody has."""
    key |= 1 << 62
    mask = len(perimeter.keys) - 1
    place = mix(key) & mask
    for _ in range(MOST_PROBES):
        if perimeter.keys[place] == key:
            return int(perimeter.owners[place])
        if perimeter.keys[place] == 0:
            return NONE
        place = (place + 1) & mask
    return NONE


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


def remember_lost(tree: Tree, note: Any, key: int) -> None:
    """Remember that a position is lost, where positions that are kept still have room beside it."""
    if note[LOST] < len(tree.keys) * LOST_EIGHTHS // 8:
        note[LOST] += 1
        is_new(tree, key, True)


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


def add_position(
    work: Any, tree: Tree, own: Perimeter, other: Perimeter, note: Any, key: int, parent: int, move: int, order: int
) -> bool:
    """Add the restored position, which stands in the row behind the last, with its moves; tell whether a move solves it."""
    score, weight = order & ((1 << SCORE_BITS) - 1), order >> SCORE_BITS
    place = note[POSITIONS]
    note[POSITIONS] += 1
    enter(own, key, note[OWN] + place)
    tree.parents[place] = parent
    tree.leading[place] = move
    tree.scores[place] = score
    best = score if parent == NONE else min(score, tree.bests[parent])
    tree.bests[place] = best
    tree.weights[place] = weight
    if score < tree.scores[note[BEST]]:
        if score >> note[SHIFT] < tree.scores[note[BEST]] >> note[SHIFT]:
            note[BETTER] = note[NODES]
        note[BEST] = place
    rows = tree.rows
    count = write_macros(work, score, rows)
    note[NODES] += count
    for advisor in range(note[ADVISORS]):  # the move of the smallest rating is marked in the first column of ratings
        chosen = NONE
        for row in range(count):
            rating = rows[row, RATINGS + advisor]
            if rating < 0 or (chosen != NONE and rating >= rows[chosen, RATINGS + advisor]):
                continue
            if note[FRESH] == 0 or is_new(tree, rows[row, KEY], False):
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
        note[MET] = owner_of(other, rows[row, KEY])
        if rows[row, SCORE] == 0 or note[MET] != NONE:
            note[BEST] = one
            return True
        tree.roots[cell] = one if tree.roots[cell] == NONE else meld(tree, tree.roots[cell], one)
    return False


def begin(work: Any, tree: Tree, own: Perimeter, other: Perimeter, roots: Any, note: Any) -> int:
    """Enter the positions to begin with; return FOUND where one is solved or a move solves one."""
    note[MET] = NONE
    for root in range(len(roots)):
        place = note[POSITIONS]
        for column in range(roots.shape[1]):
            tree.positions[place, column] = roots[root, column]
        key = restore(work, tree.positions[place])
        if not is_new(tree, key, True):
            continue
        score = score_position(work)
        note[NODES] += 1
        if score == 0:
            note[BEST] = NONE
            return FOUND
        if is_lost(work):
            continue
        if place == 0:
            tree.scores[0] = score
        if add_position(work, tree, own, other, note, key, NONE, 0, score):
            return FOUND
    return PAUSED


def explore(work: Any, tree: Tree, own: Perimeter, other: Perimeter, roots: Any, note: Any, stop: int) -> None:
    """Search on until a solved position, the end, `stop` generated moves, or a full array; begin with the roots."""
    work, tree, own, other = unowned(work), unowned(tree), unowned(own), unowned(other)
    roots, note = unowned(roots), unowned(note)
    status = PAUSED
    if note[NODES] == 0:
        status = begin(work, tree, own, other, roots, note)
    while status == PAUSED and note[NODES] < stop:
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
        key = restore(work, tree.positions[place])
        if not is_new(tree, key, False):
            continue
        if is_lost(work):
            remember_lost(tree, note, key)
            continue
        is_new(tree, key, True)
        if add_position(work, tree, own, other, note, key, tree.owners[one], tree.moves[one], tree.orders[one]):
            status = FOUND
            break
    note[STATUS] = status


def moves_to(tree: Tree, last: int) -> list[tuple[int, int]]:
    """Return the macro moves up to a kept move, each with the position before it; NONE for a solved start."""
    if last == NONE:
        return []
    place = int(tree.owners[last])
    return [*moves_before(tree, place), (int(tree.moves[last]), place)]


def moves_before(tree: Tree, place: int) -> list[tuple[int, int]]:
    """Return the macro moves up to a position, each with the position before it."""
    found: list[tuple[int, int]] = []
    while tree.parents[place] != NONE:
        found.append((int(tree.leading[place]), int(tree.parents[place])))
        place = int(tree.parents[place])
    return found[::-1]
