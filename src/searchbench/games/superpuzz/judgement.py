"""Evaluation of Superpuzz layouts: misplaced cards, and the points of the goodness function (Berliner 1984)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from searchbench.games.superpuzz.layout import Deck
from searchbench.rules import UNDECIDED, State, play, unplay

LARGEST_PENALTY: Final = 11
"""The largest penalty, in points, for a hole to which no card can move."""
PHASE_TWO: Final = 1000
"""The bonus of a frozen layout, in half points: more than any other difference, as it is soon solved or rejected."""


def judgement(deck: Deck) -> dict[str, Callable[..., Any]]:
    """Return `terminal`, `h`, `h_update`, `goodness`, and `frozen`, for the other rules of the game."""
    rows, columns = deck
    ranks, hole, cells = deck.ranks, deck.hole, deck.cells

    def frozen(state: State) -> bool:
        """Tell whether an ace begins each row: then no ace can move any more."""
        for row in range(rows):
            card = state[row * columns]
            if card == hole or card % ranks != 0:
                return False
        return True

    def placed(state: State, row: int, suit: int) -> int:
        """Return the number of cards of a suit in their own column of a row."""
        count = 0
        for rank in range(ranks):
            if state[row * columns + rank] == suit * ranks + rank:
                count += 1
        return count

    def h(state: State, tables: Any) -> int:
        """Return the number of misplaced cards.

        Each row will contain one suit; in a frozen layout, that of its ace. All its cards except those of this suit in
        their columns must move; before freezing, take the suit with the most such cards. A move moves one card.
        """
        misplaced = hole
        settled = frozen(state)
        for row in range(rows):
            if settled:
                misplaced -= placed(state, row, state[row * columns] // ranks)
            else:
                most = 0
                for suit in range(rows):
                    most = max(most, placed(state, row, suit))
                misplaced -= most
        return misplaced

    def h_update(
        state: State, move: int, tables: Any, bound: int, most: int, carried: Any, row: int, after: int
    ) -> int:
        play(state, move)
        found = h(state, tables)
        unplay(state, move)
        return found

    def terminal(state: State) -> int:
        for row in range(rows):
            first = state[row * columns]
            for rank in range(ranks):
                if state[row * columns + rank] != first + rank:
                    return UNDECIDED
            if first == hole or first % ranks != 0:
                return UNDECIDED
        return 0

    def goodness(state: State, tables: Any) -> int:
        """Return twice the points of a layout; frozen layouts come before all others."""
        misplaced = h(state, tables)
        points = 2 * (hole - misplaced) + (PHASE_TWO if frozen(state) else 0)
        for cell in range(cells):
            column = cell % columns
            card = state[cell]
            if card != hole:
                denomination = card % ranks + 1
                if column < denomination - 1:
                    points -= 2 * denomination
                elif column == denomination:
                    points += denomination
            elif column > 0 and (state[cell - 1] == hole or state[cell - 1] % ranks == ranks - 1):
                points -= 2 * min(LARGEST_PENALTY, misplaced)
        return points

    return {"terminal": terminal, "h": h, "h_update": h_update, "goodness": goodness, "frozen": frozen}
