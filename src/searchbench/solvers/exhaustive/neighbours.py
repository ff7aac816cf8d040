"""Numbers of the neighbours of a state: the step that every all-state solver shares."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

from searchbench.rules import (
    NOWHERE,
    Code,
    Rank,
    State,
    canonical,
    finish,
    initial,
    legal,
    moves,
    play,
    rank,
    symmetric,
    terminal,
    unmoves,
    unplay,
    weight,
)  # fmt: skip

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


def number_of(state: State, scratch: State) -> Rank:
    """Return the number of a state's symmetry class and leave the state as it is."""
    if not symmetric():
        return rank(state)
    for cell in range(len(state)):
        scratch[cell] = state[cell]
    canonical(scratch)
    return rank(scratch)


def is_position(number: Rank, state: State, scratch: State) -> bool:
    """Tell whether the state with this number is a position, and stands for its symmetry class."""
    return legal(state) and (not symmetric() or number_of(state, scratch) == number)


def same_edge(numbers: Numbers, weights: Numbers, count: int, number: Rank, edge: int) -> bool:
    """Tell whether an edge is among the first `count`."""
    for index in range(count):
        if numbers[index] == number and weights[index] == edge:
            return True
    return False


def successors(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Write the numbers of the successors and the weights of the edges; return how many edges differ.

    Where symmetric states share a number, so may two successors: they are one edge then, just as the state is one
    predecessor of theirs, and the counts of retrograde analysis come out right.
    """
    found = moves(state, out)
    count = 0
    for index in range(found):
        move = out[index]
        edge = weight(state, move)
        play(state, move)
        number = number_of(state, scratch)
        if number == NOWHERE:
            number = terminal(state) - OUTSIDE
        unplay(state, move)
        if symmetric() and same_edge(numbers, weights, count, number, edge):
            continue
        numbers[count] = number
        weights[count] = edge
        count += 1
    return count


def predecessors(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Write the numbers of the predecessors (or NOWHERE) and the weights of the edges from them; return how many differ."""
    found = unmoves(state, out)
    count = 0
    for index in range(found):
        move = out[index]
        unplay(state, move)
        number = number_of(state, scratch)
        edge = weight(state, move)
        play(state, move)
        if symmetric() and same_edge(numbers, weights, count, number, edge):
            continue
        numbers[count] = number
        weights[count] = edge
        count += 1
    return count


def stored_code(codes: Numbers, number: int, bounds: Bounds) -> Code:
    """Return the code of a successor as it would be stored, whether its part is finished, at work, or it has no number."""
    if number < 0:
        return finish(initial(number + OUTSIDE, 0))
    if inside(number, bounds):
        return finish(codes[number])
    return codes[number]
