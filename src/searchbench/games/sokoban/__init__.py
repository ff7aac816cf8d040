"""Sokoban: push every stone onto a goal (Junghanns and Schaeffer 2001)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os.path import exists
from pathlib import Path, PurePath
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.errors import BadRequest, BadState
from searchbench.game import Board, Game
from searchbench.games.sokoban.collection import (
    GOAL,
    MAN,
    MAN_ON_GOAL,
    STONE,
    STONE_ON_GOAL,
    WALL,
    LevelText,
    from_standard_input,
    levels_in,
    read_collection,
)
from searchbench.games.sokoban.dead import why_dead
from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.featurespace import SokobanFeatureSpace
from searchbench.games.sokoban.levels import HAND_MADE, PUSHES
from searchbench.games.sokoban.rules import (
    MOST_NUMBERS,
    direction_of,
    from_square,
    functions,
    index_size,
    level_data,
    normal_man,
    state_of,
    stones_of,
    to_square,
    words_for,
)
from searchbench.games.sokoban.solution import lurd
from searchbench.games.sokoban.tables import LevelTables
from searchbench.games.sokoban.text import Level, letters, read_level

STANDARD_INPUT: Final = "-"
OWN: Final = "the file that comes with the game"
SAMPLE: Final = "a level is FILE#NUMBER, #NUMBER for one that comes with the game, or rows such as '5#|#@$.#|5#'"


@dataclass(frozen=True)
class Numbering:
    """Number the states: a set of squares for the stones, and the man's square; many numbers are no state."""

    squares: int
    stones: int

    @property
    def size(self) -> int:
        """Return the number of numbers."""
        return index_size(self.squares, self.stones)

    @property
    def width(self) -> int:
        """Return the number of cells of a state."""
        return words_for(self.squares) + 1

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank, which the rules have: they ask for the level as data."""
        if at:
            raise BadRequest(f"the states of Sokoban are numbered as a whole, not from cell {at} on")
        found = functions(words_for(self.squares), True)
        return found["rank"], found["unrank"]


@dataclass(frozen=True)
class Sokoban(Game):
    """Push every stone onto a goal.

    The level is `FILE#7`, `FILE` where it has one alone, `#3` for one that comes with the game, or its rows.
    The cost of a move is 1: pushes are counted, not steps.
    """

    name: ClassVar[str] = "sokoban"
    dtype: ClassVar[Any] = np.uint32
    consistent: ClassVar[bool] = True

    level: str = "#1"

    def __eq__(self, other: object) -> bool:
        """Tell whether the levels are the same: a file may have changed since one of them was read.

        A class of its own numbers the same level's states otherwise.
        """
        if not isinstance(other, Sokoban) or other.__class__ is not self.__class__:
            return False
        return self.level == other.level and self.text.rows == other.text.rows

    def __hash__(self) -> int:
        return hash(self.level)

    @classmethod
    def levels(cls, source: str) -> list[Game]:
        """Return the levels of a file as games, those of standard input for "-". Raises BadRequest if there is no level in it."""
        found = from_standard_input() if source == STANDARD_INPUT else levels_of(source)
        return [cls(f"{source}#{number}") for number in range(1, len(found) + 1)]

    @cached_property
    def text(self) -> LevelText:
        """Return the level's rows as they stand in its file. Raises BadRequest."""
        if self._is_rows:
            return levels_in(self.level, "the level")[0]
        file, mark, number = self.level.rpartition("#")
        if not mark:
            return self._only_level()
        found = levels_of(file)
        if not re.fullmatch(r"\d{1,6}", number) or not 1 <= int(number) <= len(found):
            raise BadRequest(f"sokoban: {self.level!r}: there are levels 1 to {len(found)} in {file or OWN}; {SAMPLE}")
        return found[int(number) - 1]

    @property
    def _is_rows(self) -> bool:
        """Tell whether the level is given by its rows: no file that there is has such a name."""
        if "\n" in self.level.strip() or self.level.lstrip().startswith(WALL * 2):
            return True
        return "|" in self.level and not (exists(self.level) or exists(self.level.rpartition("#")[0]))

    def _only_level(self) -> LevelText:
        """Return the level of a file that has no other."""
        if not exists(self.level):
            raise BadRequest(f"sokoban: {self.level!r}: no such file; {SAMPLE}")
        found = levels_of(self.level)
        if len(found) > 1:
            raise BadRequest(
                f"sokoban: {self.level!r}: the file has levels #1 to #{len(found)}: ask for {self.level}#1"
            )
        return found[0]

    @property
    def title(self) -> str:
        """Return the title of the level."""
        return self.text.title

    @property
    def called(self) -> str:
        """Return the game with its level in words: its number, the name of its file, its title."""
        file, _, number = self.level.rpartition("#")
        if not number.isdecimal() or self._is_rows:
            return f"Sokoban, {self.title}" if self.title else "Sokoban"
        collection = f" of {PurePath(file).name}" if file.strip(STANDARD_INPUT) else ""
        title = self.title.removeprefix(number).strip(" .:")
        return f"Sokoban, level {number}{collection}{f': {title}' if title else ''}"

    @property
    def notes(self) -> Sequence[str]:
        """Return the notes on the level."""
        return self.text.notes

    @cached_property
    def maze(self) -> Level:
        """Return the level as read. Raises BadRequest, which names line and column."""
        return read_level(self.text)

    @cached_property
    def tables(self) -> LevelTables:
        """Return what follows from the level's walls and goals."""
        return LevelTables(self.maze)

    @property
    def width(self) -> int:
        """Return a cell for 32 squares each, and one for the man."""
        return words_for(len(self.maze.cells)) + 1

    @property
    def max_moves(self) -> int:
        """Return more than the pushes of any state: a push needs a stone and a free square, four times at most."""
        return 64 * words_for(len(self.maze.cells))

    def data(self) -> Any:
        """Return the level."""
        return level_data(self.tables)

    def index(self) -> Numbering | None:
        """Return the numbering of the states, None where there are too many."""
        squares, stones = len(self.maze.cells), len(self.maze.stones)
        return Numbering(squares, stones) if index_size(squares, stones) <= MOST_NUMBERS else None

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        return functions(words_for(len(self.maze.cells)), self.index() is not None)

    def enhanced(self) -> EnhancedSokoban:
        """Return the functions and arrays for enhanced IDA*."""
        return EnhancedSokoban(self.tables)

    def feature_space(self) -> SokobanFeatureSpace:
        """Return the functions and arrays for feature-space search."""
        return SokobanFeatureSpace(self.tables)

    def known(self) -> Mapping[str, Any]:
        """Return the least number of pushes of the levels that come with the game."""
        number = self.level.removeprefix("#")
        return {"start": str(PUSHES[int(number) - 1])} if number.isdigit() and 0 < int(number) <= len(PUSHES) else {}

    # --- notation ----------------------------------------------------------------------------------------------------

    def parse(self, text: str) -> list[int]:
        """Read the squares of the stones and, behind @, one that the man can walk to: "Fh Gc @Mi"; or the level's rows."""
        level = self.maze
        if WALL in text:
            other = read_level(levels_in(text, f"{self}: the state")[0])
            if (other.cells, other.goals) != (level.cells, level.goals):
                raise BadState(f"{self}: the state has other walls or goals than the level")
            stones, man = list(other.stones), other.man
        else:
            names = {level.name(square): square for square in range(len(level.cells))}
            words = [(mark, word) for mark, word in re.findall(r"(@?)(\w+)", text)]
            if unknown := [word for _, word in words if word not in names]:
                raise BadState(f"{self}: {text!r}: {unknown[0]!r} is no square of the floor; {self._names()}")
            stones = [names[word] for mark, word in words if not mark]
            men = [names[word] for mark, word in words if mark]
            if len(men) != 1 or len(set(stones)) != len(stones) or men[0] in stones:
                raise BadState(
                    f"{self}: {text!r}: expected different squares of stones, and @ before the man's; {self._names()}"
                )
            man = men[0]
        if len(stones) != len(level.stones):
            raise BadState(f"{self}: {text!r} has {len(stones)} stones, the level has {len(level.stones)}")
        return state_of(stones, normal_man(level.near, stones, man), len(level.cells))

    def _names(self) -> str:
        return f"columns are A, B, ... from the left, rows a, b, ... from the top; the start is {self.format(self.start())!r}"

    def format(self, state: Sequence[int]) -> str:
        """Return the squares of the stones, and the first one that the man can walk to: "Fh Gc @Mi"."""
        level = self.maze
        stones = stones_of(state)
        for square in [*stones, int(state[-1])]:
            if square >= len(level.cells):
                raise ValueError(f"square {square} of {len(level.cells)}")
        return " ".join([*(level.name(square) for square in stones), f"@{level.name(int(state[-1]))}"])

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the squares that the stone leaves and comes to, "Fh-Eh"."""
        return f"{self.maze.name(from_square(move))}-{self.maze.name(to_square(move))}"

    def solution(self, moves: Sequence[int]) -> str:
        """Return pushes from the start of the level in LURD."""
        return lurd(self.maze, moves)

    # --- drawing -----------------------------------------------------------------------------------------------------

    def dead_end(self, state: Sequence[int]) -> str | None:
        """Return why the stones cannot all come to goals any more."""
        reason = why_dead(self.tables, stones_of(state), int(state[-1]))
        return reason and reason.words

    def dead_cells(self, state: Sequence[int]) -> list[int]:
        """Return the cells of the stones for which the level cannot be solved any more."""
        reason = why_dead(self.tables, stones_of(state), int(state[-1]))
        if reason is None:
            return []
        return [
            cell for cell, place in enumerate(self._drawn_cells) if self.maze.numbers.get(place, -1) in reason.stones
        ]

    def picture(self, state: Sequence[int]) -> str:
        """Return the level's rows with the stones and the man of the state."""
        level = self.maze
        man = level.man if list(state) == self.start() else int(state[-1])
        head = "    " + "".join(letters(column, "A")[-1] for column in range(level.width))
        rows = [f"{letters(row, 'a'):>3} {marks}" for row, marks in enumerate(level.drawn(stones_of(state), man))]
        return "\n".join([head, *rows])

    def board(self) -> Board:
        """Return the squares of the floor and the walls around them."""
        names = tuple(letters(x, "A") + letters(y, "a") for y, x in self._drawn_cells)
        return Board(tuple((float(x), float(y)) for y, x in self._drawn_cells), shape="maze", names=names)

    @cached_property
    def _drawn_cells(self) -> tuple[tuple[int, int], ...]:
        rows = self.maze.drawn((), -1)
        return tuple(
            (row, column)
            for row, marks in enumerate(rows)
            for column, mark in enumerate(marks)
            if mark == WALL or (row, column) in self.maze.numbers
        )

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return walls, goals, stones and the man by their marks in XSB."""
        rows = self.maze.drawn(stones_of(state), int(state[-1]))
        marks = [rows[row][column] if column < len(rows[row]) else " " for row, column in self._drawn_cells]
        return [mark if mark in {WALL, GOAL, STONE, STONE_ON_GOAL, MAN, MAN_ON_GOAL} else "" for mark in marks]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the stone, and where it is pushed to."""
        place = {cell: number for number, cell in enumerate(self._drawn_cells)}
        level = self.maze
        target = level.near[from_square(move)][direction_of(move)]
        return [place[level.cells[from_square(move)]], place[level.cells[target]]]


def levels_of(file: str) -> Sequence[LevelText]:
    """Return the levels of a file, "" for those that come with the game. Raises BadRequest."""
    if not file:
        return levels_in(HAND_MADE, OWN)
    if (
        file == STANDARD_INPUT and from_standard_input.cache_info().currsize
    ):  # nobody waits here for what was not asked for
        return from_standard_input()
    try:
        found = Path(file).stat()
    except OSError:
        return read_collection(file)  # which says why
    return _kept(file, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _kept(file: str, _changed: int, _size: int) -> Sequence[LevelText]:
    """Return the levels of a file as it is: each level is a game that asks for it anew."""
    return read_collection(file)
