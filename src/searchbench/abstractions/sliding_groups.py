"""Sliding tiles with groups of equal tiles: the one-empty databases (Culberson and Schaeffer 1994; Gasser 1995, section 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from searchbench.abstraction import Abstraction, Image
from searchbench.errors import BadState
from searchbench.families.slides import slides
from searchbench.families.tile_groups import group_image, number_of_groups, step_of_groups
from searchbench.families.tiles import neighbours, views_of
from searchbench.game import Board
from searchbench.games.sliding import Sliding
from searchbench.index import OneEmpty, Sequences
from searchbench.index.sequence import exchange
from searchbench.jit import inlined
from searchbench.rules import UNDECIDED, State

OTHER = "x"
"""The mark of a tile in no group."""
NAMES = ("inner", "fringe", "local")


@dataclass(frozen=True)
class SlidingGroups(Abstraction):
    """Slide tiles that look alike within a group into their places; every move costs 1.

    Groups are separated by "-", tiles of a group by ".": in 1.4.5-15 the tiles 1, 4 and 5 look alike, 15 is a group of
    its own, and all others form a last group. Three names are defined: "inner" distinguishes the first row, the first
    column and the last tile, "fringe" the last row and the last column, and "local" has the quarters of the board as
    groups, and the last tile.

    A state contains the content of each cell, 0 or 1 and the number of the group, in the order of the puzzle's path,
    then the index of the empty cell. The numbers are those of `OneEmpty`.
    """

    name: ClassVar[str] = "sliding-groups"
    depth_is_distance: ClassVar[bool] = True

    rows: int = 3
    columns: int = 3
    tiles: str = "inner"

    def __post_init__(self) -> None:
        if not (self.rows >= 2 and self.columns >= 2 and 4 <= self.cells <= 30):
            raise ValueError(
                f"a board of {self.rows} x {self.columns}: expected 2 or more of each and at most 30 cells"
            )
        if self.tiles in NAMES:
            return
        words = self.tiles.replace(".", "-").split("-")
        known = all(word.isdecimal() and 1 <= int(word) < self.cells for word in words)
        if not known or len(set(words)) < len(words):
            raise ValueError(
                f"tiles {self.tiles!r}: expected {', '.join(NAMES)}, or groups of some of 1 to {self.cells - 1}, each tile "
                "once, such as 1.4.5-15"
            )

    @property
    def cells(self) -> int:
        """Return the number of cells of the board."""
        return self.rows * self.columns

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the tiles of each group; the last group consists of the remaining tiles."""
        asked = self._asked()
        rest = tuple(sorted(set(range(1, self.cells)) - {tile for group in asked for tile in group}))
        return (*asked, rest) if rest else tuple(asked)

    def _asked(self) -> list[tuple[int, ...]]:
        """Return the requested groups, by name or tile by tile."""
        if self.tiles not in NAMES:
            return [tuple(map(int, group.split("."))) for group in self.tiles.split("-")]
        rows, columns, last = self.rows, self.columns, self.cells - 1
        place = {tile: divmod(tile, columns) for tile in range(1, self.cells)}
        if self.tiles == "inner":
            return [(tile,) for tile, (row, column) in place.items() if row == 0 or column == 0 or tile == last]
        if self.tiles == "fringe":
            return [(tile,) for tile, (row, column) in place.items() if row == rows - 1 or column == columns - 1]
        quarters: dict[tuple[bool, bool], list[int]] = {}
        for tile, (row, column) in place.items():
            if tile != last:
                quarters.setdefault((2 * row >= rows, 2 * column >= columns), []).append(tile)
        return [*map(tuple, quarters.values()), (last,)]

    @property
    def width(self) -> int:
        """Return the number of cells, plus one for the position of the empty cell."""
        return self.cells + 1

    @property
    def max_moves(self) -> int:
        """Return four, the number of directions."""
        return 4

    def original(self) -> Sliding:
        """Return the puzzle."""
        return Sliding(self.rows, self.columns)

    def index(self) -> OneEmpty:
        """Return the index of the boards."""
        return OneEmpty(tuple(map(len, self.groups)))

    def _ways(self) -> list[list[int]]:
        """Return the neighbours of each cell along the path."""
        path, ways = self.original().path(), neighbours(self.rows, self.columns)
        place = {cell: at for at, cell in enumerate(path)}
        return [[place[to] for to in ways[cell]] for cell in path]

    def sequences(self) -> Sequences:
        """Return the moves as rearrangements of the tiles along the path; the place is that of the empty cell."""
        moves = [exchange(at, to, self.cells) for at, ways in enumerate(self._ways()) for to in ways]
        return Sequences(self.cells - 1, self.cells, tuple(moves), pieces=self.index().pieces)

    def kinds(self) -> list[int]:
        """Return 0 for the empty cell, and 1 and the number of its group for each tile."""
        return [1 + group for group in self._group_of()]

    def _group_of(self) -> list[int]:
        """Return the group of each tile, -1 for the empty cell."""
        found = [-1] * self.cells
        for number, group in enumerate(self.groups):
            for tile in group:
                found[tile] = number
        return found

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from << 7 | to`` of the empty cell, in positions along the path."""
        cells, columns = self.cells, self.columns
        path, groups = self.original().path(), self._group_of()
        home = np.array([groups[cell] + 1 for cell in path], np.int64)
        colour = np.array([sum(divmod(cell, columns)) & 1 for cell in path], np.int64)
        rank_cells, unrank_cells = self.index().functions()

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = home[cell]
            state[cells] = 0

        def terminal(state: State) -> int:
            for cell in range(cells):
                if state[cell] != home[cell]:
                    return UNDECIDED
            return 0

        def alternates(state: State) -> int:
            return int(colour[state[cells]])

        def rank(state: State) -> int:
            return int(rank_cells(state))

        def unrank(number: int, state: State) -> None:
            unrank_cells(number, state)
            state[cells] = number % cells

        def pattern_rank(state: State, table: Any, at: int) -> int:
            return number_of_groups(state, cells, table, at)

        @inlined
        def pattern_rank_change(state: State, move: int, table: Any, at: int) -> int:
            return step_of_groups(state, move, cells, table, at)

        return {
            **slides(self._ways(), cells), "start": start, "terminal": terminal, "alternates": alternates, "rank": rank,
            "unrank": unrank, "pattern_rank": pattern_rank, "pattern_rank_change": pattern_rank_change,
        }  # fmt: skip

    def images(self) -> list[Image]:
        """Return the look-ups of a board: as it is, from other corners, and in mirror images unless these add nothing.

        From a corner that the empty cell can reach in a few moves the puzzle looks the same from another side: the
        distance seen from there, less the moves to it, bounds the distance to the goal. Corners up to the far one are
        used.
        """
        path, groups, weights = self.original().path(), self._group_of(), self.index().table()
        views = views_of(self.rows, self.columns, self.rows + self.columns - 2, mirrors=not self._symmetric())
        return [group_image(view, path, groups, weights) for view in views]

    def _symmetric(self) -> bool:
        """Tell whether the mirror image of each group is a group, so that mirror images have equal values."""
        if self.rows != self.columns:
            return True  # there is no mirror image
        tiles = np.arange(self.cells).reshape(self.rows, self.columns).T.reshape(-1).tolist()
        return {frozenset(group) for group in self.groups} == {
            frozenset(tiles[tile] for tile in group) for group in self.groups
        }

    def _names(self) -> list[str]:
        """Return the mark of each group's tiles: the first of them, or x for the remaining tiles."""
        asked = [str(group[0]) for group in self._asked()]
        return asked + [OTHER] * (len(self.groups) - len(asked))

    def parse(self, text: str) -> list[int]:
        """Read the cells row by row: the first tile of a group, x for the remaining tiles, or 0 for the empty cell."""
        names = ["0", *self._names()]
        words = text.split()
        wanted = [names[0]] + [name for name, group in zip(names[1:], self.groups, strict=True) for _ in group]
        if sorted(words) != sorted(wanted):
            raise BadState(f"{self}: {text!r}: expected {' '.join(wanted)} in some order")
        board = [names.index(words[cell]) for cell in self.original().path()]
        return [*board, board.index(0)]

    def format(self, state: Sequence[int]) -> str:
        """Return the content of each cell, row by row."""
        return " ".join(piece or "0" for piece in self.pieces(state))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cell from which a tile slides, counted row by row."""
        return str(self.original().path()[move & 127])

    def board(self) -> Board:
        """Return the cells row by row."""
        return self.original().board()

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the content of each cell, row by row."""
        names = ["", *self._names()]
        found = [""] * self.cells
        for cell, group in zip(self.original().path(), state[: self.cells], strict=True):
            found[cell] = names[group]
        return found

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the cell from which a tile slides."""
        return [self.original().path()[move & 127]]

    def known(self) -> Mapping[str, Any]:
        """Return the number of boards, and for the 15-puzzle the largest distances (Gasser 1995, section 6.3)."""
        deepest = {"inner": 66, "fringe": 64, "local": 70}
        found: dict[str, Any] = {"states": self.index().size, "start": "0"}
        return found | (
            {"deepest": deepest[self.tiles]} if self.cells == 16 and self.rows == 4 and self.tiles in NAMES else {}
        )
