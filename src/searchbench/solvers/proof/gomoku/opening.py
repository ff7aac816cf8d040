"""The start of a game of five in a row on a square board: cells, symmetries, and white's replies up to symmetry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.solvers.proof.gomoku.nodes import State, stones_at
from searchbench.solvers.proof.gomoku.patterns import Rule


@lru_cache(maxsize=4)
def _turns(size: int) -> tuple[list[list[int]], npt.NDArray[np.int64]]:
    """Return for each symmetry the target of each cell, and the cell whose stone comes to each cell."""
    board = np.arange(size * size).reshape(size, size)
    sources = np.stack([np.rot90(one, turn).ravel() for one in (board, board.T) for turn in range(4)])
    return np.argsort(sources, axis=1).tolist(), sources


@dataclass(frozen=True)
class Opening:
    """Name a square board and a rule. Cells are numbered in reading order."""

    size: int = 15
    rule: Rule = "free"

    def __post_init__(self) -> None:
        if not 5 <= self.size <= 25:
            raise BadRequest(f"a board of {self.size} x {self.size}: expected 5 to 25 columns")
        if self.rule not in ("free", "standard"):
            raise BadRequest(f"rule {self.rule!r}: there are free, standard")

    def __str__(self) -> str:
        return f"gomoku:{self.size},{self.rule}"

    @property
    def has_centre(self) -> bool:
        """Return whether a game can begin in the centre, with room for a row beside it."""
        return self.size % 2 == 1 and self.size >= 7

    @property
    def start(self) -> State:
        """Return the board with black's stone in the centre. Raises BadRequest where there is none, or no room around it."""
        if not self.has_centre:
            raise BadRequest(f"a board of {self.size} x {self.size}: expected an odd size from 7 to 25, with a centre")
        return stones_at((0,) * self.size**2, [(self.size**2 // 2, 1)])

    def turns(self) -> list[list[int]]:
        """Return for each symmetry the cell to which it takes every cell."""
        return _turns(self.size)[0]

    def canonical(self, state: State, move: int = 0) -> tuple[State, int]:
        """Return the smallest symmetric state, and the move as it is there."""
        turns, sources = _turns(self.size)
        turned = np.array(state, np.uint8)[sources]
        best = min(range(len(turns)), key=lambda turn: turned[turn].tobytes())
        return tuple(turned[best].tolist()), turns[best][move]

    def strategy(self, records: Iterable[tuple[State, int]]) -> dict[State, int]:
        """Return black's moves as a claim has them: by canonical state, those of a game of lines, twice the cell."""
        canonical = (self.canonical(state, move) for state, move in records)
        return {state: 2 * move for state, move in canonical}

    def replies(self, state: State) -> list[int]:
        """Return the empty cells, one of each class of those that symmetries of the position exchange."""
        own = [turn for turn in self.turns() if all(state[turn[cell]] == stone for cell, stone in enumerate(state))]
        return [cell for cell, stone in enumerate(state) if stone == 0 and cell == min(turn[cell] for turn in own)]

    def name(self, cell: int) -> str:
        """Return a cell as players write it, such as "h8"."""
        return f"{chr(ord('a') + cell % self.size)}{self.size - cell // self.size}"


def chosen_branches(opening: Opening, names: Sequence[str]) -> list[int]:
    """Return the representatives of white's replies of these names; all of them if there is none. Raises BadRequest."""
    every = opening.replies(opening.start)
    cells = {opening.name(cell): cell for cell in range(opening.size**2) if opening.start[cell] == 0}
    unknown = [name for name in names if name not in cells]
    if unknown:
        raise BadRequest(f"branches {', '.join(unknown)}: expected cells such as {', '.join(list(cells)[:3])}")
    chosen = {min(turn[cells[name]] for turn in opening.turns()) for name in names}
    return [cell for cell in every if not names or cell in chosen]
