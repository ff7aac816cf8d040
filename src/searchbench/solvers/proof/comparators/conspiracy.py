"""Search by conspiracy numbers of three values (McAllester 1988; Schaeffer 1990; Allis 1994, section 2.5).

An open leaf counts as a draw. The conspiracy number of a win is the least number of leaves whose values must change for the root
to be a win for the player to move; that of a loss likewise. Without draws they are its proof and disproof number. The search
develops a leaf of the smaller conspiracy until no conspiracy is left but that of one value. Unlike the most-proving node, that
leaf need not be in the other conspiracy, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from searchbench.rules import UNDECIDED
from searchbench.solvers.proof.comparators.best_first import COUNT, FIRST, ONE, OTHER, SETTLED, Grown, Pair
from searchbench.solvers.proof.tree import INFINITE

_LOSE, _WIN = range(2)


def conspirators(value: int, bound: int) -> Pair:
    """Return how many leaves must change for a win and for a loss."""
    if value == UNDECIDED:
        return Pair(1, 1, 0)
    return Pair(0 if value == 1 else INFINITE, 0 if value == -1 else INFINITE, 0)


def joined_conspirators(tree: Grown, node: int) -> Pair:
    """Return the numbers of a node: for a win the least of its children's for a loss, for a loss the sum of those for a win."""
    win, lose = INFINITE, 0
    first = tree.node[node, FIRST]
    for child in range(first, first + tree.node[node, COUNT]):
        win = min(win, tree.node[child, OTHER])
        its_win = tree.node[child, ONE]
        lose = INFINITE if lose == INFINITE or its_win == INFINITE else min(lose + its_win, INFINITE - 1)
    return Pair(int(win), int(lose), 0)


def value_to_rule_out(tree: Grown) -> int:
    """Return whether the root is to win or to lose: what takes fewer leaves."""
    win, lose = tree.node[0, ONE], tree.node[0, OTHER]
    if win == 0 or lose == 0 or win == lose == INFINITE:
        return SETTLED
    return _WIN if win <= lose else _LOSE


def conspirator(tree: Grown, node: int, aim: int) -> int:
    """Return the first child that must change, one with the fewest conspirators where a single one suffices."""
    child = int(tree.node[node, FIRST])
    if aim == _WIN:
        while tree.node[child, OTHER] != tree.node[node, ONE]:
            child += 1
    else:
        while tree.node[child, ONE] == 0:
            child += 1
    return child


def opposite_aim(aim: int) -> int:
    """Return the aim for the other player."""
    return 1 - aim


CONSPIRACY: Final[Mapping[str, Any]] = {
    "leaf_numbers": conspirators, "numbers_of": joined_conspirators, "aim_of": value_to_rule_out,
    "child_for": conspirator, "aim_below": opposite_aim,
}  # fmt: skip
