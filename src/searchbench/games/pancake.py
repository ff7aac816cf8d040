"""Pancakes: sort a stack by flipping pancakes on its top (Edelkamp 2017, permutation games)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.families.rearranged import inverting
from searchbench.game import Board, Game
from searchbench.index import LexicographicPermutation, Rearrangement, Sequences
from searchbench.rules import UNDECIDED, State


@dataclass(frozen=True)
class Pancake(Game):
    """Flip the top 2 to `n` pancakes of a stack until it is sorted, the smallest on top."""

    name: ClassVar[str] = "pancake"
    consistent: ClassVar[bool] = True
    rearranges: ClassVar[bool] = True
    depth_is_distance: ClassVar[bool] = True

    n: int = 8

    def __post_init__(self) -> None:
        if not 2 <= self.n <= 100:
            raise ValueError(f"{self.n} pancakes: expected 2 to 100")

    @property
    def called(self) -> str:
        """Return the name with the number of pancakes."""
        return f"Pancakes, a stack of {self.n}"

    @property
    def width(self) -> int:
        """Return the number of pancakes."""
        return self.n

    @property
    def max_moves(self) -> int:
        """Return the number of prefixes that can be flipped."""
        return self.n - 1

    def sequences(self) -> Sequences | None:
        """Return the moves as rearrangements of the stack, read from the bottom up."""
        if self.n > 20:
            return None
        orders = ([*range(self.n - count), *reversed(range(self.n - count, self.n))] for count in range(2, self.n + 1))
        return Sequences(self.n, 1, tuple(Rearrangement(0, 0, tuple(order)) for order in orders))

    def index(self) -> Sequences | None:
        """Return the lexicographic index of the stacks, read from the bottom up; None beyond 20 pancakes."""
        return self.sequences()

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the number of flipped pancakes."""
        n = self.n

        def start(state: State) -> None:
            for place in range(n):
                state[place] = place

        def terminal(state: State) -> int:
            for place in range(n):
                if state[place] != place:
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            for count in range(2, n + 1):
                out[count - 2] = count
            return n - 1

        def play(state: State, move: int) -> None:
            for place in range(move >> 1):
                state[place], state[move - 1 - place] = state[move - 1 - place], state[place]

        def inverse(move: int) -> int:
            return move

        def gap(above: int, below: int) -> int:
            return 1 if above - below > 1 or below - above > 1 else 0

        def h(state: State, tables: Any) -> int:
            gaps = gap(state[n - 1], n)
            for place in range(1, n):
                gaps += gap(state[place - 1], state[place])
            return gaps

        def h_step(state: State, move: int, tables: Any) -> int:
            below = n if move == n else state[move]
            return gap(state[0], below) - gap(state[move - 1], below)

        functions: dict[str, Callable[..., Any]] = {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": play, "unmoves": moves,
            "inverse": inverse, "dual_state": inverting(n), "h": h, "h_step": h_step,
        }  # fmt: skip
        if n > 20:
            return functions

        def read(state: State, place: int) -> int:
            return state[n - 1 - place]

        def write(state: State, place: int, value: int) -> None:
            state[n - 1 - place] = value

        rank, unrank = LexicographicPermutation(n).functions_through(read, write)
        return functions | {"rank": rank, "unrank": unrank}

    def board(self) -> Board:
        """Return the stack from the top down."""
        return Board(tuple((0.0, float(place)) for place in range(self.n)), shape="bar")

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the pancakes' sizes, from 1."""
        return [str(size + 1) for size in state]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the lowest flipped pancake."""
        return [move - 1]

    def known(self) -> Mapping[str, Any]:
        """Return the largest distance (OEIS A058986)."""
        deepest = [1, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18]
        return {"deepest": deepest[self.n - 2]} if self.n - 2 < len(deepest) else {}
