"""A patience on a small tableau: fill a gap with the card that follows the one on its left, until each suit is in a row."""

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench import UNDECIDED, Board, Game, State, errors, index


@dataclass(frozen=True)
class Patience(Game):
    """Sort a tableau with a row and a gap for each suit; only an ace may begin a row."""

    name: ClassVar[str] = "patience"

    suits: int = 2
    ranks: int = 3

    @property
    def width(self) -> int:
        return self.suits * (self.ranks + 1)

    @property
    def max_moves(self) -> int:
        return self.width * self.suits  # at most: any card into any gap

    def index(self) -> index.Multiset:
        return index.Multiset((1,) * (self.suits * self.ranks) + (self.suits,))  # the gaps are all alike

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; card ``suit * ranks + rank``, and a move is ``from * cells + to``."""
        ranks, columns, cells = self.ranks, self.ranks + 1, self.width
        gap = self.suits * ranks

        def start(state: State) -> None:
            for cell in range(cells):  # the gaps, then the cards from the last to the first
                state[cell] = min(cells - 1 - cell, gap)

        def fits(state: State, card: int, cell: int) -> bool:
            if card == gap:
                return False
            if cell % columns == 0:
                return card % ranks == 0
            return card % ranks > 0 and state[cell - 1] == card - 1

        def terminal(state: State) -> int:
            for cell in range(cells):
                if state[cell] != gap and (cell % columns != state[cell] % ranks or not fits(state, state[cell], cell)):
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for to in range(cells):
                for source in range(cells):
                    if state[to] == gap and fits(state, state[source], to):
                        out[count] = source * cells + to
                        count += 1
            return count

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for to in range(cells):
                for source in range(cells):
                    if state[source] == gap and fits(state, state[to], to):
                        out[count] = source * cells + to
                        count += 1
            return count

        def play(state: State, move: int) -> None:
            state[move // cells], state[move % cells] = gap, state[move // cells]

        def unplay(state: State, move: int) -> None:
            state[move // cells], state[move % cells] = state[move % cells], gap

        return {
            "start": start, "terminal": terminal, "moves": moves, "unmoves": unmoves, "play": play, "unplay": unplay,
        }  # fmt: skip

    def cards(self) -> list[str]:
        """Return the cards' names, a letter for the suit, and the gap's."""
        return [f"{'CDHS'[suit]}{rank + 1}" for suit in range(self.suits) for rank in range(self.ranks)] + ["--"]

    def parse(self, text: str) -> list[int]:
        names = self.cards()
        if not set(text.split()) <= set(names):
            raise errors.BadState(f"{text!r}: expected {self.width} out of {' '.join(names)}")
        return [names.index(word) for word in text.split()]

    def format(self, state: Sequence[int]) -> str:
        return " ".join(self.cards()[card] for card in state)

    def format_move(self, state: Sequence[int], move: int) -> str:
        return f"{self.cards()[state[move // self.width]]} to {move % self.width + 1}"

    def board(self) -> Board:
        return Board(tuple(divmod(cell, self.ranks + 1)[::-1] for cell in range(self.width)), shape="card")

    def pieces(self, state: Sequence[int]) -> list[str]:
        return [self.cards()[card] for card in state]
