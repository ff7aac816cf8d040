"""Combine two bounds to the larger one, with the values that each keeps along the path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from searchbench.errors import BadRequest
from searchbench.heuristics.by_name import Functions
from searchbench.jit import inlined
from searchbench.rules import Move, State


class Maximum:
    """The larger of two heuristics, at most one of which may have tables. Raises BadRequest."""

    def __init__(self, one: Any, other: Any) -> None:
        self._one, self._other = one, other
        self._names = _larger(one.names(), other.names())

    def names(self) -> Functions:
        """Return the functions that replace the game's own bound."""
        return self._names

    def tables(self, state: Sequence[int]) -> tuple[Any, ...]:
        """Return the tables of the heuristic that has some."""
        one, other = self._one.tables(state), self._other.tables(state)
        if one and other:
            raise BadRequest(
                "two bounds that both have tables of their own are not joined; give one such bound, and others by name"
            )
        return tuple(one or other)


def _larger(one: Functions, other: Functions) -> Functions:
    """Return functions that keep both bounds in `carried`, followed by the values that each of the two keeps."""
    first_of_one, next_of_one, width_of_one = _carried(one)
    first_of_other, next_of_other, width_of_other = _carried(other)
    nothing: Callable[..., Any] = _nothing
    ready_of_one, ready_of_other = one.get("h_prefetch", nothing), other.get("h_prefetch", nothing)
    begin, middle, end = 2, 2 + width_of_one, 2 + width_of_one + width_of_other

    def h_init(state: State, tables: Any, carried: Any, row: int) -> int:
        carried[row, 0] = first_of_one(state, tables, carried[:, begin:middle], row)
        carried[row, 1] = first_of_other(state, tables, carried[:, middle:end], row)
        return int(max(carried[row, 0], carried[row, 1]))

    def h(state: State, tables: Any) -> int:
        return int(max(h_of_one(state, tables), h_of_other(state, tables)))

    @inlined
    def h_prefetch(state: State, move: Move, tables: Any, carried: Any, row: int, after: int) -> None:
        ready_of_one(state, move, tables, carried[:, begin:middle], row, after)
        ready_of_other(state, move, tables, carried[:, middle:end], row, after)

    @inlined
    def h_update(
        state: State, move: Move, tables: Any, bound: int, most: int, carried: Any, row: int, after: int
    ) -> int:
        of_one = next_of_one(state, move, tables, carried[row, 0], most, carried[:, begin:middle], row, after)
        carried[after, 0] = of_one
        if of_one > most:
            return int(of_one)
        of_other = next_of_other(state, move, tables, carried[row, 1], most, carried[:, middle:end], row, after)
        carried[after, 1] = of_other
        return int(max(of_one, of_other))

    h_of_one, h_of_other = one["h"], other["h"]
    own: Functions = {"H_STATE_SIZE": end, "h": h, "h_init": h_init, "h_prefetch": h_prefetch, "h_update": h_update}
    return {**one, **other, **own}


def _nothing(state: State, move: Move, tables: Any, carried: Any, row: int, after: int) -> None:
    """Prepare nothing."""


def _carried(bound: Functions) -> tuple[Callable[..., Any], Callable[..., Any], int]:
    """Return `h_init`, `h_update` and H_STATE_SIZE of a bound; make them from `h` and `h_step` if it lacks them."""
    if "h_init" in bound:
        return bound["h_init"], bound["h_update"], bound["H_STATE_SIZE"]
    h, h_step = bound["h"], bound["h_step"]

    def h_init(state: State, tables: Any, carried: Any, row: int) -> int:
        return int(h(state, tables))

    def h_update(
        state: State, move: Move, tables: Any, bound: int, most: int, carried: Any, row: int, after: int
    ) -> int:
        return int(bound + h_step(state, move, tables))

    return h_init, h_update, 0
