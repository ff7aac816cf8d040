"""The least depth of several states: a table of lower bounds from an abstraction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.values.distance import Depth


@dataclass(frozen=True)
class Bound(Depth):
    """Give each number the least cost of a path from the start to any of its states (see `blank` in the index contract).

    If moves are reversible, that is a lower bound on the cost of solving each of them. Codes are those of Depth.
    """

    name: ClassVar[str] = "bound"
    bounds_cost: ClassVar[bool] = True
    forms: ClassVar[tuple[str, ...]] = ("spread",)
    shared: ClassVar[bool] = True
    repairable: ClassVar[bool] = False

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of Depth except `propagate` and `gather`: successors do not determine a value."""
        return {name: rule for name, rule in super().rules(max_moves).items() if name not in ("propagate", "gather")}
