"""Win by fours and threes: depth-first proof-number search over threats and each single reply to them.

The attacker wins by fours, parries a threat of five, or plays a four or a three. To a four there is one reply. To a three
the defender has few: whatever leaves a straight four possible and makes no four loses. So the search is sound, and complete
for wins in which every move but the last is a four or a three. A disproof says that there is no such win; it never
says that the attacker loses. Thresholds are those of 1 + epsilon (Pawlewicz and Lew 2007), and the first proof number of
a move tells how much it threatens.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.jit import unowned
from searchbench.solvers.proof.dfpn import packed, unpacked
from searchbench.solvers.proof.gomoku.fours import (
    NONE,
    STOPPED,
    WON,
    Fours,
    attacker_key,
    new_fours,
    win_by_fours,
)
from searchbench.solvers.proof.gomoku.patterns import FIVE, FOUR, STRAIGHT, THREE
from searchbench.solvers.proof.gomoku.position import (
    CELLS,
    EMPTY,
    FORBIDDING,
    NUMBERS,
    PLACE_OF,
    PLACES,
    STONES,
    Position,
    completions_of,
    count_of,
    first_of,
    keep_allowed,
    places_of,
    put,
    remove,
    spoils,
)
from searchbench.solvers.proof.tree import INFINITE
from searchbench.solvers.shared.transposition import (
    LARGEST_WORTH,
    WORTH_SHIFT,
    Transpositions,
    new_transpositions,
    probe,
    store,
)  # fmt: skip

DEEPEST: Final = 100
"""The largest number of plies of a line of threats; it is even, so that the attacker is to move then."""
WIDEST: Final = 256
FOURS: Final = 20
"""The nodes of a search for a win by fours inside a search by threats: more find hardly any further wins."""

NO_THREAT: Final = -1
"""The number of replies where the attacker has no threat, or the defender has a five."""

# The columns of a frame, and of a child.
PROOF_LIMIT, DISPROOF_LIMIT, SIZE, AT, SINCE = range(5)
MOVE, PROOF, DISPROOF = range(3)
_NUMBER_BITS: Final = 12
_NUMBER_MASK: Final = (1 << _NUMBER_BITS) - 1
_DEFENDERS: Final = 0x71D67FFFEDA60000
"""Tells the key of a position with the defender to move."""


class Threats(NamedTuple):
    """Hold the frames [depth, 5] and children [depth, widest, 3] of a search, and what it remembers.

    `note` has the number of nodes of the last search, and of all.
    """

    frames: Any
    children: Any
    scratch: Any
    fours: Fours
    table: Transpositions
    note: Any


def new_threats(bits: int = 20) -> Threats:
    """Return an empty memory of 2^bits positions."""
    return Threats(
        np.zeros((DEEPEST + 2, 5), np.int64), np.zeros((DEEPEST + 2, WIDEST, 3), np.int64), np.zeros((4, PLACES), np.int64),
        new_fours(), new_transpositions(1 << bits), np.zeros(2, np.int64),
    )  # fmt: skip


def replies(position: Position, attacker: int, out: Any, scratch: Any) -> int:
    """Write the replies to the attacker's threats, return their number: 0 where none helps, NO_THREAT without a threat.

    The defender is to move. Any other move than these loses to a five, or to a straight four.
    """
    position, out, scratch = unowned(position), unowned(out), unowned(scratch)
    defender = 1 - attacker
    if count_of(position, defender, FIVE) > 0:
        return NO_THREAT
    fives = count_of(position, attacker, FIVE)
    if fives > 0:
        out[0] = first_of(position, attacker, FIVE)
        return keep_allowed(position, defender, out, 0, 1) if fives == 1 else 0
    straights = places_of(position, attacker, STRAIGHT, scratch[0], 0)
    straights = keep_allowed(position, attacker, scratch[0], 0, straights)
    if straights == 0:
        return NO_THREAT
    count = -1
    for at in range(straights):
        place = scratch[0, at]
        scratch[1, 0] = place
        against = completions_of(position, place, attacker, scratch[1], 1)
        if against != 3:
            against = 1
        if attacker == 0:
            against = add_spoilers(position, place, scratch[1], against)
        count = common(out, count, scratch[1], against)
    kept = count
    for kind in (FOUR, STRAIGHT):
        found = places_of(position, defender, kind, scratch[1], 0)
        for at in range(found):
            known = False
            for other in range(kept):
                known = known or out[other] == scratch[1, at]
            if not known:
                out[count] = scratch[1, at]
                count += 1
    return keep_allowed(position, defender, out, 0, count)


def add_spoilers(position: Position, place: int, out: Any, count: int) -> int:
    """Append the empty places where white's stone forbids black a place, if it is no stone's place yet; return the count."""
    board = unowned(position.board)
    if board[FORBIDDING] != 0:
        listed = count
        for cell in range(board[CELLS]):
            stone = board[PLACE_OF + cell]
            if board[STONES + stone] == EMPTY and stone != place and spoils(position, place, stone):
                known = False
                for at in range(listed):
                    known = known or out[at] == stone
                if not known:
                    out[count] = stone
                    count += 1
    return count


def common(out: Any, count: int, others: Any, size: int) -> int:
    """Keep of a list (of any places if `count` is -1) those that are among `others`; return how many are left."""
    out, others = unowned(out), unowned(others)
    if count < 0:
        for at in range(size):
            out[at] = others[at]
        return size
    left = 0
    for at in range(count):
        for other in range(size):
            if out[at] == others[other]:
                out[left] = out[at]
                left += 1
                break
    return left


def attacks(position: Position, attacker: int, out: Any) -> int:
    """Write the fours and threes, or the one move that parries a threat of five; return their number."""
    position, out = unowned(position), unowned(out)
    defender = 1 - attacker
    threats = count_of(position, defender, FIVE)
    if threats > 0:
        out[0] = first_of(position, defender, FIVE)
        return keep_allowed(position, attacker, out, 0, 1) if threats == 1 else 0
    count = places_of(position, attacker, THREE, out, places_of(position, attacker, FOUR, out, 0))
    return keep_allowed(position, attacker, out, 0, count)


def won_word(move: int, work: int) -> int:
    """Return the table's word of a won position: its move, and no proof number."""
    return (min(work, LARGEST_WORTH) << WORTH_SHIFT) | (move << _NUMBER_BITS)


def winning_move(table: Transpositions, key: int) -> int:
    """Return the move that the table has for a won position, or -1 where it knows of no win."""
    word = probe(table, key)
    if word == 0 or word & _NUMBER_MASK != 0:
        return -1
    return (word >> _NUMBER_BITS) & _NUMBER_MASK


def at_once(position: Position, threats: Threats, attacker: int) -> bool:
    """Return whether the attacker, to move, wins by few fours; keep every move of the win in the table."""
    position, threats = unowned(position), unowned(threats)
    return win_by_fours(position, threats.fours, attacker, FOURS) == WON and keep_line(position, threats, attacker)


def keep_line(position: Position, threats: Threats, attacker: int) -> bool:
    """Keep every move of the win by fours that was found last, and return True."""
    position, threats = unowned(position), unowned(threats)
    defender, line, length = 1 - attacker, threats.fours.line, threats.fours.note[0]
    for at in range(length):
        keep(threats.table, attacker_key(position, attacker), 0, INFINITE, line[at, 0], 1)
        if at + 1 < length:
            put(position, line[at, 0], attacker)
            put(position, line[at, 1], defender)
    for at in range(length - 2, -1, -1):
        remove(position, line[at, 1], defender)
        remove(position, line[at, 0], attacker)
    return True


def numbers_of(table: Transpositions, key: int, child: Any) -> bool:
    """Write the numbers that the table has for a position; return whether it has any."""
    table, child = unowned(table), unowned(child)
    word = probe(table, key)
    if word == 0:
        return False
    proof, disproof = word & _NUMBER_MASK, (word >> _NUMBER_BITS) & _NUMBER_MASK
    if proof == 0:
        child[PROOF], child[DISPROOF] = 0, INFINITE
    elif disproof == 0:
        child[PROOF], child[DISPROOF] = INFINITE, 0
    else:
        child[PROOF], child[DISPROOF] = max(1, unpacked(proof)), max(1, unpacked(disproof))
    return True


def keep(table: Transpositions, key: int, proof: int, disproof: int, move: int, work: int) -> None:
    """Keep the numbers of a position in the table: where it is won, its move."""
    table = unowned(table)
    if proof == 0:
        word = won_word(move, work)
    elif disproof == 0:
        word = (min(work, LARGEST_WORTH) << WORTH_SHIFT) | 1
    else:
        word = (min(work, LARGEST_WORTH) << WORTH_SHIFT) | (packed(disproof) << _NUMBER_BITS) | packed(proof)
    store(table, key, word)


def set_result(child: Any, won: bool) -> None:
    """Write the numbers of a won position, or of one without a win."""
    child[PROOF] = 0 if won else INFINITE
    child[DISPROOF] = INFINITE if won else 0


def rate_attack(position: Position, threats: Threats, attacker: int, child: Any) -> None:
    """Write the first numbers of the position after an attacker's move."""
    position, threats, child = unowned(position), unowned(threats), unowned(child)
    count = replies(position, attacker, threats.scratch[2], threats.scratch)
    if count <= 0:
        set_result(child, count == 0)
    else:
        fours, threes = count_of(position, attacker, FOUR), count_of(position, attacker, THREE)
        child[PROOF] = 1 + max(0, 30 + 4 * count - 4 * fours - threes) // 3
        child[DISPROOF] = 1


def rate_reply(position: Position, threats: Threats, attacker: int, child: Any) -> None:
    """Write the first numbers of the position after a defender's reply."""
    position, threats, child = unowned(position), unowned(threats), unowned(child)
    if at_once(position, threats, attacker):
        set_result(child, True)
    elif attacks(position, attacker, threats.scratch[2]) == 0:
        set_result(child, False)
    else:
        child[PROOF], child[DISPROOF] = 1, 1


def open_node(position: Position, threats: Threats, attacker: int, depth: int) -> None:
    """Write the children of the current position with their first numbers, up to one that decides it."""
    position, threats = unowned(position), unowned(threats)
    children, frame, scratch = threats.children[depth], threats.frames[depth], threats.scratch
    mover = attacker if depth % 2 == 0 else 1 - attacker
    count = (
        attacks(position, attacker, scratch[3])
        if mover == attacker
        else replies(position, attacker, scratch[3], scratch)
    )
    frame[SIZE] = max(0, count)
    for at in range(frame[SIZE]):
        children[at, MOVE] = scratch[3, at]
    key = attacker_key(position, attacker) ^ (_DEFENDERS if mover == attacker else 0)
    for at in range(frame[SIZE]):
        child = children[at]
        move = child[MOVE]
        if not numbers_of(threats.table, key ^ position.board[NUMBERS + PLACES * mover + move], child):
            put(position, move, mover)
            if mover == attacker:
                rate_attack(position, threats, attacker, child)
            else:
                rate_reply(position, threats, attacker, child)
            remove(position, move, mover)
        if (child[PROOF] if mover == attacker else child[DISPROOF]) == 0:
            frame[SIZE] = at + 1
            break


def win_by_threats(position: Position, threats: Threats, attacker: int, limit: int) -> int:
    """Return WON, NONE, or STOPPED after `limit` nodes; the attacker is to move. The winning moves are in the table."""
    position, threats = unowned(position), unowned(threats)
    frames, note, table = threats.frames, threats.note, threats.table
    note[0] = 0
    key = attacker_key(position, attacker)
    word = probe(table, key)
    if word != 0 and word & _NUMBER_MASK == 0:
        return WON
    if word != 0 and (word >> _NUMBER_BITS) & _NUMBER_MASK == 0:
        return NONE
    if at_once(position, threats, attacker):
        return WON
    depth = 0
    frames[0, PROOF_LIMIT], frames[0, DISPROOF_LIMIT], frames[0, SINCE] = INFINITE, INFINITE, 0
    open_node(position, threats, attacker, 0)
    note[0] = 1
    result = STOPPED
    while True:
        frame, children = frames[depth], threats.children[depth]
        attacking = depth % 2 == 0
        least, other = (PROOF, DISPROOF) if attacking else (DISPROOF, PROOF)
        smallest, second, total, best = INFINITE, INFINITE, 0, -1
        for at in range(frame[SIZE]):
            number = children[at, least]
            if number < smallest or best < 0:
                second = smallest
                smallest = number
                best = at
            elif number < second:
                second = number
            total = min(INFINITE, total + children[at, other])
        if smallest == 0:
            total = INFINITE
        elif smallest >= INFINITE:
            total = 0
        proof, disproof = (smallest, total) if attacking else (total, smallest)
        stop = note[0] >= limit
        if stop or proof >= frame[PROOF_LIMIT] or disproof >= frame[DISPROOF_LIMIT] or smallest == 0 or total == 0:
            key = attacker_key(position, attacker)
            move = children[best, MOVE] if best >= 0 else 0
            work = note[0] - frame[SINCE] + 1
            keep(table, key if attacking else key ^ _DEFENDERS, proof, disproof, move, work)
            if depth == 0:
                result = WON if proof == 0 else NONE if disproof == 0 else STOPPED
                break
            depth -= 1
            child = threats.children[depth, frames[depth, AT]]
            remove(position, child[MOVE], attacker if depth % 2 == 0 else 1 - attacker)
            child[PROOF], child[DISPROOF] = proof, disproof
            continue
        child = children[best]
        room = INFINITE
        limit_of_other = frame[DISPROOF_LIMIT] if attacking else frame[PROOF_LIMIT]
        if limit_of_other < INFINITE:
            room = limit_of_other - total + child[other]
        rise = min(frame[PROOF_LIMIT] if attacking else frame[DISPROOF_LIMIT], second + 1 + second // 4, INFINITE)
        frame[AT] = best
        put(position, child[MOVE], attacker if attacking else 1 - attacker)
        depth += 1
        below = frames[depth]
        below[PROOF_LIMIT], below[DISPROOF_LIMIT] = (rise, room) if attacking else (room, rise)
        below[SINCE] = note[0]
        note[0] += 1
        if depth < DEEPEST:
            open_node(position, threats, attacker, depth)
        else:
            below[SIZE] = 0  # the attacker is to move, and has no moves left
    note[1] += note[0]
    return result
