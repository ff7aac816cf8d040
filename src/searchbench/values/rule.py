"""What a value rule is: a few functions on codes, and what the codes mean to a person (Gasser 1995, sections 2.1, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

Value = Any
"""What a person sees: an int, a Result, or None where there is no value."""

RETROGRADE: Final = "retrograde"
FIXPOINT: Final = "fixpoint"
BFS: Final = "bfs"


@dataclass(frozen=True)
class ValueRule:
    """Define values: derive a class, supply ``rules``, `decode`, `encode` and `preference`; parameters are its fields.

    ``rules(max_moves)`` returns plain functions by the contract's names: `initial` and `gather` always; `propagate`,
    `level` and `arrival` for retrograde analysis; `finish` and `weight` where they differ from the defaults. *Working*
    codes are what `initial`, `propagate` and `gather` return; *stored* codes are what `finish` makes of them, what is
    in the database, and what `propagate` and `gather` are given of the successors. Both are non-negative.
    """

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    two_players: ClassVar[bool] = False
    unique: ClassVar[bool] = True
    """Claims that every order of evaluation ends in the same fixpoint. If not, sweeps are kept apart (all states are
    evaluated from the values of the sweep before) and a sequence of sweeps that repeats is reported as no fixpoint."""
    weights_leave: ClassVar[bool] = False
    """Whether values are determined only where moves with a weight leave the parts that need each other, or where these
    have no cycles; anything else is reported as no fixpoint."""
    counts: ClassVar[bool] = False
    """Whether `initial` looks at the number of successors."""
    revalues_terminals: ClassVar[bool] = False
    """Whether `gather` is also applied to terminal states (which then must have moves)."""
    from_start: ClassVar[bool] = False
    """Whether the value tells how a state is reached from the start, not how it goes on."""
    has_lines: ClassVar[bool] = True
    """Whether values tell the way to the end (or to the start), so that lines can be read from them."""
    solvers: ClassVar[tuple[str, ...]] = (RETROGRADE, FIXPOINT)
    """The solvers that find values of this rule, the best first; retrograde analysis needs `propagate` besides."""
    forms: ClassVar[tuple[str, ...]] = ()
    """The forms in which breadth-first search finds values of this rule."""
    shared: ClassVar[bool] = False
    """Whether values are for numbers that several states share (`rules.place`), and for no others."""
    outcomes: ClassVar[bool] = False
    """Whether values are outcomes with the plies to the end (`Result`): what proofs and their leaves go by."""
    points: ClassVar[bool] = False
    """Whether values are points: retrograde analysis settles the largest first, and verification looks where they come from."""
    repairable: ClassVar[bool] = False
    """Whether a database of these values can be repaired: it is known when a value follows from others."""
    ranks_moves: ClassVar[bool] = True
    """Whether the values after the moves tell which move is best."""
    tells_losses: ClassVar[bool] = True
    """Whether what is lost is told from what is drawn; if not, a value does not follow from those after the moves."""
    reductions: ClassVar[tuple[str, ...]] = ()
    """The forms besides all values in which a database of these values is kept on disk."""
    depth_shift: ClassVar[int] = 0
    """By how many places codes - 1 are shifted to be depths: outcomes keep in the last one who wins."""
    least_weight: ClassVar[int | None] = None
    """The least weight that a move may have, None: any. Moves of weight 0 may hold up each other's values on a cycle."""
    filler: ClassVar[int] = 0
    """A code that stands where no code need be kept."""
    claims: ClassVar[str] = ""
    """What a stored value claims of the successors' stored values: one of the claims that verification states in words of its
    own, "" for none of these. Each class declares it for itself: one that is derived may mean something else."""
    bounds_cost: ClassVar[bool] = False
    """Whether codes are 0 or 1 more than a cost, so that those of an abstraction bound the cost of solving. Each class declares
    it for itself, too."""

    def __init_subclass__(cls) -> None:
        """Give a class that is derived nothing that each declares for itself."""
        super().__init_subclass__()
        for name in ("claims", "bounds_cost"):
            if name not in vars(cls):
                setattr(cls, name, getattr(ValueRule, name))

    def endings(self, codes: Any) -> Any:
        """Return an array of codes of outcomes as codes of `Ending`: 1 a loss, 2 a draw, 3 a win; `Won` keeps its own."""
        raise NotImplementedError

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the rule's functions for a game with at most `max_moves` moves in a state."""
        raise NotImplementedError

    def sweeps(self, states: int) -> int | None:
        """Return after how many sweeps over `states` states a fixpoint must be reached if one exists; None: unknown."""
        return None

    def decode(self, code: int) -> Value:
        """Return what a stored code means, None for no value."""
        return code

    def encode(self, value: Value) -> int:
        """Return the stored code of a value."""
        return int(value)

    def preference(self, value: Value, weight: int) -> Any:
        """Return a sort key of moves: least for the move to the successor with this value that is best to play."""
        return value

    def format(self, value: Value) -> str:
        """Return a value as text."""
        return "unreachable" if value is None else str(value)

    def kind(self, value: Value) -> str:
        """Return what a drawing colours a value by: "win", "draw", "loss", "number", or "none" for no value."""
        return "none" if value is None else "number"

    def parse(self, text: str) -> Callable[[Value], bool]:
        """Return a test for the values that a text such as "7" or "3-5" means."""
        return lambda value: self.format(value) == text.strip()

    def identity(self) -> dict[str, Any]:
        """Return what tells this rule from others: it is kept in the database."""
        return {"name": self.name, "version": self.version, "parameters": asdict(self)}
