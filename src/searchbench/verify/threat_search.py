"""Search for a win by threats, depth first by proof numbers: what it finds, a table of moves, is only a proposal."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from searchbench.hashing import mix
from searchbench.jit import inlined, popcount, trailing_zeros, unowned
from searchbench.verify.threat_board import (
    DEEPEST,
    FOURS_DEEP,
    HASH,
    NO_CELL,
    NODES,
    SALT,
    THREE,
    TWO,
    WIDEST,
    WORD_BITS,
    ThreatSearch,
    completions,
    keep_allowed,
    may_play,
    put,
    replies,
    take,
)

WON, NONE, STOPPED = 1, 0, -1
"""What a search ends with: a win, no win by threats, or more nodes than it may visit."""
INFINITE: Final = (1 << 20) - 1
FOURS: Final = 20
"""Nodes of the search for a win by fours alone in each new position; more find hardly any further wins."""
_NUMBER_BITS: Final = 20

PROOF_LIMIT, DISPROOF_LIMIT, SIZE, AT = range(4)
"""The columns of a frame,"""
MOVE, PROOF, DISPROOF = range(3)
"""and of a child."""


def attacks(search: ThreatSearch, attacker: int, out: Any) -> int:
    """Write the attacker's fours and threes (and some other cells), or the cell that she must fill; return their number."""
    search = unowned(search)
    defender = 1 - attacker
    must = completions(search, defender, out, 0, 2)
    if must > 0:
        return keep_allowed(search, attacker, out, 1) if must == 1 else 0
    count = 0
    for level in range(TWO, THREE + 1):
        for word in range(search.sets.shape[2]):
            bits = search.sets[level, attacker, word]
            if level == THREE:
                bits &= ~search.sets[TWO, attacker, word]
            while bits != 0 and count < WIDEST:
                out[count] = word * WORD_BITS + trailing_zeros(bits)
                bits &= bits - 1
                count += 1
    return keep_allowed(search, attacker, out, count)


@inlined
def slot_of(search: ThreatSearch, code: int) -> int:
    """Return the place of a position in the table."""
    return (code >> 7) & (len(search.keys) - 1)


def code_of(search: ThreatSearch, attacking: bool) -> int:
    """Return the key of the position in the table."""
    code = search.note[HASH] ^ mix(2 * search.note[SALT] + 0x5DEECE66D)
    return code if attacking else code ^ 0x3C6EF372FE94F82B  # type: ignore[no-any-return]


def known_move(search: ThreatSearch, code: int) -> int:
    """Return the move that the table has for a won position with the attacker to move, or NO_CELL."""
    place = slot_of(search, code)
    word = search.words[place]
    if search.keys[place] != code or word & INFINITE != 0:
        return NO_CELL
    return int(word >> 2 * _NUMBER_BITS)


def keep(search: ThreatSearch, code: int, proof: int, disproof: int, move: int) -> None:
    """Keep the numbers of a position in the table, and a move."""
    place = slot_of(search, code)
    search.keys[place] = code
    search.words[place] = (move << 2 * _NUMBER_BITS) | (disproof << _NUMBER_BITS) | proof


def rate(search: ThreatSearch, attacker: int, attacking: bool, child: Any) -> None:
    """Write the first numbers of the position after a move; `attacking` tells whether the attacker is to move then."""
    search = unowned(search)
    code = code_of(search, attacking)
    place = slot_of(search, code)
    if search.keys[place] == code:
        word = search.words[place]
        child[PROOF], child[DISPROOF] = word & INFINITE, (word >> _NUMBER_BITS) & INFINITE
        return
    child[PROOF], child[DISPROOF] = 1, 1
    if attacking:
        if wins_by_fours(search, attacker):
            child[PROOF], child[DISPROOF] = 0, INFINITE
        return
    count = replies(search, attacker, search.room[1])
    if count <= 0:
        child[PROOF], child[DISPROOF] = (0, INFINITE) if count == 0 else (INFINITE, 0)
        return
    fours = threes = 0
    for word in range(search.sets.shape[2]):
        fours += popcount(search.sets[TWO, attacker, word])
        threes += popcount(search.sets[THREE, attacker, word] & ~search.sets[TWO, attacker, word])
    child[PROOF] = 1 + max(0, 30 + 4 * count - 4 * fours - threes) // 3


def wins_by_fours(search: ThreatSearch, attacker: int) -> bool:
    """Return whether few fours win, for the attacker to move; the table gets the move of each position on the way."""
    search = unowned(search)
    rest, fours, room, defender = search.rest, search.fours, search.room[3], 1 - attacker
    nodes = depth = 0
    won = False
    entered = True
    while True:
        if entered:
            entered = False
            nodes += 1
            move = completions_or_none(search, attacker)
            if move != NO_CELL:
                keep(search, code_of(search, True), 0, INFINITE, move)
                won = True
                break
            must = completions(search, defender, room, 0, 2)
            tried = must < 2 and nodes <= FOURS and depth < FOURS_DEEP
            for word in range(search.sets.shape[2]):
                bits = search.sets[TWO, attacker, word] if tried else 0
                if must == 1:
                    bits &= np.int64(1) << (room[0] % WORD_BITS) if room[0] // WORD_BITS == word else 0
                rest[depth, word] = bits
        word = 0
        while word < search.sets.shape[2] and rest[depth, word] == 0:
            word += 1
        if word == search.sets.shape[2]:
            if depth == 0:
                break
            depth -= 1
            take(search, fours[depth, 1], defender)
            take(search, fours[depth, 0], attacker)
            continue
        cell = word * WORD_BITS + trailing_zeros(rest[depth, word])
        rest[depth, word] &= rest[depth, word] - 1
        if not may_play(search, cell, attacker):
            continue
        put(search, cell, attacker)
        ways = completions(search, attacker, room, 0, 2)
        unanswered = ways == 2 or (ways == 1 and not may_play(search, room[0], defender))
        if ways == 0 or unanswered or completions(search, defender, room, 1, 1) > 0:
            won = unanswered and completions(search, defender, room, 1, 1) == 0
            take(search, cell, attacker)
            if won:
                keep(search, code_of(search, True), 0, INFINITE, cell)
                break
            continue
        fours[depth, 0], fours[depth, 1] = cell, room[0]
        put(search, room[0], defender)
        depth += 1
        entered = True
    while depth > 0:
        depth -= 1
        take(search, fours[depth, 1], defender)
        take(search, fours[depth, 0], attacker)
        keep(search, code_of(search, True), 0, INFINITE, fours[depth, 0])
    return won


@inlined
def completions_or_none(search: ThreatSearch, player: int) -> int:
    """Return a cell where a player wins at once, or NO_CELL."""
    if completions(search, player, search.room[0], 0, 1) > 0:
        return int(search.room[0, 0])
    return NO_CELL


def open_node(search: ThreatSearch, attacker: int, depth: int) -> None:
    """Write the children of the current position with their first numbers, up to one that decides it."""
    search = unowned(search)
    children, frame = search.children[depth], search.frames[depth]
    attacking = depth & 1 == 0
    mover = attacker if attacking else 1 - attacker
    moves = search.room[2]
    count = attacks(search, attacker, moves) if attacking else min(WIDEST, replies(search, attacker, moves))
    decisive = PROOF if attacking else DISPROOF
    frame[SIZE] = 0
    for place in range(count):
        child = children[frame[SIZE]]
        child[MOVE] = moves[place]
        put(search, moves[place], mover)
        rate(search, attacker, not attacking, child)
        take(search, moves[place], mover)
        if child[decisive] == 0:
            frame[SIZE] += 1
            return
        if child[PROOF + DISPROOF - decisive] != 0:
            frame[SIZE] += 1


def find(search: ThreatSearch, attacker: int, limit: int) -> int:
    """Return WON, NONE, or STOPPED after `limit` nodes; the attacker is to move, and nobody has won.

    Depth-first proof-number search; a move's first proof number tells how much it threatens. The moves are in the table.
    """
    search = unowned(search)
    frames, note = search.frames, search.note
    note[NODES] = 1
    code = code_of(search, True)
    if known_move(search, code) != NO_CELL:
        return WON
    if wins_by_fours(search, attacker):
        return WON
    depth = 0
    frames[0, PROOF_LIMIT] = frames[0, DISPROOF_LIMIT] = INFINITE
    open_node(search, attacker, 0)
    while True:
        frame, children = frames[depth], search.children[depth]
        attacking = depth & 1 == 0
        least, other = (PROOF, DISPROOF) if attacking else (DISPROOF, PROOF)
        smallest, second, total, best = INFINITE, INFINITE, 0, -1
        for place in range(frame[SIZE]):
            number = children[place, least]
            if number < smallest or best < 0:
                second = smallest
                smallest = number
                best = place
            elif number < second:
                second = number
            total = min(INFINITE - 1, total + children[place, other])  # a large sum is no proof
        if smallest == 0:
            total = INFINITE
        elif smallest >= INFINITE:
            total = 0
        proof, disproof = (smallest, total) if attacking else (total, smallest)
        if (
            note[NODES] >= limit or proof >= frame[PROOF_LIMIT] or disproof >= frame[DISPROOF_LIMIT]
            or smallest == 0 or total == 0
        ):  # fmt: skip
            keep(search, code_of(search, attacking), proof, disproof, children[best, MOVE] if best >= 0 else 0)
            if depth == 0:
                return WON if proof == 0 else NONE if disproof == 0 else STOPPED
            depth -= 1
            child = search.children[depth, frames[depth, AT]]
            take(search, child[MOVE], attacker if depth & 1 == 0 else 1 - attacker)
            child[PROOF], child[DISPROOF] = proof, disproof
            continue
        child = children[best]
        room = INFINITE
        limit_of_other = frame[DISPROOF_LIMIT] if attacking else frame[PROOF_LIMIT]
        if limit_of_other < INFINITE:
            room = limit_of_other - total + child[other]
        rise = min(frame[PROOF_LIMIT] if attacking else frame[DISPROOF_LIMIT], second + 1 + second // 4, INFINITE)
        frame[AT] = best
        put(search, child[MOVE], attacker if attacking else 1 - attacker)
        depth += 1
        below = frames[depth]
        below[PROOF_LIMIT], below[DISPROOF_LIMIT] = (rise, room) if attacking else (room, rise)
        note[NODES] += 1
        if depth < DEEPEST:
            open_node(search, attacker, depth)
        else:
            below[SIZE] = 0  # the attacker is to move, and gives up
