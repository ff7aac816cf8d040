"""A ledger of proved states: for each the move that keeps the claim, never lost and never changed.

A state enters when all that its proof rests on has entered, so a strategy read from the ledger cannot run in a circle
where a win is claimed.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.rules import State, key, mix

ABSENT: Final = -1
SMALLEST: Final = 1 << 10


class Ledger(NamedTuple):
    """Hold states[row] and moves[row], how many rows are filled, and a hash table of rows with twice as many slots."""

    states: Any
    moves: Any
    rows: Any
    slots: Any

    @property
    def filled(self) -> int:
        """Return how many states there are."""
        return int(self.rows[0])

    @property
    def full(self) -> bool:
        """Tell whether there is no room for one more state."""
        return self.filled == len(self.moves)


def new_ledger(game: Game, size: int) -> Ledger:
    """Return room for so many states, a power of two."""
    return Ledger(
        np.zeros((size, game.width), game.dtype),
        np.zeros(size, np.int64),
        np.zeros(1, np.int64),
        np.full(2 * size, ABSENT, np.int32),
    )


def bytes_per_state(game: Game) -> int:
    """Return what a state takes in a ledger."""
    return game.width * int(np.dtype(game.dtype).itemsize) + 16


def same(states: Any, row: int, state: State) -> bool:
    """Tell whether a row holds the state."""
    for cell in range(len(state)):
        if states[row, cell] != state[cell]:
            return False
    return True


def slot_of(ledger: Ledger, code: int, state: State) -> int:
    """Return the slot of the state with this key, or the free slot where it belongs."""
    mask: int = len(ledger.slots) - 1
    slot: int = mix(code) & mask
    while ledger.slots[slot] != ABSENT and not same(ledger.states, ledger.slots[slot], state):
        slot = (slot + 1) & mask
    return slot


def row_of(ledger: Ledger, code: int, state: State) -> int:
    """Return the row of the state with this key, or ABSENT."""
    return int(ledger.slots[slot_of(ledger, code, state)])


def record(ledger: Ledger, code: int, state: State, move: int) -> None:
    """Enter a state with its move, unless it is there."""
    slot = slot_of(ledger, code, state)
    if ledger.slots[slot] == ABSENT:
        row = ledger.rows[0]
        for cell in range(len(state)):
            ledger.states[row, cell] = state[cell]
        ledger.moves[row] = move
        ledger.slots[slot] = row
        ledger.rows[0] = row + 1


def record_all(old: Ledger, new: Ledger) -> None:
    """Enter all states of a ledger in another, in the same rows."""
    for row in range(old.rows[0]):
        record(new, key(old.states[row]), old.states[row], old.moves[row])


def larger(ledger: Ledger, game: Game, names: jit.Names) -> Ledger:
    """Return a ledger with room for twice as many states, and all that were there."""
    new = new_ledger(game, 2 * len(ledger.moves))
    jit.bind(record_all, names)(ledger, new)
    return new
