"""Frozen layouts of Superpuzz that cannot be solved, by pairs of cards that cannot be in two cells at the same time.

The critical pairs of planning (Haslum and Geffner 2000) for a patience. A *fact* is a card, or a hole, in a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from searchbench.games.superpuzz.layout import Deck
from searchbench.jit import inlined, trailing_zeros
from searchbench.rules import State

Dead = Callable[[State, Any], bool]

MOST_FACTS: Final = 256
"""Limit on the number of facts; a layout with more is not called dead."""


def unreachable_pair(deck: Deck, unreachable_place: Dead, frozen: Callable[[State], bool]) -> Dead:
    """Return `dead`: at least two cards can never be in their final cells at the same time.

    A card moves if its predecessor is on the left of a hole. If each two of these three facts are compatible, the facts
    that the move adds are compatible with every fact compatible with all three, except in the two cells concerned. The
    procedure computes the fixpoint. By induction over the moves it includes all pairs that really occur: so no solvable
    layout is called dead.
    """
    columns, ranks, hole, cells = deck.columns, deck.ranks, deck.hole, deck.cells
    kinds = hole + 1

    @inlined
    def fact(kind: int, cell: int, number: Any, beside: Any) -> int:
        """Return the row of a fact, adding a row for a new fact; the caller ensures room for one more."""
        place = kind * cells + cell
        if number[place] < 0:
            row = number[kinds * cells]
            number[kinds * cells] += 1
            number[place] = row
            for other in range(kinds):
                beside[row, other] = 0
            beside[row, kind] = 1 << cell
        return int(number[place])

    def join(row: int, kind: int, cell: int, other: int, where: int, number: Any, beside: Any) -> bool:
        """Record that a fact is compatible with another card or hole in the cells `where`; tell whether any of that is new."""
        fresh = where & ~beside[row, other]
        if fresh == 0:
            return False
        beside[row, other] |= fresh
        while fresh != 0:
            beside[number[other * cells + trailing_zeros(fresh)], kind] |= 1 << cell
            fresh &= fresh - 1
        return True

    def move(card: int, source: int, to: int, number: Any, beside: Any) -> bool:
        """Record the compatibilities after a possible move; tell whether any is new."""
        here = number[card * cells + source]
        before = number[(card - 1) * cells + to - 1]
        free = number[hole * cells + to]
        there, vacated = fact(card, to, number, beside), fact(hole, source, number, beside)
        changed = join(there, card, to, hole, 1 << source, number, beside)
        for other in range(kinds):
            if other != card:
                where = beside[here, other] & beside[before, other] & beside[free, other] & ~(1 << source | 1 << to)
                changed |= join(there, card, to, other, where, number, beside)
                changed |= join(vacated, hole, source, other, where, number, beside)
        return changed

    def sweep(number: Any, beside: Any) -> bool:
        """Apply every possible move once; tell whether anything changed."""
        changed = False
        for card in range(hole):
            for to in range(cells):
                before = number[(card - 1) * cells + to - 1] if card % ranks != 0 and to % columns != 0 else -1
                free = number[hole * cells + to]
                if before < 0 or free < 0 or beside[before, hole] >> to & 1 == 0:
                    continue
                sources = beside[before, card] & beside[free, card]
                while sources != 0 and number[kinds * cells] + 2 <= MOST_FACTS:
                    changed |= move(card, trailing_zeros(sources), to, number, beside)
                    sources &= sources - 1
        return changed

    def apart(state: State, number: Any, beside: Any) -> bool:
        """Tell whether two cards can never be in their final cells together."""
        for row in range(0, cells, columns):
            for rank in range(ranks):
                here = number[(state[row] + rank) * cells + row + rank]
                if here < 0:
                    return True
                for other in range(0, cells, columns):
                    for above in range(ranks):
                        if beside[here, state[other] + above] >> (other + above) & 1 == 0:
                            return True
        return False

    def dead(state: State, tables: Any) -> bool:
        if not frozen(state):
            return False
        if unreachable_place(state, tables):
            return True
        number = np.full(kinds * cells + 1, -1, np.int64)  # the row of each fact; the last entry counts the rows
        number[kinds * cells] = 0
        beside = np.empty((MOST_FACTS, kinds), np.int64)  # the cells of each card, and of holes, compatible with a fact
        for cell in range(cells):
            row = fact(state[cell], cell, number, beside)
            for other in range(cells):
                beside[row, state[other]] |= 1 << other
        while sweep(number, beside):
            if number[kinds * cells] + 2 > MOST_FACTS:
                return False
        return apart(state, number, beside)

    return dead
