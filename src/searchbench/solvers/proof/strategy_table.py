"""Keep a strategy table: for each proved state the move that keeps the claim; entries are never replaced.

A state enters after all states that its proof rests on, so a strategy for a win cannot run in a circle.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.hashing import key, mix
from searchbench.rules import State

ABSENT: Final = -1
SMALLEST: Final = 1 << 10


class StrategyTable(NamedTuple):
    """A state and a move in each row, the number of filled rows, and a hash table of rows with twice as many slots."""

    states: Any
    moves: Any
    rows: Any
    slots: Any

    @property
    def filled(self) -> int:
        """Return the number of states."""
        return int(self.rows[0])

    @property
    def full(self) -> bool:
        """Return whether there is no room for one more state."""
        return self.filled == len(self.moves)


def new_strategy_table(game: Game, size: int) -> StrategyTable:
    """Allocate a table of `size` states, a power of two."""
    return StrategyTable(
        np.zeros((size, game.width), game.dtype),
        np.zeros(size, np.int64),
        np.zeros(1, np.int64),
        np.full(2 * size, ABSENT, np.int32),
    )


def bytes_per_state(game: Game) -> int:
    """Return the bytes of a state in a strategy table."""
    return game.width * int(np.dtype(game.dtype).itemsize) + 16


def same(states: Any, row: int, state: State) -> bool:
    """Return whether a row holds the state."""
    for cell in range(len(state)):
        if states[row, cell] != state[cell]:
            return False
    return True


def slot_of(strategy_table: StrategyTable, code: int, state: State) -> int:
    """Return the slot of the state with this key, or the free slot for it."""
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
    """Enter all states of a strategy table into another, in the same rows."""
    for row in range(old.rows[0]):
        record(new, key(old.states[row]), old.states[row], old.moves[row])


def larger(strategy_table: StrategyTable, game: Game, names: jit.Names) -> StrategyTable:
    """Copy a strategy table to one of twice the size."""
    new = new_strategy_table(game, 2 * len(strategy_table.moves))
    jit.bind(record_all, names)(strategy_table, new)
    return new
