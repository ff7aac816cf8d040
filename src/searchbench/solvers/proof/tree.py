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
NONE: Final = -1
NODE_BYTES: Final = 40

# The places of `note`: nodes created, nodes in the tree now, their peak, developments. The free nodes are a list that
# begins at FREE, and all nodes from FRESH on. LEVELS counts second-level trees.
CREATED, LIVE, PEAK, DEVELOPED, FREE, FRESH, STATUS, LEVELS = range(8)
NOTES: Final = 8
# The columns of a node: its parent, first child and next sibling; its numbers; the path dependence of its solved children;
# the nodes created below it; and the number of the second-level tree that is kept below it, 0 for none.
PARENT, CHILD, SIBLING, PROOF, DISPROOF, RELIANCE, WORK, STAMP = range(8)
_COLUMNS: Final = 8


class Numbers(NamedTuple):
    """The initial proof and disproof numbers of a state, and its path dependence if it is solved."""

    proof: int
    disproof: int
    path_dependence: int


class Tree(NamedTuple):
    """The nodes: the move that leads to each, and a row of numbers for each (columns PARENT .. WORK)."""

    move: Any
    node: Any


def new_tree(size: int) -> Tree:
    """Allocate a tree of `size` nodes."""
    return Tree(np.empty(size, np.int64), np.empty((size, _COLUMNS), np.int32))


def plant(tree: Tree, note: Any) -> None:
    """Make the tree a single root, node 0."""
    note[FREE] = NONE
    note[FRESH] = 0
    note[LIVE] = 0
    add(tree, NONE, 0, Numbers(1, 1, NEVER), note)


def add(tree: Tree, parent: int, move: int, numbers: Numbers, note: Any) -> int:
    """Add a leaf below a parent and return it."""
    node = note[FREE]
    if node != NONE:
        note[FREE] = tree.node[node, SIBLING]
    else:
        node = note[FRESH]
        note[FRESH] += 1
    note[LIVE] += 1
    note[PEAK] = max(note[PEAK], note[LIVE])
    tree.move[node] = move
    tree.node[node, PARENT] = parent
    tree.node[node, CHILD] = NONE
    tree.node[node, SIBLING] = NONE
    tree.node[node, PROOF] = numbers.proof
    tree.node[node, DISPROOF] = numbers.disproof
    tree.node[node, RELIANCE] = NEVER
    tree.node[node, WORK] = 1
    tree.node[node, STAMP] = 0
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


def solve(tree: Tree, node: int, proved: bool, path_dependence: int) -> None:
    """Mark a node as proved or disproved."""
    tree.node[node, PROOF] = 0 if proved else INFINITE
    tree.node[node, DISPROOF] = INFINITE if proved else 0
    tree.node[node, RELIANCE] = path_dependence


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
            tree.node[node, WORK] = min(tree.node[node, WORK] + tree.node[child, WORK], INFINITE)
        if tree.node[child, DISPROOF] == 0:
            solve(tree, node, True, tree.node[child, RELIANCE])
            return int(tree.move[child])
        if tree.node[child, PROOF] == 0:
            tree.node[node, RELIANCE] = min(tree.node[node, RELIANCE], tree.node[child, RELIANCE])
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
        return Branch(int(tree.move[node]) if node else 0, pair[odd], pair[not odd], inner, below)

    return branch(0, False)
