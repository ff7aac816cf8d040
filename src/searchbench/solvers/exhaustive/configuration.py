"""Configurations of the solvers of all states."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from searchbench.configuration import option
from searchbench.errors import BadRequest
from searchbench.values import BFS, FIXPOINT, RETROGRADE, SWEEP

REACHED: Final = "reached"
"""The index of the states that moves reach from the start."""


@dataclass(frozen=True, kw_only=True)
class Exhaustive(ABC):
    """Configure a solver of all states."""

    method: ClassVar[str]


@dataclass(frozen=True, kw_only=True)
class Numbered(Exhaustive):
    """Configure a solver that works on numbers of states."""

    index: str | None = option(
        None,
        "`reached` numbers the states that moves reach from the start, and no others, in the place of the game's own index, "
        "if it has one",
        metavar="NAME",
    )

    def __post_init__(self) -> None:
        if self.index not in (None, REACHED):
            raise BadRequest(f"index {self.index!r}: expected {REACHED}, or none for the game's own")


@dataclass(frozen=True, kw_only=True)
class GroupByGroup(Numbered):
    """Configure a solver that goes through the groups of parts, in the order of their needs."""

    parts: str | Iterable[str] | None = option(
        None,
        "solve only these parts and those that they need, such as `4-4,5-3`; or `all`. Each is kept when it is done, and "
        "what is kept already is not solved again",
        metavar="NAMES",
    )

    take: str | Iterable[Any] | None = option(
        None,
        "take the values of what the game turns into, as after a capture, from these databases of other games: "
        "`kqk.db,krk.db`. Parts that they cover are not solved",
        metavar="DIRS",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.take is None or isinstance(self.take, str)):
            object.__setattr__(self, "take", tuple(self.take))
        if not (self.parts is None or isinstance(self.parts, str)):
            object.__setattr__(self, "parts", ",".join(self.parts))


@dataclass(frozen=True, kw_only=True)
class Retrograde(GroupByGroup):
    """Solve by retrograde analysis: from the states whose value is known to their predecessors."""

    method = RETROGRADE


@dataclass(frozen=True, kw_only=True)
class Fixpoint(GroupByGroup):
    """Solve by looking forwards from every state, again and again until nothing changes."""

    method = FIXPOINT


@dataclass(frozen=True, kw_only=True)
class BreadthFirst(Numbered):
    """Find depths by breadth-first search from the start, in all parts together."""

    method = BFS

    form: str | None = option(
        None,
        "how depths are kept while they are found and afterwards: `values` (whole, a byte a state or more), `streaming` "
        "(modulo 3 or 4, where moves are rearrangements), `product` (modulo 3, where the index is a product), `two-bit` "
        "(modulo 3), `layers` (a bit, where parts are layers), `one-bit` and `reachability` (what is reached), `spread` "
        "(where states share numbers); by default what suits the game and fits into the memory",
        metavar="NAME",
    )


@dataclass(frozen=True, kw_only=True)
class Sweep(Exhaustive):
    """Find wins, draws and losses of a layered game, layer by layer over a diagram of the positions that are reached."""

    method = SWEEP

    symbolic: int | None = option(
        None,
        "find values by binary diagrams (extra `diagrams`) from the last layer on, until those of a layer have more than so "
        "many nodes, and by the sweep from there",
        "whole",
        metavar="NODES",
        least=1,
    )

    def __post_init__(self) -> None:
        if self.symbolic is not None and self.symbolic < 1:
            raise BadRequest(f"symbolic {self.symbolic}: expected a number of nodes, at least 1")


METHODS: Final[Mapping[str, type[Exhaustive]]] = {
    one.method: one for one in (Retrograde, Fixpoint, BreadthFirst, Sweep)
}
