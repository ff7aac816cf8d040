"""Top-Spin: a ring of tokens, k neighbours of which can be reversed (Chen and Skiena 1996; Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, factorial, pi, sin
from typing import Any, ClassVar

from searchbench.errors import BadState
from searchbench.families.rearranged import inverting
from searchbench.game import Board, Game
from searchbench.index import Rearrangement, Sequences
from searchbench.rules import UNDECIDED, State


@dataclass(frozen=True)
class TopSpin(Game):
    """Bring `n` numbered tokens in order round the ring by reversing `k` neighbours at a time.

    The ring rotates at no cost: a state contains the tokens 1 .. n - 1 in the order in which they follow token 0.
    """

    name: ClassVar[str] = "top-spin"
    consistent: ClassVar[bool] = True
    rearranges: ClassVar[bool] = True
    depth_is_distance: ClassVar[bool] = True

    n: int = 8
    k: int = 4

    def __post_init__(self) -> None:
        if not (3 <= self.n <= 100 and 2 <= self.k <= self.n):
            raise ValueError(
                f"{self.k} of {self.n} tokens reversed: expected 3 to 100 tokens, and to reverse 2 to all of them"
            )

    @property
    def called(self) -> str:
        """Return the name with the numbers of tokens."""
        return f"Top Spin, {self.n} tokens, {self.k} reversed at a time"

    @property
    def width(self) -> int:
        """Return the number of tokens besides token 0; token t is written t - 1."""
        return self.n - 1

    @property
    def max_moves(self) -> int:
        """Return the number of first places of k neighbours."""
        return self.n

    def sequences(self) -> Sequences | None:
        """Return the moves as rearrangements of the tokens after token 0; only even permutations if all moves are even."""
        return _sequences(self.n, self.k) if self.n <= 21 else None

    def index(self) -> Sequences | None:
        """Return the lexicographic index of the tokens after token 0; None beyond 21 tokens."""
        return self.sequences()

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the distance from token 0 to the first of the k reversed tokens."""
        n, k = self.n, self.k

        def start(state: State) -> None:
            for place in range(n - 1):
                state[place] = place

        def terminal(state: State) -> int:
            for place in range(n - 1):
                if state[place] != place:
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            for first in range(n):
                out[first] = first
            return n

        def reverse(state: State, first: int, stop: int) -> None:
            while first < stop - 1:
                stop -= 1
                state[first], state[stop] = state[stop], state[first]
                first += 1

        def play(state: State, move: int) -> None:
            if 0 < move <= n - k:
                reverse(state, move - 1, move + k - 1)
            else:
                # Token 0 is among the k, behind `before` of them. Reversing the k tokens equals reversing the others,
                # except for the direction in which the ring is read.
                before = n - move if move else 0
                reverse(state, 0, n - 1)
                reverse(state, before, n - k + before)

        def inverse(move: int) -> int:
            if 0 < move <= n - k:
                return move
            return n - k + 1 if move == 0 else (n - k + 1 + n - move) % n

        def unplay(state: State, move: int) -> None:
            play(state, inverse(move))

        def gap(one: int, other: int) -> int:
            return 0 if (one - other) % n == 1 or (other - one) % n == 1 else 1

        def h(state: State, tables: Any) -> int:
            # Count adjacent tokens that are not neighbours in the goal; a move separates only two adjacent pairs.
            gaps = gap(0, state[0] + 1) + gap(0, state[n - 2] + 1)
            for place in range(1, n - 1):
                gaps += gap(state[place - 1], state[place])
            return (gaps + 1) // 2

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": moves,
            "inverse": inverse, "dual_state": inverting(n - 1), "h": h,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the tokens 0 .. n - 1 round the ring, starting at any of them."""
        ring = super().parse(text)
        if sorted(ring) != list(range(self.n)):
            raise BadState(f"{self}: {text!r}: expected each of 0 .. {self.n - 1} once")
        first = ring.index(0)
        return [token - 1 for token in ring[first + 1 :] + ring[:first]]

    def format(self, state: Sequence[int]) -> str:
        """Return the tokens round the ring, starting at token 0."""
        return " ".join(self.pieces(state))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the tokens to be reversed, such as "7-0-1-2"."""
        ring = self.pieces(state) * 2
        return "-".join(ring[move : move + self.k])

    def board(self) -> Board:
        """Return a ring, token 0 on top."""
        angles = [2 * pi * place / self.n for place in range(self.n)]
        return Board(
            tuple((round(self.n * sin(angle)), round(-self.n / 2 * cos(angle))) for angle in angles), shape="peg"
        )

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the tokens round the ring, starting at token 0."""
        return ["0", *(str(token + 1) for token in state)]

    def known(self) -> Mapping[str, Any]:
        """Return the number of states; an even k below n - 1 reaches all of them (Chen and Skiena 1996)."""
        index = self.index()
        if index is None:
            return {}
        found: dict[str, Any] = {"states": index.size, "start": "0"}
        if self.k % 2 == 0 and self.k < self.n - 1:
            found["reachable"] = factorial(self.n - 1) // (1 + index.even)
        return found


@lru_cache(maxsize=32)
def _sequences(n: int, k: int) -> Sequences:
    orders = [_order(n, k, first) for first in range(n)]
    even = not any(_odd(order) for order in orders)
    return Sequences(n - 1, 1, tuple(Rearrangement(0, 0, order) for order in orders), even)


def _order(n: int, k: int, first: int) -> tuple[int, ...]:
    """Return the origins of the tokens after token 0 when the k tokens from `first` on are reversed."""
    ring = list(range(n))
    for offset in range(k):
        ring[(first + offset) % n] = (first + k - 1 - offset) % n
    zero = ring.index(0)
    return tuple(token - 1 for token in ring[zero + 1 :] + ring[:zero])


def _odd(order: Sequence[int]) -> bool:
    return sum(earlier > later for place, later in enumerate(order) for earlier in order[:place]) % 2 == 1
