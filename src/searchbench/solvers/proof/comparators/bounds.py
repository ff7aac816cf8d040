"""Search by bounds on values, the best leaf first: SSS* (Stockman 1979) and B* (Berliner 1979); Allis 1994, section 2.5.

A node has a lower and an upper bound on its value for the player to move; those of an open leaf are -1 and +1.

SSS* visits leaves in the order of the highest value that the player to move at the root can still reach, the leftmost first
(in the form of Plaat et al. 1996: its list of open states is the tree with its bounds). A leaf is evaluated when it is visited,
and not at all where the bounds on both sides answer already, which Stockman's list does not see.

B* asks which move of the root is the best: it works on the move that promises most, or on the others where it has taken more
nodes than they have. Berliner compares the depths of the searches instead. Here it goes on until the value is known as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from searchbench.rules import UNDECIDED
from searchbench.solvers.proof.comparators.best_first import (
    COUNT,
    CREATED,
    FIRST,
    ONE,
    OTHER,
    OWN,
    SETTLED,
    WORK,
    Grown,
    Pair,
)  # fmt: skip
from searchbench.solvers.proof.tree import NONE

LOWER, UPPER = ONE, OTHER


def first_bounds(value: int, bound: int) -> Pair:
    """Return the bounds of a leaf."""
    return Pair(-1, 1, 0) if value == UNDECIDED else Pair(value, value, 0)


def joined_bounds(tree: Grown, node: int) -> Pair:
    """Return the bounds of a node: the best of its children's, each for the other player."""
    lower, upper = -1, -1
    first = tree.node[node, FIRST]
    for child in range(first, first + tree.node[node, COUNT]):
        lower = max(lower, -tree.node[child, UPPER])
        upper = max(upper, -tree.node[child, LOWER])
    return Pair(int(lower), int(upper), 0)


def merit(tree: Grown) -> int:
    """Return the merit in question and that it is a node of the player at the root, as an even number and 1; or SETTLED."""
    return SETTLED if tree.node[0, LOWER] == tree.node[0, UPPER] else int(2 * tree.node[0, UPPER] + 1)


def leftmost_child(tree: Grown, node: int, aim: int) -> int:
    """Return the leftmost child that can have the merit; for the other player, the leftmost that is not known to have it."""
    child = int(tree.node[node, FIRST])
    wanted = aim >> 1
    if aim & 1:
        while -tree.node[child, LOWER] < wanted:
            child += 1
    else:
        while tree.node[child, LOWER] >= wanted:
            child += 1
    return child


def same_merit(aim: int) -> int:
    """Return the same merit for a node of the other player."""
    return aim ^ 1


def best_move(tree: Grown) -> int:
    """Return the child of the root that promises most: of equal ones the one that is surest, then the leftmost."""
    best = first = int(tree.node[0, FIRST])
    for child in range(first + 1, first + int(tree.node[0, COUNT])):
        promise = tree.node[best, LOWER] - tree.node[child, LOWER]
        if promise > 0 or (promise == 0 and tree.node[child, UPPER] < tree.node[best, UPPER]):
            best = child
    return best


def strategy(tree: Grown) -> int:
    """Return the move of the root to work on: prove the best one, or disprove the rest; 0 for the root itself."""
    if tree.node[0, LOWER] == tree.node[0, UPPER]:
        if tree.note[OWN] == 0:
            tree.note[OWN] = tree.note[CREATED]
        return SETTLED
    if tree.node[0, COUNT] == NONE:
        return 0
    best = best_move(tree)
    rival, work = NONE, 0
    first = int(tree.node[0, FIRST])
    for child in range(first, first + int(tree.node[0, COUNT])):
        if child != best and -tree.node[child, LOWER] > -tree.node[best, UPPER]:
            work += tree.node[child, WORK]
            if rival == NONE or tree.node[child, LOWER] < tree.node[rival, LOWER]:
                rival = child
    if rival == NONE and tree.note[OWN] == 0:
        tree.note[OWN] = tree.note[CREATED]  # no other move can be better: Berliner's search ends here
    if rival == NONE or tree.node[rival, LOWER] == tree.node[rival, UPPER] or tree.node[best, WORK] <= work:
        return best
    return rival


def most_promising_child(tree: Grown, node: int, aim: int) -> int:
    """Return the move that a strategy has chosen, below it the first child that promises most."""
    if aim > 0:
        return aim
    child = int(tree.node[node, FIRST])
    while -tree.node[child, LOWER] != tree.node[node, UPPER]:
        child += 1
    return child


def no_aim(aim: int) -> int:
    """Return that no move is chosen below the root."""
    return 0


SSS: Final[Mapping[str, Any]] = {
    "leaf_numbers": first_bounds, "numbers_of": joined_bounds, "aim_of": merit, "child_for": leftmost_child,
    "aim_below": same_merit, "DELAYED": True,
}  # fmt: skip
BSTAR: Final[Mapping[str, Any]] = {
    "leaf_numbers": first_bounds, "numbers_of": joined_bounds, "aim_of": strategy, "child_for": most_promising_child,
    "aim_below": no_aim,
}  # fmt: skip
