"""Number the successors of a state by the rules only: verification shares no step with the solvers."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

from searchbench.index.contract import rank
from searchbench.rules import (
    GUARDED,
    NOWHERE,
    SYMMETRIC,
    UNDECIDED,
    Rank,
    State,
    canonical,
    moves,
    play,
    terminal,
    unplay,
)
from searchbench.values.contract import weight

Numbers = MutableSequence[int]

BEYOND: Final = -(1 << 40)
"""A successor without a number is written as BEYOND + its result; BEYOND + UNDECIDED is a broken index."""


def number_of(state: State, scratch: State) -> Rank:
    """Return the number of the representative of a state's symmetry class; the state is unchanged."""
    if not SYMMETRIC:
        return rank(state)
    for cell in range(len(state)):
        scratch[cell] = state[cell]
    canonical(scratch)
    return rank(scratch)


def after(state: State, move: int, scratch: State) -> Rank:
    """Return the number after a move, or BEYOND + result for a state without a number; the state is unchanged."""
    play(state, move)
    number = number_of(state, scratch)
    if number == NOWHERE:
        number = BEYOND + terminal(state)
    unplay(state, move)
    return number


def look_ahead(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Write the successors' numbers and the weights of the moves to them; return their count.

    Moves of one weight to one symmetry class are one edge: the class is a single state of the table.
    """
    edges = 0
    for index in range(moves(state, out)):
        edge = weight(state, out[index])
        number = after(state, out[index], scratch)
        known = False
        if SYMMETRIC:
            for other in range(edges):
                known = known or (numbers[other] == number and weights[other] == edge)
        if not known:
            numbers[edges] = number
            weights[edges] = edge
            edges += 1
    return edges


def has_changed(number: Rank, state: State, scratch: State) -> bool:
    """Return whether a state whose moves were played and taken back has another number: asked of games that are not shipped."""
    return GUARDED and number_of(state, scratch) != number


def is_broken(number: int, size: int) -> bool:
    """Return whether a successor's number lies outside the index without being the end of the game."""
    return number >= size or number == BEYOND + UNDECIDED or (BEYOND - UNDECIDED < number < 0)
