"""Two tokens on a graph: in turn each player moves his own along an edge; who steps onto the other's token wins."""

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from searchbench import UNDECIDED, Board, Game, State, errors, index


@dataclass(frozen=True)
class Token(Game):
    """Catch the other player's token on a graph; going round for ever is a draw."""

    name: ClassVar[str] = "token"
    values: ClassVar[str] = "outcome"

    edges: str = "ab-ad-bc-ce-df-eh-el-fg-gi-hj-jk-kl"

    @property
    def nodes(self) -> list[str]:
        return sorted({letter for letter in self.edges if letter != "-"})

    @property
    def ends(self) -> list[tuple[int, int]]:
        return [(self.nodes.index(edge[0]), self.nodes.index(edge[1])) for edge in self.edges.split("-")]

    @property
    def width(self) -> int:
        return 2

    @property
    def max_moves(self) -> int:
        return max(self.edges.count(node) for node in self.nodes)

    def index(self) -> index.Radix:
        return index.Radix((len(self.nodes), len(self.nodes)))

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from * n + to``. After it the players change sides, so the cells change places."""
        n = len(self.nodes)
        joined = np.zeros((n, n), np.int8)
        for one, two in self.ends:
            joined[one, two] = joined[two, one] = 1

        def start(state: State) -> None:
            state[0], state[1] = 0, n - 1

        def terminal(state: State) -> int:
            return -1 if state[0] == state[1] else UNDECIDED  # caught

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for node in range(n):
                if joined[state[0], node]:
                    out[count] = state[0] * n + node
                    count += 1
            return count

        def play(state: State, move: int) -> None:
            state[0], state[1] = state[1], move % n

        def unplay(state: State, move: int) -> None:
            state[0], state[1] = move // n, state[0]

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for node in range(n):
                if joined[state[1], node] and node != state[0]:  # on the same node the game was over
                    out[count] = node * n + state[1]
                    count += 1
            return count

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": unmoves,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the nodes of the player to move and of the other, such as "a l"."""
        if not set(text.split()) <= set(self.nodes):
            raise errors.BadState(f"{text!r}: expected two nodes out of {' '.join(self.nodes)}")
        return [self.nodes.index(letter) for letter in text.split()]

    def format(self, state: Sequence[int]) -> str:
        return " ".join(self.nodes[node] for node in state)

    def format_move(self, state: Sequence[int], move: int) -> str:
        return self.nodes[move % len(self.nodes)]

    def board(self) -> Board:
        cells = tuple((float(node % 4), float(node // 4)) for node in range(len(self.nodes)))
        return Board(cells, tuple(self.ends), "point", opposite=tuple(range(len(cells))))

    def pieces(self, state: Sequence[int]) -> list[str]:
        marks = [f" {letter} " for letter in self.nodes]
        for node, mark in zip(state, ("({})", "[{}]"), strict=True):
            marks[node] = mark.format(self.nodes[node])
        return marks
