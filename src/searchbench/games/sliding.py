"""Sliding tiles on a board of any size: the 8-puzzle, the 15-puzzle and others (Gasser 1995, chapters 3 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import factorial
from typing import Any, ClassVar

import numpy as np

from searchbench.catalogue import class_named
from searchbench.errors import BadRequest, BadState
from searchbench.families.slides import slides
from searchbench.families.tiles import neighbours
from searchbench.game import Board, Game
from searchbench.heuristics.by_name import ByName, Functions
from searchbench.heuristics.linear_conflict import LONGEST, linear_conflict
from searchbench.heuristics.many_empty import MOST_CELLS, MOST_TILES, many_empty
from searchbench.index import LexicographicPermutation, Rearrangement, Sequences
from searchbench.index.passes import passes
from searchbench.jit import unsigned
from searchbench.rules import UNDECIDED, State


def _steps_between(one: int, other: int, columns: int) -> int:
    """Return the Manhattan distance of two cells."""
    return abs(one // columns - other // columns) + abs(one % columns - other % columns)


@dataclass(frozen=True)
class Sliding(Game):
    """Slide the tiles of a `rows` x `columns` board into order, row by row, with the empty cell first.

    The index reads the tiles along a path that goes up and down the shorter side (Sequences): a move along the path
    leaves that sequence unchanged. With ``half=True`` it numbers only the solvable boards.
    """

    name: ClassVar[str] = "sliding"
    separator: ClassVar[str] = "x"
    consistent: ClassVar[bool] = True
    rearranges: ClassVar[bool] = True
    depth_is_distance: ClassVar[bool] = True

    rows: int = 3
    columns: int = 3
    half: bool = False

    def __post_init__(self) -> None:
        if not (self.rows >= 1 and self.columns >= 1 and 2 <= self.rows * self.columns <= 100):
            raise ValueError(f"a board of {self.rows} x {self.columns}: expected 2 to 100 cells")

    @property
    def called(self) -> str:
        """Return the name with the board, and what is unusual."""
        return f"Sliding on {self.rows}x{self.columns}" + ", boards that can be solved" * self.half

    @property
    def width(self) -> int:
        """Return the number of cells, plus one for the position of the empty cell."""
        return self.cells + 1

    @property
    def cells(self) -> int:
        """Return the number of cells of the board."""
        return self.rows * self.columns

    @property
    def max_moves(self) -> int:
        """Return four, the number of directions."""
        return 4

    def path(self) -> list[int]:
        """Return the cells in the order in which the index reads them: consecutive cells are neighbours."""
        short, long = sorted((self.rows, self.columns))
        steps = [(line, cell if line % 2 == 0 else short - 1 - cell) for line in range(long) for cell in range(short)]
        if self.rows <= self.columns:
            return [cell * self.columns + line for line, cell in steps]
        return [line * self.columns + cell for line, cell in steps]

    def sequences(self) -> Sequences | None:
        """Return the moves as rearrangements of the tiles along the path; the place is that of the empty cell."""
        return _sequences(self)

    def index(self) -> Sequences | None:
        """Return the index of the boards; None beyond 20 cells."""
        return self.sequences()

    def subgoals(self, steps: Sequence[str]) -> list[Any]:
        """Return one game per step that brings tiles home, such as "12-13-14-15", keeping those of earlier steps fixed."""
        step_game = class_named("sliding-subgoal")
        found: list[Any] = []
        for step, tiles in enumerate(steps):
            try:
                found.append(step_game(self.rows, self.columns, tiles, "-".join(steps[:step])))  # type: ignore[call-arg]
            except ValueError as error:
                raise BadRequest(f"{self}, step {step + 1}: {error}") from None
        return found

    def heuristics(self) -> Mapping[str, Mapping[str, Callable[..., Any]]]:
        """Return Manhattan distance (the default bound), linear conflict and, on small boards, many-empty patterns."""
        rows, columns = self.rows, self.columns
        makers: dict[str, Callable[[], Functions]] = {"manhattan": self._manhattan}
        if max(rows, columns) <= LONGEST:
            makers["linear-conflict"] = lambda: linear_conflict(rows, columns)
        for most in range(2, min(MOST_TILES + 1, self.cells) if self.cells <= MOST_CELLS else 0):
            name = f"many-empty:2-{most}" if most > 2 else "many-empty:2"
            makers[name] = partial(many_empty, rows, columns, most)
        return ByName(makers)

    def _manhattan(self) -> Functions:
        own = self.names()
        return {name: own[name] for name in ("h", "h_step")}

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from << 7 | to`` of the empty cell."""
        columns, cells = self.columns, self.cells
        index = self.index()
        distance = np.zeros(cells * cells, np.int8)
        for tile in range(1, cells):
            for cell in range(cells):
                distance[tile * cells + cell] = _steps_between(tile, cell, columns)
        ways = neighbours(self.rows, columns)
        slide = slides(ways, cells)

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = cell
            state[cells] = 0

        def terminal(state: State) -> int:
            for cell in range(cells):
                if state[cell] != cell:
                    return UNDECIDED
            return 0

        def alternates(state: State) -> int:
            return int(state[cells] // columns + state[cells] % columns) & 1

        def solvable(state: State) -> bool:
            # A move changes the parity of the permutation and that of the empty cell's distance from home.
            odd = state[cells] // columns + state[cells] % columns
            for cell in range(cells):
                for later in range(cell + 1, cells):
                    odd += 1 if state[later] < state[cell] else 0
            return odd % 2 == 0

        def h(state: State, tables: Any) -> int:
            total = 0
            for cell in range(cells):
                total += distance[state[cell] * cells + cell]
            return total

        def h_step(state: State, move: int, tables: Any) -> int:
            row = state[unsigned(move & 127)] * cells
            step: int = distance[unsigned(row + (move >> 7))] - distance[unsigned(row + (move & 127))]
            return step

        functions: dict[str, Callable[..., Any]] = {
            **slide, "start": start, "terminal": terminal, "alternates": alternates, "solvable": solvable, "h": h,
            "h_step": h_step,
        }  # fmt: skip
        if index is None:
            return functions
        rank, unrank = self._numbering()
        play, unplay = slide["play"], slide["unplay"]
        path = self.path()
        place_of = {cell: place for place, cell in enumerate(path)}
        along = [[place_of[to] for to in ways[cell]] for cell in path]
        path_cells = np.array(path, np.int64)
        targets = np.array([(found + [0] * 4)[:4] for found in along], np.int64)
        count_of = np.array([len(found) for found in along], np.int64)
        units, sizes, begins, changes = passes(along, cells - 1, self.half)

        def successor_ranks(number: int, state: State, out: MutableSequence[int], numbers: MutableSequence[int]) -> int:
            # Along the path only the place changes; otherwise a tile passes others, which changes a few digits of the
            # rank.
            place = number % cells
            sequence = number // cells
            known = False
            for index in range(count_of[place]):
                target = targets[place, index]
                numbers[index] = number + target - place
                if sizes[place, index] > 0:
                    window = sequence // units[place, index] % sizes[place, index]
                    numbers[index] += changes[begins[place, index] + window] * units[place, index] * cells
                elif sizes[place, index] < 0:
                    if not known:
                        unrank(number, state)
                        known = True
                    move = path_cells[place] << 7 | path_cells[target]
                    play(state, move)
                    numbers[index] = rank(state)
                    unplay(state, move)
            return int(count_of[place])

        return functions | {"rank": rank, "unrank": unrank, "successor_ranks": successor_ranks}

    def _numbering(self) -> tuple[Callable[[State], int], Callable[[int, State], None]]:
        """Return rank and unrank: the lexicographic rank of the tiles along the path, times the cells, plus the place."""
        cells = self.cells
        path = np.array(self.path(), np.int64)
        place_of = np.argsort(path)
        element = place_of - 1  # index of each tile: in the solved board the tiles come in the order 0, 1, 2, ...

        def read(state: State, place: int) -> int:
            value: int = element[state[path[place if place < place_of[state[cells]] else place + 1]]]
            return value

        def write(state: State, place: int, value: int) -> None:
            state[path[place if place < place_of[state[cells]] else place + 1]] = path[value + 1]

        rank_tiles, unrank_tiles = LexicographicPermutation(cells - 1, self.half).functions_through(read, write)

        def rank(state: State) -> int:
            number: int = rank_tiles(state)
            place: int = place_of[state[cells]]
            return number * cells + place if number >= 0 else number

        def unrank(number: int, state: State) -> None:
            place = number % cells
            state[cells] = path[place]
            state[path[place]] = 0
            unrank_tiles(number // cells, state)

        return rank, unrank

    def parse(self, text: str) -> list[int]:
        """Read the tiles row by row, 0 for the empty cell."""
        state = super().parse(text)
        if sorted(state) != list(range(self.cells)):
            raise BadState(f"{self}: {text!r}: expected each of 0 .. {self.cells - 1} once, 0 for the empty cell")
        return [*state, state.index(0)]

    def format(self, state: Sequence[int]) -> str:
        """Return the tiles row by row."""
        return super().format(state[: self.cells])

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the tile that slides."""
        return str(state[move & 127])

    def board(self) -> Board:
        """Return the cells row by row."""
        return Board(tuple((float(cell % self.columns), float(cell // self.columns)) for cell in range(self.cells)))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the tiles' numbers."""
        return super().pieces(state[: self.cells])

    def known(self) -> Mapping[str, Any]:
        """Return the largest distance of each board (Gasser 1995, section 6.5); half of the boards are solvable."""
        deepest = {(2, 2): 6, (2, 3): 21, (2, 4): 36, (2, 5): 55, (3, 3): 31, (3, 4): 53}
        small = (min(self.rows, self.columns), max(self.rows, self.columns))
        found: dict[str, Any] = {"deepest": deepest[small]} if small in deepest else {}
        boards = factorial(self.cells)
        return found | {"states": boards // 2 if self.half else boards, "reachable": boards // 2}


@lru_cache(maxsize=32)
def _sequences(game: Sliding) -> Sequences | None:
    """Return the moves as rearrangements; cached per board, since every search needs them."""
    if game.cells > 20:
        return None
    path = game.path()
    moves = []
    for near in range(game.cells):
        for far in range(near + 1, game.cells):
            if _steps_between(path[near], path[far], game.columns) == 1:
                # The tile at `far` passes those between: its index in the sequence changes from far - 1 to near.
                order = [*range(near), far - 1, *range(near, far - 1), *range(far, game.cells - 1)]
                move = Rearrangement(near, far, tuple(order))
                moves += [move, move.inverse]
    return Sequences(game.cells - 1, game.cells, tuple(moves), game.half)
