"""Compute the least cost of the states that share a number, state by state, by the rules only."""

from __future__ import annotations

from typing import Any

from searchbench.index.contract import blank, rank, set_blank, unrank
from searchbench.rules import cost, legal, moves, new_moves, new_state, play, start, unplay


def first_state(places: int) -> int:
    """Return the start's number, with its place: number * places + place."""
    state = new_state()
    start(state)
    return rank(state) * places + blank(state)


def follow_moves(costs: Any, places: int, now: int) -> int:
    """Expand the states with the entry `now` (1 + cost); return the number of successors that got the same entry.

    `costs` has an entry for each state, 0 if its cost is not known yet.
    """
    state = new_state()
    out = new_moves()
    gained = 0
    for entry in range(len(costs)):
        if costs[entry] != now:
            continue
        unrank(entry // places, state)
        set_blank(entry % places, state)
        for index in range(moves(state, out)):
            reached = now + cost(state, out[index])
            play(state, out[index])
            target = rank(state) * places + blank(state)
            if legal(state) and (costs[target] == 0 or costs[target] > reached):
                costs[target] = reached
                gained += 1 if reached == now else 0
            unplay(state, out[index])
    return gained
