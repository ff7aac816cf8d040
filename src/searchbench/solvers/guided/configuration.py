"""The options that every guided search takes: the bound, the order of moves, the states kept, and the enhancements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final

from searchbench import jit
from searchbench.configuration import option
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.solvers.guided.enhancements import Functions, chosen, listed
from searchbench.solvers.shared.transposition import Transpositions, new_transpositions

if TYPE_CHECKING:
    from searchbench.line import Line
    from searchbench.run import Run
    from searchbench.solvers.guided.automaton import Automaton
    from searchbench.solvers.guided.task import Heuristic, Task

_FINEST_WEIGHT: Final = 1000
"""The largest denominator of a weight: f stays a whole number."""
_LARGEST_WEIGHT: Final = 1000
"""So f has room in 64 bits, also where a pattern database says that no path leads on."""


def seed_option() -> Any:
    """Return the field for the seed of a method's chance."""
    told = "other chance: another order for each restart of IDA\\*, other plans and aims for trials of featurespace"
    return option(0, told, "whole", least=0)


@dataclass(frozen=True, kw_only=True)
class Guided(ABC):
    """Configure a guided search. Raises BadRequest for options that exclude each other."""

    method: ClassVar[str]
    orders: ClassVar[tuple[str, ...]] = ("priority",)

    h: Heuristic | str | None = option(
        None,
        "a bound in the place of the game's own: one the game has a name for, pattern databases (`a.db+b.db` are added, "
        "commas take the largest), or an object of your own",
        metavar="H",
        flag="--heuristic",
    )
    order: str | None = option(
        None,
        "`priority`: try those moves first that look best to the rules; IDA\\* also knows `bound`, the smallest bounds "
        "first, and `moves`, the order of the rules",
        metavar="NAME",
    )
    entries: int = option(
        0,
        "the most states that are kept. A\\* and best-first search end when there are more; IDA\\* keeps none without it, "
        "and with it notices when it has seen all there are",
        "whole",
        least=1,
    )
    use: str | Iterable[str] = option(
        (), "enhancements that the game has a name for, with commas between them", metavar="NAMES"
    )
    without: str | Iterable[str] = option(
        (), "slots that are left empty: `dead`, `cuts`, `macros`, `relevance`", metavar="SLOTS"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "use", listed(self.use))
        object.__setattr__(self, "without", listed(self.without))
        if self.order not in (None, *self.orders):
            raise BadRequest(f"order {self.order!r}: for {self.method} there are {', '.join(self.orders)}")
        if self.entries < 0:
            raise BadRequest(f"{self.entries} entries: the number must be positive, or 0 for no limit")

    @abstractmethod
    def search(self, task: Task) -> Line:
        """Return the line that this method finds."""

    @property
    def resumable(self) -> bool:
        """Tell whether a search that was stopped can go on from a folder."""
        return False

    def switches(self, game: Game) -> Functions:
        """Return the functions that replace the game's own. Raises BadRequest for one that the game does not supply."""
        return chosen(game, listed(self.use), listed(self.without), self.order)

    def superfluous(self, game: Game, names: jit.Names, start: Sequence[int]) -> Automaton | None:
        """Return the automaton of superfluous moves that a search from `start` with these functions has, if any."""
        return None

    def transpositions(self, run: Run) -> Transpositions:
        """Return the transposition table, or a token one."""
        return new_transpositions(2)


def ratio(weight: float | Fraction) -> Fraction:
    """Return a weight as a fraction of small numbers. Raises BadRequest."""
    if not 0 <= weight <= _LARGEST_WEIGHT:
        raise BadRequest(
            f"weight {weight}: expected 0 to {_LARGEST_WEIGHT:,}, such as 1.8; bestfirst without a weight is greedy"
        )
    return Fraction(weight).limit_denominator(_FINEST_WEIGHT)
