"""Reached or not: one bit per state (Edelkamp 2017, one-bit reachability)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadRequest
from searchbench.values.rule import BFS, ValueRule


@dataclass(frozen=True)
class Reached(ValueRule):
    """Give the value True to each state reachable from the start. Stored codes: 0 is "not reached", 1 "reached"."""

    name: ClassVar[str] = "reached"
    from_start: ClassVar[bool] = True
    has_lines: ClassVar[bool] = False
    solvers: ClassVar[tuple[str, ...]] = (BFS,)
    forms: ClassVar[tuple[str, ...]] = ("reachability", "one-bit")
    ranks_moves: ClassVar[bool] = False

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule, which leave every code as it is."""

        def initial(result: int, count: int) -> int:
            return 0

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            return code

        return {"initial": initial, "gather": gather}

    def decode(self, code: int) -> bool | None:
        """Return True, or None if the state is not reached."""
        return True if code else None

    def encode(self, value: bool | None) -> int:
        """Return the code."""
        return int(value is not None)

    def preference(self, value: bool | None, weight: int) -> int:
        """Rank all moves equal."""
        return 0

    def format(self, value: bool | None) -> str:
        """Return "reached" or "unreachable"."""
        return "unreachable" if value is None else "reached"

    def parse(self, text: str) -> Callable[[bool | None], bool]:
        """Read "reached" or "unreachable"."""
        if text.strip() not in {"reached", "unreachable"}:
            raise BadRequest(f"value {text!r}: expected reached or unreachable")
        return lambda value: self.format(value) == text.strip()
