"""Sliding tiles of which some are equal: every move counts (Gasser 1995, section 6.3, one-empty databases)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from searchbench.abstraction import Abstraction, Image
from searchbench.errors import BadState
from searchbench.families.tiles import View, neighbours, number_by_kinds, views_of
from searchbench.game import Board
from searchbench.games.sliding import Sliding
from searchbench.index import Sequences
from searchbench.index.multiset import OneEmpty, weights
from searchbench.index.sequence import exchange
from searchbench.rules import UNDECIDED, State


@dataclass(frozen=True)
class SlidingKinds(Abstraction):
    """Slide tiles into their places where tiles joined by "=", such as 1=4=5, look alike, and so do all that are not named.

    A state holds what is on each cell (0, or 1 and the number of the tile's kind), then the cell of the empty one. The
    number is the rank of the tiles, cell by cell, times the cells, plus the empty cell.
    """

    name: ClassVar[str] = "sliding-kinds"
    values: ClassVar[str] = "depth"

    rows: int = 3
    columns: int = 3
    tiles: str = "1=2-3=6"

    def __post_init__(self) -> None:
        if not (self.rows >= 1 and self.columns >= 1 and 3 <= self.cells <= 30):
            raise ValueError(f"a board of {self.rows} x {self.columns}: expected 3 to 30 cells")
        words = self.tiles.replace("=", "-").split("-")
        if not all(word.isdecimal() and 1 <= int(word) < self.cells for word in words) or len(set(words)) < len(words):
            raise ValueError(
                f"tiles {self.tiles!r}: expected some of 1 to {self.cells - 1}, each once, such as 1=4=5-2=3"
            )

    @property
    def cells(self) -> int:
        """Return the number of cells of the board."""
        return self.rows * self.columns

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the tiles of each kind, those that are not named last."""
        named = [tuple(sorted(map(int, words.split("=")))) for words in self.tiles.split("-")]
        rest = tuple(tile for tile in range(1, self.cells) if not any(tile in tiles for tiles in named))
        return (*named, rest) if rest else tuple(named)

    def kinds(self) -> list[int]:
        """Return 0 for the empty cell, and 1 and the number of its kind for each tile."""
        found = [0] * self.cells
        for number, tiles in enumerate(self.groups, 1):
            for tile in tiles:
                found[tile] = number
        return found

    @property
    def width(self) -> int:
        """Return the number of cells, and one more: where the empty cell is."""
        return self.cells + 1

    @property
    def max_moves(self) -> int:
        """Return the four directions."""
        return 4

    @property
    def counts(self) -> tuple[int, ...]:
        """Return how many tiles each kind has."""
        return tuple(map(len, self.groups))

    def index(self) -> OneEmpty:
        """Return the numbering of the boards."""
        return OneEmpty(self.counts)

    def sequences(self) -> Sequences:
        """Return the moves as rearrangements of the tiles, row by row."""
        fan, ahead = neighbours(self.rows, self.columns)
        moves = [exchange(cell, int(to), self.cells) for cell in range(self.cells) for to in ahead[cell, : fan[cell]]]
        return Sequences(self.cells - 1, self.cells, tuple(moves), pieces=self.counts)

    def original(self) -> Sliding:
        """Return the puzzle."""
        return Sliding(self.rows, self.columns)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules: those of the puzzle, which do not look at the tiles, but for the end and the numbers."""
        cells = self.cells
        puzzle = self.original().rules()
        kept = ("moves", "play", "unplay", "unmoves", "inverse", "alternates")
        rank, unrank_board = self.index().functions()
        home = np.array(self.kinds(), np.int64)

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = home[cell]
            state[cells] = 0

        def terminal(state: State) -> int:
            for cell in range(cells):
                if state[cell] != home[cell]:
                    return UNDECIDED
            return 0

        def unrank(number: int, state: State) -> None:
            unrank_board(number, state)
            state[cells] = number % cells

        def image_number(state: State, table: Any, at: int) -> int:
            return number_by_kinds(state, cells, table, at)

        functions: dict[str, Callable[..., Any]] = {
            "start": start, "terminal": terminal, "rank": rank, "unrank": unrank, "image_number": image_number,
        }  # fmt: skip
        return functions | {name: puzzle[name] for name in kept}

    def images(self) -> list[Image]:
        """Return how a board is looked up, how its mirror image is, and how it is from the other corners."""
        return [self._image(view) for view in views_of(self.rows, self.columns)]

    def _image(self, view: View) -> Image:
        own = self.kinds()
        kinds = [own[tile] - 1 for tile in view.tiles]
        table = np.concatenate([view.cells, kinds, weights(self.counts)])
        return Image(table.astype(np.int64), None, view.moves)

    def parse(self, text: str) -> list[int]:
        """Read what is on each cell row by row: any tile of the kind, 0 for the empty cell."""
        tiles = super().parse(text)
        own = self.kinds()
        if not all(0 <= tile < self.cells for tile in tiles) or sorted(own[tile] for tile in tiles) != sorted(own):
            raise BadState(f"{self}: {text!r}: expected {self.format(self.start())} in some order")
        return [*(own[tile] for tile in tiles), tiles.index(0)]

    def format(self, state: Sequence[int]) -> str:
        """Return what is on each cell, row by row: the least tile of the kind, 0 for the empty cell."""
        return " ".join(piece or "0" for piece in self.pieces(state))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cell from which a tile slides."""
        return str(move & 127)

    def board(self) -> Board:
        """Return the cells row by row."""
        return self.original().board()

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return what is on each cell."""
        names = ["", *(str(tiles[0]) for tiles in self.groups)]
        return [names[kind] for kind in state[: self.cells]]

    def known(self) -> Mapping[str, Any]:
        """Return the number of boards."""
        return {"states": self.index().size, "start": "0"}
