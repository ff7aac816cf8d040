"""Minimum-cost matching of pieces with targets: a bound for puzzles in which every piece must be brought to a target of its own.

Each piece has a row of costs, one for each target; as many rows stand in `costs` as a piece can have *places*. The matching of a
state is kept in a row of `kept`: the place of each piece, its target, the piece of each target, and the potentials of both. When
some pieces change their places, each is matched anew by one shortest augmenting path (Kuhn 1955, Munkres 1957, Edmonds and Karp
1972). There are as many pieces as targets: where pieces are fewer, others at a place of no costs stand in.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

FIELDS: Final = 5
"""A row of `kept` has so many numbers for each target: PLACE, TARGET, PIECE, and the potentials of pieces and of targets."""
UNREACHABLE: Final = 1 << 20
"""The cost where a piece cannot come to a target: a matching of that cost or more is none."""


def new_scratch(targets: int) -> npt.NDArray[np.int32]:
    """Return scratch space for so many targets."""
    return np.zeros((3, targets + 1), np.int32)


def match_from_scratch(costs: Any, kept: Any, row: int, scratch: Any) -> int:
    """Match the pieces at the places that stand in a row of `kept`; return the cost."""
    count = costs.shape[1]
    for one in range(count):
        kept[row, count + one] = kept[row, 2 * count + one] = -1
        kept[row, 3 * count + one] = kept[row, 4 * count + one] = 0
    for piece in range(count):
        _augment(costs, kept, row, piece, scratch)
    return matching_cost(costs, kept, row)


def match_pieces(costs: Any, kept: Any, row: int, pieces: int, scratch: Any) -> int:
    """Match so many pieces alone, at the places that stand in a row of `kept`, with any of the targets; return the cost."""
    count, total = costs.shape[1], 0
    for one in range(count):
        kept[row, 2 * count + one] = -1
        kept[row, 3 * count + one] = kept[row, 4 * count + one] = 0
    for piece in range(pieces):
        _augment(costs, kept, row, piece, scratch)
    for piece in range(pieces):
        total += costs[kept[row, piece], kept[row, count + piece]]
    return int(total)


def copy_matching(costs: Any, kept: Any, row: int, after: int) -> None:
    """Copy a matching to another row."""
    for column in range(FIELDS * costs.shape[1]):
        kept[after, column] = kept[row, column]


def move_piece(costs: Any, kept: Any, row: int, piece: int, place: int, scratch: Any) -> None:
    """Change the place of a piece, and match it anew."""
    count = costs.shape[1]
    kept[row, piece] = place
    target = kept[row, count + piece]
    kept[row, 2 * count + target] = -1
    kept[row, count + piece] = -1
    least = costs[place, 0] - kept[row, 4 * count]
    for other in range(1, count):
        least = min(least, costs[place, other] - kept[row, 4 * count + other])
    kept[row, 3 * count + piece] = least
    if costs[place, target] - kept[row, 4 * count + target] == least:  # most often it keeps its target
        kept[row, 2 * count + target] = piece
        kept[row, count + piece] = target
        return
    _augment(costs, kept, row, piece, scratch)


def matching_cost(costs: Any, kept: Any, row: int) -> int:
    """Return the cost of a matching."""
    count, total = costs.shape[1], 0
    for piece in range(count):
        total += costs[kept[row, piece], kept[row, count + piece]]
    return int(total)


def _augment(costs: Any, kept: Any, row: int, piece: int, scratch: Any) -> None:
    """Match a piece by a shortest augmenting path; others may change their targets."""
    count = costs.shape[1]
    target_of, piece_of, high, low = count, 2 * count, 3 * count, 4 * count  # where the fields begin
    slack, used, way = scratch[0], scratch[1], scratch[2]
    for target in range(count):
        slack[target] = 1 << 30
        used[target] = 0
    at, here = count, piece  # `count` stands for the target that the piece has to begin with
    while True:
        best, least = -1, 1 << 30
        place = kept[row, here]
        for target in range(count):
            if used[target] != 0:
                continue
            reduced = costs[place, target] - kept[row, high + here] - kept[row, low + target]
            if reduced < slack[target]:
                slack[target] = reduced
                way[target] = at
            if slack[target] < least:
                best, least = target, slack[target]
        kept[row, high + piece] += least
        for target in range(count):
            if used[target] != 0:
                kept[row, high + kept[row, piece_of + target]] += least
                kept[row, low + target] -= least
            else:
                slack[target] -= least
        at = best
        here = kept[row, piece_of + best]
        if here < 0:
            break
        used[best] = 1
    while at != count:
        before = way[at]
        owner = piece if before == count else kept[row, piece_of + before]
        kept[row, piece_of + at] = owner
        kept[row, target_of + owner] = at
        at = before
