"""Win, draw or loss with the depth in plies: two players who alternate (Gasser 1995, section 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.rules import UNDECIDED
from searchbench.values.distance import parse_number_range
from searchbench.values.ending import DRAW, LOSS, WIN
from searchbench.values.rule import ValueRule

OUTCOMES: Final = {"loss": -1, "draw": 0, "win": 1}
"""The number of each outcome, for the player to move."""
_WORDS = {number: word for word, number in OUTCOMES.items()}


class Result(NamedTuple):
    """The end of a game for the player to move: outcome -1, 0 or +1, and the plies until then under best play."""

    outcome: int
    depth: int = 0

    def __str__(self) -> str:
        return "draw" if self.outcome == 0 else f"{_WORDS[self.outcome]} {self.depth}"


@dataclass(frozen=True)
class Outcome(ValueRule):
    """Give each state its outcome for the player to move; wins are as short, losses as long as can be forced.

    Stored codes: 0 is a draw, ``1 + 2 * depth + won`` a decided state. During computation, undecided states count the
    successors that are not yet known to be won for the opponent: codes 0 .. C (C is `max_moves`); C + 1 is a game that
    ended in a draw, and decided states are above it. A drawn state never becomes decided.
    """

    name: ClassVar[str] = "outcome"
    claims: ClassVar[str] = "outcome"
    two_players: ClassVar[bool] = True
    counts: ClassVar[bool] = True
    outcomes: ClassVar[bool] = True
    repairable: ClassVar[bool] = True
    reductions: ClassVar[tuple[str, ...]] = (
        "filled", "base-3", "two-bit", "one-bit", "every", "best-move", "parity",
    )  # fmt: skip
    depth_shift: ClassVar[int] = 1

    def endings(self, codes: Any) -> Any:
        """Return the codes without depth."""
        return np.where(codes == 0, DRAW, np.where(codes & 1, LOSS, WIN))

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule."""
        drawn = max_moves + 1

        def initial(result: int, count: int) -> int:
            if result == UNDECIDED:
                return count if count > 0 else drawn
            if result == 0:
                return drawn
            return drawn + 1 + (result > 0)

        def propagate(code: int, successor: int, weight: int) -> int:
            if successor == 0 or code == drawn:
                return code
            depth = ((successor - 1) >> 1) + 1
            if (successor - 1) & 1:  # the opponent wins there: one possible escape less
                if code > drawn:
                    return code
                return code - 1 if code > 1 else drawn + 1 + 2 * depth
            won = drawn + 2 + 2 * depth
            if code < drawn:
                return won
            return won if (code - drawn - 1) & 1 and won < code else code

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            shortest_win = 0
            longest_loss = 0
            escapes = 0
            for index in range(count):
                successor = successors[index]
                if successor == 0:
                    escapes += 1
                elif (successor - 1) & 1:
                    longest_loss = max(longest_loss, ((successor - 1) >> 1) + 1)
                else:
                    depth = ((successor - 1) >> 1) + 1
                    if shortest_win == 0 or depth < shortest_win:
                        shortest_win = depth
            if shortest_win > 0:
                return drawn + 2 + 2 * shortest_win
            if escapes > 0 or count == 0:
                return code
            return drawn + 1 + 2 * longest_loss

        def level(code: int) -> int:
            return (code - drawn - 1) >> 1 if code > drawn else -1

        def arrival(code: int) -> int:
            return (code + 1) >> 1 if code > 0 and (code - 1) & 1 else 0

        def finish(code: int) -> int:
            return code - drawn if code > drawn else 0

        return {
            "initial": initial, "propagate": propagate, "gather": gather, "level": level, "arrival": arrival,
            "finish": finish,
        }  # fmt: skip

    def decode(self, code: int) -> Result:
        """Return the outcome and its depth."""
        if code == 0:
            return Result(0)
        return Result(1 if (code - 1) & 1 else -1, (code - 1) >> 1)

    def encode(self, value: Result) -> int:
        """Return the code of an outcome."""
        return 0 if value.outcome == 0 else 1 + 2 * value.depth + (value.outcome > 0)

    def preference(self, value: Result, weight: int) -> tuple[int, int]:
        """Prefer quick losses of the opponent, then draws, then slow wins of the opponent."""
        return {-1: (0, value.depth), 0: (1, 0), 1: (2, -value.depth)}[value.outcome]

    def kind(self, value: Result) -> str:
        """Return the outcome."""
        return _WORDS[value.outcome]

    def parse(self, text: str) -> Callable[[Result], bool]:
        """Read "draw", "win", "loss 26" or "win 3-9"."""
        word, _, depths = text.strip().partition(" ")
        outcomes = {name: outcome for outcome, name in _WORDS.items()}
        if word not in outcomes or (word == "draw" and depths):
            raise BadRequest(
                f"value {text!r}: expected draw, win, loss, or one with plies such as 'loss 26' or 'win 3-9'"
            )
        low, high = parse_number_range(depths) if depths else (0, 1 << 62)
        return lambda value: value.outcome == outcomes[word] and low <= value.depth <= high
