"""The rules of Sokoban, with the level as data: levels of up to 256 squares of floor are one compilation.

A state has a bit for each square of the floor, 32 to a cell, set where a stone stands, and then the man's cell: the lowest number
of a square that he can walk to. A move is a push; its bits say from which square, to which, where the man was, and in which
direction. States that differ in where the man stands within his reach are one, which is exact where pushes are counted.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from functools import lru_cache
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.games.sokoban.tables import LevelTables
from searchbench.jit.intrinsics import zeros
from searchbench.rules import UNDECIDED, State

BITS: Final = 32
"""Squares in a cell of a state."""
WORDS: Final = 8
"""States have a multiple of so many cells for stones, so that most levels are of the same width."""
FIELD: Final = 12
"""The bits of a square in a move."""
MASK: Final = (1 << FIELD) - 1
MOST_NUMBERS: Final = 1 << 40
"""A level of more states has no index."""
DEAD: Final = 1 << 12
"""What the bound adds for a stone that can come to no goal."""


class LevelData(NamedTuple):
    """A level as its rules see it; `choose[s, k]` is the number of sets of k of s squares, of one row where nobody counts."""

    near: npt.NDArray[np.int32]
    goals: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    live: npt.NDArray[np.uint8]
    nearest: npt.NDArray[np.int32]
    choose: npt.NDArray[np.int64]
    stones: int


def words_for(squares: int) -> int:
    """Return how many cells hold a bit for each of so many squares."""
    return -(-squares // (BITS * WORDS)) * WORDS


def from_square(move: int) -> int:
    """Return the square that the stone leaves."""
    return move & MASK


def to_square(move: int) -> int:
    """Return the square that the stone comes to."""
    return move >> FIELD & MASK


def man_before(move: int) -> int:
    """Return the man's cell before the move."""
    return move >> 2 * FIELD & MASK


def direction_of(move: int) -> int:
    """Return the direction of the push: up, down, left, right."""
    return move >> 3 * FIELD


def push_of(square: int, target: int, man: int, direction: int) -> int:
    """Return the move that pushes a stone from a square to its neighbour in a direction."""
    return square | target << FIELD | man << 2 * FIELD | direction << 3 * FIELD


def state_of(stones: Any, man: int, squares: int) -> list[int]:
    """Return a state; `man` is the man's cell."""
    words = words_for(squares)
    state = [0] * (words + 1)
    for square in stones:
        state[square // BITS] |= 1 << square % BITS
    state[words] = man
    return state


def stones_of(state: Any) -> list[int]:
    """Return the squares of a state's stones."""
    return [word * BITS + bit for word in range(len(state) - 1) for bit in range(BITS) if int(state[word]) >> bit & 1]


def normal_man(near: Any, stones: Any, man: int) -> int:
    """Return the lowest square that the man can walk to."""
    taken, found, waiting = set(stones), {man}, [man]
    for square in waiting:  # which grows
        for other in near[square]:
            if other >= 0 and other not in found and other not in taken:
                found.add(int(other))
                waiting.append(int(other))
    return min(found)


def index_size(squares: int, stones: int) -> int:
    """Return how many numbers the states have: a set of squares for the stones, and one for the man."""
    return comb(squares, stones) * squares


def level_data(tables: LevelTables) -> LevelData:
    """Return the data of a level."""
    level = tables.level
    squares, stones = len(level.cells), len(level.stones)
    first = state_of(level.stones, normal_man(level.near, level.stones, level.man), squares)
    goals = state_of(level.goals, 0, squares)[:-1]
    counted = index_size(squares, stones) <= MOST_NUMBERS
    rows = [[comb(square, some) for some in range(stones + 1)] for square in range(squares + 1)] if counted else [[0]]
    return LevelData(
        tables.near, np.array(goals, np.int64), np.array(first, np.int64), tables.live,
        np.minimum(tables.nearest, DEAD).astype(np.int32), np.array(rows, np.int64), stones,
    )  # fmt: skip


@lru_cache
def functions(words: int, counted: bool) -> dict[str, Callable[..., Any]]:
    """Return the rules for levels of so many cells; with rank and unrank where they are `counted`."""
    squares = words * BITS
    scratch = zeros(2 * squares, np.int32)  # which squares were seen, and a queue of them

    def has_stone(state: State, square: int) -> bool:
        return state[square >> 5] >> (square & 31) & 1 != 0

    def walk(state: State, man: int, area: Any, near: Any) -> int:
        # Marks the squares that the man can walk to, and returns the lowest of them.
        area[man] = 1
        area[squares] = man
        head, tail, lowest = squares, squares + 1, man
        while head < tail:
            here = area[head]
            head += 1
            for direction in range(4):
                there = near[here, direction]
                if there >= 0 and area[there] == 0 and not has_stone(state, there):
                    area[there] = 1
                    area[tail] = there
                    tail += 1
                    lowest = min(lowest, there)
        return int(lowest)

    def move_stone(state: State, before: int, after: int) -> None:
        state[before >> 5] &= ~(1 << (before & 31)) & 0xFFFFFFFF
        state[after >> 5] |= 1 << (after & 31)

    def start(state: State, data: Any) -> None:
        for cell in range(words + 1):
            state[cell] = data.first[cell]

    def terminal(state: State, data: Any) -> int:
        for word in range(words):
            if state[word] & ~data.goals[word] != 0:
                return UNDECIDED
        return 0

    def legal(state: State, data: Any) -> bool:
        near, count, man = data.near, 0, state[words]
        for square in range(squares):
            if has_stone(state, square):
                count += 1
                if square >= len(near):
                    return False
        if count != data.stones or man >= len(near) or has_stone(state, man):
            return False
        return walk(state, man, scratch(), near) == man

    def moves(state: State, out: MutableSequence[int], data: Any) -> int:
        near, area, man, count = data.near, scratch(), state[words], 0
        walk(state, man, area, near)
        for word in range(words):
            if state[word] == 0:
                continue
            for square in range(word * 32, min(word * 32 + 32, len(near))):
                if not has_stone(state, square):
                    continue
                for direction in range(4):
                    behind, target = near[square, direction ^ 1], near[square, direction]
                    if behind >= 0 and target >= 0 and area[behind] != 0 and not has_stone(state, target):
                        out[count] = push_of(square, target, man, direction)
                        count += 1
        return count

    def play(state: State, move: int, data: Any) -> None:
        target = to_square(move)
        move_stone(state, from_square(move), target)
        state[words] = walk(state, data.near[target, direction_of(move) ^ 1], scratch(), data.near)

    def unplay(state: State, move: int) -> None:
        move_stone(state, to_square(move), from_square(move))
        state[words] = man_before(move)

    def unmoves(state: State, out: MutableSequence[int], data: Any) -> int:
        near, area, count = data.near, scratch(), 0
        walk(state, state[words], area, near)
        for target in range(len(near)):
            if not has_stone(state, target):
                continue
            for direction in range(4):
                square = near[target, direction ^ 1]  # where the stone was, and where the man is
                if square < 0 or area[square] == 0:
                    continue
                man = near[square, direction ^ 1]
                if man >= 0 and not has_stone(state, man):
                    move_stone(state, target, square)
                    before = walk(state, man, scratch(), near)
                    move_stone(state, square, target)
                    out[count] = push_of(square, target, before, direction)
                    count += 1
        return count

    def h(state: State, tables: Any, data: Any) -> int:
        total = 0
        for square in range(len(data.near)):
            if has_stone(state, square):
                total += data.nearest[square]
        return total

    def h_step(state: State, move: int, tables: Any, data: Any) -> int:
        return int(data.nearest[to_square(move)] - data.nearest[from_square(move)])

    def dead(state: State, tables: Any, data: Any) -> bool:
        for square in range(len(data.near)):
            if has_stone(state, square) and data.live[square] == 0:
                return True
        return False

    def relevance_cut(state: State, previous: int, move: int, tables: Any, data: Any) -> bool:
        return bool(data.live[to_square(move)] == 0)

    def rank(state: State, data: Any) -> int:
        number, some = 0, 0
        for square in range(len(data.near)):
            if has_stone(state, square):
                some += 1
                number += data.choose[square, some]
        return int(number * len(data.near) + state[words])

    def unrank(number: int, state: State, data: Any) -> None:
        for word in range(words):
            state[word] = 0
        state[words] = number % len(data.near)
        number //= len(data.near)
        some = data.stones
        for square in range(len(data.near) - 1, -1, -1):
            if some > 0 and data.choose[square, some] <= number:
                number -= data.choose[square, some]
                some -= 1
                state[square >> 5] |= 1 << (square & 31)

    found: dict[str, Callable[..., Any]] = {
        "start": start, "terminal": terminal, "legal": legal, "moves": moves, "play": play, "unplay": unplay,
        "unmoves": unmoves, "h": h, "h_step": h_step, "dead": dead, "relevance_cut": relevance_cut,
    }  # fmt: skip
    return found | ({"rank": rank, "unrank": unrank} if counted else {})
