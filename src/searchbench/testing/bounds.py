"""Define the laws on lower bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np

from searchbench.inherited import BACKWARDS, BOUNDS, SYMMETRIES, replaced
from searchbench.rules import UNDECIDED
from searchbench.testing.subject import Finding, Law, State, Subject, of_each_state

Distances = Callable[[State], int | None]
"""The cost of a cheapest line from a state to a solved one; None where it is not known, or where there is no line."""


def heuristic(subject: Subject, state: State) -> Iterator[str]:
    """Require h >= 0, h = 0 for solved states, `h_step` equal to h's change, and consistency if it is claimed."""
    bound = subject.call("h", list(state), None)
    if not isinstance(bound, int | np.integer | np.bool_):
        yield f"h is {bound!r}, expected a whole number"
        return
    before = int(bound)
    solved = subject.terminal(state) == 0
    if before < 0 or (solved and before != 0):
        yield f"h is {before}, expected {'0 in a solved state' if solved else 'at least 0'}"
    for move in subject.tried_moves(state):
        change = _bound(subject, subject.play(state, move)) - before
        step = int(subject.call("h_step", list(state), move, None))
        if step != change:
            yield f"`h_step` of move {subject.move_text(state, move)} is {step}, but h changes by {change}"
        if subject.game.consistent and -change > subject.cost(state, move):
            yield f"h falls by {-change} with move {subject.move_text(state, move)}, but the game claims to be consistent"


def admissible(subject: Subject, states: Iterable[State], distances: Distances) -> Iterator[Finding]:
    """Require that h is at most the distance to a solved state."""
    for state in states:
        distance = distances(state)
        if distance is not None and (bound := _bound(subject, state)) > distance:
            yield state, f"h is {bound}, the distance is {distance}"


def solvable(subject: Subject, state: State) -> Iterator[str]:
    """Require that solved states are solvable, and those from which a move leads to a solvable one."""
    if subject.call("solvable", list(state)):
        return
    if subject.terminal(state) == 0:
        yield "`solvable` is false in a solved state"
    elif subject.terminal(state) == UNDECIDED:
        for move in subject.tried_moves(state):
            if subject.call("solvable", list(subject.play(state, move))):
                yield f"`solvable` is false, and true after move {subject.move_text(state, move)}"


def told_solvable(subject: Subject, states: Iterable[State], distances: Distances) -> Iterator[Finding]:
    """Require that no state is said to be unsolvable from which a line leads to a solved one."""
    for state in states:
        if (distance := distances(state)) is not None and not subject.call("solvable", list(state)):
            yield state, f"`solvable` is false, and it can be solved at a cost of {distance}"


LEAVING_OUT: Final = ("dead", "forced_move", "relevance_cut")
"""The functions by which a search prunes states or moves."""


def nothing_lost(subject: Subject, states: Iterable[State], distances: Distances) -> Iterator[Finding]:
    """Require that pruning leaves every state a cheapest line."""
    for state in states:
        if not (least := distances(state)):
            continue
        moves = subject.moves(state)
        best = {move for move in moves if _cost_by(subject, distances, state, move) == least}
        enough = [move for move in moves if subject.call("forced_move", list(state), move, None)]
        if subject.call("dead", list(state), None):
            yield state, f"it is said to be dead, and can be solved at a cost of {least}"
        elif enough and enough[0] not in best:
            yield (
                state,
                f"move {subject.move_text(state, enough[0])} is said to suffice, but no cheapest line begins with it",
            )
        elif all(subject.call("relevance_cut", list(state), -1, move, None) for move in best):
            yield state, "all moves that begin a cheapest line are said to be irrelevant"


def _cost_by(subject: Subject, distances: Distances, state: State, move: int) -> int | None:
    left = distances(subject.play(state, move))
    return None if left is None else left + subject.cost(state, move)


def _bound(subject: Subject, state: State) -> int:
    return int(subject.call("h", list(state), None))


def inherited(subject: Subject) -> Iterator[Finding]:
    """Require that no bound, and no list of moves backwards, was written for the rules of another class."""
    for name in (*SYMMETRIES, *BOUNDS, *BACKWARDS):
        why = replaced(subject.game, name) if subject.has(name) else None
        if why is not None:
            yield None, str(why)


LAWS = (
    Law("heuristic", of_each_state(heuristic), ("h",)),
    Law("solvable", of_each_state(solvable), ("solvable",)),
    Law("inherited", inherited),
)
