"""Attributes of positions with three men each: Gasser's 26 attributes (1995, section 5.7, ID3 rule extraction).

In one point the definition differs from the text. There a balanced point sees all men of one colour and none of the
other; but then it adds no information to the other attributes, and eight sets of positions with equal attributes have
different values. Here it sees all men of one colour and not all of the other, and one such set is left: a draw and a
loss.

Lines are the sixteen mills. An attribute that counts for one colour exists for the opponent, for the player to move,
and in some cases also for the empty points, in the paper's order and under the paper's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from searchbench.games.morris.board import ADJACENT, ALL, MILLS, PARTNERS, POINTS, RING, closing_points
from searchbench.jit import popcount, trailing_zeros
from searchbench.rules import State

LINES: Final = np.array([sum(1 << point for point in mill) for mill in MILLS], np.int64)
CORNERS: Final = sum(1 << point for point in range(POINTS) if int(ADJACENT[point]).bit_count() == 2)
CENTRALS: Final = ALL & ~CORNERS


def _sights() -> Any:
    """Return the points that each point sees: its two lines, and the other lines through their points."""
    sights = np.zeros(POINTS, np.int64)
    for point in range(POINTS):
        near = [mill for mill in MILLS if point in mill]
        sights[point] = sum(1 << p for p in {p for mill in MILLS for one in near if set(mill) & set(one) for p in mill})
    return sights


SIGHTS: Final = _sights()


def threats(men: int, others: int) -> int:
    """Return the empty points where another man would close a mill."""
    return closing_points(men) & ALL & ~(men | others)


def forks(men: int, others: int, points: int) -> int:
    """Count the points in `points`, treated as empty, where another man would make two threats at once."""
    count = 0
    while points != 0:
        point = trailing_zeros(points)
        points &= points - 1
        first, second = PARTNERS[point, 0], PARTNERS[point, 1]
        if popcount(first & men) == 1 and popcount(second & men) == 1 and (first | second) & others == 0:
            count += 1
    return count


def mills(men: int) -> int:
    """Count the closed mills."""
    count = 0
    for line in range(len(LINES)):
        if LINES[line] & ~men == 0:
            count += 1
    return count


def isolated(points: int, men: int) -> int:
    """Count the points with no man elsewhere on their two lines."""
    count = 0
    while points != 0:
        point = trailing_zeros(points)
        points &= points - 1
        if (PARTNERS[point, 0] | PARTNERS[point, 1]) & men == 0:
            count += 1
    return count


def balanced(men: int, others: int) -> int:
    """Count the empty points that see all men of one colour and not all of the other."""
    count = 0
    for point in range(POINTS):
        if ((men | others) >> point) & 1 == 0 and men & ~SIGHTS[point] == 0 and others & ~SIGHTS[point] != 0:
            count += 1
    return count


def free_lines(points: int, men: int) -> int:
    """Count the lines from `points` whose other two points, and the lines crossing there, are empty."""
    count = 0
    while points != 0:
        point = trailing_zeros(points)
        points &= points - 1
        for side in range(2):
            if _is_free(PARTNERS[point, side], men):
                count += 1
    return count


def _is_free(pair: int, men: int) -> bool:
    """Tell whether two points, and the other lines through each of them, are empty."""
    if pair & men != 0:
        return False
    rest = pair
    while rest != 0:
        point = trailing_zeros(rest)
        rest &= rest - 1
        crossing = PARTNERS[point, 0] if PARTNERS[point, 0] & pair == 0 else PARTNERS[point, 1]
        if crossing & men != 0:
            return False
    return True


def lines_with_mobility(men: int, opponents: int) -> int:
    """Count the lines with men of the opponent and none of the player."""
    count = 0
    for line in range(len(LINES)):
        if LINES[line] & opponents != 0 and LINES[line] & men == 0:
            count += 1
    return count


def least_mobility(men: int, opponents: int) -> int:
    """Return the fewest lines with mobility that one move can leave the opponent."""
    least = len(LINES)
    leaving = men
    while leaving != 0:
        rest = men & ~(leaving & -leaving)
        leaving &= leaving - 1
        targets = ALL & ~(men | opponents)
        while targets != 0:
            least = min(least, lines_with_mobility(rest | (targets & -targets), opponents))
            targets &= targets - 1
    return least


def has_safe_threat(men: int, opponents: int) -> bool:
    """Tell whether the player can close a mill, or threaten one safely."""
    leaving = men
    while leaving != 0:
        rest = men & ~(leaving & -leaving)
        leaving &= leaving - 1
        if threats(rest, opponents | men) != 0:
            return True
    leaving = men
    while leaving != 0:
        rest = men & ~(leaving & -leaving)
        leaving &= leaving - 1
        targets = ALL & ~(men | opponents)
        while targets != 0:
            if is_safe(rest | (targets & -targets), opponents):
                return True
            targets &= targets - 1
    return False


def is_safe(men: int, opponents: int) -> bool:
    """Tell whether a threat that was just made is safe: no reply of the opponent refutes it."""
    made = threats(men, opponents)
    if made == 0 or threats(opponents, men) != 0:
        return False
    if made & (made - 1) != 0:  # only one of two threats can be parried
        return True
    leaving = opponents
    while leaving != 0:
        blocking = opponents & ~(leaving & -leaving) | made
        leaving &= leaving - 1
        against = threats(blocking, men)
        if against != 0 and not can_parry(men, blocking, against):
            return False
    return True


def can_parry(men: int, opponents: int, against: int) -> bool:
    """Tell whether one move can parry a threat and make one."""
    if against & (against - 1) != 0:
        return False
    leaving = men
    while leaving != 0:
        moved = men & ~(leaving & -leaving) | against
        leaving &= leaving - 1
        if threats(moved, opponents) != 0:
            return True
    return False


def _for_sides(name: str, count: Callable[[int, int], int]) -> Mapping[str, Callable[[State], int]]:
    """Return an attribute for the opponent and for the player to move; `count` takes their men and the other side's."""

    def of_opponent(state: State) -> int:
        return count(state[1], state[0])

    def of_player(state: State) -> int:
        return count(state[0], state[1])

    return {f"{name} (opponent)": of_opponent, f"{name} (player)": of_player}


def _for_points(
    name: str, count: Callable[[int, int], int], among: int = ALL, empty: bool = True
) -> Mapping[str, Callable[[State], int]]:
    """Return an attribute for the points of each colour; `count` takes points and all men."""

    def of_opponent(state: State) -> int:
        return count(state[1] & among, state[0] | state[1])

    def of_player(state: State) -> int:
        return count(state[0] & among, state[0] | state[1])

    def of_empty(state: State) -> int:
        return count(among & ~(state[0] | state[1]), state[0] | state[1])

    found: dict[str, Callable[[State], int]] = {f"{name} (opponent)": of_opponent, f"{name} (player)": of_player}
    return found | ({f"{name} (empty)": of_empty} if empty else {})


def _threat_count(men: int, others: int) -> int:
    return popcount(threats(men, others))


def _open_forks(men: int, others: int) -> int:
    return forks(men, others, ALL & ~(men | others))


def _mill_count(men: int, others: int) -> int:
    return mills(men)


def _blocked_threats(men: int, others: int) -> int:
    return popcount(closing_points(men) & others)


def _blocked_forks(men: int, others: int) -> int:
    count = 0
    rest = others
    while rest != 0:
        point = rest & -rest
        rest &= rest - 1
        count += forks(men, others & ~point, point)
    return count


def _number(points: int, men: int) -> int:
    return popcount(points)


def _empty_rings(state: State) -> int:
    men = state[0] | state[1]
    return int((men & RING) == 0) + int(((men >> 8) & RING) == 0) + int((men >> 16) == 0)


def _mobility(state: State) -> int:
    return least_mobility(state[0], state[1])


def _safe_threat(state: State) -> int:
    return 1 if has_safe_threat(state[0], state[1]) else 0


def gasser_attributes() -> Mapping[str, Callable[[State], int]]:
    """Return the 26 attributes by name, in the paper's order."""
    return {
        **_for_sides("mill threats", _threat_count),
        **_for_sides("open forks", _open_forks),
        **_for_sides("closed mills", _mill_count),
        **_for_sides("blocked mill threats", _blocked_threats),
        **_for_sides("blocked forks", _blocked_forks),
        "empty rings": _empty_rings,
        **_for_points("isolated points", isolated),
        **_for_sides("balanced points", balanced),
        **_for_points("corner points", _number, CORNERS, empty=False),
        "opponent's mobility": _mobility,
        "safe threat": _safe_threat,
        **_for_points("corner-free lines", free_lines, CORNERS),
        **_for_points("central-free lines", free_lines, CENTRALS),
    }
