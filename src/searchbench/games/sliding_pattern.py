"""Patterns of sliding tiles: some tiles are distinguished, all others look alike (Korf and Felner 2002)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from searchbench.abstraction import Abstraction, Image
from searchbench.errors import BadRequest, BadState
from searchbench.families.slides import slides
from searchbench.families.tiles import (
    beside_empty,
    moved,
    neighbours,
    number_of_image,
    step_of_image,
    symmetries,
    tile_image,
    views_of,
)
from searchbench.game import Board
from searchbench.games.sliding import Sliding
from searchbench.index import Placement
from searchbench.index.permutation import nth_one_bit
from searchbench.jit import inlined, trailing_zeros, unsigned
from searchbench.rules import UNDECIDED, State

OTHER = "x"
"""The mark of a tile that is not distinguished."""


@dataclass(frozen=True)
class SlidingPattern(Abstraction):
    """Slide some tiles, such as 1-2-3, into their places; all others look alike and move at no cost.

    Patterns with disjoint tiles never count the same move, so their bounds add up. The numbers are those of the
    placements of the tiles; states that differ only in the empty cell share a number. A state contains the content of
    each cell (0, or 1 and the tile's index in the pattern), then the cell of each tile, then that of the empty one.
    """

    name: ClassVar[str] = "sliding-pattern"
    values: ClassVar[str] = "bound"

    rows: int = 3
    columns: int = 3
    tiles: str = "1-2-3"

    def __post_init__(self) -> None:
        words = self.tiles.split("-")
        if not (self.rows >= 1 and self.columns >= 1 and 3 <= self.cells <= 30):
            raise ValueError(f"a board of {self.rows} x {self.columns}: expected 3 to 30 cells")
        if not all(word.isdecimal() and 1 <= int(word) < self.cells for word in words) or len(set(words)) < len(words):
            raise ValueError(f"tiles {self.tiles!r}: expected some of 1 to {self.cells - 1}, each once, such as 1-2-3")
        if len(words) > self.cells - 2:
            raise ValueError(f"tiles {self.tiles!r}: at most {self.cells - 2} of {self.cells - 1} can be distinguished")

    @property
    def cells(self) -> int:
        """Return the number of cells of the board."""
        return self.rows * self.columns

    @property
    def pattern(self) -> tuple[int, ...]:
        """Return the distinguished tiles."""
        return tuple(map(int, self.tiles.split("-")))

    @property
    def width(self) -> int:
        """Return the number of cells, plus one for each tile and for the empty cell."""
        return self.cells + len(self.pattern) + 1

    @property
    def max_moves(self) -> int:
        """Return four, the number of directions."""
        return 4

    @property
    def places(self) -> int:
        """Return the number of states that share a number: one for each empty cell."""
        return self.cells

    def index(self) -> Placement:
        """Return the index of the tiles' cells."""
        return Placement(self.cells, len(self.pattern))

    def original(self) -> Sliding:
        """Return the puzzle."""
        return Sliding(self.rows, self.columns)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from << 7 | to`` of the empty cell, as in the puzzle itself."""
        cells, blank, pieces, columns = self.cells, self.width - 1, len(self.pattern), self.columns
        home = np.array(self.pattern, np.int64)
        slide = slides(neighbours(self.rows, columns), blank, tracked=cells)

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = 0
            for piece in range(pieces):
                state[home[piece]] = piece + 1
                state[cells + piece] = home[piece]
            state[blank] = 0

        def terminal(state: State) -> int:
            for piece in range(pieces):
                if state[cells + piece] != home[piece]:
                    return UNDECIDED
            return 0 if state[blank] == 0 else UNDECIDED

        def alternates(state: State) -> int:
            return int(state[blank] // columns + state[blank] % columns) & 1

        def cost(state: State, move: int) -> int:
            return 1 if state[move & 127] > 0 else 0

        def pattern_rank(state: State, table: Any, at: int) -> int:
            return number_of_image(state, cells, table, at)

        @inlined
        def pattern_rank_change(state: State, move: int, table: Any, at: int) -> int:
            return step_of_image(state, move, cells, columns, table, at)

        @inlined
        def moved_piece(state: State, move: int) -> int:
            return int(state[unsigned(move & 127)])

        functions: dict[str, Callable[..., Any]] = {
            **slide, "start": start, "terminal": terminal, "alternates": alternates, "cost": cost,
            "pattern_rank": pattern_rank, "pattern_rank_change": pattern_rank_change, "moved_piece": moved_piece,
        }  # fmt: skip
        return functions | self._numbering() | self._places()

    def _numbering(self) -> dict[str, Callable[..., Any]]:
        """Return rank, unrank and unrank_next: by the cells of the pieces, which determine the board."""
        index = self.index()
        cells, blank, pieces = self.cells, self.width - 1, len(self.pattern)
        everything = (1 << cells) - 1
        rank, unrank_pieces = index.functions(cells)
        loose = min(
            2, index.pieces
        )  # the pieces whose digits count least: the others seldom change from number to number
        fixed = index.pieces - loose
        last = cells - index.pieces + 1
        step = index.weights[fixed - 1] if fixed else index.size

        def write_board(state: State) -> None:
            taken = 0
            for cell in range(cells):
                state[cell] = 0
            for piece in range(pieces):
                state[state[cells + piece]] = piece + 1
                taken |= 1 << state[cells + piece]
            state[blank] = trailing_zeros(everything & ~taken)

        def unrank(number: int, state: State) -> None:
            unrank_pieces(number, state)
            write_board(state)

        def unrank_next(number: int, state: State, gap: int) -> None:
            number += gap
            if fixed == 0 or number // step != (number - gap) // step:
                unrank(number, state)
                return
            free = everything
            for piece in range(fixed):
                free &= ~(1 << state[cells + piece])
            number %= step
            for piece in range(fixed, pieces):
                state[state[cells + piece]] = 0
            for piece in range(fixed, fixed + loose):
                digit = number // last if piece + 1 < fixed + loose else number % last
                cell = nth_one_bit(free, digit)
                free ^= 1 << cell
                state[cells + piece] = cell
            for piece in range(fixed, pieces):
                state[state[cells + piece]] = piece + 1
            state[blank] = trailing_zeros(free)

        return {"rank": rank, "unrank": unrank, "unrank_next": unrank_next}

    def _places(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that distinguish states sharing a number by their empty cell."""
        cells, columns, at_blank, pieces = self.cells, self.columns, self.width - 1, len(self.pattern)
        weights = np.array([0, *self.index().weights], np.int64)
        passing = np.zeros((pieces + 1) ** 2, np.int64)  # the decrease of the number when one piece passes another
        for piece, other in permutations(range(1, pieces + 1), 2):
            passing[piece * (pieces + 1) + other] = weights[piece] if other < piece else -weights[other]
        everything = (1 << cells) - 1
        not_first = sum(1 << cell for cell in range(cells) if cell % columns)
        not_last = sum(1 << cell for cell in range(cells) if (cell + 1) % columns)

        def blank(state: State) -> int:
            return int(state[at_blank])

        def set_blank(where: int, state: State) -> None:
            state[at_blank] = where

        def legal(state: State) -> bool:
            return bool(state[state[at_blank]] == 0)

        def zero_cost_closure(state: State, places: int) -> int:
            free = everything
            for piece in range(pieces):
                free &= ~(1 << state[cells + piece])
            before = 0
            while places != before:
                before = places
                beside = (places & not_last) << 1 | (places & not_first) >> 1
                places = (places | beside | places << columns | places >> columns) & free
            return places

        def unit_cost_successors(
            number: int, state: State, places: int, numbers: MutableSequence[int], bits: MutableSequence[int]
        ) -> int:
            taken = 0
            for piece in range(pieces):
                taken |= 1 << state[cells + piece]
            count = 0
            ahead = taken & (places & not_first) >> 1  # tiles with an empty cell to the right, and so on
            while ahead != 0:
                at = trailing_zeros(ahead)
                ahead &= ahead - 1
                numbers[count] = number + weights[state[at]]
                bits[count] = 1 << at
                count += 1
            ahead = taken & (places & not_last) << 1
            while ahead != 0:
                at = trailing_zeros(ahead)
                ahead &= ahead - 1
                numbers[count] = number - weights[state[at]]
                bits[count] = 1 << at
                count += 1
            ahead = taken & places >> columns
            while ahead != 0:
                at = trailing_zeros(ahead)
                ahead &= ahead - 1
                numbers[count] = number + row_step(state, at, at)
                bits[count] = 1 << at
                count += 1
            ahead = taken & places << columns
            while ahead != 0:
                at = trailing_zeros(ahead)
                ahead &= ahead - 1
                numbers[count] = number - row_step(state, at, at - columns)
                bits[count] = 1 << at
                count += 1
            return count

        def row_step(state: State, at: int, upper: int) -> int:
            """Return the change of the number when the tile at `at` slides past all cells between `upper` and the one below."""
            piece = state[at]
            change = weights[piece] * columns
            for cell in range(1, columns):
                change -= passing[piece * (pieces + 1) + state[upper + cell]]
            return int(change)

        return {
            "blank": blank, "set_blank": set_blank, "legal": legal, "zero_cost_closure": zero_cost_closure,
            "unit_cost_successors": unit_cost_successors,
        }  # fmt: skip

    def images(self) -> list[Image]:
        """Return the look-ups of a board and of its mirror image."""
        weights, views = self.index().weights, views_of(self.rows, self.columns)
        return [tile_image(view, self.rows, self.columns, self.pattern, weights) for view in views]

    def images_of(self, pieces: str) -> list[Image]:
        """Return the look-ups of other tiles that a symmetry of the board maps to these.

        The symmetry must also preserve the cells that the empty cell reaches before a tile of the pattern moves: a
        pattern in its corner encloses it.
        """
        try:
            other = replace(self, tiles=pieces)
        except ValueError as error:
            raise BadRequest(f"{self}: {error}") from None
        free = beside_empty(self.rows, self.columns, self.pattern)
        before = beside_empty(self.rows, self.columns, other.pattern)
        for symmetry in symmetries(self.rows, self.columns):
            if {symmetry[tile] for tile in other.pattern} == set(self.pattern) and {
                symmetry[cell] for cell in before
            } == free:
                weights = self.index().weights
                views = [moved(view, symmetry) for view in views_of(self.rows, self.columns)]
                return [tile_image(view, self.rows, self.columns, self.pattern, weights) for view in views]
        raise BadRequest(
            f"no symmetry of the board takes the tiles {pieces} to those of {self} with the same cells open to the empty one"
        )

    def parse(self, text: str) -> list[int]:
        """Read the cells row by row: a tile of the pattern, 0 for the empty cell, or x."""
        words = text.split()
        wanted = sorted(["0", *map(str, self.pattern), *[OTHER] * (self.cells - len(self.pattern) - 1)])
        if sorted(words) != wanted:
            raise BadState(f"{self}: {text!r}: expected {' '.join(wanted)} in some order")
        places = [words.index(str(tile)) for tile in self.pattern]
        board = [places.index(cell) + 1 if cell in places else 0 for cell in range(self.cells)]
        return [*board, *places, words.index("0")]

    def format(self, state: Sequence[int]) -> str:
        """Return the content of each cell."""
        return " ".join(piece or "0" for piece in self.pieces(state))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cell from which a tile slides."""
        return str(move & 127)

    def board(self) -> Board:
        """Return the cells row by row."""
        return self.original().board()

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the content of each cell."""
        names = [OTHER, *map(str, self.pattern)]
        return ["" if cell == state[self.width - 1] else names[state[cell]] for cell in range(self.cells)]

    def known(self) -> Mapping[str, Any]:
        """Return the number of placements."""
        return {"states": self.index().size, "start": "0"}
