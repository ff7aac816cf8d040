"""Find the distances of the states near some others, interpreted, without solving the game."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Final

from searchbench.rules import UNDECIDED
from searchbench.testing.subject import State, Subject

MOST: Final = 4000
"""How many states are expanded,"""
SECONDS: Final = 0.1
"""and for how long."""
BACK: Final = 200
"""How many states are taken back from solved ones."""
FRONTIER, SOLVED = 0, 1
"""Where the cheapest line leads that is known: at equal costs to the frontier, beyond which there may be a cheaper one."""


def distances_nearby(subject: Subject, sources: Iterable[State]) -> dict[State, int]:
    """Return the costs from states near `sources` to solved states, of those states whose cost cannot be less.

    States are expanded in the order of their costs from the sources, up to a frontier. Then costs are carried back, from
    the solved states and from the frontier: a state whose cheapest line of all leads to a solved state has that cost.
    """
    into, solved, frontier = _expanded(subject, sources)
    queue = [*((0, SOLVED, state) for state in solved), *((0, FRONTIER, state) for state in frontier)]
    queue.sort()
    settled: dict[State, tuple[int, int]] = {}
    while queue:
        cost, end, state = heappop(queue)
        if state not in settled:
            settled[state] = cost, end
            for before, step in into[state]:
                heappush(queue, (cost + step, end, before))
    return {state: cost for state, (cost, end) in settled.items() if end == SOLVED}


def before_solved(subject: Subject) -> list[State]:
    """Return states from which moves lead to the solved ones among the samples, as far as moves can be taken back."""
    found = dict.fromkeys(state for state in subject.states if subject.terminal(state) == 0)
    if not subject.has("unmoves"):
        return list(found)
    queue = list(found)
    for state in queue:
        if len(queue) >= BACK:
            break
        for move in subject.tried_unmoves(state):
            before = subject.unplay(state, move)
            if before not in found and subject.legal(before):
                found[before] = None
                queue.append(before)
    return queue


def _expanded(
    subject: Subject, sources: Iterable[State]
) -> tuple[dict[State, list[tuple[State, int]]], list[State], list[State]]:
    """Return the moves into each state that was met, with their costs; the solved states; and those not expanded."""
    queue = [(0, state) for state in dict.fromkeys(sources)]
    into: dict[State, list[tuple[State, int]]] = defaultdict(list)
    seen: set[State] = set()
    solved: list[State] = []
    until = time.thread_time() + SECONDS
    while queue and len(seen) < MOST and time.thread_time() < until:
        cost, state = heappop(queue)
        if state in seen:
            continue
        seen.add(state)
        result = subject.terminal(state)
        if result == 0:
            solved.append(state)
        if result != UNDECIDED:
            continue
        for move in subject.moves(state):
            after, step = subject.play(state, move), subject.cost(state, move)
            into[after].append((state, step))
            if after not in seen:
                heappush(queue, (cost + step, after))
    return into, solved, [state for _, state in queue if state not in seen]
