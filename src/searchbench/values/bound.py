"""The least depth of several states: what a table of bounds keeps of an abstraction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.values.distance import Depth


@dataclass(frozen=True)
class Bound(Depth):
    """Give each number the least cost of a way from the start to any of the states that share it (see `rules.place`).

    Where moves can be taken back that is a lower bound on the cost of solving each of them. Codes are those of Depth.
    """

    name: ClassVar[str] = "bound"
    bounds_cost: ClassVar[bool] = True
    forms: ClassVar[tuple[str, ...]] = ("spread",)
    shared: ClassVar[bool] = True
    repairable: ClassVar[bool] = False

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of Depth but for `propagate` and `gather`: a value does not follow from the next ones."""
        return {name: rule for name, rule in super().rules(max_moves).items() if name not in ("propagate", "gather")}
