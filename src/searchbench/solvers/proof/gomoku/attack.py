"""Search for wins by threats from Python: one position, one memory, cells instead of places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.solvers.proof.gomoku.fours import WON, attacker_key, new_fours, win_by_fours
from searchbench.solvers.proof.gomoku.patterns import CLASSES, Rule
from searchbench.solvers.proof.gomoku.position import (
    CELL_OF,
    CELLS,
    COUNT,
    COUNTS,
    EMPTY,
    MOVES,
    NUMBERS,
    PLACE_OF,
    PLACES,
    STONES,
    checked_state,
    new_position,
    own_names,
    places_of,
    put,
    remove,
    set_stones,
    state_of,
    value_of,
)
from searchbench.solvers.proof.gomoku.threats import NO_THREAT, new_threats, replies, win_by_threats, winning_move
from searchbench.solvers.proof.gomoku.zone import new_walk, replay, zone_of

Cells = npt.NDArray[np.bool_]


def _values(position: Any, weights: Any, out: Any) -> None:
    """Write the weighted value of every empty cell, -1 for others."""
    for cell in range(position.board[CELLS]):
        place = position.board[PLACE_OF + cell]
        out[cell] = -1
        if position.board[STONES + place] == EMPTY:
            out[cell] = weights[0] * value_of(position, place, 0) + weights[1] * value_of(position, place, 1)


class Attack:
    """Hold a position, and search it for wins by threats; `bits` says how much a memory of 2^bits positions holds.

    Players are 0 (black) and 1 (white); cells are those of the game's state, in reading order. At renju `game` tells by its
    rule `forbids` where black may not play; then there are no zones and replays, as a stone far off may forbid a cell.
    """

    def __init__(
        self,
        columns: int = 15,
        rows: int = 15,
        rule: Rule = "free",
        bits: int = 20,
        target: jit.Target = "cpu",
        game: Game | None = None,
    ) -> None:
        if rule == "renju" and game is None:
            raise BadRequest("a search by threats at renju asks the game which cells it forbids: give the game")
        self.columns, self.rows, self.rule, self.bits = columns, rows, rule, bits
        self.position = new_position(columns, rows, rule)
        self.walk = new_walk()
        names = own_names(target) if game is None else game.names(target=target)
        self._put, self._remove, self._set = (jit.bind(kernel, names) for kernel in (put, remove, set_stones))
        self._by_fours, self._by_threats = jit.bind(win_by_fours, names), jit.bind(win_by_threats, names)
        self._zone, self._replay, self._move = (jit.bind(one, names) for one in (zone_of, replay, winning_move))
        self._places_of, self._replies = jit.bind(places_of, names), jit.bind(replies, names)
        self._values = jit.bind(_values, names)
        self._places = self.position.board[PLACE_OF : PLACE_OF + columns * rows]
        self.forget()

    def forget(self) -> None:
        """Empty the memory."""
        self.threats, self.fours = new_threats(self.bits), new_fours()

    @property
    def nodes(self) -> int:
        """Return the nodes of all searches by threats since the memory was emptied."""
        return int(self.threats.note[1])

    @property
    def state(self) -> tuple[int, ...]:
        """Return the stones: for each cell 0, 1 (black) or 2 (white)."""
        return state_of(self.position)

    def set(self, state: Sequence[int]) -> None:
        """Set the stones. Raises BadState where the number of cells is not that of the board."""
        self._set(self.position, checked_state(self.position, state))

    def put(self, cell: int, player: int) -> None:
        """Put a stone on an empty cell."""
        self._put(self.position, int(self._places[cell]), player)

    def remove(self, cell: int, player: int) -> None:
        """Remove the stone that was put last. Raises BadRequest for another one."""
        board, place = self.position.board, int(self._places[cell])
        count = int(board[COUNT])
        if count == 0 or board[MOVES + count - 1] != place or board[STONES + place] != 1 + player:
            raise BadRequest(
                f"cell {cell} of player {player} is not the stone that was put last: only that one is removed"
            )
        self._remove(self.position, place, player)

    def change(self, cell: int, player: int) -> int:
        """Return by how much a stone changes the key of a position."""
        return int(self.position.board[NUMBERS + PLACES * player + self._places[cell]])

    def has(self, player: int, kind: int) -> bool:
        """Return whether a player has an empty cell of a class, such as FIVE."""
        return bool(self.position.board[COUNTS + CLASSES * player + kind])

    def cells(self, player: int, kind: int) -> Cells:
        """Return for each cell whether it is empty and has a class for a player."""
        found = np.zeros(self.columns * self.rows, np.bool_)
        out = np.zeros(len(found), np.int64)
        count = self._places_of(self.position, player, kind, out, 0)
        found[self.position.board[CELL_OF + out[:count]]] = True
        return found

    def by_fours(self, attacker: int, limit: int) -> list[int] | None:
        """Return the winning fours and their answers, or None where at most `limit` nodes find no win."""
        if self._by_fours(self.position, self.fours, attacker, limit) != WON:
            return None
        line = self.fours.line[: self.fours.note[0]].ravel()
        return [int(self.position.board[CELL_OF + place]) for place in line if place >= 0]

    def by_threats(self, attacker: int, limit: int) -> int:
        """Return WON, NONE (no win by threats) or STOPPED at `limit` nodes; the attacker is to move."""
        return int(self._by_threats(self.position, self.threats, attacker, limit))

    def replies(self, attacker: int) -> list[int] | None:
        """Return the defender's replies to the attacker's threats, None where there is none or the defender has a five."""
        out = np.zeros(len(self._places), np.int64)
        count = int(self._replies(self.position, attacker, out, self.threats.scratch))
        return None if count == NO_THREAT else self.position.board[CELL_OF + out[:count]].tolist()

    def move(self, attacker: int) -> int | None:
        """Return the winning cell that a search or a replay has found for this position; None if it knows none."""
        place = int(self._move(self.threats.table, int(attacker_key(self.position, attacker))))
        return int(self.position.board[CELL_OF + place]) if place >= 0 else None

    def zone(self, attacker: int) -> Cells | None:
        """Return for each cell whether the win depends on it; None where the memory has lost the win."""
        zone = np.zeros(PLACES, np.int64)
        if not self._zone(self.position, self.threats, self.walk, attacker, zone):
            return None
        marked: Cells = zone[self._places] != 0
        return marked

    def replay(self, attacker: int, stones: Iterable[tuple[int, int]]) -> bool:
        """Return whether the win of the position that differs by these stones (cell, player) wins here, too."""
        change = 0
        for cell, player in stones:
            change ^= self.change(cell, player)
        return bool(self._replay(self.position, self.threats, self.walk, attacker, change))

    def values(self, black: int, white: int) -> npt.NDArray[np.int64]:
        """Return the values of the empty cells, weighted by player; -1 for a stone."""
        out = np.zeros(self.columns * self.rows, np.int64)
        self._values(self.position, np.array([black, white], np.int64), out)
        return out
