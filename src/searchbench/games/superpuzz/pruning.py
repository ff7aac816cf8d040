"""Superpuzz moves that can be skipped (Berliner 1984): all others next to a forced move, most before the last ace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from searchbench.games.superpuzz.layout import Deck
from searchbench.rules import State, play, unplay
from searchbench.solvers.guided.contract import dead


def forced_moves(deck: Deck, frozen: Callable[[State], bool]) -> dict[str, Any]:
    """Return `forced_move` and `MACROS`: a card that can go to its final cell for good does so at once.

    The cards before it are in their final cells and never move again, so it has no other move; and nothing will ever
    move behind its present cell, which is at the right edge, or has its successor behind it, or it has no successor. So
    moving it first takes nothing away from any solution, and no solution gets longer. (Figure 2's authors require only
    that the card before it is in its final cell. But that card could still move away.)
    """
    columns, ranks, cells = deck.columns, deck.ranks, deck.cells

    def forced_move(state: State, move: int, tables: Any) -> bool:
        source, to = move // cells, move % cells
        card = state[source]
        rank = card % ranks
        if rank == 0 or to % columns != rank:
            return False
        for before in range(1, rank + 1):
            if state[to - before] != card - before:
                return False
        if not frozen(state):
            return False
        return source % columns == columns - 1 or rank == ranks - 1 or state[source + 1] == card + 1

    return {"forced_move": forced_move, "MACROS": True}


def ace_pruning(deck: Deck, everywhere: bool) -> Callable[..., bool]:
    """Return `relevance_cut`: where the last ace is about to freeze a dead layout, aces move first.

    If a layout is dead with the last ace in its row, it stays dead if other cards move before, unless the two comes
    behind the ace at its present place. Berliner and Goetsch conclude that one of the other aces must move, and may do
    so at once. But its own two may have come behind it before; so the cut is sound only if no two can come behind any
    ace (`everywhere`).
    """
    rows, columns = deck
    ranks, hole, cells = deck.ranks, deck.hole, deck.cells

    def two_may_follow(state: State, cell: int) -> bool:
        """Tell whether the two could come behind the ace in a cell by moves of cards other than aces."""
        behind = (cell + 1) % columns
        if behind == 0 or state[cell + 1] == state[cell] + 1:
            return False
        return everywhere or state[cell + 1] == hole

    def relevance_cut(state: State, previous: int, move: int, tables: Any) -> bool:
        if move % cells % columns == 0:
            return False
        gap = -1
        for row in range(rows):
            card = state[row * columns]
            if card == hole:
                if gap >= 0:
                    return False
                gap = row * columns
            elif card % ranks != 0 or (everywhere and two_may_follow(state, row * columns)):
                return False
        if gap < 0:
            return False
        last = 0
        while state[last] == hole or state[last] % ranks != 0 or last % columns == 0:
            last += 1
        if two_may_follow(state, last):
            return False
        play(state, last * cells + gap)
        found = dead(state, tables)
        unplay(state, last * cells + gap)
        return found

    return relevance_cut
