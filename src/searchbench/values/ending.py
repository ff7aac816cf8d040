"""The outcome of a game without its depth, stored in two bits, in 1.6 bits, or in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadRequest
from searchbench.rules import UNDECIDED
from searchbench.values.rule import FIXPOINT, SWEEP, ValueRule

LOSS, DRAW, WIN = 1, 2, 3
"""The codes of `Ending`; in the two-bit form 0 marks numbers that are no position."""


@dataclass(frozen=True)
class Ending(ValueRule):
    """Give each state "win", "draw" or "loss" for the player to move, without depth. Codes: 1 a loss, 2 a draw, 3 a win."""

    name: ClassVar[str] = "ending"
    claims: ClassVar[str] = "ending"
    two_players: ClassVar[bool] = True
    has_lines: ClassVar[bool] = False
    tells_progress: ClassVar[bool] = False
    solvers: ClassVar[tuple[str, ...]] = (FIXPOINT, SWEEP)
    reductions: ClassVar[tuple[str, ...]] = ("filled", "base-3", "two-bit", "one-bit", "parity")
    filler: ClassVar[int] = DRAW

    def endings(self, codes: Any) -> Any:
        """Return the codes unchanged."""
        return codes

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., int]]:
        """Return the functions of the rule: a state is drawn until its successors decide it."""

        def initial(result: int, count: int) -> int:
            return DRAW if result == UNDECIDED else DRAW + result

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            wins = 0
            for index in range(count):
                if successors[index] == LOSS:
                    return WIN
                wins += 1 if successors[index] == WIN else 0
            return LOSS if 0 < count == wins else code

        return {"initial": initial, "gather": gather}

    def decode(self, code: int) -> str:
        """Return the word for a code; a damaged table may contain any code."""
        return _WORDS[code] if 0 < code < len(_WORDS) else f"code {code}"

    def encode(self, value: str) -> int:
        """Return the code of a word."""
        return _WORDS.index(value)

    def preference(self, value: str, weight: int) -> int:
        """Prefer losses of the opponent, then draws."""
        return self.encode(value)

    def kind(self, value: str) -> str:
        """Return the word."""
        return value

    def parse(self, text: str) -> Callable[[str], bool]:
        """Read "win", "draw" or "loss"."""
        return _one_of(text, _WORDS[1:])


_WORDS = ("", "loss", "draw", "win")


@dataclass(frozen=True)
class Won(ValueRule):
    """Give each state "won" or "not won" for the player to move. Codes: 1 won, 0 not."""

    name: ClassVar[str] = "won"
    two_players: ClassVar[bool] = True
    has_lines: ClassVar[bool] = False
    solvers: ClassVar[tuple[str, ...]] = ()
    reductions: ClassVar[tuple[str, ...]] = ("one-bit",)
    ranks_moves: ClassVar[bool] = False
    tells_losses: ClassVar[bool] = False

    def endings(self, codes: Any) -> Any:
        """Return the codes unchanged: 1 won, 0 not."""
        return codes

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., int]]:
        """Return the functions of the rule.

        There is no `gather`: a successor that is not won may be lost or drawn, so successors do not determine a value.
        """

        def initial(result: int, count: int) -> int:
            return 1 if result == 1 else 0

        return {"initial": initial}

    def decode(self, code: int) -> str:
        """Return "won" or "not won"."""
        return "won" if code else "not won"

    def encode(self, value: str) -> int:
        """Return the code."""
        return int(value == "won")

    def preference(self, value: str, weight: int) -> int:
        """Prefer states that the opponent does not win."""
        return self.encode(value)

    def format(self, value: str | None) -> str:
        """Return the words; "unknown" for a move of which they tell nothing."""
        return "unknown" if value is None else value

    def kind(self, value: str | None) -> str:
        """Return "win", "none" for what is not known, or "number": a state that is not won may be lost or drawn."""
        return "none" if value is None else "win" if value == "won" else "number"

    def parse(self, text: str) -> Callable[[str], bool]:
        """Read "won" or "not won"."""
        return _one_of(text, ("won", "not won"))


def _one_of(text: str, words: tuple[str, ...]) -> Callable[[str], bool]:
    if text.strip() not in words:
        raise BadRequest(f"value {text!r}: expected {' or '.join(words)}")
    return lambda value: value == text.strip()
