"""Sliding tiles step by step: bring some tiles home while others stay at home (Gasser 1995, sections 6.5 and 6.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from searchbench.abstraction import Subgoal
from searchbench.errors import BadRequest, BadState
from searchbench.families.slides import slides
from searchbench.families.tiles import neighbours
from searchbench.game import Board
from searchbench.games.sliding import Sliding
from searchbench.index import Placement
from searchbench.rules import UNDECIDED, State

OTHER, FIXED = "x", "#"
"""The marks of a tile that a later step brings home, and of a fixed tile."""


@dataclass(frozen=True)
class SlidingSubgoal(Subgoal):
    """Slide some tiles, such as 12-13-14-15, home past others that look alike; those of `fixed` stay at home.

    If these tiles and the fixed ones are all, the empty cell must come home too: the puzzle is solved. Then the last
    two tiles are ignored, since the others determine their cells. The cells that are not fixed are numbered
    consecutively. A state contains the content of each of these (0, or 1 and the tile's index in the pattern), then the
    cell of each tile, then that of the empty one.
    """

    name: ClassVar[str] = "sliding-subgoal"

    rows: int = 3
    columns: int = 3
    tiles: str = "6-7-8"
    fixed: str = ""

    def __post_init__(self) -> None:
        words = [*self.tiles.split("-"), *(self.fixed.split("-") if self.fixed else ())]
        most = self.rows * self.columns
        if not (self.rows >= 2 and self.columns >= 2 and most <= 30):
            raise ValueError(
                f"a board of {self.rows} x {self.columns}: expected at least 2 rows and columns, at most 30 cells"
            )
        if not all(word.isdecimal() and 1 <= int(word) < most for word in words) or len(set(words)) < len(words):
            raise ValueError(f"tiles {self.tiles!r}, fixed {self.fixed!r}: expected some of 1 to {most - 1}, each once")
        if len(words) == most - 2:
            raise ValueError(f"tiles {self.tiles!r}, fixed {self.fixed!r}: one tile is left over; add it to the tiles")
        if self.last and len(self.tiles.split("-")) < 3:
            raise ValueError(f"tiles {self.tiles!r}: the last step needs at least three tiles")
        if not self._connected():
            raise ValueError(f"fixed {self.fixed!r}: the empty cell cannot go to all other cells")

    def _connected(self) -> bool:
        ways = self._ways()
        found, waiting = {0}, [0]
        while waiting:
            fresh = set(ways[waiting.pop()]) - found
            found |= fresh
            waiting += fresh
        return len(found) == self.cells

    @property
    def locality(self) -> int:
        """Return 1: a move undoes every move."""
        return 1

    @property
    def free(self) -> list[int]:
        """Return the cells of the board that are not fixed."""
        fixed = set(map(int, self.fixed.split("-"))) if self.fixed else set()
        return [cell for cell in range(self.rows * self.columns) if cell not in fixed]

    @property
    def cells(self) -> int:
        """Return the number of cells that are not fixed."""
        return len(self.free)

    @property
    def last(self) -> bool:
        """Tell whether this step brings the last tiles home."""
        return len(self.tiles.split("-")) == self.cells - 1

    @property
    def pattern(self) -> tuple[int, ...]:
        """Return the tiles that the state tracks."""
        tiles = tuple(map(int, self.tiles.split("-")))
        return tiles[:-2] if self.last else tiles

    @property
    def width(self) -> int:
        """Return the number of cells, plus one for each tile and for the empty cell."""
        return self.cells + len(self.pattern) + 1

    @property
    def max_moves(self) -> int:
        """Return four, the number of directions."""
        return 4

    def index(self) -> Placement:
        """Return the index of the cells of the tiles and of the empty cell."""
        return Placement(self.cells, len(self.pattern) + 1)

    def original(self) -> Sliding:
        """Return the puzzle."""
        return Sliding(self.rows, self.columns)

    def _ways(self) -> list[list[int]]:
        """Return the neighbours of each cell that is not fixed, by the numbers of these cells."""
        place = {cell: number for number, cell in enumerate(self.free)}
        ways = neighbours(self.rows, self.columns)
        return [[place[to] for to in ways[cell] if to in place] for cell in place]

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from << 7 | to`` of the empty cell."""
        cells, blank, pieces = self.cells, self.width - 1, len(self.pattern)
        free = self.free
        home = np.array([free.index(tile) for tile in self.pattern], np.int64)
        first = free.index(0) if 0 in free else -1
        last = self.last
        rank, unrank_pieces = self.index().functions(cells)
        taken_home = [free.index(tile) for tile in map(int, self.tiles.split("-"))]
        begin = first if last else min(cell for cell in range(cells) if cell not in taken_home)

        def start(state: State) -> None:
            for piece in range(pieces):
                state[cells + piece] = home[piece]
            state[blank] = begin
            write_board(state)

        def write_board(state: State) -> None:
            for cell in range(cells):
                state[cell] = 0
            for piece in range(pieces):
                state[state[cells + piece]] = piece + 1

        def terminal(state: State) -> int:
            for piece in range(pieces):
                if state[cells + piece] != home[piece]:
                    return UNDECIDED
            return 0 if not last or state[blank] == first else UNDECIDED

        def unrank(number: int, state: State) -> None:
            unrank_pieces(number, state)
            write_board(state)

        return {
            **slides(self._ways(), blank, tracked=cells), "start": start, "terminal": terminal, "rank": rank,
            "unrank": unrank,
        }  # fmt: skip

    # --- relation to the puzzle
    # -----------------------------------------------------------------------------------------

    def seen(self, state: Sequence[int]) -> list[int]:
        """Return this step's view of a board of the puzzle."""
        free = self.free
        board = [state[cell] for cell in free]
        if [tile for cell, tile in enumerate(state[: self.rows * self.columns]) if cell not in free and cell != tile]:
            raise BadRequest(f"{self}: {self.original().format(state)!r}: expected the fixed tiles at home")
        pattern = self.pattern
        pieces = [pattern.index(tile) + 1 if tile in pattern else 0 for tile in board]
        return [*pieces, *(board.index(tile) for tile in pattern), board.index(0)]

    def original_state(self, state: Sequence[int]) -> list[int]:
        """Return a board with this view, with the remaining tiles in order."""
        board = list(range(self.rows * self.columns))
        left = iter(sorted(set(self.free) - {0} - set(self.pattern)))
        for number, cell in enumerate(self.free):
            if number == state[self.width - 1]:
                board[cell] = 0
            else:
                board[cell] = self.pattern[state[number] - 1] if state[number] else next(left)
        return [*board, board.index(0)]

    def kinds(self) -> list[int]:
        """Return the kind of each tile: all remaining tiles share one."""
        left = set(self.free) - {0} - set(self.pattern)
        alone = [tile for tile in range(self.rows * self.columns) if tile not in left]
        return [len(alone) if tile in left else alone.index(tile) for tile in range(self.rows * self.columns)]

    def original_move(self, move: int) -> int:
        """Return the move of the puzzle for a move of this step."""
        free = self.free
        return free[move >> 7] << 7 | free[move & 127]

    def entered(self, state: Sequence[int]) -> bool:
        """Tell whether a previous step may end here: the empty cell is adjacent to a fixed cell."""
        empty = self.free[state[self.width - 1]]
        return any(to not in self.free for to in neighbours(self.rows, self.columns)[empty])

    # --- notation -------------------------------------------------------------------------------------------------------

    def parse(self, text: str) -> list[int]:
        """Read the cells row by row: a tile of the pattern, 0 for the empty cell, x, or # for a fixed tile."""
        words, free = text.split(), self.free
        wanted = self.format(self.start()).split()
        if sorted(words) != sorted(wanted) or any(words[cell] == FIXED for cell in free):
            raise BadState(f"{self}: {text!r}: expected {' '.join(wanted)} in any order, with # unchanged")
        board = [words[cell] for cell in free]
        places = [board.index(str(tile)) for tile in self.pattern]
        pieces = [places.index(cell) + 1 if cell in places else 0 for cell in range(self.cells)]
        return [*pieces, *places, board.index("0")]

    def format(self, state: Sequence[int]) -> str:
        """Return the content of each cell, row by row."""
        return " ".join(piece or "0" for piece in self.pieces(state))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cell from which a tile slides."""
        return str(self.free[move & 127])

    def board(self) -> Board:
        """Return the cells row by row."""
        return self.original().board()

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the content of each cell."""
        found = [FIXED] * (self.rows * self.columns)
        names = [OTHER, *map(str, self.pattern)]
        for number, cell in enumerate(self.free):
            found[cell] = "" if number == state[self.width - 1] else names[state[number]]
        return found

    def known(self) -> Mapping[str, Any]:
        """Return the number of states."""
        return {"states": self.index().size, "start": "0"}
