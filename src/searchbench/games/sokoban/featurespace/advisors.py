"""Advisors of Sokoban: each rates the macro moves of a position, and advises the one of the smallest rating.

Some look at features alone: a move packs, joins parts of the floor, joins rooms, brings stones back into the plan, takes one
out of the way of others, has the best score, or shortens the matching without parting the floor. The *explorer* opens a push
to the man that he could not make, and the *opener* takes the stone that is nearest to the next square of the plan away from
it. None of them unpacks.
"""

from __future__ import annotations

from typing import Any, Final

from searchbench.games.sokoban.enhanced.board import AT, GENERATION, LIVE, MARK, SQUARE, STONES
from searchbench.games.sokoban.featurespace.features import (
    DOORS,
    HOTSPOTS,
    OFFERED,
    OUTSIDE,
    PACKED,
    PARTS,
    feature,
    progress,
)
from searchbench.games.sokoban.tables import NEVER
from searchbench.solvers.guided.featurespace.contract import RATINGS

BY_PACKING, BY_PARTS, BY_DOORS, BY_PLAN, BY_HOTSPOTS, BY_SCORE, BY_DISTANCE, EXPLORER, OPENER = range(9)
"""The advisors."""
ADVISORS: Final = 9


def rate(before: int, score: int, row: Any) -> None:
    """Write the ratings of a move from a score to another by the advisors that look at features."""
    for advisor in range(ADVISORS):
        row[RATINGS + advisor] = -1
    if score == 0 or score >> PACKED > before >> PACKED:
        return
    if score >> PACKED < before >> PACKED:
        row[RATINGS + BY_PACKING] = score
    if feature(score, PARTS) < feature(before, PARTS):
        row[RATINGS + BY_PARTS] = score
    if feature(score, DOORS) < feature(before, DOORS):
        row[RATINGS + BY_DOORS] = score
    if feature(score, OUTSIDE) < feature(before, OUTSIDE):
        row[RATINGS + BY_PLAN] = score
    if feature(score, HOTSPOTS) < feature(before, HOTSPOTS):
        row[RATINGS + BY_HOTSPOTS] = score
    row[RATINGS + BY_SCORE] = score
    if feature(score, PARTS) <= feature(before, PARTS):
        row[RATINGS + BY_DISTANCE] = score & ((1 << HOTSPOTS) - 1)


def offer(work: Any) -> None:
    """Note the pushes that the man can make, his squares being marked."""
    offered = work.marks[OFFERED]
    for place in range(len(offered)):
        offered[place] = 0
    for stone in range(work.base.facts[STONES]):
        square = work.base.board[SQUARE, stone]
        for direction in range(4):
            offered[4 * square + direction] = is_offered(work, square, direction)


def is_offered(work: Any, square: int, direction: int) -> bool:
    """Tell whether the man can push a stone, his squares being marked."""
    board, maze = work.base.board, work.base.maze
    behind, target = maze[square, direction ^ 1], maze[square, direction]
    if behind < 0 or target < 0 or board[MARK, behind] != work.base.facts[GENERATION]:
        return False
    return bool(board[AT, target] == 0 and maze[target, LIVE] != 0)


def explores(work: Any, moved: int, last: int) -> bool:
    """Tell whether the man can make a push of another stone than the moved one that was not noted, and can push that one back."""
    base = work.base
    ahead = base.maze[moved, last]
    if ahead < 0 or base.board[MARK, ahead] != base.facts[GENERATION]:
        return False
    for stone in range(base.facts[STONES]):
        square = base.board[SQUARE, stone]
        if square == moved:
            continue
        for direction in range(4):
            if work.marks[OFFERED, 4 * square + direction] == 0 and is_offered(work, square, direction):
                return True
    return False


def nearest_stone(work: Any) -> int:
    """Return the square of the stone that is nearest to the one that the next step of the plan fills, -1 if there is none.

    Stones that the plan keeps where they are do not count.
    """
    rows = work.plan.rows
    step = min(progress(work)[1], len(rows) - 1)
    found, least = -1, NEVER
    for stone in range(work.base.facts[STONES]):
        square = work.base.board[SQUARE, stone]
        if work.ways[step, square] >= least:
            continue
        kept = False
        for place in range(1, rows.shape[1]):
            kept = kept or rows[step, place] == square
        if not kept:
            found, least = square, work.ways[step, square]
    return found


def opens(work: Any, before: int, score: int, step: int, square: int) -> int:
    """Return the opener's rating of a move of the nearest stone to a square, -1 if it parts floor or rooms, or unpacks."""
    if score >> PACKED > before >> PACKED or feature(score, PARTS) > feature(before, PARTS):
        return -1
    if feature(score, DOORS) > feature(before, DOORS):
        return -1
    return int(NEVER - work.ways[step, square])
