"""State the claims of each shipped value rule: how a stored value follows from the successors' stored values.

The solvers work with `initial`, `propagate`, `gather` and `finish` of the value rule. Verification binds the functions
below to these names. They are written independently of the value rules, and work on *stored* codes only.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any

from searchbench.rules import UNDECIDED
from searchbench.values import ValueRule

Codes = MutableSequence[int]


def same(code: int) -> int:
    """Return a stored code unchanged."""
    return code


def end_of_puzzle(result: int, count: int) -> int:
    """Return distance 0 for a solved state, and no distance for any other terminal state."""
    return 1 if result == 0 else 0


def shortest(code: int, successors: Codes, weights: Codes, count: int) -> int:
    """Return the least cost over all moves."""
    best = 0
    for index in range(count):
        if successors[index] > 0:
            through = successors[index] + weights[index]
            if best == 0 or through < best:
                best = through
    return best


def end_of_game(result: int, count: int) -> int:
    """Return a win, draw or loss in 0 plies; a draw for a state without a move or a result."""
    if result == UNDECIDED or result == 0:
        return 0
    return 2 if result > 0 else 1


def best_outcome(code: int, successors: Codes, weights: Codes, count: int) -> int:
    """Return a win one ply after the opponent's quickest loss, or a draw, or a loss one ply after his slowest win.

    Codes: 0 a draw, 1 + 2d a loss and 2 + 2d a win in d plies.
    """
    quickest = -1
    slowest = -1
    draws = 0
    for index in range(count):
        successor = successors[index]
        if successor == 0:
            draws += 1
        elif successor % 2 == 1:
            depth = successor // 2
            if quickest < 0 or depth < quickest:
                quickest = depth
        else:
            slowest = max(slowest, successor // 2 - 1)
    if quickest >= 0:
        return 2 + 2 * (quickest + 1)
    if draws > 0 or slowest < 0:
        return 0
    return 1 + 2 * (slowest + 1)


def end_without_depth(result: int, count: int) -> int:
    """Return 1 for a loss, 2 for a draw, 3 for a win; a draw for a state without a move or a result."""
    return 2 if result == UNDECIDED else 2 + result


def best_ending(code: int, successors: Codes, weights: Codes, count: int) -> int:
    """Return a win if the opponent loses after some move, a loss if he wins after every one, else a draw."""
    least = 4
    for index in range(count):
        least = min(least, successors[index])
    return 4 - least if count > 0 else 2


def points_of(code: int) -> int:
    """Return the score of a code: the codes 0, 1, 2, 3, 4, ... stand for 0, -1, 1, -2, 2, ..."""
    return code // 2 if code % 2 == 0 else -(code // 2) - 1


def code_of(points: int) -> int:
    """Return the code of a score."""
    return 2 * points if points >= 0 else -2 * points - 1


def end_of_score(result: int, count: int) -> int:
    """Return the points of a finished game; 0 for a state without a move or a result."""
    return 0 if result == UNDECIDED else code_of(result)


def most_points(code: int, successors: Codes, weights: Codes, count: int) -> int:
    """Return the largest gain of a move: its own points minus the opponent's score after it."""
    if count == 0:
        return 0
    best = weights[0] - points_of(successors[0])
    for index in range(1, count):
        best = max(best, weights[index] - points_of(successors[index]))
    return code_of(best)


_CLAIMS: dict[str, dict[str, Callable[..., Any]]] = {
    "distance": {"initial": end_of_puzzle, "gather": shortest, "finish": same},
    "outcome": {"initial": end_of_game, "gather": best_outcome, "finish": same},
    "ending": {"initial": end_without_depth, "gather": best_ending, "finish": same},
    "score": {"initial": end_of_score, "gather": most_points, "finish": same},
}


def claims_of(rule: ValueRule) -> dict[str, Callable[..., Any]] | None:
    """Return the functions that state a shipped rule's claims; None for a user-defined rule."""
    return _CLAIMS.get(rule.claims)
