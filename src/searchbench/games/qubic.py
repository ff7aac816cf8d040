"""Qubic: four in a row on a cube of four planes (Allis 1994, chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, product
from typing import ClassVar, Final

import numpy as np

from searchbench.families.lines import LineBoard, Lines, cube

SIZE: Final = 4


@dataclass(frozen=True)
class Qubic(Lines):
    """Put four in a row on a cube of 4 x 4 x 4 cells; symmetric positions, up to 192 at a time, share a number.

    Cell x + 4y + 16z is drawn in plane z, the planes side by side; a state is written plane by plane, with "//" between.
    """

    name: ClassVar[str] = "qubic"

    symmetry: bool = True

    @property
    def called(self) -> str:
        """Return the name, and what is unusual."""
        return "Qubic" + ", symmetric positions apart" * (not self.symmetry)

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        return cube(SIZE)

    @property
    def symmetric(self) -> bool:
        """Tell whether symmetric positions share a number."""
        return self.symmetry

    def opening(self) -> Mapping[tuple[int, ...], int]:
        """Return the first player's moves of the first plies (Allis 1994, section 4.5.1), derived by :func:`first_moves`."""
        return first_moves(self.lines) if self.symmetry else {}

    def index(self) -> None:
        """Return no index: there are too many positions."""
        return None

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the number of the cell, x + 4y + 16z, as Allis (1994, figure 4.4) numbers them."""
        return self._name(move >> 1)

    def _name(self, cell: int) -> str:
        return str(cell)


_State = tuple[int, ...]


@lru_cache(maxsize=2)
def first_moves(board: LineBoard) -> Mapping[_State, int]:
    """Return a move of the first player for each class of positions that play can reach within two moves of hers.

    Her first two stones are on cells of most lines (corners and centres) and share a row whose other cells are empty; among
    such second moves those are taken that leave the fewest classes of positions after the second player's second move: 195.
    Where the second player's two stones lie on a row that meets hers in an empty cell, her third move is there. States are the
    representatives of their classes, moves are ``2 * cell``.
    """
    symmetries = np.array([[symmetry.index(cell) for cell in range(len(symmetry))] for symmetry in board.symmetries])

    def representative(state: _State) -> _State:
        return min(map(tuple, np.array(state)[symmetries].tolist()))

    def after(state: _State, cell: int, player: int) -> _State:
        return representative((*state[:cell], player, *state[cell + 1 :]))

    def replies(state: _State) -> list[_State]:
        return sorted({after(state, cell, 2) for cell in range(len(state)) if state[cell] == 0})

    degree = [sum(cell in line for line in board.lines) for cell in range(len(board.places))]
    best = [cell for cell in range(len(degree)) if degree[cell] == max(degree)]
    rows = [line for line in board.lines if len({high - low for low, high in pairwise(line)}) == 1]
    straight = [line for line in rows if line[1] - line[0] in (1, SIZE, SIZE * SIZE)]
    start = (0,) * len(board.places)
    moves = {start: 2 * best[0]}
    # For each class of positions after the first reply, the classes that her second moves lead to.
    choices: dict[_State, dict[_State, int]] = {}
    for state in replies(after(start, best[0], 1)):
        stone = state.index(1)
        open_rows = [line for line in straight if stone in line and not any(state[cell] == 2 for cell in line)]
        second = sorted(cell for cell in best if cell != stone and any(cell in line for line in open_rows))
        choices[state] = {after(state, cell, 1): cell for cell in reversed(second)}
    classes = sorted({state for made in choices.values() for state in made})
    below = {state: set(replies(state)) for state in classes}
    chosen = min(
        (some for size in range(1, len(classes) + 1) for some in combinations(classes, size) if _covers(some, choices)),
        key=lambda some: (len(set[_State]().union(*(below[state] for state in some))), some),
    )
    for state, made in choices.items():
        moves[state] = 2 * next(cell for reached, cell in made.items() if reached in chosen)
    for state in sorted(set[_State]().union(*(below[one] for one in chosen))):
        meeting = _meeting(board, state)
        if meeting is not None:
            moves[state] = 2 * meeting
    return moves


def _covers(some: tuple[_State, ...], choices: Mapping[_State, Mapping[_State, int]]) -> bool:
    return all(any(state in made for state in some) for made in choices.values())


def _meeting(board: LineBoard, state: _State) -> int | None:
    """Return the empty cell where a row with the first player's two stones meets one with the second's, if there is one."""

    def pairs(player: int) -> list[tuple[int, ...]]:
        own = [line for line in board.lines if sum(state[cell] == player for cell in line) == 2]
        return [line for line in own if not any(state[cell] == 3 - player for cell in line)]

    for own, other in product(pairs(1), pairs(2)):
        if common := set(own) & set(other):
            return min(common)
    return None
