"""Frozen layouts of Superpuzz that cannot be solved: the published procedure, and a sound one.

Once an ace begins each row, every card's final cell is known. Both procedures apply only then, and look for a card that
must move but never can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from searchbench.games.superpuzz.layout import Deck
from searchbench.rules import State, new_moves, new_state

Frozen = Callable[[State], bool]


def locate(state: State, where: Any) -> None:
    """Write the cell of each card."""
    for cell in range(len(state)):
        where[state[cell]] = cell


def unreachable_place(deck: Deck, frozen: Frozen) -> Callable[..., bool]:
    """Return `dead`: some card cannot reach its final cell even if cards could be in many cells at once.

    A card may reach the cell behind every cell that its predecessor may reach, if there is a hole or the card there may
    move away. The procedure computes the fixpoint. By induction over the moves it includes every cell that a card can
    really reach: so no solvable layout is called dead.
    """
    rows, columns = deck
    ranks, hole = deck.ranks, deck.hole
    edge = sum(1 << row * columns for row in range(rows))
    inside = (1 << deck.cells) - 1 & ~edge

    def dead(state: State, tables: Any) -> bool:
        if not frozen(state):
            return False
        places = new_moves()
        free = 0
        for cell in range(len(state)):
            if state[cell] == hole:
                free |= 1 << cell
            else:
                places[state[cell]] = 1 << cell
        changed = True
        while changed:
            changed = False
            for card in range(hole):
                if card % ranks == 0:
                    continue
                before = places[card]
                found = before | (places[card - 1] << 1 & inside & free)
                if found != before:
                    if before & (before - 1) == 0:
                        free |= before
                    places[card] = found
                    changed = True
        for row in range(rows):
            suit = state[row * columns]
            for rank in range(ranks):
                if places[suit + rank] >> (row * columns + rank) & 1 == 0:
                    return True
        return False

    return dead


def figure_2(deck: Deck, frozen: Frozen) -> Callable[..., bool]:
    """Return `dead` as Berliner and Goetsch print it (1984, figure 2), with its trains.

    For each card to the left of its column it tests whether the card can move: behind its predecessor, if there is room
    for it and for the cards that are to follow it (the *train*) and the cards in the way can move, or after its
    predecessor has moved. It overlooks that a card can leave its train behind for a while, so it also rejects a few
    solvable layouts.
    """
    columns, ranks, hole = deck.columns, deck.ranks, deck.hole

    def can_move(state: State, where: Any, first: int) -> bool:
        # The recursion of the figure, with its frames in arrays: recursive code cannot be kept in the kernel cache.
        cards, histories, trains, mades, lefts = new_moves(), new_moves(), new_moves(), new_moves(), new_moves()
        depth = 0
        cards[0] = first
        entering = True
        answer = False
        while depth >= 0:
            card, train = cards[depth], trains[depth]
            target = where[card - 1] + 1 if card % ranks != 0 else 0
            if entering:
                if card % ranks == 0 or histories[depth] >> card & 1 != 0:
                    entering, answer = False, False
                    depth -= 1
                    continue
                histories[depth] |= 1 << card
                lefts[depth] = histories[depth]
                mades[depth] = 0
                if where[card] == target or target % columns == 0 or (target % columns) + train >= columns:
                    cards[depth] -= 1
                    trains[depth] += 1
                    continue
            elif answer:
                lefts[depth] &= ~(1 << (card + mades[depth]))
                mades[depth] += 1
            else:
                entering = True
                cards[depth] -= 1
                trains[depth] += 1
                continue
            while mades[depth] <= train and state[target + mades[depth]] == hole:
                lefts[depth] &= ~(1 << (card + mades[depth]))
                mades[depth] += 1
            if mades[depth] > train or depth + 1 >= len(cards):
                entering, answer = False, True
                depth -= 1
                continue
            entering = True
            cards[depth + 1], histories[depth + 1], trains[depth + 1] = state[target + mades[depth]], lefts[depth], 0
            depth += 1
        return answer

    def dead(state: State, tables: Any) -> bool:
        if not frozen(state):
            return False
        where = new_state()
        locate(state, where)
        for card in range(hole):
            if where[card] % columns < card % ranks and not can_move(state, where, card):
                return True
        return False

    return dead
