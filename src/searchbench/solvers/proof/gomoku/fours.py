"""Win by fours alone: every move of the attacker threatens a five, and has one answer.

A defender's own threat of five must be parried by a four. The search is depth first; positions in which all was tried in
vain are remembered.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.jit import trailing_zeros, unowned
from searchbench.solvers.proof.gomoku.patterns import CLASSES, FIVE, FOUR, STRAIGHT
from searchbench.solvers.proof.gomoku.position import (
    CELLS,
    HASH,
    PLACE_OF,
    SETS,
    WORD,
    WORDS,
    Position,
    class_of,
    count_of,
    first_of,
    may_play,
    put,
    remove,
)

DEEPEST: Final = 60
"""The largest number of fours in a sequence."""
WON, NONE, STOPPED = 1, 0, -1
"""What a search ends with: a win, no win, or more nodes than it may visit."""
_ATTACKERS: Final = (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85)


class Fours(NamedTuple):
    """Hold the candidates [depth, words] and the line [depth, 2] of a search (the last reply is -1), and its memory.

    `note` has the length of the winning line and the number of nodes of all searches.
    """

    rest: Any
    line: Any
    failed: Any
    note: Any


def new_fours(bits: int = 16) -> Fours:
    """Return an empty memory of 2^bits positions."""
    return Fours(
        np.zeros((DEEPEST + 1, WORDS), np.int64), np.zeros((DEEPEST + 1, 2), np.int64), np.zeros(1 << bits, np.int64),
        np.zeros(2, np.int64),
    )  # fmt: skip


def attacker_key(position: Position, attacker: int) -> int:
    """Return the key of a position with the attacker to move."""
    return position.board[HASH] ^ _ATTACKERS[attacker]  # type: ignore[no-any-return]


def winning_place(position: Position, attacker: int) -> int:
    """Return a move that completes a five, or makes two ways to do so that cannot be parried; -1 if there is none.

    The attacker is to move.
    """
    position = unowned(position)
    defender = 1 - attacker
    if count_of(position, attacker, FIVE) > 0:
        return first_of(position, attacker, FIVE)
    threats = count_of(position, defender, FIVE)
    if threats == 0 and count_of(position, attacker, STRAIGHT) > 0:
        return first_allowed(position, attacker, STRAIGHT)
    if threats == 1:
        forced = first_of(position, defender, FIVE)
        if class_of(position, forced, attacker) >= STRAIGHT and may_play(position, forced, attacker):
            return forced
    return -1


def first_allowed(position: Position, player: int, kind: int) -> int:
    """Return the first place of a class where a player may play, or -1: no FIVE is ever forbidden, other places may be."""
    board = unowned(position.board)
    for word in range((board[CELLS] + WORD - 1) // WORD):
        bits = board[SETS + (player * CLASSES + kind) * WORDS + word]
        while bits != 0:
            place = board[PLACE_OF + word * WORD + trailing_zeros(bits)]
            if may_play(position, place, player):
                return place  # type: ignore[no-any-return]
            bits &= bits - 1
    return -1


def win_by_fours(position: Position, fours: Fours, attacker: int, limit: int) -> int:
    """Return WON, NONE, or STOPPED after `limit` nodes; the attacker is to move. The line is in `fours.line`."""
    position, fours = unowned(position), unowned(fours)
    board, rest, line, failed, note = position.board, fours.rest, fours.line, fours.failed, fours.note
    words = (board[CELLS] + WORD - 1) // WORD
    defender, depth, nodes, complete = 1 - attacker, 0, 0, True
    result = STOPPED
    entering = True
    while True:
        if entering:
            entering = False
            nodes += 1
            last = winning_place(position, attacker)
            if last >= 0:
                line[depth, 0], line[depth, 1] = last, -1
                note[0] = depth + 1
                result = WON
                break
            key = attacker_key(position, attacker)
            known = failed[key & (len(failed) - 1)] == key
            if nodes > limit or depth == DEEPEST:
                complete = False
                known = True
            for word in range(words):
                rest[depth, word] = 0 if known else board[SETS + (attacker * CLASSES + FOUR) * WORDS + word]
            threats = count_of(position, defender, FIVE)
            if threats > 0 and not known:
                for word in range(words):
                    rest[depth, word] &= board[SETS + (defender * CLASSES + FIVE) * WORDS + word] if threats == 1 else 0
        word = 0
        while word < words and rest[depth, word] == 0:
            word += 1
        if word < words:
            move = board[PLACE_OF + word * WORD + trailing_zeros(rest[depth, word])]
            rest[depth, word] &= rest[depth, word] - 1
            if not may_play(position, move, attacker):
                continue
            put(position, move, attacker)
            reply = first_of(position, attacker, FIVE)
            if not may_play(position, reply, defender):  # no answer is left
                remove(position, move, attacker)
                line[depth, 0], line[depth, 1] = move, -1
                note[0] = depth + 1
                result = WON
                break
            put(position, reply, defender)
            line[depth, 0], line[depth, 1] = move, reply
            depth += 1
            entering = True
            continue
        if complete:
            key = attacker_key(position, attacker)
            failed[key & (len(failed) - 1)] = key
        if depth == 0:
            result = NONE if complete else STOPPED
            break
        depth -= 1
        remove(position, line[depth, 1], defender)
        remove(position, line[depth, 0], attacker)
    note[1] += nodes
    while depth > 0:
        depth -= 1
        remove(position, line[depth, 1], defender)
        remove(position, line[depth, 0], attacker)
    return result
