"""Check the laws of moves, compiled, on many numbers, to find rare moves; the interpreted laws explain the faults."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.index.contract import canonical_rank, rank, unrank
from searchbench.rules import NOWHERE, UNDECIDED, cost, legal, moves, new_state, play, terminal, unmoves, unplay
from searchbench.testing.subject import Subject

AT_ONCE: Final = 2000
"""Numbers checked between two looks at the clock."""
MOST: Final = 3
"""Stop after this many numbers with a fault."""


def same(state: Any, other: Any) -> bool:
    """Return whether two states are equal."""
    for cell in range(len(state)):
        if state[cell] != other[cell]:
            return False
    return True


def lists(out: Any, count: int, move: int) -> bool:
    """Return whether a move is among the first `count`."""
    for index in range(count):
        if out[index] == move:
            return True
    return False


def twice(out: Any, count: int) -> bool:
    """Return whether a move is listed more than once."""
    for index in range(count):
        if lists(out, index, out[index]):
            return True
    return False


def forwards_wrong(
    number: int, state: Any, copy: Any, scratch: Any, out: Any, most: int, size: int, least_cost: int,
    two_players: bool, closed: bool,
) -> bool:  # fmt: skip
    """Return whether a position or one of its moves breaks a law."""
    if rank(state) != number:
        return True
    if two_players and terminal(state) != UNDECIDED:
        return False
    count = moves(state, out)
    if count > most or not same(state, copy) or (two_players and count == 0) or twice(out, count):
        return True
    for index in range(count):
        if cost(state, out[index]) < least_cost:
            return True
        play(state, out[index])
        reached = canonical_rank(state, scratch)
        if not legal(state) or reached < NOWHERE or reached >= size:
            return True
        if reached == NOWHERE and (closed or terminal(state) == UNDECIDED):
            return True
        unplay(state, out[index])
        if not same(state, copy):
            return True
    return False


def sweep_forwards(
    numbers: Any, out: Any, most: int, size: int, least_cost: int, two_players: bool, closed: bool, wrong: Any
) -> int:
    """Write the numbers of positions that break a law of moves; return how many, at most the length of `wrong`."""
    state = new_state()
    copy = new_state()
    scratch = new_state()
    found = 0
    for place in range(len(numbers)):
        unrank(numbers[place], state)
        unrank(numbers[place], copy)
        if legal(state) and forwards_wrong(
            numbers[place], state, copy, scratch, out, most, size, least_cost, two_players, closed
        ):
            wrong[found] = numbers[place]
            found += 1
            if found == len(wrong):
                break
    return found


def backwards_wrong(state: Any, copy: Any, out: Any, back: Any, most: int, two_players: bool) -> bool:
    """Return whether moves and unmoves of a position are not each other's reverse."""
    count = unmoves(state, out)
    if count > most or not same(state, copy) or twice(out, count):
        return True
    for index in range(count):
        unplay(state, out[index])
        if legal(state):
            over = two_players and terminal(state) != UNDECIDED
            if over or not lists(back, moves(state, back), out[index]):
                return True
            play(state, out[index])
            if not same(state, copy):
                return True
        for cell in range(len(state)):
            state[cell] = copy[cell]
    if two_players and terminal(state) != UNDECIDED:
        return False
    count = moves(state, out)
    for index in range(count):
        play(state, out[index])
        if not lists(back, unmoves(state, back), out[index]):
            return True
        for cell in range(len(state)):
            state[cell] = copy[cell]
    return False


def sweep_backwards(numbers: Any, out: Any, back: Any, most: int, two_players: bool, wrong: Any) -> int:
    """Write the numbers of positions whose moves and unmoves disagree; return how many."""
    state = new_state()
    copy = new_state()
    found = 0
    for place in range(len(numbers)):
        unrank(numbers[place], state)
        unrank(numbers[place], copy)
        if legal(state) and backwards_wrong(state, copy, out, back, most, two_players):
            wrong[found] = numbers[place]
            found += 1
            if found == len(wrong):
                break
    return found


def sweep(subject: Subject, seconds: float, seed: int, target: jit.Target = "cpu") -> tuple[int, list[int]]:
    """Check numbers in random order for `seconds`, or until all are checked; return how many, and some that break a law."""
    looks = list(_looks(subject, target))
    for look in looks:
        look(np.zeros(0, np.int64))  # compile it
    done, found, begun = 0, dict[int, None](), time.thread_time()
    for numbers in _drawn(subject.size, seed):
        for look in looks:
            found |= dict.fromkeys(look(numbers))
        done += len(numbers)
        if len(found) >= MOST or time.thread_time() - begun >= seconds:
            break
    return done, list(found)[:MOST]


def _looks(subject: Subject, target: jit.Target) -> Iterator[Callable[[Any], list[int]]]:
    """Yield functions that return the given numbers that break a law: forwards, and backwards if the game has unmoves."""
    game = subject.game
    names = game.names(target=target)
    wrong = np.zeros(MOST, np.int64)
    out, back = np.zeros(subject.room, np.int64), np.zeros(subject.room, np.int64)
    forwards = jit.bind(sweep_forwards, names, target)
    least_cost = 0 if game.has("blank") else 1

    def look_forwards(numbers: Any) -> list[int]:
        count = forwards(numbers, out, game.max_moves, subject.size, least_cost, game.two_players, game.closed, wrong)
        return [int(number) for number in wrong[:count]]

    yield look_forwards
    if subject.has("unmoves"):
        backwards = jit.bind(sweep_backwards, names, target)

        def look_backwards(numbers: Any) -> list[int]:
            count = backwards(numbers, out, back, game.max_unmoves, game.two_players, wrong)
            return [int(number) for number in wrong[:count]]

        yield look_backwards


def _drawn(size: int, seed: int) -> Iterator[Any]:
    """Yield all numbers in pieces, shuffled by the seed; for a huge index, random numbers without end."""
    pieces = -(-size // AT_ONCE)
    chance = random.Random(seed)
    if pieces <= 1 << 20:
        order = list(range(pieces))
        chance.shuffle(order)
        for piece in order:
            # Every `pieces`-th number: neighbours are alike, and each piece should sample the whole index.
            yield np.arange(piece, size, pieces, dtype=np.int64)
    else:
        while True:
            yield np.array([chance.randrange(size) for _ in range(AT_ONCE)], np.int64)
