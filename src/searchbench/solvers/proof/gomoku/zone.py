"""Which cells a win by threats depends on, and the same win again with other stones on the board.

The *zone* of a win holds the attacker's moves, the replies, the squares of the straight fours that made other replies
useless, and the cells from which one more stone of the defender, with her free tempo where she has one, could make a four.
With one more defender's stone outside the zone the same moves win.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.jit import unowned
from searchbench.solvers.proof.gomoku.fours import WON, attacker_key, win_by_fours, winning_place
from searchbench.solvers.proof.gomoku.patterns import FIVE, STRAIGHT
from searchbench.solvers.proof.gomoku.position import (
    EMPTY,
    PLACES,
    STONES,
    Position,
    completions_of,
    count_of,
    first_of,
    mark_strong,
    places_of,
    put,
    remove,
)
from searchbench.solvers.proof.gomoku.threats import (
    DEEPEST,
    WIDEST,
    Threats,
    at_once,
    common,
    keep,
    keep_line,
    replies,
    win_by_threats,
    winning_move,
)
from searchbench.solvers.proof.tree import INFINITE

LONG_FOURS: Final = 1000
"""The nodes of a search for a win by fours where the table says that there is one."""
AGAIN: Final = 20000
"""The nodes of a search for a win that the table has lost."""


class Walk(NamedTuple):
    """Hold what a walk over a win needs: replies [depth, widest], rows [depth, 3] (move, number of replies, next), visits."""

    replies: Any
    rows: Any
    scratch: Any
    seen: Any


_MOVE, _SIZE, _NEXT = range(3)


def new_walk() -> Walk:
    """Return the scratch memory of a walk."""
    return Walk(
        np.zeros((DEEPEST + 2, WIDEST), np.int64), np.zeros((DEEPEST + 2, 3), np.int64), np.zeros((4, PLACES), np.int64),
        np.zeros(1 << 12, np.int64),
    )  # fmt: skip


def zone_of(position: Position, threats: Threats, walk: Walk, attacker: int, zone: Any) -> bool:
    """Mark the zone of a win that the table holds, in an array of zeros by place; return False where the win is lost.

    The attacker is to move.
    """
    position, threats, walk, zone = unowned(position), unowned(threats), unowned(walk), unowned(zone)
    walk.seen[:] = 0
    rows, defender, depth = walk.rows, 1 - attacker, 0
    entering = True
    while True:
        if entering:
            entering = False
            rows[depth, _SIZE] = rows[depth, _NEXT] = 0
            rows[depth, _MOVE] = 0
            key = attacker_key(position, attacker)
            place = key & (len(walk.seen) - 1)
            if walk.seen[place] != key:
                walk.seen[place] = key
                if not mark_win(position, threats, walk, attacker, depth, zone):
                    break
        row = rows[depth]
        if row[_NEXT] < row[_SIZE]:
            reply = walk.replies[depth, row[_NEXT]]
            row[_NEXT] += 1
            put(position, reply, defender)
            depth += 1
            entering = True
            continue
        if row[_MOVE] != 0:
            remove(position, row[_MOVE], attacker)
        if depth == 0:
            return True
        depth -= 1
        remove(position, walk.replies[depth, rows[depth, _NEXT] - 1], defender)
    undo(position, walk, attacker, depth)
    return False


def undo(position: Position, walk: Walk, attacker: int, depth: int) -> None:
    """Take back the moves of a walk down to its root; at this depth no move was made."""
    position, walk = unowned(position), unowned(walk)
    while depth > 0:
        depth -= 1
        remove(position, walk.replies[depth, walk.rows[depth, _NEXT] - 1], 1 - attacker)
        remove(position, walk.rows[depth, _MOVE], attacker)


def mark_win(position: Position, threats: Threats, walk: Walk, attacker: int, depth: int, zone: Any) -> bool:
    """Mark the zone of the attacker's move here, make it, and write the replies to follow, if any; False: no win known."""
    position, threats, walk, zone = unowned(position), unowned(threats), unowned(walk), unowned(zone)
    defender = 1 - attacker
    mark_strong(position, defender, 3, zone)
    last = winning_place(position, attacker)
    if last >= 0:
        mark_last(position, walk, attacker, last, zone)
        return True
    key = attacker_key(position, attacker)
    move = winning_move(threats.table, key)
    if move < 0:
        if win_by_fours(position, threats.fours, attacker, LONG_FOURS) == WON:
            keep_line(position, threats, attacker)
        else:
            win_by_threats(position, threats, attacker, AGAIN)
        move = winning_move(threats.table, key)
    if move < 0 or depth >= DEEPEST:
        return False
    zone[move] = 1
    put(position, move, attacker)
    walk.rows[depth, _MOVE] = move
    out = walk.replies[depth]
    count = replies(position, attacker, out, walk.scratch)
    walk.rows[depth, _SIZE] = max(0, count)
    for at in range(count):
        zone[out[at]] = 1
    fives = places_of(position, attacker, FIVE, walk.scratch[2], 0)
    for at in range(fives):
        zone[walk.scratch[2, at]] = 1
    if fives == 0:
        mark_straights(position, walk, attacker, zone)
        mark_strong(position, defender, 2, zone)
    return True


def mark_straights(position: Position, walk: Walk, attacker: int, zone: Any) -> None:
    """Mark those squares of straight fours, with their completions, that restrict the replies to a three."""
    position, walk, zone = unowned(position), unowned(walk), unowned(zone)
    straights = places_of(position, attacker, STRAIGHT, walk.scratch[0], 0)
    out, before = walk.scratch[2], -1
    for at in range(straights):
        place = walk.scratch[0, at]
        walk.scratch[1, 0] = place
        size = completions_of(position, place, attacker, walk.scratch[1], 1)
        count = common(out, before, walk.scratch[1], size if size == 3 else 1)
        if count != before:
            for other in range(size):
                zone[walk.scratch[1, other]] = 1
        before = count


def mark_last(position: Position, walk: Walk, attacker: int, last: int, zone: Any) -> None:
    """Mark a move that completes a five, or makes several ways to do so."""
    position, walk, zone = unowned(position), unowned(walk), unowned(zone)
    zone[last] = 1
    if count_of(position, attacker, FIVE) == 0:
        size = completions_of(position, last, attacker, walk.scratch[1], 0)
        for at in range(size):
            zone[walk.scratch[1, at]] = 1


def replay(position: Position, threats: Threats, walk: Walk, attacker: int, change: int) -> bool:
    """Return whether the moves of a known win, of a position whose key differs by `change`, win here; keep them if so."""
    position, threats, walk = unowned(position), unowned(threats), unowned(walk)
    board, rows, defender, depth = position.board, walk.rows, 1 - attacker, 0
    entering = True
    while True:
        if entering:
            entering = False
            row = rows[depth]
            row[_SIZE] = row[_NEXT] = row[_MOVE] = 0
            key = attacker_key(position, attacker)
            if winning_move(threats.table, key) < 0 and not at_once(position, threats, attacker):
                move = winning_move(threats.table, key ^ change)
                threatened = count_of(position, defender, FIVE)
                if threatened > 0:
                    move = first_of(position, defender, FIVE) if threatened == 1 else -1
                if move < 0 or depth >= DEEPEST or board[STONES + move] != EMPTY:
                    break
                put(position, move, attacker)
                row[_MOVE] = move
                count = replies(position, attacker, walk.replies[depth], walk.scratch)
                if count < 0:
                    remove(position, move, attacker)
                    break
                row[_SIZE] = count
        row = rows[depth]
        if row[_NEXT] < row[_SIZE]:
            put(position, walk.replies[depth, row[_NEXT]], defender)
            row[_NEXT] += 1
            depth += 1
            entering = True
            continue
        if row[_MOVE] != 0:
            remove(position, row[_MOVE], attacker)
            keep(threats.table, attacker_key(position, attacker), 0, INFINITE, row[_MOVE], 1)
        if depth == 0:
            return True
        depth -= 1
        remove(position, walk.replies[depth, rows[depth, _NEXT] - 1], defender)
    undo(position, walk, attacker, depth)
    return False
