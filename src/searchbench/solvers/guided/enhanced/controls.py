"""Control functions as records of numbers: *whether* an enhancement is used, apart from *what* it does.

A record is a frozen dataclass of whole numbers, with the name of its enhancement. `Sound` ones lose no solution and keep bounds
admissible; others are not, and no search for a cheapest line takes them. All records together are one vector for the kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest

LARGEST: Final = 1_000_000_000
"""The largest number of a record, where it sets no other."""


@dataclass(frozen=True)
class Enhancement:
    """The control record of an enhancement."""

    name: ClassVar[str]
    largest: ClassVar[Mapping[str, int]] = {}
    """The largest numbers of some fields."""


@dataclass(frozen=True)
class Sound(Enhancement):
    """An enhancement that keeps every cheapest solution."""


@dataclass(frozen=True)
class Cut(Enhancement):
    """An enhancement that leaves moves out, whatever the threshold: a search may have none left before it meets a solution."""


@dataclass(frozen=True)
class Table(Sound):
    """A transposition table: 2^`bits` entries, in buckets of four; the smallest subtree goes first."""

    name: ClassVar[str] = "table"
    largest: ClassVar[Mapping[str, int]] = {"bits": 40}
    bits: int = 18


@dataclass(frozen=True)
class GoalCuts(Cut):
    """Where a piece was taken home in vain, no other move is tried in the place of those that brought it there."""

    name: ClassVar[str] = "goal-cuts"


@dataclass(frozen=True)
class Relevance(Cut):
    """Relevance cuts: of the last `window` moves at most `allowed` are not local to the one before them."""

    name: ClassVar[str] = "relevance"
    window: int = 9
    allowed: int = 1


@dataclass(frozen=True)
class Restarts(Enhancement):
    """Rapid random restarts: a round begins again after `budget` nodes in another order, `times` times; then the bound grows.

    At each second time that the bound grows, the budget doubles, and the bound grows by one step more from then on. The
    randomness of a restart is its number.
    """

    name: ClassVar[str] = "restarts"
    budget: int = 50_000
    times: int = 4


@dataclass(frozen=True)
class Scout(Sound):
    """A search that leaves moves out goes ahead: what it finds within a bound that is proved is a cheapest solution.

    A round begins with a turn of `budget` nodes or more. Each further one is twice as long, in another order, and waits until the
    others have had as many nodes as the scout will have had then.
    """

    name: ClassVar[str] = "scout"
    budget: int = 5_000


FRAME: Final[tuple[type[Enhancement], ...]] = (Table, GoalCuts, Relevance, Restarts, Scout)
"""The enhancements that the search itself has; a game adds others, with records of its own."""
FIRST_OF_GAME: Final = 16
"""Where the numbers of the game's records begin."""


def places(records: Sequence[type[Enhancement]], first: int = 0) -> dict[str, int]:
    """Return where each number stands in the vector: "NAME" for whether it is on, and "NAME.FIELD"."""
    found: dict[str, int] = {}
    for record in records:
        for name in (record.name, *(f"{record.name}.{field.name}" for field in fields(record))):
            found[name] = first + len(found)
    return found


PLACES: Final = places(FRAME)
TABLE, GOAL_CUTS, RELEVANCE = PLACES["table"], PLACES["goal-cuts"], PLACES["relevance"]
WINDOW, ALLOWED = PLACES["relevance.window"], PLACES["relevance.allowed"]


@dataclass(frozen=True)
class Controls:
    """The records of the enhancements that a search uses, by their names, and all those that there are."""

    used: Mapping[str, Enhancement]
    known: tuple[type[Enhancement], ...]

    @property
    def sound(self) -> bool:
        """Tell whether every enhancement is sound."""
        return not self.unsound

    @property
    def unsound(self) -> list[str]:
        """Return the names of the enhancements that may lose solutions, or the cheapest ones."""
        return [name for name, record in self.used.items() if not isinstance(record, Sound)]

    def with_fewer_cuts(self) -> Controls | None:
        """Return the records without those of the last enhancement that leaves moves out, or None where none does."""
        cuts = [name for name, record in self.used.items() if isinstance(record, Cut)]
        if not cuts:
            return None
        return replace(self, used={name: record for name, record in self.used.items() if name != cuts[-1]})

    def vector(self) -> npt.NDArray[np.int64]:
        """Return all numbers for the kernels: first those of the search, then those of the game."""
        own = places(self.known[len(FRAME) :], FIRST_OF_GAME)
        found = np.zeros(FIRST_OF_GAME + len(own) + 1, np.int64)
        for record in self.known:
            settings = self.used.get(record.name, record())
            where = PLACES if record in FRAME else own
            found[where[record.name]] = record.name in self.used
            for field in fields(record):
                found[where[f"{record.name}.{field.name}"]] = getattr(settings, field.name)
        return found

    def text(self) -> str:
        """Return the records as they are set on the command line."""
        return ",".join(
            f"{name}.{field.name}={getattr(record, field.name)}"
            for name, record in self.used.items()
            for field in fields(record)
        )


def chosen_controls(
    known: tuple[type[Enhancement], ...], use: Iterable[str], without: Iterable[str], changes: str
) -> Controls:
    """Return the records of the enhancements `use` but for `without`, with changes such as "table.bits=20,relevance.window=6".

    Raises BadRequest, which lists the choices.
    """
    by_name = {record.name: record for record in known}
    for name in (*use, *without):
        if name not in by_name:
            raise BadRequest(f"no enhancement {name!r}: there are {', '.join(by_name)}")
    left_out = set(without)
    used = {name: by_name[name]() for name in use if name not in left_out}
    for change in filter(None, (word.strip() for word in changes.split(","))):
        match = re.fullmatch(r"([a-z-]+)\.([a-z_]+)=(-?\d{1,1000})", change)
        record = by_name.get(match[1]) if match else None
        names = [field.name for field in fields(record)] if record else []
        if match is None or record is None or match[2] not in names:
            every = ", ".join(f"{one.name}.{field.name}" for one in known for field in fields(one))
            raise BadRequest(f"control {change!r}: expected NAME=NUMBER with one of {every}")
        most = record.largest.get(match[2], LARGEST)
        if not 0 <= int(match[3]) <= most:
            raise BadRequest(f"control {change!r}: expected a number from 0 to {most:,}")
        if match[1] in used:
            settings: dict[str, Any] = {match[2]: int(match[3])}
            used[match[1]] = replace(used[match[1]], **settings)
    return Controls(used, known)
