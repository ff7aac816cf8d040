"""Breadth-first search of an abstraction in which some moves cost nothing and the states that they join share a number.

All that is kept of a number is a word: a bit for each place (`rules.place`) whose states were reached, and above these a
bit for each place that waits. A level has two passes. First the places that wait, and were not reached before, spread at no
cost: they are reached now, and wait still. Then the numbers with such places are expanded: what moves with a cost lead to,
and was not reached, waits for the next level. So the two kinds of waiting places never mix, and one word does for both.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import ValueOverflow
from searchbench.exchange.decisions import reduce_any, reduce_sum
from searchbench.game import Game
from searchbench.index.contract import (
    MOST_PLACES,
    blank,
    rank,
    unit_cost_successors,
    unrank,
    unrank_next,
    zero_cost_closure,
)
from searchbench.index.protocol import line_size
from searchbench.jit import FIRST, STOP, atomic_or, intervals, prefetch
from searchbench.rules import State, new_moves, new_state, start
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.store import Database
from searchbench.values import Bound

BLOCK: Final = 1 << 12
"""How many numbers share a mark that says whether any of them waits."""
LARGEST_CODE: Final = 254


def move_to(number: int, at: int, state: State) -> None:
    """Turn the state of the number `at` (-1: of none) into that of a larger number."""
    if at < 0:
        unrank(number, state)
    else:
        unrank_next(at, state, number - at)


def take_blocks(words: Any, shift: int, codes: Any, code: int, marks: Any, first: int, stop: int) -> int:
    """Spread the places that wait in the marked blocks; leave the mark where there are any; return how many codes are new."""
    state = new_state()
    low = (1 << shift) - 1
    fresh = 0
    at = -1
    for block in range(first, stop):
        if marks[block] == 0:
            continue
        marks[block] = 0
        for number in range(block * BLOCK, min((block + 1) * BLOCK, len(codes))):
            word = words[number]
            if word >> shift == 0:
                continue
            waiting = (word >> shift) & ~word & low
            if waiting == 0:
                words[number] = word & low  # what was expanded at the level before
                continue
            move_to(number, at, state)
            at = number
            places = zero_cost_closure(state, waiting)
            words[number] = (word & low) | places | places << shift
            marks[block] = 1
            if codes[number] == 0:
                codes[number] = code
                fresh += 1
    return fresh


def expand_blocks(words: Any, shift: int, marks: Any, reached: Any, first: int, stop: int) -> None:
    """Expand the places of the marked blocks that wait and are reached; mark in `reached` where others wait then."""
    state = new_state()
    numbers: Any = np.zeros(MOST_PLACES * len(new_moves()), np.int64)
    bits: Any = np.zeros(MOST_PLACES * len(new_moves()), np.int64)
    at = -1
    for block in range(first, stop):
        if marks[block] == 0:
            continue
        reached[block] = 1  # so that the next level clears what waits here
        for number in range(block * BLOCK, min((block + 1) * BLOCK, len(words))):
            word = words[number]
            places = (word >> shift) & word
            if places == 0:
                continue
            move_to(number, at, state)
            at = number
            count = unit_cost_successors(number, state, places, numbers, bits)
            for index in range(count):
                prefetch(words, numbers[index])
            for index in range(count):
                known = words[numbers[index]]
                if (known | known >> shift) & bits[index] == 0:
                    atomic_or(words, numbers[index], bits[index] << shift)
                    reached[numbers[index] // BLOCK] = 1


def first_word() -> tuple[int, int]:
    """Return the number of the start and the bit of its place."""
    state = new_state()
    start(state)
    return rank(state), 1 << blank(state)


def bytes_needed(game: Game) -> int:
    """Return the memory that the search takes."""
    size = line_size(game.parts())
    return size * (_word_type(game).itemsize + 1) + 2 * (size // BLOCK + 1)


def solve_by_spreading(game: Game, run: Run, target: jit.Target = "cpu") -> Database:
    """Return the least cost from the start to any of the states of each number. Raises OutOfMemory before it starts."""
    run.demand(bytes_needed(game), f"solving {game} ({line_size(game.parts()):,} numbers)")
    return _Spreading(game, run, target).solve()


def _word_type(game: Game) -> np.dtype[Any]:
    """Return the type of a word: 16 places fit twice into 32 bits, 31 into 64."""
    return np.dtype(np.uint32 if game.places <= 16 else np.int64)


class _Spreading:
    def __init__(self, game: Game, run: Run, target: jit.Target) -> None:
        self.game, self.run = game, run
        self.names = game.names(Bound(), target)
        size = line_size(game.parts())
        kind = _word_type(game)
        self.words = np.zeros(size, kind)
        self.shift = kind.itemsize * 4
        self.codes = np.zeros(size, np.uint8)
        self.marks, self.reached = (np.zeros(-(-size // BLOCK), np.uint8) for _ in range(2))

    def solve(self) -> Database:
        """Go level by level until nothing waits."""
        take, expand = jit.bind(take_blocks, self.names), jit.bind(expand_blocks, self.names)
        number, bit = jit.bind(first_word, self.names)()
        self.words[numbered(self.game, number)] = bit << self.shift
        self.marks[number // BLOCK] = 1
        found, level = 0, 0
        while True:
            pieces = self._pieces()
            taken = self.run.launch(
                take, pieces, self.words, self.shift, self.codes, level + 1, self.marks, FIRST, STOP
            )
            found += reduce_sum(taken)
            if not reduce_any([self.marks.any()]):
                break
            if level + 1 >= LARGEST_CODE:
                raise ValueOverflow(f"{self.game}: a cost of {level} does not fit a byte")
            self.run.launch(expand, pieces, self.words, self.shift, self.marks, self.reached, FIRST, STOP)
            self.marks[:] = 0
            self.marks, self.reached = self.reached, self.marks
            level += 1
            self.run.progress(f"cost {level}", found, len(self.codes))
        facts = {
            "solver": "bfs",
            "form": "spread",
            "levels": level,
            **self.run.times,
            "threads": self.run.threads,
        }
        return Database(self.game, Bound(), self.codes, facts)

    def _pieces(self) -> list[tuple[int, int]]:
        """Return intervals of blocks for the threads to share."""
        blocks = len(self.marks)
        step = max(1, blocks // (32 * self.run.threads))
        return intervals(0, blocks, step)
