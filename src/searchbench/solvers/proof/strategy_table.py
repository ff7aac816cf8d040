"""A strategy table of proved states: for each the move that keeps the claim, never lost and never changed.

A state enters when all that its proof rests on has entered, so a strategy read from the strategy table cannot run in a circle
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


class StrategyTable(NamedTuple):
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


def new_strategy_table(game: Game, size: int) -> StrategyTable:
    """Return room for so many states, a power of two."""
    return StrategyTable(
        np.zeros((size, game.width), game.dtype),
        np.zeros(size, np.int64),
        np.zeros(1, np.int64),
        np.full(2 * size, ABSENT, np.int32),
    )


def bytes_per_state(game: Game) -> int:
    """Return what a state takes in a strategy table."""
    return game.width * int(np.dtype(game.dtype).itemsize) + 16


def same(states: Any, row: int, state: State) -> bool:
    """Tell whether a row holds the state."""
    for cell in range(len(state)):
        if states[row, cell] != state[cell]:
            return False
    return True


def slot_of(strategy_table: StrategyTable, code: int, state: State) -> int:
    """Return the slot of the state with this key, or the free slot where it belongs."""
    mask: int = len(strategy_table.slots) - 1
    slot: int = mix(code) & mask
    while strategy_table.slots[slot] != ABSENT and not same(strategy_table.states, strategy_table.slots[slot], state):
        slot = (slot + 1) & mask
    return slot


def row_of(strategy_table: StrategyTable, code: int, state: State) -> int:
    """Return the row of the state with this key, or ABSENT."""
    return int(strategy_table.slots[slot_of(strategy_table, code, state)])


def record(strategy_table: StrategyTable, code: int, state: State, move: int) -> None:
    """Enter a state with its move, unless it is there."""
    slot = slot_of(strategy_table, code, state)
    if strategy_table.slots[slot] == ABSENT:
        row = strategy_table.rows[0]
        for cell in range(len(state)):
            strategy_table.states[row, cell] = state[cell]
        strategy_table.moves[row] = move
        strategy_table.slots[slot] = row
        strategy_table.rows[0] = row + 1


def record_all(old: StrategyTable, new: StrategyTable) -> None:
    """Enter all states of a strategy table in another, in the same rows."""
    for row in range(old.rows[0]):
        record(new, key(old.states[row]), old.states[row], old.moves[row])


def larger(strategy_table: StrategyTable, game: Game, names: jit.Names) -> StrategyTable:
    """Return a strategy table with room for twice as many states, and all that were there."""
    new = new_strategy_table(game, 2 * len(strategy_table.moves))
    jit.bind(record_all, names)(strategy_table, new)
    return new
