"""Burnt pancakes: sort a stack of pancakes, all burnt sides down (Edelkamp 2017, permutation games)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.index import Rearrangement, Sequences
from searchbench.rules import UNDECIDED, State


@dataclass(frozen=True)
class BurntPancake(Game):
    """Flip the top 1 to `n` pancakes until the smallest is on top and every burnt side is down.

    A state contains the sizes from the top down, then for each place 1 if the burnt side is up.
    """

    name: ClassVar[str] = "burnt-pancake"
    consistent: ClassVar[bool] = True
    rearranges: ClassVar[bool] = True
    depth_is_distance: ClassVar[bool] = True

    n: int = 6

    def __post_init__(self) -> None:
        if not 1 <= self.n <= 60:
            raise ValueError(f"{self.n} burnt pancakes: expected 1 to 60")

    @property
    def called(self) -> str:
        """Return the name with the number of pancakes."""
        return f"Burnt pancakes, a stack of {self.n}"

    @property
    def width(self) -> int:
        """Return two cells per pancake."""
        return 2 * self.n

    @property
    def max_moves(self) -> int:
        """Return the number of prefixes that can be flipped."""
        return self.n

    def sequences(self) -> Sequences | None:
        """Return the moves as rearrangements with flips; None beyond 16 pancakes, as 2^n n! exceeds 2^63."""
        n = self.n
        if n > 16:
            return None
        turns = [(*range(count - 1, -1, -1), *range(count, n)) for count in range(1, n + 1)]
        moves = tuple(Rearrangement(0, 0, order, tuple(range(count))) for count, order in enumerate(turns, 1))
        return Sequences(n, 1, moves, two_sided=True)

    def index(self) -> Sequences | None:
        """Return the index of the orders times the sides."""
        return self.sequences()

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the number of flipped pancakes."""
        n = self.n

        def start(state: State) -> None:
            for place in range(n):
                state[place] = place
                state[n + place] = 0

        def terminal(state: State) -> int:
            for place in range(n):
                if state[place] != place or state[n + place] != 0:
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            for count in range(1, n + 1):
                out[count - 1] = count
            return n

        def play(state: State, move: int) -> None:
            for place in range(move >> 1):
                mirror = move - 1 - place
                state[place], state[mirror] = state[mirror], state[place]
                state[n + place], state[n + mirror] = state[n + mirror], state[n + place]
            for place in range(n, n + move):
                state[place] = 1 - state[place]

        def inverse(move: int) -> int:
            return move

        def signed(state: State, place: int) -> int:
            if place == n:
                return n + 1  # the plate
            return -(state[place] + 1) if state[n + place] else state[place] + 1

        # Two neighbours fit if they are neighbours in the sorted stack. A flip separates only one pair, so a move mends
        # at most one misfit; a stack without misfits is sorted.

        def h(state: State, tables: Any) -> int:
            misfits = 0
            for place in range(n):
                if signed(state, place + 1) - signed(state, place) != 1:
                    misfits += 1
            return misfits

        def h_step(state: State, move: int, tables: Any) -> int:
            below = signed(state, move)
            step = 0
            if below - signed(state, move - 1) != 1:
                step -= 1
            if below + signed(state, 0) != 1:
                step += 1
            return step

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": play, "unmoves": moves,
            "inverse": inverse, "h": h, "h_step": h_step,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the sizes 1 to n from the top down, negative where the burnt side is up."""
        try:
            signed = [int(word) for word in re.split(r"[\s,]+", text.strip()) if word]
        except ValueError:
            signed = []
        if sorted(map(abs, signed)) != list(range(1, self.n + 1)):
            raise BadState(f"{self}: {text!r}: expected each of 1 .. {self.n} once, a minus sign for burnt side up")
        return [abs(size) - 1 for size in signed] + [int(size < 0) for size in signed]

    def format(self, state: Sequence[int]) -> str:
        """Return the sizes from the top down, negative where the burnt side is up."""
        return " ".join(self.pieces(state))

    def board(self) -> Board:
        """Return the stack from the top down."""
        return Board(tuple((0.0, float(place)) for place in range(self.n)), shape="bar")

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the pancakes' sizes, from 1, negative where the burnt side is up."""
        return [f"{'-' if state[self.n + place] else ''}{state[place] + 1}" for place in range(self.n)]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the lowest flipped pancake."""
        return [move - 1]

    def known(self) -> Mapping[str, Any]:
        """Return the number of stacks, and the largest distance (for n up to 8, OEIS A078942)."""
        deepest = [1, 4, 6, 8, 10, 12, 14, 15]
        histograms = {4: (1, 4, 12, 36, 90, 124, 96, 18, 3), 5: (1, 5, 20, 80, 280, 680, 1214, 1127, 389, 40, 4)}
        found: dict[str, Any] = {}
        index = self.index()
        if index is not None:
            found |= {"states": index.size, "reachable": index.size}
        if self.n <= len(deepest):
            found["deepest"] = deepest[self.n - 1]
        if self.n in histograms:
            found["histogram"] = dict(enumerate(histograms[self.n]))
        return found
