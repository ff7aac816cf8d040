"""Value rules: functions on codes, and the meaning of the codes (Gasser 1995, sections 2.1, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

Value = Any
"""A decoded value: an int, a Result, or None for no value."""

RETROGRADE: Final = "retrograde"
"""The solver that goes from decided states to their predecessors."""
FIXPOINT: Final = "fixpoint"
"""The solver that looks forwards from every state until nothing changes."""
BFS: Final = "bfs"
"""The solver that finds depths from the start, breadth first."""
SWEEP: Final = "sweep"
"""The solver that settles a layered game, layer by layer from the last one."""


@dataclass(frozen=True)
class ValueRule:
    """Define values: derive a class, supply ``rules``, `decode`, `encode` and `preference`; parameters are its fields.

    ``rules(max_moves)`` returns plain functions by the contract's names: `initial` and `gather` always; `propagate`,
    `level` and `arrival` for retrograde analysis; `finish` and `weight` where they differ from the defaults. *Working*
    codes are returned by `initial`, `propagate` and `gather`; *stored* codes are returned by `finish`, kept in the
    database, and passed to `propagate` and `gather` as the successors' codes. Both are non-negative.
    """

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    two_players: ClassVar[bool] = False
    unique: ClassVar[bool] = True
    """Claims that every order of evaluation ends in the same fixpoint. If not, sweeps are separated (each evaluates all
    states from the values of the previous sweep), and a repeated sequence of sweeps is reported as no fixpoint."""
    weights_leave: ClassVar[bool] = False
    """Whether values are determined only if moves with a weight leave the parts that need each other, or if these parts
    have no cycles; other games are reported as having no fixpoint."""
    counts: ClassVar[bool] = False
    """Whether `initial` uses the number of successors."""
    revalues_terminals: ClassVar[bool] = False
    """Whether `gather` is also applied to terminal states (which then must have moves)."""
    from_start: ClassVar[bool] = False
    """Whether the value describes how the start reaches a state, not how play continues."""
    has_lines: ClassVar[bool] = True
    """Whether values determine the way to the end (or to the start), so that lines can be read from them."""
    solvers: ClassVar[tuple[str, ...]] = (RETROGRADE, FIXPOINT)
    """The solvers for this rule, the best first; retrograde analysis also needs `propagate`."""
    forms: ClassVar[tuple[str, ...]] = ()
    """The forms of breadth-first search that compute this rule."""
    shared: ClassVar[bool] = False
    """Whether values belong only to numbers that several states share (see `blank` in the index contract)."""
    outcomes: ClassVar[bool] = False
    """Whether values are outcomes with the plies to the end (`Result`), as used by proofs and their leaves."""
    points: ClassVar[bool] = False
    """Whether values are points: retrograde analysis settles the largest first, and verification traces each gain."""
    repairable: ClassVar[bool] = False
    """Whether a database of these values can be repaired: it is detectable whether a value follows from others."""
    ranks_moves: ClassVar[bool] = True
    """Whether the successors' values determine the best move."""
    tells_losses: ClassVar[bool] = True
    """Whether losses differ from draws; if not, successors do not determine a value."""
    tells_progress: ClassVar[bool] = True
    """Whether of two moves that win the values tell the one that comes nearer to the end. If not, it is searched for."""
    reductions: ClassVar[tuple[str, ...]] = ()
    """The reduced forms in which a database of these values can be stored."""
    depth_shift: ClassVar[int] = 0
    """Right shift that turns codes - 1 into depths: outcomes have the winner in the lowest bit."""
    least_weight: ClassVar[int | None] = None
    """The least weight of a move, None for any. On a cycle, moves of weight 0 may delay each other's values."""
    filler: ClassVar[int] = 0
    """A code for places where no code is needed."""
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
        """Convert codes of outcomes to codes of `Ending` (1 a loss, 2 a draw, 3 a win); `Won` keeps its own."""
        raise NotImplementedError

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the rule's functions for a game with at most `max_moves` moves in a state."""
        raise NotImplementedError

    def sweeps(self, states: int) -> int | None:
        """Return the number of sweeps over `states` states that reaches any existing fixpoint; None if unknown."""
        return None

    def decode(self, code: int) -> Value:
        """Return the value of a stored code, None for no value."""
        return code

    def encode(self, value: Value) -> int:
        """Return the stored code of a value."""
        return int(value)

    def preference(self, value: Value, weight: int) -> Any:
        """Return a sort key of moves, given the successor's value: the best move has the least key."""
        return value

    def format(self, value: Value) -> str:
        """Return a value as text."""
        return "unreachable" if value is None else str(value)

    def kind(self, value: Value) -> str:
        """Return the colour class of a value in drawings: "win", "draw", "loss", "number", or "none" for no value."""
        return "none" if value is None else "number"

    def parse(self, text: str) -> Callable[[Value], bool]:
        """Parse a condition such as "7" or "3-5" into a predicate on values."""
        return lambda value: self.format(value) == text.strip()

    def identity(self) -> dict[str, Any]:
        """Return the identity of this rule, which is stored in the database."""
        return {"name": self.name, "version": self.version, "parameters": asdict(self)}
