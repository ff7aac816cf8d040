"""Shortest distance: one player, edge costs above zero (Gasser 1995, section 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadRequest
from searchbench.rules import UNDECIDED, State, cost
from searchbench.values.rule import BFS, ValueRule


def parse_number_range(text: str) -> tuple[int, int]:
    """Parse the ends of "7", "3-5" or "-2..4" (negative numbers need the two dots)."""
    low, separator, high = text.strip().partition("..")
    if not separator and not text.strip().startswith("-"):
        low, separator, high = text.strip().partition("-")
    try:
        least, most = (int(low), int(high)) if separator else (int(low), int(low))
    except ValueError:
        raise BadRequest(f"value {text!r}: expected a number such as 7, or a range such as 3-5 or -2..4") from None
    if least > most:
        raise BadRequest(f"value {text!r}: expected a range with the smaller number first, such as {most}-{least}")
    return least, most


def _move_cost(state: State, move: int) -> int:
    return cost(state, move)


@dataclass(frozen=True)
class Distance(ValueRule):
    """Give each state the least cost of a line to a solved state (`terminal` 0); other terminal states have no value.

    Stored codes: 0 is "not reached", d + 1 a distance of d. During computation 0 is "not reached yet", 1 an unsolved
    terminal state, which never gets a value, and d + 2 a distance of d.
    """

    name: ClassVar[str] = "distance"
    claims: ClassVar[str] = "distance"
    bounds_cost: ClassVar[bool] = True
    repairable: ClassVar[bool] = True
    reductions: ClassVar[tuple[str, ...]] = ("filled", "every", "best-move", "parity")
    least_weight: ClassVar[int | None] = 0

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule."""

        def initial(result: int, count: int) -> int:
            if result == UNDECIDED:
                return 0
            return 2 if result == 0 else 1

        def propagate(code: int, successor: int, weight: int) -> int:
            reached = successor + weight + 1
            return reached if successor != 0 and (code == 0 or code > reached) else code

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            for index in range(count):
                if weights[index] < 0:
                    return -1  # refused: round a cycle, values would fall for ever
                code = propagate(code, successors[index], weights[index])
            return code

        def level(code: int) -> int:
            return code - 2 if code > 1 else -1

        def arrival(code: int) -> int:
            return 0

        def finish(code: int) -> int:
            return code - 1 if code > 0 else 0

        return {
            "initial": initial, "propagate": propagate, "gather": gather, "level": level, "arrival": arrival,
            "finish": finish, "weight": _move_cost,
        }  # fmt: skip

    def decode(self, code: int) -> int | None:
        """Return the distance, or None if no solved state is reachable."""
        return code - 1 if code else None

    def encode(self, value: int | None) -> int:
        """Return the code of a distance."""
        return 0 if value is None else value + 1

    def preference(self, value: int | None, weight: int) -> tuple[int, int]:
        """Prefer the least cost to the end."""
        return (1, 0) if value is None else (0, value + weight)

    def parse(self, text: str) -> Callable[[int | None], bool]:
        """Read "31", "20-25" or "unreachable"."""
        if text.strip() in {"unreachable", "none"}:
            return lambda value: value is None
        low, high = parse_number_range(text)
        return lambda value: value is not None and low <= value <= high


@dataclass(frozen=True)
class Depth(Distance):
    """Give each state the least number of moves from the start, as breadth-first search finds it."""

    name: ClassVar[str] = "depth"
    bounds_cost: ClassVar[bool] = True
    from_start: ClassVar[bool] = True
    solvers: ClassVar[tuple[str, ...]] = (BFS,)
    forms: ClassVar[tuple[str, ...]] = ("values", "streaming", "product", "two-bit", "layers")
    reductions: ClassVar[tuple[str, ...]] = ()
