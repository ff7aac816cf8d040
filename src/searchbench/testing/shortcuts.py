"""Define the laws on optional fast functions, whose results other functions imply."""

from __future__ import annotations

from collections.abc import Iterator

from searchbench.rules import NOWHERE
from searchbench.testing.subject import Law, State, Subject, of_each_state


def mobility(subject: Subject, state: State) -> Iterator[str]:
    """Require that `mobility` counts the moves."""
    if not subject.over(state):
        counted = int(subject.call("mobility", list(state), [0] * subject.room))
        if counted != len(subject.moves(state)):
            yield f"`mobility` counts {counted} moves, `moves` writes {len(subject.moves(state))}"


def canonical_rank(subject: Subject, state: State) -> Iterator[str]:
    """Require that `canonical_rank` gives the number of the representative, and does not change the state."""
    same = list(state)
    found = int(subject.call("canonical_rank", same, [0] * len(state)))
    if tuple(same) != state:
        yield f"`canonical_rank` changed the state to {same}"
    if found != subject.number(state):
        yield f"`canonical_rank` gives {found}, `rank` of the representative {subject.number(state)}"


def conversions(subject: Subject, state: State) -> Iterator[str]:
    """Require that `conversions` are moves, and include all moves that leave the group of parts."""
    if subject.over(state):
        return
    moves, leaving = subject.moves(state), subject.written("conversions", state)
    if extra := set(leaving) - set(moves):
        yield f"move {min(extra)} of `conversions` is no move"
    for move in set(moves) - set(leaving):
        if subject.group(subject.play(state, move)) != subject.group(state):
            yield f"move {subject.move_text(state, move)} leaves the group of parts and is not among `conversions`"


def unmoves_within(subject: Subject, state: State) -> Iterator[str]:
    """Require that `unmoves_within` are unmoves, and include all unmoves from the same group of parts."""
    unmoves, staying = subject.unmoves(state), subject.written("unmoves_within", state)
    if extra := set(staying) - set(unmoves):
        yield f"move {min(extra)} of `unmoves_within` is no unmove"
    for move in set(unmoves) - set(staying):
        before = subject.unplay(state, move)
        if subject.legal(before) and subject.group(before) == subject.group(state) != NOWHERE:
            yield f"`unmoves_within` lacks {move}, which leads from {subject.text(before)} of the same group of parts"


def stabilizer(subject: Subject, state: State) -> Iterator[str]:
    """Require that the moves from s to t times `stabilizer` of t equal the unmoves from t to s times `stabilizer` of s.

    Where moves to other groups of parts gain symmetries, this holds within a group.
    """
    fixing = int(subject.call("stabilizer", list(state)))
    if fixing < 0 or (fixing and fixing != subject.call("stabilizer", list(subject.canonical(state)))):
        yield f"`stabilizer` gives {fixing}, and another number for the representative"
    own = subject.number(state)
    after: dict[State, int] = {}
    for move in subject.tried_moves(state):
        target = subject.canonical(subject.play(state, move))
        after[target] = after.get(target, 0) + 1
    for target, forwards in after.items() if fixing and own != NOWHERE else ():
        if subject.number(target) == NOWHERE or subject.gains_symmetries(state, target):
            continue
        before = (subject.unplay(target, move) for move in subject.unmoves(target))
        backwards = sum(subject.number(one) == own for one in before if subject.legal(one))
        other = int(subject.call("stabilizer", list(target)))
        if forwards * other != backwards * fixing:
            yield (
                f"{forwards} moves lead to {subject.text(target)}, {backwards} of its unmoves here; `stabilizer` gives "
                f"{fixing} here and {other} there"
            )


LAWS = (
    Law("mobility", of_each_state(mobility), ("mobility",)),
    Law("canonical-rank", of_each_state(canonical_rank), ("canonical_rank", "rank")),
    Law("conversions", of_each_state(conversions), ("conversions", "rank")),
    Law("unmoves-within", of_each_state(unmoves_within), ("unmoves_within", "unmoves", "rank")),
    Law("stabilizer", of_each_state(stabilizer), ("stabilizer", "canonical", "unmoves", "rank")),
)
