"""Numbers of the neighbours of a state: the step that every all-state solver shares."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

from searchbench.exchange.contract import finished_code
from searchbench.index.contract import canonical_rank
from searchbench.rules import (
    NOWHERE,
    SYMMETRIC,
    Code,
    Rank,
    State,
    conversions,
    legal,
    mobility,
    moves,
    play,
    stabilizer,
    terminal,
    unmoves_within,
    unplay,
)
from searchbench.values.contract import finish, initial, weight

Numbers = MutableSequence[int]
Bounds = MutableSequence[int]
"""Intervals of the number line: start, stop, start, stop, ..."""

OUTSIDE: Final = 1 << 40
"""A successor that the index does not number is written as its result - OUTSIDE."""


def inside(number: Rank, bounds: Bounds) -> bool:
    """Tell whether a number lies in one of the intervals."""
    for index in range(0, len(bounds), 2):
        if bounds[index] <= number < bounds[index + 1]:
            return True
    return False


def is_position(number: Rank, state: State, scratch: State) -> bool:
    """Tell whether the state with this number is a position, and stands for its symmetry class."""
    return legal(state) and (not SYMMETRIC or canonical_rank(state, scratch) == number)


def place_of(numbers: Numbers, weights: Numbers, count: int, number: Rank, edge: int) -> int:
    """Return the place of an edge among the first `count`, or `count`."""
    for index in range(count):
        if numbers[index] == number and weights[index] == edge:
            return index
    return count


def successors(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Write the numbers of the successors and the weights of the edges; return how many edges differ.

    Where symmetric states share a number, so may two successors: they are one edge then, just as the state is one
    predecessor of theirs.
    """
    return write_edges(state, scratch, out, moves(state, out), numbers, weights, SYMMETRIC)


def write_edges(
    state: State, scratch: State, out: Numbers, found: int, numbers: Numbers, weights: Numbers, merged: bool
) -> int:
    """Write the numbers that some moves lead to and the weights of the edges, with or without merging equal ones."""
    count = 0
    for index in range(found):
        move = out[index]
        edge = weight(state, move)
        play(state, move)
        number = canonical_rank(state, scratch)
        if number == NOWHERE:
            number = terminal(state) - OUTSIDE
        unplay(state, move)
        if merged and place_of(numbers, weights, count, number, edge) < count:
            continue
        numbers[count] = number
        weights[count] = edge
        count += 1
    return count


def conversion_edges(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Write the edges that may leave the group of parts and return how many there are.

    Each move is an edge if the game tells its stabilizers, else moves to symmetric states are one edge.
    """
    merged = stabilizer(state) == 0
    return write_edges(state, scratch, out, conversions(state, out), numbers, weights, merged)


def degree(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Return how many edges lead from a state, counted as those of `conversion_edges` and `predecessors` are."""
    if stabilizer(state) == 0:
        return successors(state, scratch, out, numbers, weights)
    return mobility(state, out)


def predecessors(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers, times: Numbers) -> int:
    """Write the predecessors in the group of parts, the weights of the edges from them, and how many edges there are.

    If s of the symmetries leave the predecessor as it is, and t the state, then there are s/t edges for each unmove; 0 is
    written where only one of s and t is known.
    """
    found = unmoves_within(state, out)
    own = stabilizer(state)
    count = 0
    for index in range(found):
        move = out[index]
        unplay(state, move)
        number = canonical_rank(state, scratch)
        edge = weight(state, move)
        shared = stabilizer(state)
        play(state, move)
        if own != 1:
            known = place_of(numbers, weights, count, number, edge)
            if known < count:
                times[known] += shared
                continue
        numbers[count] = number
        weights[count] = edge
        times[count] = shared
        count += 1
    if own != 1:
        for index in range(count):
            times[index] = times[index] // own if own > 0 else int(times[index] == 0)
    return count


def stored_code(codes: Numbers, number: int, bounds: Bounds) -> Code:
    """Return the code of a successor as it would be stored, whether its part is finished, at work, or it has no number."""
    if number < 0:
        return finish(initial(number + OUTSIDE, 0))
    if inside(number, bounds):
        return finish(codes[number])
    return finished_code(codes, number)
