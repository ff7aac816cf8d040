"""Two heaps of coins: in turn each player takes one to three from the top of a heap and keeps what they are worth."""

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from searchbench import UNDECIDED, Game, State, index


@dataclass(frozen=True)
class Coins(Game):
    """Gain more than the other player; a heap is a row of digits, the coin on its top last."""

    name: ClassVar[str] = "coins"
    values: ClassVar[str] = "score"

    left: str = "3141592653589793"
    right: str = "2718281828459045"
    most: int = 3

    @property
    def width(self) -> int:
        return 2

    @property
    def max_moves(self) -> int:
        return 2 * self.most

    def index(self) -> index.Radix:
        return index.Radix((len(self.left) + 1, len(self.right) + 1))

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``2 * coins + heap``."""
        most = self.most
        sizes = (len(self.left), len(self.right))
        below = np.zeros((2, max(len(self.left), len(self.right)) + 1), np.int64)  # what the lowest coins are worth
        for heap, coins in enumerate((self.left, self.right)):
            for place, coin in enumerate(coins):
                below[heap, place + 1] = below[heap, place] + int(coin)

        def start(state: State) -> None:
            state[0], state[1] = sizes

        def terminal(state: State) -> int:
            return 0 if state[0] + state[1] == 0 else UNDECIDED

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for heap in range(2):
                for coins in range(min(most, state[heap]), 0, -1):
                    out[count] = 2 * coins + heap
                    count += 1
            return count

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for heap in range(2):
                for coins in range(1, min(most, sizes[heap] - state[heap]) + 1):
                    out[count] = 2 * coins + heap
                    count += 1
            return count

        def gain(state: State, move: int) -> int:
            heap, left = move % 2, state[move % 2]
            points: int = below[heap, left] - below[heap, left - move // 2]
            return points

        def play(state: State, move: int) -> None:
            state[move % 2] -= move // 2

        def unplay(state: State, move: int) -> None:
            state[move % 2] += move // 2

        return {
            "start": start, "terminal": terminal, "moves": moves, "unmoves": unmoves, "gain": gain, "play": play,
            "unplay": unplay,
        }  # fmt: skip

    def format_move(self, state: Sequence[int], move: int) -> str:
        return f"{move // 2} from the {'right' if move % 2 else 'left'}"
