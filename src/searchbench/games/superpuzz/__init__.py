"""Superpuzz: a patience in which a card fills the hole behind its predecessor (Berliner and Goetsch 1984)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import Any, ClassVar

from searchbench.board import Board
from searchbench.game import Game
from searchbench.games.superpuzz.deadlock import figure_2, unreachable_place
from searchbench.games.superpuzz.judgement import judgement
from searchbench.games.superpuzz.layout import ROWS, SUITS, Deck
from searchbench.games.superpuzz.pairs import unreachable_pair
from searchbench.games.superpuzz.pruning import ace_pruning, forced_moves
from searchbench.index import Multiset
from searchbench.rules import State

FIGURE_1A = "S3 H2 D2 D4 -- D5 / -- C4 H3 C5 C1 -- / D3 S1 D1 S4 S5 -- / C2 C3 H4 H1 S2 H5"  # the paper's example
LARGEST_INDEX = 1 << 40
SOLVABLE = {(2, 3): (2, 16, 64, 100, 64, 22, 2), (2, 4): (2, 24, 164, 708, 1872, 2402, 2546, 2014, 1164, 386, 56, 16)}
"""The number of layouts of small decks at each distance from a solved one."""


@dataclass(frozen=True)
class Superpuzz(Game):
    """Bring each suit into a row of its own, ace first: a hole takes the card that follows the one on its left.

    A row begins with an ace, which any hole at the left edge takes. Nothing follows a hole or the last card of a suit.
    There are as many suits as rows, and the highest card is the number of columns less one.
    """

    name: ClassVar[str] = "superpuzz"
    separator: ClassVar[str] = "x"
    consistent: ClassVar[bool] = True
    incomplete: ClassVar[frozenset[str]] = frozenset({"figure-2", "ace-pruning"})

    rows: int = 4
    columns: int = 6

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= len(SUITS) and 2 <= self.columns <= 10):
            raise ValueError(f"a tableau of {self.rows} x {self.columns}: expected 1 to 4 rows, 2 to 10 columns")

    @property
    def deck(self) -> Deck:
        """Return the deck: the size of the tableau and the names of its cards."""
        return Deck(self.rows, self.columns)

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return self.deck.cells

    @property
    def max_moves(self) -> int:
        """Return the largest number of moves: each hole is at the left edge, open to any ace."""
        return self.rows * self.rows

    @property
    def max_unmoves(self) -> int:
        """Return a bound: any card may have come from each hole."""
        return self.rows * self.deck.hole

    def index(self) -> Multiset | None:
        """Return an index of all layouts of a small deck."""
        if factorial(self.width) // factorial(self.rows) > LARGEST_INDEX:
            return None
        return Multiset((1,) * self.deck.hole + (self.rows,))

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from * cells + to``."""
        return _rules(self.deck)

    def enhancements(self) -> Mapping[str, Mapping[str, Callable[..., Any]]]:
        """Return the published dead-end test and cut, and a slower dead-end test that detects more."""
        return _others(self.deck)

    def parse(self, text: str) -> list[int]:
        """Parse a layout such as ``S1 -- / S2 --``, in one line or as the paper prints it."""
        return self.deck.parse(text)

    def format(self, state: Sequence[int]) -> str:
        """Return a layout in one line."""
        names = self.pieces(state)
        return " / ".join(" ".join(names[row : row + self.columns]) for row in range(0, self.width, self.columns))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the moving card; for an ace also its target row."""
        source, to = divmod(move, self.width)
        name = self.deck.card(state[source])
        return f"{name}({ROWS[to // self.columns]})" if to % self.columns == 0 else name

    def board(self) -> Board:
        """Return the tableau."""
        cells = tuple((float(cell % self.columns), float(cell // self.columns)) for cell in range(self.width))
        return Board(cells, shape="card")

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the cards' names."""
        return [self.deck.card(card) for card in state]

    def known(self) -> Mapping[str, Any]:
        """Return the number of layouts of small decks, and the cost of the hardest solvable one (our own counts)."""
        counts = SOLVABLE.get((self.rows, self.columns), ())
        return {"deepest": len(counts) - 1, "histogram": dict(enumerate(counts))} if counts else {}


@lru_cache(maxsize=32)
def _rules(deck: Deck) -> Mapping[str, Callable[..., Any]]:
    columns, ranks, hole, cells = deck.columns, deck.ranks, deck.hole, deck.cells
    first = tuple(deck.parse(FIGURE_1A)) if deck == Deck(4, 6) else _shifted(deck)
    judged = judgement(deck)
    frozen = judged.pop("frozen")

    def start(state: State) -> None:
        for cell in range(cells):
            state[cell] = first[cell]

    def follows(state: State, card: int, cell: int) -> bool:
        """Tell whether a card may lie in a cell, given the card on its left."""
        if cell % columns == 0:
            return card % ranks == 0
        return card % ranks != 0 and state[cell - 1] == card - 1

    def moves(state: State, out: MutableSequence[int]) -> int:
        count = 0
        for to in range(cells):
            if state[to] != hole:
                continue
            if to % columns != 0 and (state[to - 1] == hole or state[to - 1] % ranks == ranks - 1):
                continue
            for source in range(cells):
                if state[source] != hole and follows(state, state[source], to):
                    out[count] = source * cells + to
                    count += 1
        return count

    def unmoves(state: State, out: MutableSequence[int]) -> int:
        count = 0
        for to in range(cells):
            if state[to] == hole or not follows(state, state[to], to):
                continue
            for source in range(cells):
                if state[source] == hole:
                    out[count] = source * cells + to
                    count += 1
        return count

    def play(state: State, move: int) -> None:
        state[move % cells] = state[move // cells]
        state[move // cells] = hole

    def unplay(state: State, move: int) -> None:
        state[move // cells] = state[move % cells]
        state[move % cells] = hole

    def inverse(move: int) -> int:
        source, to = move // cells, move % cells
        return to * cells + source if source % columns == 0 and to % columns == 0 else -1

    return {
        "start": start, "moves": moves, "unmoves": unmoves, "play": play, "unplay": unplay, "inverse": inverse,
        "dead": unreachable_place(deck, frozen), "relevance_cut": ace_pruning(deck, everywhere=True),
        **forced_moves(deck, frozen), **judged,
    }  # fmt: skip


@lru_cache(maxsize=32)
def _others(deck: Deck) -> Mapping[str, Mapping[str, Callable[..., Any]]]:
    frozen = judgement(deck)["frozen"]
    return {
        "figure-2": {"dead": figure_2(deck, frozen)},
        "pairs": {"dead": unreachable_pair(deck, unreachable_place(deck, frozen), frozen)},
        "ace-pruning": {"relevance_cut": ace_pruning(deck, everywhere=False)},
    }


def _shifted(deck: Deck) -> tuple[int, ...]:
    """Return a layout with each row shifted right by one hole, which is quickly solved."""
    rows = ([deck.hole, *range(suit * deck.ranks, (suit + 1) * deck.ranks)] for suit in range(deck.rows))
    return tuple(card for row in rows for card in row)
