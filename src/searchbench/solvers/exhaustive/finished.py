"""Values from finished parts: those of the successors that lie outside the group at work, or outside the index."""

from __future__ import annotations

from typing import Any, Final

from searchbench.index.contract import unrank
from searchbench.rules import Code, Rank, new_moves, new_state
from searchbench.slots import slot
from searchbench.solvers.exhaustive.neighbours import Bounds, Numbers, conversion_edges, inside, stored_code
from searchbench.values.contract import arrival, propagate


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
