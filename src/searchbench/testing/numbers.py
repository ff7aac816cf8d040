"""Define the laws on numbers: rank and unrank, parts, and functions that return successors' numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from searchbench import jit
from searchbench.first_state import fault_of_parts
from searchbench.index import Part, Sequences
from searchbench.index.contract import zero_cost_closure
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.slots import slot_named
from searchbench.testing.subject import Finding, Law, State, Subject, of_each_state, raised


def _of_fewer_cells(subject: Subject) -> str:
    index = subject.game.checked_index()
    cells, width = 0 if index is None else index.width, subject.game.width
    return f": the index has {cells} of the {width} cells that `width` says" if 0 < cells < width else ""


def rank_of_unrank(subject: Subject) -> Iterator[Finding]:
    """Require rank(unrank(i)) = i for every number i of a legal state, and that unrank writes all cells."""
    for number in subject.numbers:
        try:
            state = subject.unrank(number)
            scribbled = [1] * len(state)
            subject.call("unrank", number, scribbled)
            if tuple(scribbled) != state:
                yield state, f"`unrank` of {number} leaves cells as they were{_of_fewer_cells(subject)}"
            if not subject.legal(state):
                continue
            found = subject.rank(state)
        except Exception as error:  # rules may raise anything
            yield None, f"number {number}: {raised(error, subject.game)}"
            continue
        if found != number:
            yield state, f"the state of number {number} has number {found}"


def unrank_of_rank(subject: Subject, state: State) -> Iterator[str]:
    """Require unrank(rank(s)) = s for a representative, and a rank within the index."""
    one = subject.canonical(state)
    number = subject.rank(one)
    if number == NOWHERE:
        return  # law "closed"
    if not 0 <= number < subject.size:
        yield f"number {number} is not in 0 .. {subject.size - 1}"
    elif subject.unrank_like(number, one) != one:
        yield f"its number {number} is that of {subject.text(subject.unrank(number))}"


def closed(subject: Subject, state: State) -> Iterator[str]:
    """Require a number for every state, except for terminal ones if `closed` is False."""
    for one in (state, *(subject.play(state, move) for move in subject.tried_moves(state))):
        if subject.rank(subject.canonical(one)) != NOWHERE:
            continue
        if subject.terminal(one) == UNDECIDED:
            yield f"{subject.text(one)} has no number and is not terminal"
        elif subject.game.closed:
            yield f"{subject.text(one)} has no number, but the game claims to be closed"


def parts(subject: Subject) -> Iterator[Finding]:
    """Require that the parts cover all numbers once, and that moves lead only to parts that the state's part needs."""
    fault = fault_of_parts(subject.game)
    if fault:
        yield None, f"the game has parts {fault}"
        return
    declared = list(subject.game.parts())

    def leave(subject: Subject, state: State) -> Iterator[str]:
        return _leave(subject, state, declared)

    yield from of_each_state(leave)(subject)


def _leave(subject: Subject, state: State, declared: list[Part]) -> Iterator[str]:
    own = _part_of(subject, state, declared)
    for move in subject.tried_moves(state):
        other = _part_of(subject, subject.play(state, move), declared)
        if own is not None and other is not None and other.name not in own.needs:
            moved = subject.move_text(state, move)
            yield f"move {moved} leads from part {own.name!r} to {other.name!r}, which it does not need"


def _part_of(subject: Subject, state: State, declared: list[Part]) -> Part | None:
    number = subject.rank(subject.canonical(state))
    return next((part for part in declared if part.start <= number < part.stop), None)


def facets(subject: Subject) -> Iterator[Finding]:
    """Require that `steps` gives the numbers of the successors."""
    for number in subject.numbers:
        state = None
        try:
            state = subject.unrank(number)
            if not subject.legal(state) or subject.over(state):
                continue
            room, numbers = [0] * subject.room, [0] * subject.room
            count = subject.call("successor_ranks", number, [0] * len(state), room, numbers)
            right = [subject.rank(subject.play(state, move)) for move in subject.moves(state)]
        except Exception as error:  # rules may raise anything
            yield state, f"number {number}: {raised(error, subject.game)}"
            continue
        if sorted(numbers[:count]) != sorted(right):
            yield state, f"`steps` gives {sorted(numbers[:count])}, `play` and `rank` give {sorted(right)}"


def sequences(subject: Subject) -> Iterator[Finding]:
    """Require that the rearrangements of `sequences` lead to the numbers of the successors."""
    told = subject.game.claimed("sequences")
    if told is None:
        return
    rank, unrank = told.functions()
    if told.size != subject.size:
        yield None, f"`sequences` has {told.size:,} numbers, the index {subject.size:,}"
        return
    for number in subject.numbers:
        state = subject.unrank(number)
        cells = [0] * told.width
        unrank(number, cells)
        after = sorted(rank(moved) for moved in _rearranged(told, cells))
        right = sorted(subject.rank(subject.play(state, move)) for move in subject.moves(state))
        if after != right:
            yield state, f"`sequences` leads to {after}, `play` and `rank` to {right}"


def product_moves(subject: Subject) -> Iterator[Finding]:
    """Require that the tables of `product_moves` lead to the numbers of the successors."""
    told = subject.game.claimed("product_moves")
    if told is None:
        return
    if told.size != subject.size:
        yield None, f"`product_moves` has {told.size:,} numbers, the index {subject.size:,}"
        return
    for number in subject.numbers:
        state = subject.unrank(number)
        after = sorted(told.after(number))
        right = sorted(subject.rank(subject.play(state, move)) for move in subject.moves(state))
        if after != right:
            yield state, f"`product_moves` leads to {after}, `play` and `rank` to {right}"


def _rearranged(told: Sequences, cells: list[int]) -> Iterator[list[int]]:
    """Yield the results of the rearrangements on a sequence and the place or the sides after it."""
    order, rest = cells[: told.n], cells[told.n :]
    place = rest[0] if told.places > 1 else 0
    for move in told.moves:
        if move.origin == place:
            moved = [order[source] for source in move.order]
            if told.two_sided:
                sides = [rest[source] for source in move.order]
                yield moved + [side ^ (at in move.turned) for at, side in enumerate(sides)]
            else:
                yield moved + ([move.target] if rest else [])


def advance(subject: Subject) -> Iterator[Finding]:
    """Require that `advance` leads to the same state as `unrank`, from each number to the next one and the next sample."""
    numbers = sorted(set(subject.numbers))
    steps = [(one, one + 1) for one in numbers if one + 1 < subject.size]
    for number, target in [*steps, *pairwise(numbers)]:
        state = None
        try:
            state = subject.unrank(number)
            moved = list(state)
            subject.call("unrank_next", number, moved, target - number)
        except Exception as error:  # rules may raise anything
            yield state, f"number {number}: {raised(error, subject.game)}"
            continue
        if tuple(moved) != subject.unrank(target):
            yield (
                state,
                f"`advance` by {target - number} gives {moved}, number {target} is {list(subject.unrank(target))}",
            )


def places(subject: Subject) -> Iterator[Finding]:
    """Require that `spread` and `conversion_edges` agree with `moves` and `cost`, from every single place of a number."""
    names = subject.names.without(*FAST)
    for number in subject.numbers:
        state = subject.unrank(number)
        for place in range(subject.game.places):
            at_place = list(state)
            subject.call("set_blank", place, at_place)
            if not subject.legal(tuple(at_place)):
                continue
            for name in FAST:
                found = _from_place(slot_named(name), subject.names, number, at_place, place)
                right = _from_place(slot_named(name), names, number, at_place, place)
                if found != right:
                    yield tuple(at_place), f"`{name}` finds {found}, `moves` and `cost` say {right}"


FAST: Final = ("zero_cost_closure", "unit_cost_successors")
LARGEST_FAN: Final = 64
"""Room for the successors of one place."""


def _from_place(rule: Any, names: jit.Names, number: int, state: list[int], place: int) -> Any:
    """Return the result of `spread` or `conversion_edges` from one place."""
    if rule is zero_cost_closure:
        return jit.bind(rule, names)(list(state), 1 << place)
    numbers, bits = [0] * LARGEST_FAN, [0] * LARGEST_FAN
    count = jit.bind(rule, names)(number, list(state), 1 << place, numbers, bits)
    return sorted(zip(numbers[:count], bits[:count], strict=True))


LAWS = (
    Law("rank-of-unrank", rank_of_unrank, ("rank", "unrank"), everywhere=True),
    Law("unrank-of-rank", of_each_state(unrank_of_rank), ("rank", "unrank")),
    Law("closed", of_each_state(closed), ("rank",)),
    Law("parts", parts, ("rank",), everywhere=True),
    Law("unrank-next", advance, ("unrank_next", "unrank")),
    Law("sequences", sequences, ("rank", "unrank")),
    Law("product_moves", product_moves, ("rank", "unrank")),
    Law("blanks", places, ("blank", "set_blank")),
    Law("successor-ranks", facets, ("successor_ranks", "rank", "unrank")),
)
