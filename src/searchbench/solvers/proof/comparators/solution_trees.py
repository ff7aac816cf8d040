"""Find the smallest solution tree: MST* (Allis 1994, section 2.5, an idea with Althöfer).

A proof number counts the inner nodes of the smallest solution tree that may still exist: 1 more than that of the best child, or
than the sum of all. A leaf that is still open has 1, as it will be an inner node. So the numbers are bounds and only rise. A
solved node has no number 0; it is *complete* if its smallest tree has solved leaves alone. The search goes on, where the answer
is known already, until the root is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from searchbench.rules import UNDECIDED
from searchbench.solvers.proof.comparators.best_first import COUNT, FIRST, MARKS, ONE, OTHER, SETTLED, Grown, Pair
from searchbench.solvers.proof.tree import INFINITE

PROOF, DISPROOF = ONE, OTHER
PROVED, DISPROVED = 1, 2
"""The marks of a node whose smallest solution tree is complete, for the player to move in it or for the other one."""
_EITHER, _PROVE, _DISPROVE = range(3)


def first_sizes(value: int, bound: int) -> Pair:
    """Return the sizes of the two solution trees of a leaf."""
    if value == UNDECIDED:
        return Pair(1, 1, 0)
    return Pair(0, INFINITE, PROVED) if value >= bound else Pair(INFINITE, 0, DISPROVED)


def joined_sizes(tree: Grown, node: int) -> Pair:
    """Return the sizes of the two solution trees of a node, and whether they are complete."""
    proof, disproof, proved, disproved = INFINITE, 1, 0, DISPROVED
    first = tree.node[node, FIRST]
    for child in range(first, first + tree.node[node, COUNT]):
        its_proof, its_disproof = tree.node[child, PROOF], tree.node[child, DISPROOF]
        its_marks = tree.node[child, MARKS]
        if its_disproof < proof:
            proof, proved = its_disproof, 0
        if its_disproof == proof and its_marks & DISPROVED != 0:
            proved = PROVED
        disproof = (
            INFINITE if its_proof == INFINITE or disproof == INFINITE else min(disproof + its_proof, INFINITE - 1)
        )
        if its_marks & PROVED == 0:
            disproved = 0
    if proof < INFINITE:
        proof = min(proof + 1, INFINITE - 1)
    else:
        proved = 0
    if disproof == INFINITE:
        disproved = 0
    return Pair(int(proof), int(disproof), proved | disproved)


def open_tree(tree: Grown) -> int:
    """Return which solution tree of the root is to be completed: either one, or the one that the answer leaves."""
    row = tree.node[0]
    if row[MARKS] != 0:
        return SETTLED
    return _PROVE if row[DISPROOF] == INFINITE else _DISPROVE if row[PROOF] == INFINITE else _EITHER


def incomplete_child(tree: Grown, node: int, aim: int) -> int:
    """Return the first child of the smallest solution tree that is not complete."""
    child = int(tree.node[node, FIRST])
    if aim == _DISPROVE:
        while tree.node[child, MARKS] & PROVED != 0:
            child += 1
    else:
        while tree.node[child, DISPROOF] + 1 != tree.node[node, PROOF]:
            child += 1
    return child


def aim_of_other(aim: int) -> int:
    """Return the aim for the other player."""
    return _EITHER if aim == _EITHER else _PROVE + _DISPROVE - aim


MST: Final[Mapping[str, Any]] = {
    "leaf_numbers": first_sizes, "numbers_of": joined_sizes, "aim_of": open_tree, "child_for": incomplete_child,
    "aim_below": aim_of_other,
}  # fmt: skip
