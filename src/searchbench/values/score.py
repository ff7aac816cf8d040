"""Points: two players who alternate and maximise their lead in points (awari; Allis 1994, 2.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.rules import UNDECIDED, State, gain
from searchbench.values.distance import parse_number_range
from searchbench.values.rule import ValueRule


def code_of(score: int) -> int:
    """Return the code of a score."""
    return 2 * score if score >= 0 else -2 * score - 1


def score_of(code: int) -> int:
    """Return the score of a code."""
    return -((code + 1) >> 1) if code & 1 else code >> 1


def _move_gain(state: State, move: int) -> int:
    return gain(state, move)


@dataclass(frozen=True)
class Score(ValueRule):
    """Give each state the lead in points that the player to move will still gain; endless play gains 0.

    A terminal state's result is its points; a move's points are its `gain`. Code 2v is a score of v > 0, code 1 - 2v
    one of v <= 0 (except that 0 has code 0). A game with cycles must be divided into parts so that every move that
    gains points leads to another part. Then retrograde analysis settles the largest scores first; forwards, the
    absolute values grow sweep by sweep.
    """

    name: ClassVar[str] = "score"
    claims: ClassVar[str] = "score"
    two_players: ClassVar[bool] = True
    unique: ClassVar[bool] = False
    weights_leave: ClassVar[bool] = True
    points: ClassVar[bool] = True
    repairable: ClassVar[bool] = True
    tells_progress: ClassVar[bool] = False
    reductions: ClassVar[tuple[str, ...]] = ("filled", "parity")

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule."""

        def initial(result: int, count: int) -> int:
            return 0 if result == UNDECIDED else code_of(result)

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            if count == 0:
                return code
            best = weights[0] - score_of(successors[0])
            for index in range(1, count):
                best = max(best, weights[index] - score_of(successors[index]))
            return code_of(best)

        return {"initial": initial, "gather": gather, "weight": _move_gain}

    def sweeps(self, states: int) -> int:
        """Return the number of sweeps that reaches any existing fixpoint: forcing a result never needs a repetition."""
        return states + 2

    def decode(self, code: int) -> int:
        """Return the score."""
        return score_of(code)

    def encode(self, value: int) -> int:
        """Return the code of a score."""
        return code_of(value)

    def preference(self, value: int, weight: int) -> int:
        """Prefer the most points, now and later."""
        return value - weight

    def kind(self, value: int) -> str:
        """Return "win", "loss" or "draw" by the sign of the score."""
        return "win" if value > 0 else "loss" if value < 0 else "draw"

    def parse(self, text: str) -> Callable[[int], bool]:
        """Read "3", "1-5" or "-4..-2"."""
        low, high = parse_number_range(text)
        return lambda value: low <= value <= high
