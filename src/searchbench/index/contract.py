"""The contract of an index: numbers for states; games take it from their ``index()`` or supply their own functions."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final

from searchbench.rules import NOWHERE, SYMMETRIC, Rank, State, canonical, cost, moves, new_moves, play, unplay
from searchbench.slots import slot

MOST_PLACES: Final = 31
"""Largest number of states that may share a number (see `blank`)."""


@slot(required=True)
def rank(state: State) -> Rank:
    """Return the number of a state, or NOWHERE."""
    return 0


@slot(required=True)
def unrank(number: Rank, state: State) -> None:
    """Write the state that has this number."""


@slot
def canonical_rank(state: State, scratch: State) -> Rank:
    """Return the number of a state's symmetry class, or NOWHERE; keeps `state`, overwrites `scratch`."""
    if not SYMMETRIC:
        return rank(state)
    for cell in range(len(state)):
        scratch[cell] = state[cell]
    canonical(scratch)
    return rank(scratch)


@slot
def rank_there(state: State, scratch: State) -> Rank:
    """Return the number of a state in the index of another game that this one turns into (`Game.rank_in`), or NOWHERE.

    A solver supplies it where values are taken from that game's database; `scratch` may be changed.
    """
    return NOWHERE


@slot
def unrank_next(number: Rank, state: State, gap: int) -> None:
    """Replace the state with this number by the state `gap` > 0 numbers later.

    Faster than unranking where states of nearby numbers differ little.
    """
    unrank(number + gap, state)


@slot
def successor_ranks(number: Rank, state: State, out: MutableSequence[int], numbers: MutableSequence[int]) -> int:
    """Write the successors' numbers and return how many there are; `state` and `out` are scratch space.

    A game whose moves change the number in a simple way overrides this and saves unrank, play and rank.
    """
    unrank(number, state)
    count = moves(state, out)
    for index in range(count):
        play(state, out[index])
        numbers[index] = rank(state)
        unplay(state, out[index])
    return count


# --- abstractions with zero-cost moves: states connected by such moves share a number ---------------------------------


@slot(required=True)
def blank(state: State) -> int:
    """Return which of the states sharing its number this one is, 0 .. 30: for example the position of the blank."""
    return 0


@slot(required=True)
def set_blank(where: int, state: State) -> None:
    """Set the position of the blank, keeping the number; the state need not be legal."""


@slot
def zero_cost_closure(state: State, places: int) -> int:
    """Return the positions of the blank, one bit each, reachable by zero-cost moves from `places`, including these.

    The state's own blank position is ignored, and may change.
    """
    out = new_moves()
    reached = places
    done = 0
    while done != reached:
        for where in range(MOST_PLACES):
            if (reached & ~done) >> where & 1:
                done |= 1 << where
                set_blank(where, state)
                for index in range(moves(state, out)):
                    if cost(state, out[index]) == 0:
                        play(state, out[index])
                        reached |= 1 << blank(state)
                        unplay(state, out[index])
    return reached


@slot
def unit_cost_successors(
    number: Rank, state: State, places: int, numbers: MutableSequence[int], bits: MutableSequence[int]
) -> int:
    """Write the successors' numbers and blank positions (one bit each) by moves with a cost; return the count.

    The moves start from the positions in `places`. As in `zero_cost_closure`, `state` has the number, and its own blank
    position is ignored. Moves cost 0 or 1.
    """
    out = new_moves()
    count = 0
    for where in range(MOST_PLACES):
        if places >> where & 1:
            set_blank(where, state)
            for index in range(moves(state, out)):
                if cost(state, out[index]) != 0:
                    play(state, out[index])
                    numbers[count] = rank(state)
                    bits[count] = 1 << blank(state)
                    count += 1
                    unplay(state, out[index])
    return count
