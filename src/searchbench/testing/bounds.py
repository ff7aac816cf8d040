"""The laws on lower bounds."""

from __future__ import annotations

from collections.abc import Iterator

from searchbench.rules import NOWHERE
from searchbench.store import Database
from searchbench.testing.subject import Finding, Law, State, Subject, of_each_state


def heuristic(subject: Subject, state: State) -> Iterator[str]:
    """Require h >= 0, h = 0 where solved, h_step its change, and that it falls by no more than the cost where claimed."""
    before = _bound(subject, state)
    if before < 0 or (subject.terminal(state) == 0 and before != 0):
        yield f"h is {before}"
    for move in subject.moves(state):
        change = _bound(subject, subject.play(state, move)) - before
        step = int(subject.call("h_step", list(state), move, None))
        if step != change:
            yield f"`h_step` of move {subject.move_text(state, move)} is {step}, but h changes by {change}"
        if subject.game.consistent and -change > subject.cost(state, move):
            yield f"h falls by {-change} with move {subject.move_text(state, move)}, but the game claims to be consistent"


def admissible(subject: Subject, distances: Database) -> Iterator[Finding]:
    """Require that h is at most the distance to a solved state."""
    for state in subject.states:
        if subject.rank(subject.canonical(state)) == NOWHERE:
            continue
        distance = distances.probe(state)
        bound = _bound(subject, state)
        if distance is not None and bound > distance:
            yield state, f"h is {bound}, the distance is {distance}"


def _bound(subject: Subject, state: State) -> int:
    return int(subject.call("h", list(state), None))


LAWS = (Law("heuristic", of_each_state(heuristic), ("h",)),)
