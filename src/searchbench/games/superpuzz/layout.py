"""Notation of Superpuzz: cards such as C2, layouts row by row as Berliner and Goetsch print them (1984, figure 1)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from searchbench.errors import BadState

SUITS: Final = "CDHS"
ROWS: Final = "WXYZ"
HOLE: Final = "--"


class Deck(NamedTuple):
    """The size of a tableau; a card is ``suit * ranks + denomination - 1``, and the hole comes after the last card."""

    rows: int
    columns: int

    @property
    def ranks(self) -> int:
        """Return the number of cards of a suit; the last column is for a hole."""
        return self.columns - 1

    @property
    def hole(self) -> int:
        """Return the code of a hole, which is also the number of cards."""
        return self.rows * self.ranks

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return self.rows * self.columns

    def card(self, number: int) -> str:
        """Return a card's name."""
        if number == self.hole:
            return HOLE
        suit, rank = divmod(number, self.ranks)
        return f"{SUITS[suit]}{rank + 1}"

    def cell(self, place: int) -> str:
        """Return a cell's name, such as W5."""
        row, column = divmod(place, self.columns)
        return f"{ROWS[row]}{column}"

    def parse(self, text: str) -> list[int]:
        """Parse a layout: its cards row by row, with or without the names of rows and columns.

        Raises BadState that names the first error: the number of cells, an unknown card, a duplicate, a missing card.
        """
        names = {self.card(number): number for number in range(self.hole)}
        words = [word for word in re.split(r"[\s/]+", text.strip().upper()) if word and word not in ROWS]
        headings = [str(column) for column in range(self.columns)]
        if words[: self.columns] == headings:
            words = words[self.columns :]
        if len(words) != self.cells:
            raise BadState(
                f"a layout of {len(words)} cells: expected {self.rows} rows of {self.columns}, with {HOLE} for a hole"
            )
        state = []
        for place, word in enumerate(words):
            if word not in names and set(word) not in ({"-"}, {"."}):
                raise BadState(f"{self.cell(place)}: {word!r} is no card of this deck, which has {self._suits()}")
            state.append(names.get(word, self.hole))
            if state[-1] != self.hole and state.index(state[-1]) < place:
                raise BadState(f"{word} lies twice, at {self.cell(state.index(state[-1]))} and {self.cell(place)}")
        for name, number in names.items():
            if number not in state:
                raise BadState(
                    f"{name} is missing, and there are {state.count(self.hole)} holes in place of {self.rows}"
                )
        return state

    def _suits(self) -> str:
        return ", ".join(f"{suit}1 to {suit}{self.ranks}" for suit in SUITS[: self.rows])
