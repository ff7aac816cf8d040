"""Define the laws on successive moves."""

from __future__ import annotations

import random
from collections.abc import Iterator

from searchbench.testing.subject import Finding, Law, State, Subject

WALKS = 30
"""Random walks that are inverted, each one move longer than the one before."""
LOOKED_AT = 12
"""States in which all pairs of moves are tried."""


def follows(subject: Subject) -> Iterator[Finding]:
    """Check `_follows` on some of the states only: there are many pairs of moves."""
    step = max(1, len(subject.states) // LOOKED_AT)
    for state in subject.states[::step]:
        yield from ((state, message) for message in _follows(subject, state))


def _follows(subject: Subject, state: State) -> Iterator[str]:
    """Require that a pair of moves that is not tried can be replaced, at no higher cost, by fewer or by two earlier moves."""
    cheapest: dict[State, int] = {state: 0}
    pairs: list[tuple[int, int, State, int]] = []
    for move in subject.tried_moves(state):
        after, cost = subject.play(state, move), subject.cost(state, move)
        cheapest[after] = min(cost, cheapest.get(after, cost))
        for other in subject.tried_moves(after):
            pairs.append((move, other, subject.play(after, other), cost + subject.cost(after, other)))
    found = dict(cheapest)
    for move, other, target, cost in sorted(pairs):
        if not subject.call("follows", move, other) and not found.get(target, cost + 1) <= cost:
            first, second = subject.move_text(state, move), subject.move_text(subject.play(state, move), other)
            yield f"{second} is not tried after {first}, but neither fewer moves nor two earlier ones lead as far"
        found[target] = min(cost, found.get(target, cost))


def invert(subject: Subject) -> Iterator[Finding]:
    """Require that the inverse of a state is reached from the start by the inverse moves in reverse order."""
    chance = random.Random(0)
    for length in range(1, WALKS):
        state = subject.start()
        moves: list[int] = []
        costs: list[int] = []
        for _ in range(length):
            if not subject.moves(state):
                break
            moves.append(chance.choice(subject.moves(state)))
            costs.append(subject.cost(state, moves[-1]))
            state = subject.play(state, moves[-1])
        back, reached = subject.start(), True
        for move, cost in zip(reversed(moves), reversed(costs), strict=True):
            inverse = int(subject.call("inverse", move))
            reached = reached and inverse in subject.moves(back) and subject.cost(back, inverse) == cost
            back = subject.play(back, inverse) if reached else back
        if not reached:
            yield state, "the inverse moves cannot be played from the start at the same cost, the last one first"
        elif subject.inverted(state) != back:
            yield (
                state,
                f"the inverse is {subject.text(subject.inverted(state))}, the moves lead to {subject.text(back)}",
            )
        elif subject.inverted(back) != state:
            yield state, "the inverse of the inverse is another state"


LAWS = (
    Law("follows", follows, ("follows",)),
    Law("dual-state", invert, ("dual_state",)),
)
