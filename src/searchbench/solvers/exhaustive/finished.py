"""Values from finished parts: those of the successors that lie outside the group at work, or outside the index."""

from __future__ import annotations

from typing import Any, Final

from searchbench import jit
from searchbench.exchange import Table
from searchbench.index.contract import canonical_rank, unrank
from searchbench.rules import (
    GUARDED,
    NOWHERE,
    UNDECIDED,
    Code,
    Rank,
    State,
    legal,
    moves,
    new_moves,
    new_state,
    play,
    terminal,
    unplay,
)
from searchbench.slots import slot
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.neighbours import OUTSIDE, Bounds, Numbers, conversion_edges, inside, stored_code
from searchbench.solvers.exhaustive.schedule import CHANGED_STATE, ILLEGAL, LEAVES, NO_NUMBER
from searchbench.values.contract import arrival, propagate

ASKED: Final = 1 << 10
"""How many states at the beginning of a piece are asked whether their moves stay in the group, where they should."""
ASKED_EVERY: Final = 61
"""Of the others one in so many is asked: a prime, so that states of every kind are."""
ALL_ASKED: Final = 100_000
"""Up to so many states of a game that is not shipped are all asked; so are those of games with several groups of parts."""


def is_asked(number: Rank, first: Rank, every: int) -> bool:
    """Tell whether a state is asked where its moves lead, in a piece from `first` on."""
    return number - first < ASKED or number % every == 0


def asked_in(names: jit.Names, group: Group, table: Table) -> int:
    """Return of how many states of a group one is asked where its moves lead."""
    if not names.get("GUARDED"):
        return ASKED_EVERY
    whole = sum(part.size for part in group.parts) == len(
        table.codes
    )  # no move can lead to a part that it does not name
    return ASKED_EVERY if whole and len(table.codes) > ALL_ASKED else 1


def departure_refused(numbers: Numbers, count: int, bounds: Bounds, leaves: bool) -> int:
    """Return why one of some successors must not be, or 0; `leaves` says whether moves may leave the group."""
    for index in range(count):
        if numbers[index] == UNDECIDED - OUTSIDE:
            return NO_NUMBER
        if not leaves and (numbers[index] < 0 or not inside(numbers[index], bounds)):
            return LEAVES
    return 0


def is_unneeded(number: int, reach: Bounds) -> bool:
    """Tell whether a successor lies in none of the parts that are needed: asked of games that are not shipped."""
    return GUARDED and number > -(OUTSIDE >> 1) and not inside(number, reach)


def successor_refused(target: int, codes: Any, illegal: int, bounds: Bounds, reach: Bounds) -> int:
    """Return why a successor must not be, or 0, where a position's code tells that it is one."""
    if target == UNDECIDED - OUTSIDE:
        return NO_NUMBER
    if is_unneeded(target, reach):
        return LEAVES
    return ILLEGAL if GUARDED and inside(target, bounds) and codes[target] == illegal else 0


def has_changed(number: Rank, state: State, scratch: State) -> bool:
    """Tell whether a state whose moves were played and taken back is another one: asked of games that are not shipped."""
    return GUARDED and canonical_rank(state, scratch) != number


def astray(number: Rank, state: State, scratch: State, out: Numbers, reach: Bounds) -> int:
    """Return why one of a state's successors must not be, or 0, by all of its moves."""
    for index in range(moves(state, out)):
        play(state, out[index])
        target = canonical_rank(state, scratch)
        reason = 0
        if target == NOWHERE:
            reason = NO_NUMBER if terminal(state) == UNDECIDED else 0
        elif not inside(target, reach):
            reason = LEAVES
        elif not legal(state):
            reason = ILLEGAL
        unplay(state, out[index])
        if reason != 0:
            return reason
    return CHANGED_STATE if has_changed(number, state, scratch) else 0


def propagate_finished(codes: Any, code: Code, numbers: Numbers, weights: Numbers, count: int, bounds: Bounds) -> Code:
    """Return the code of a state when its successors in finished parts are propagated, the longest defence last."""
    last = -1
    for index in range(count):
        if numbers[index] >= 0 and inside(numbers[index], bounds):
            continue
        numbers[index] = stored_code(codes, numbers[index], bounds)
        if arrival(numbers[index]) == 0:
            code = propagate(code, numbers[index], weights[index])
        elif last < 0 or arrival(numbers[index]) > arrival(numbers[last]):
            if last >= 0:
                code = propagate(code, numbers[last], weights[last])
            last = index
        else:
            code = propagate(code, numbers[index], weights[index])
    if last >= 0:  # it counts if no other escape is left
        code = propagate(code, numbers[last], weights[last])
    return code


def longest_defence(
    codes: Any, number: Rank, code: Code, stored: Code, new: Code, bounds: Bounds,
    state: Any, scratch: Any, out: Any, numbers: Any, weights: Any,
) -> Code:  # fmt: skip
    """Return the code of a state that a successor's `stored` code has just decided to be `new`.

    A finished part may hold a successor that comes later; then that one decides, and was only counted so far.
    """
    unrank(number, state)
    latest = arrival(stored)
    for index in range(conversion_edges(state, scratch, out, numbers, weights)):
        if numbers[index] >= 0 and inside(numbers[index], bounds):
            continue
        successor = stored_code(codes, numbers[index], bounds)
        if arrival(successor) > latest:
            latest = arrival(successor)
            new = propagate(code, successor, weights[index])
    return new


@slot
def defence_room() -> Any:
    """Return room for `defended`; none by default."""
    return (0,)


@slot
def defended(codes: Any, number: Rank, code: Code, stored: Code, new: Code, bounds: Bounds, room: Any) -> Code:
    """Return the code of a state that a successor's `stored` code has just decided to be `new`.

    The default is for groups whose moves do not leave them: what applies requests is then the same for all games.
    """
    return new


def _room() -> Any:
    return new_state(), new_state(), new_moves(), new_moves(), new_moves()


def _defended(codes: Any, number: Rank, code: Code, stored: Code, new: Code, bounds: Bounds, room: Any) -> Code:
    state, scratch, out, numbers, weights = room
    return longest_defence(codes, number, code, stored, new, bounds, state, scratch, out, numbers, weights)


DEFENDED: Final = {"defence_room": _room, "defended": _defended}
"""What fills these slots where moves leave the group."""
