"""Keep the tree of proof-number search in arrays (Allis 1994, sections 2.2 and 2.3.1).

The children of a node are a linked list. Solved children leave it at once, and their rows are used again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.run import Branch
from searchbench.slots import constant
from searchbench.solvers.proof.path import NEVER

KEEP_SOLVED: Final = constant("KEEP_SOLVED", False)
"""Whether solved subtrees stay in the tree, to compare with."""
INFINITE: Final = 1 << 30
"""The proof number of a disproved node; sums of finite numbers stay below it."""
LARGEST_FIRST: Final = 1 << 24
"""The largest number with which a node begins."""
NONE: Final = -1
# The places of `note`: nodes created, nodes in the tree now, their peak, developments. The free nodes are a list that
# begins at FREE, and all nodes from FRESH on. LEVELS counts second-level trees.
CREATED, LIVE, PEAK, DEVELOPED, FREE, FRESH, STATUS, LEVELS = range(8)
NOTES: Final = 8
# The columns of a node: the low bits of the move to it, its first child and next sibling, its numbers, its tally; and the high
# bits of the move, in a tree of wide moves. A node does not know its parent: the search keeps the nodes of its path.
MOVE, CHILD, SIBLING, PROOF, DISPROOF, TALLY, HIGH = range(7)
_NARROW, _WIDE = 6, 7
_COLUMN_BYTES: Final = 4
_LOW_BITS: Final = 32
# A tally, from its low bits on: the path dependence of solved children; whether a second-level tree is kept below the node;
# and the nodes created below it. The first and the last stop at their largest value: then a result is not stored that could be,
# or is dropped from a crowded table before it should be.
_DEPENDENCE_BITS: Final = 10
_INDEPENDENT: Final = (1 << _DEPENDENCE_BITS) - 1
_HELD: Final = 1 << _DEPENDENCE_BITS
_WORK_SHIFT: Final = _DEPENDENCE_BITS + 1
_MOST_WORK: Final = (1 << (31 - _WORK_SHIFT)) - 1


def limited(told: int) -> int:
    """Return a first number that a game tells as one that a node may begin with: neither decided nor beyond all sums."""
    return min(max(1, told), LARGEST_FIRST)


class Numbers(NamedTuple):
    """The initial proof and disproof numbers of a state, and its path dependence if it is solved."""

    proof: int
    disproof: int
    path_dependence: int


class Tree(NamedTuple):
    """The nodes: a row of numbers for each (columns MOVE .. TALLY, and HIGH if moves are wide)."""

    node: Any


def node_bytes(wide: bool = False) -> int:
    """Return the memory of a node."""
    return _COLUMN_BYTES * (_WIDE if wide else _NARROW)


def new_tree(size: int, wide: bool = False) -> Tree:
    """Allocate a tree of `size` nodes; unless it is `wide`, moves must fit into 32 bits."""
    return Tree(np.empty((size, _WIDE if wide else _NARROW), np.int32))


def is_wide(tree: Tree) -> bool:
    """Return whether any move fits into the tree."""
    return bool(tree.node.shape[1] == _WIDE)


def fits(tree: Tree, move: int) -> bool:
    """Return whether a move fits into the tree."""
    return is_wide(tree) or -(1 << (_LOW_BITS - 1)) <= move < 1 << (_LOW_BITS - 1)


def widened(tree: Tree, size: int, count: int) -> Tree:
    """Return a tree of wide moves, with `size` nodes, of which the first `count` are those of a tree of narrow ones."""
    new = new_tree(size, True)
    new.node[:count, :_NARROW] = tree.node[:count]
    new.node[:count, HIGH] = tree.node[:count, MOVE] >> (_LOW_BITS - 1)
    return new


def move_to(tree: Tree, node: int) -> int:
    """Return the move to a node."""
    low = int(tree.node[node, MOVE])
    if is_wide(tree):
        return (int(tree.node[node, HIGH]) << _LOW_BITS) | (low & ((1 << _LOW_BITS) - 1))
    return low


def path_dependence(tree: Tree, node: int) -> int:
    """Return the path dependence of a node's solved children, or its own; NEVER if there is none."""
    depth = int(tree.node[node, TALLY]) & _INDEPENDENT
    return NEVER if depth == _INDEPENDENT else depth


def depend(tree: Tree, node: int, depth: int) -> None:
    """Set the path dependence of a node."""
    tree.node[node, TALLY] = (int(tree.node[node, TALLY]) & ~_INDEPENDENT) | (
        _INDEPENDENT if depth == NEVER else min(depth, _INDEPENDENT - 1)
    )


def work_below(tree: Tree, node: int) -> int:
    """Return the number of nodes created below a node, itself included."""
    return int(tree.node[node, TALLY]) >> _WORK_SHIFT


def add_work(tree: Tree, node: int, more: int) -> None:
    """Add to the number of nodes created below a node."""
    more = min(more, _MOST_WORK - work_below(tree, node))
    tree.node[node, TALLY] = int(tree.node[node, TALLY]) + (more << _WORK_SHIFT)


def is_held(tree: Tree, node: int) -> bool:
    """Return whether a second-level tree is kept below a node."""
    return bool(int(tree.node[node, TALLY]) & _HELD)


def hold(tree: Tree, node: int, held: bool) -> None:
    """Tell whether a second-level tree is kept below a node."""
    tree.node[node, TALLY] = (int(tree.node[node, TALLY]) & ~_HELD) | (_HELD if held else 0)


def plant(tree: Tree, note: Any) -> None:
    """Make the tree a single root, node 0."""
    note[FREE] = NONE
    note[FRESH] = 0
    note[LIVE] = 0
    add(tree, 0, Numbers(1, 1, NEVER), note)


def add(tree: Tree, move: int, numbers: Numbers, note: Any) -> int:
    """Add a leaf, without a parent so far, and return it. The move must fit into the tree."""
    node = note[FREE]
    if node != NONE:
        note[FREE] = tree.node[node, SIBLING]
    else:
        node = note[FRESH]
        note[FRESH] += 1
    note[LIVE] += 1
    note[PEAK] = max(note[PEAK], note[LIVE])
    half = 1 << (_LOW_BITS - 1)
    tree.node[node, MOVE] = ((move + half) & ((1 << _LOW_BITS) - 1)) - half
    if is_wide(tree):
        tree.node[node, HIGH] = move >> _LOW_BITS
    tree.node[node, CHILD] = NONE
    tree.node[node, SIBLING] = NONE
    tree.node[node, PROOF] = numbers.proof
    tree.node[node, DISPROOF] = numbers.disproof
    tree.node[node, TALLY] = (1 << _WORK_SHIFT) | _INDEPENDENT
    return int(node)


def free(tree: Tree, top: int, note: Any) -> None:
    """Free a node that has left its parent's list, and all its descendants."""
    tree.node[top, SIBLING] = NONE
    while top != NONE:
        below = tree.node[top, CHILD]
        if below != NONE:  # put the children in front of their parent in the list
            tree.node[top, CHILD] = NONE
            last = below
            while tree.node[last, SIBLING] != NONE:
                last = tree.node[last, SIBLING]
            tree.node[last, SIBLING] = top
            top = below
        else:
            following = tree.node[top, SIBLING]
            tree.node[top, SIBLING] = note[FREE]
            note[FREE] = top
            note[LIVE] -= 1
            top = following


def free_children(tree: Tree, node: int, note: Any) -> None:
    """Free all descendants of a node."""
    child = tree.node[node, CHILD]
    tree.node[node, CHILD] = NONE
    while child != NONE:
        following = tree.node[child, SIBLING]
        free(tree, child, note)
        child = following


def solve(tree: Tree, node: int, proved: bool, dependence: int) -> None:
    """Mark a node as proved or disproved."""
    tree.node[node, PROOF] = 0 if proved else INFINITE
    tree.node[node, DISPROOF] = INFINITE if proved else 0
    depend(tree, node, dependence)


def drop_below_children(tree: Tree, node: int, note: Any) -> None:
    """Make all children of a node leaves, which keep their numbers."""
    child = tree.node[node, CHILD]
    while child != NONE:
        free_children(tree, child, note)
        child = tree.node[child, SIBLING]


def set_numbers(tree: Tree, node: int, note: Any) -> int:
    """Compute a node's numbers from its children's, and drop solved children; return the move that proves it."""
    proof, disproof = INFINITE, 0
    before = NONE
    child = tree.node[node, CHILD]
    while child != NONE:
        following = tree.node[child, SIBLING]
        if tree.node[child, PROOF] == 0 or tree.node[child, DISPROOF] == 0:
            add_work(tree, node, work_below(tree, child))
        if tree.node[child, DISPROOF] == 0:
            solve(tree, node, True, path_dependence(tree, child))
            return move_to(tree, child)
        if tree.node[child, PROOF] == 0:
            depend(tree, node, min(path_dependence(tree, node), path_dependence(tree, child)))
            if KEEP_SOLVED:
                before = child
            else:
                if before == NONE:
                    tree.node[node, CHILD] = following
                else:
                    tree.node[before, SIBLING] = following
                free(tree, child, note)
        else:
            proof = min(proof, tree.node[child, DISPROOF])
            disproof = min(disproof + tree.node[child, PROOF], INFINITE - 1)
            before = child
        child = following
    tree.node[node, PROOF] = proof
    tree.node[node, DISPROOF] = disproof
    return 0


def most_proving_child(tree: Tree, node: int) -> int:
    """Return the first child whose disproof number is the node's proof number."""
    child = tree.node[node, CHILD]
    while tree.node[child, DISPROOF] != tree.node[node, PROOF]:
        child = tree.node[child, SIBLING]
    return int(child)


def children_of(tree: Tree, node: int) -> list[int]:
    """Return the children of a node that are in the tree."""
    found, child = [], int(tree.node[node, CHILD])
    while child != NONE:
        found.append(child)
        child = int(tree.node[child, SIBLING])
    return found


def top_of(tree: Tree, most: int) -> Branch:
    """Return the top of the tree: the line to the most-proving node with what branches off, then level by level.

    No further node is opened once `most` are shown.
    """
    opened: dict[int, list[int]] = {}
    shown = node = 0
    while tree.node[node, CHILD] != NONE and shown < most:
        opened[node] = children_of(tree, node)
        shown += len(opened[node])
        if tree.node[node, PROOF] == 0 or tree.node[node, DISPROOF] == 0:
            break
        node = int(most_proving_child(tree, node))
    level = [0]
    while level and shown < most:
        following = []
        for node in level:
            if node not in opened and tree.node[node, CHILD] != NONE and shown < most:
                opened[node] = children_of(tree, node)
                shown += len(opened[node])
            following += opened.get(node, [])
        level = following

    def branch(node: int, odd: bool) -> Branch:
        pair = [-1 if number == INFINITE else int(number) for number in tree.node[node, [PROOF, DISPROOF]].tolist()]
        below = tuple(branch(child, not odd) for child in opened.get(node, ()))
        inner = bool(tree.node[node, CHILD] != NONE)
        return Branch(move_to(tree, node) if node else 0, pair[odd], pair[not odd], inner, below)

    return branch(0, False)
